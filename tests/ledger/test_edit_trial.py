"""A trial asks only for the support that the change can change."""

from collections.abc import Hashable, Sequence

import pytest
from makers import TEXT, evidence, query, runtime, state

from rarr.ledger.edit_trial import Trial
from rarr.records import Change, Evidence
from rarr.testing import ScriptedVerifier
from rarr.tools.concurrency.worker_threads import work
from rarr.tools.text.blocks_and_sentences import Span, sentences

REST = " It has the soil. Its farms sell jam."


class NamedReader(ScriptedVerifier):
    """A verifier that reads a sentence, and for a pronoun the first word of the text."""

    async def readings(self, text: str, context: str | None, spans: Sequence[Span]) -> Sequence[Hashable]:
        first = text.split()[0]
        words = [span.of(text) for span in spans]
        return [(first if sentence.startswith("It ") else "", sentence) for sentence in words]


def _asked(verifier: ScriptedVerifier) -> set[str]:
    return {span.of(text) for text, _, spans, _ in verifier.calls for span in spans}


def _support(sentence: str, source: Evidence) -> float:
    return float("Georgia" not in sentence)


async def _refusal(verifier: ScriptedVerifier, old: str, new: str, text: str = TEXT + REST) -> str:
    start = text.index(old)
    change = Change(start=start, end=start + len(old), new=new)
    spans = await work(sentences, text)
    queries = [query(*span, id=f"q{number}") for number, span in enumerate(spans, 1)]
    found = [evidence(id=f"{asked.id}.1") for asked in queries]
    trial = Trial(text, spans[0], change, None, runtime(verifier=verifier).context)
    return await trial.refusal_of_correction(found[0], state(text, queries=queries, found=found), queries)


async def test_sentences_that_are_read_as_before_are_not_asked_for() -> None:
    verifier = NamedReader(_support)
    assert await _refusal(verifier, "Georgia", "California") == ""
    assert _asked(verifier) == {TEXT, TEXT.replace("Georgia", "California"), "It has the soil."}


async def test_sentence_that_is_read_differently_can_refuse_the_change() -> None:
    def support(sentence: str, source: Evidence) -> float:
        return next(supports) if "soil" in sentence else _support(sentence, source)

    supports = iter([0.9, 0.9, 0.1, 0.1])
    refusal = await _refusal(NamedReader(support), "Georgia", "California")
    assert refusal == "a sentence loses its support: 0.90 before, 0.10 after: 'It has the soil.'"


@pytest.mark.parametrize("verifier", [ScriptedVerifier(_support), NamedReader(_support)])
async def test_whole_paragraph_is_asked_for_after_a_change_of_sentences(verifier: ScriptedVerifier) -> None:
    await _refusal(verifier, "Georgia", "California. It")
    assert "Its farms sell jam." in _asked(verifier)

"""Tests the claims that a verifier makes from a text, and its classes, with a double of the model."""

import threading
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, strategies as st
from makers import evidence

from rarr.backends.nli import verifier as module
from rarr.backends.nli.loading import EntailmentJudgement
from rarr.backends.nli.verifier import NliVerifier, evidence_parts, text_to_judge
from rarr.tools.text.blocks_and_sentences import Span, sentences

TEXT = "# The mill\n\nThe Vinter Mill is old. It burned in 1921 [1].\n"
FOUND = evidence("The mill burned in 1923.")


class Model:
    """A model that judges by a word of the claim. Records the pairs and the titles."""

    judgements = {"old": EntailmentJudgement(0.1, 0.2), "1921": EntailmentJudgement(0.2, 0.7)}  # noqa: RUF012  # read alone

    def __init__(self, name: str) -> None:
        self.calls: list[tuple[list[Any], str]] = []

    def judge_pairs(self, pairs: Sequence[Any], title: str = "") -> list[EntailmentJudgement | None]:
        assert threading.current_thread() is not threading.main_thread()
        self.calls.append((list(pairs), title))
        return [
            next((it for word, it in self.judgements.items() if word in claim), None) for _, claim in pairs
        ]


@pytest.fixture
def verifier(monkeypatch: pytest.MonkeyPatch) -> NliVerifier:
    monkeypatch.setattr(module, "NliModel", Model)
    return NliVerifier("a/b", 0.5)


async def test_sentences_are_asked_at_once_without_citations(verifier: NliVerifier) -> None:
    assert await verifier.support(TEXT, None, sentences(TEXT), FOUND) == [0.1, 0.2]
    claims = ["The Vinter Mill is old.", "It burned in 1921."]
    assert verifier._model.calls == [([(FOUND.text, claim) for claim in claims], "")]  # type: ignore[attr-defined]


async def test_heading_is_not_judged_and_a_sentence_without_a_value_is(verifier: NliVerifier) -> None:
    spans = [Span(0, 10), *sentences(TEXT)]
    assert await verifier.support(TEXT, None, spans, FOUND) == [None, 0.1, 0.2]


@pytest.mark.parametrize(
    ("judgement", "expected"),
    [
        (EntailmentJudgement(0.5, 0.3), "attributable"),
        (EntailmentJudgement(0.3, 0.5), "contradictory"),
        (EntailmentJudgement(0.2, 0.3), "extrapolatory"),
        (EntailmentJudgement(0.5), "attributable"),
        (EntailmentJudgement(0.49), "extrapolatory"),
    ],
)
async def test_class_is_the_most_probable_of_three_or_goes_by_the_threshold(
    verifier: NliVerifier, judgement: EntailmentJudgement, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Model, "judgements", {"": judgement})
    assert await verifier.classify(TEXT, None, sentences(TEXT)[:1], FOUND) == [expected]


def test_question_stands_before_a_short_answer_alone() -> None:
    asked = "How old is the Golden Gate Bridge?"
    assert text_to_judge("85 years.", asked, Span(0, 9)) == f"{asked} 85 years."
    assert text_to_judge(TEXT, asked, Span(0, 10)) == ""
    assert not text_to_judge(TEXT, asked, Span(0, len(TEXT))).startswith(asked)


@given(st.text(max_size=400), st.integers(0, 120))
def test_no_part_of_evidence_is_longer_than_fits_and_none_is_lost(text: str, most: int) -> None:
    parts = evidence_parts(text, lambda part: len(part) <= most)
    assert all(len(part) <= most for part in parts)
    if most > 44 and sentences(text):
        assert "".join(sentences(text)[0].of(text).split()) in "".join("".join(parts).split())

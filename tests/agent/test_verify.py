"""`verify` decides whether evidence supports a claim, by the same nodes and ledger as `revise`."""

import asyncio
import re
from collections.abc import Sequence
from typing import Any

import pytest

from agent.dams import CATS, DAM, RIGHT, WRONG, codes, scripted
from rarr import ClaimVerifier, InputError, Settings, Verification, averify, revise, verify
from rarr.records import AttributionClass, Evidence
from rarr.testing import (
    InMemoryRetriever,
    ScriptedModel,
    ScriptedQueries,
    ScriptedVerifier,
    scripted_components,
)
from rarr.tools.text.blocks_and_sentences import Span


class Classes(ScriptedVerifier):
    """Supports everything, and notes the passages by which it was asked for a class."""

    def __init__(self) -> None:
        super().__init__(lambda *_: 0.9)
        self.asked: list[str] = []

    async def classify(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[AttributionClass | None]:
        self.asked.append(evidence.text)
        return ["attributable"] * len(spans)


@pytest.mark.parametrize(
    ("claim", "evidence", "label"),
    [
        (RIGHT, DAM, "attributable"),
        (WRONG, DAM, "contradictory"),
        (CATS, "Dogs bark.", "extrapolatory"),
        (CATS, [], "extrapolatory"),
        (WRONG, "The tower is 33 metres high.", "extrapolatory"),
        ("The Hoover Dam was built by Egyptians.", "A firm of Paris built the tower.", "extrapolatory"),
    ],
)
def test_verification_has_the_label(claim: str, evidence: Any, label: str) -> None:
    assert verify(claim, evidence).label == label


def test_parts_and_the_deciding_sentence_point_at_the_words() -> None:
    verification = verify(WRONG, ["The dam is in Nevada.", f"It is popular. {DAM}"])
    [part] = verification.parts
    assert (WRONG[part.start : part.end], part.state, part.evidence_id, part.says) == (
        "212", "differs", "p2", "221 metres",
    )  # fmt: skip
    decided = verification.decided_by
    assert decided is not None and (decided.text, decided.evidence_id) == (DAM, "p2")
    assert verification.evidence[1].text[decided.start : decided.end] == DAM


async def test_every_sentence_must_be_supported() -> None:
    judge = ScriptedVerifier({("Hoover", "221"): 0.9, ("Cats", ""): 0.2, ("Hoover", ""): 0.1})
    made = scripted(query_generator=ScriptedQueries([]), verifier=judge)
    verification = await made.averify(f"{RIGHT} {CATS}", [DAM, "Dogs bark."])
    assert [sentence.support for sentence in verification.sentences] == [0.9, 0.2]
    assert (verification.label, verification.probability) == ("extrapolatory", 0.2)
    assert not verification.confirmed


def test_sentences_may_have_their_support_from_different_passages() -> None:
    verification = verify(f"{RIGHT} Ida Lunde died in 1931.", [DAM, "Ida Lunde died in 1931 in Aarle."])
    assert verification.label == "attributable" and verification.confirmed
    assert [part.evidence_id for part in verification.parts] == ["p1", "p2"]


def test_question_tells_what_a_short_answer_is_about() -> None:
    bought = "The United States bought Alaska from Russia in 1867."
    assert verify("In 1867.", bought, "When did the US buy Alaska?").label == "attributable"
    assert verify("In 1868.", bought, "When did the US buy Alaska?").label != "attributable"


@pytest.mark.parametrize("claim", ["Zolprin.", "Yes.", "No.", "1936.", "Hoover Dam", "A dam."])
@pytest.mark.parametrize("evidence", [DAM, "The Zolprin clinic of the Hoover Dam is a dam: yes, no, 1936."])
def test_words_that_state_nothing_are_not_judged(claim: str, evidence: str) -> None:
    verification = verify(claim, evidence)
    assert (verification.label, verification.probability) == (None, None)
    assert [sentence.status for sentence in verification.sentences] == ["unjudged"]
    assert codes(verification) == ["nothing_to_check"]


@pytest.mark.parametrize("claim", ["Yes.", "No.", "yes, true"])
def test_yes_and_no_are_not_judged_with_their_question_either(claim: str) -> None:
    assert verify(claim, DAM, "Is the Hoover Dam 221 metres high?").label is None


def test_words_that_state_nothing_change_no_label_of_other_sentences() -> None:
    assert verify(f"Yes. {RIGHT}", DAM).label == "attributable"
    assert verify(f"Yes. {WRONG}", DAM).label == "contradictory"
    assert not verify(f"Yes. {RIGHT}", DAM).confirmed


async def test_short_answer_needs_a_passage_that_says_it() -> None:
    """The judge likes both; no rule can ask about a year without another word."""
    asked, passage = "When was it completed?", "It was completed in 1936."
    made = scripted(query_generator=ScriptedQueries([]), verifier=ScriptedVerifier(lambda *_: 0.9))
    said = await made.averify("1936.", passage, asked)
    assert (said.label, said.confirmed, [part.state for part in said.parts]) == (
        "attributable",
        False,
        ["open"],
    )
    unsaid = await made.averify("1937.", passage, asked)
    assert (unsaid.label, codes(unsaid)) == (None, ["support_not_shown"])
    assert [sentence.status for sentence in unsaid.sentences] == ["unjudged"]


async def test_classes_of_a_claim_are_asked_once_for_each_passage() -> None:
    judge = Classes()
    made = scripted(query_generator=ScriptedQueries([("How high is it?", "221")]), verifier=judge)
    assert (await made.averify(RIGHT, [DAM, CATS])).label == "attributable"
    assert judge.asked == [DAM, CATS]


def test_verification_works_offline() -> None:
    assert verify(RIGHT, DAM, offline=True).label == "attributable"


def test_verification_survives_json() -> None:
    verification = verify(WRONG, DAM, "How high is it?")
    assert Verification.model_validate_json(verification.model_dump_json()) == verification


@pytest.mark.parametrize("claim", [RIGHT, WRONG, f"{RIGHT} {CATS}", "The Hoover Dam is 379 metres long."])
def test_sentences_are_those_of_a_revision_without_edits(claim: str) -> None:
    """The claim is revised with limits that refuse every edit, so that both judge the same text."""
    found = InMemoryRetriever([DAM])
    report = revise(claim, search=found, max_edit_chars=0, rounds=1, trace=False).report
    verification = verify(claim, DAM)
    for revised, verified in zip(report.sentences, verification.sentences, strict=True):
        if revised.status != "unjudged":  # revise asks nothing about such a sentence
            states = [(part.start, part.end, part.state, part.says) for part in revised.parts]
            assert [(part.start, part.end, part.state, part.says) for part in verified.parts] == states
            assert (verified.status, verified.support) == (revised.status, revised.support)


def test_list_of_claims_gives_a_list() -> None:
    verified = verify([RIGHT, WRONG], [DAM, [DAM, CATS]], [None, "How high is the dam?"])
    assert [each.label for each in verified] == ["attributable", "contradictory"]
    assert [each.question for each in verified] == [None, "How high is the dam?"]


async def test_claims_under_way_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    under_way, most, three = 0, 0, asyncio.Barrier(3)

    async def slow(self: ClaimVerifier, claim: str, *_: object) -> Verification:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await three.wait()  # each waits for two others
        under_way -= 1
        return Verification(claim=claim)

    monkeypatch.setattr(ClaimVerifier, "averify", slow)
    claims = [f"Claim {n}." for n in range(21)]
    verified = await averify(claims, [DAM] * 21, concurrency=3)
    assert ([each.claim for each in verified], most) == (claims, 3)


async def test_claims_of_an_async_caller() -> None:
    assert [each.label for each in await averify([RIGHT], [DAM])] == ["attributable"]
    assert (await averify(RIGHT, DAM)).label == "attributable"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ((" ", DAM), "claim is empty: give at least one sentence"),
        ((3, DAM), "claim is an int: give a str, or a list of them"),
        ((RIGHT, ""), "passage 1 of the evidence is empty: leave it out, or give its text"),
        ((RIGHT, [DAM, 3]), "passage 2 of the evidence is an int: give a str, a Passage"),
        ((RIGHT, {"title": "Dam"}), "passage 1 of the evidence has no text"),
        ((RIGHT, {"text": DAM, "link": "x"}), "has an unknown key 'link': give text, title, source, url"),
        ((RIGHT, {"text": 3}), "passage 1 of the evidence has a text that is an int"),
        ((RIGHT, DAM, " "), "question is empty"),
        (([RIGHT, WRONG], [DAM]), "there are 2 claims, and evidence is 1 item"),
        (([RIGHT], DAM), "there are 1 claim, and evidence is a str"),
        (([RIGHT], [DAM], ["Why?", "How?"]), "there are 1 claim, and question is 2 items"),
        (([RIGHT, 3], [DAM, DAM]), "claim is an int, not a str"),
    ],
)
def test_wrong_call_is_told_in_one_line(call: tuple[Any, ...], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        verify(*call)


def test_text_in_another_language_is_not_judged_by_the_embedded_model() -> None:
    german = "Die Talsperre ist zweihundert Meter hoch und wurde von vielen Arbeitern gebaut."
    verification = verify(german, german)
    assert verification.label is None and "not_english" in codes(verification)


def test_language_model_is_asked_once_for_each_sentence_and_passage() -> None:
    judge = ScriptedModel(lambda asked: {"reason": "", "verdict": "contradictory"})
    verification = verify(f"{RIGHT} {CATS}", [DAM, "Dogs bark."], models={"attribute": judge})
    assert len(judge.calls) == verification.usage.model_calls == 4
    assert verification.usage.by_node["attribute"].model_calls == 4
    assert verification.label == "contradictory"


def test_two_sources_of_settings_are_refused() -> None:
    with pytest.raises(InputError, match="settings and components are both given"):
        ClaimVerifier(Settings(), components=scripted_components())


def test_verification_needs_no_network() -> None:
    assert verify(RIGHT, DAM, offline=True).label == "attributable"

"""A model reads the passage without the text in view, and a reading outlasts the edits."""

import pytest
from makers import evidence

from backends.prompted.helpers import PROMPTS, answering, language_model, query_about
from rarr.backends.prompted.agreement import PromptedChecker
from rarr.backends.prompted.blind_reading import PREFERRED, BlindChecker
from rarr.backends.rules import blind_answers, short_answers
from rarr.errors import ModelError
from rarr.testing import Asked, ScriptedModel
from rarr.tools.models.meter import METER, Budget, Meter

TEXT = "The Orrel Mill is old. The Orrel Mill burned in 1921."
QUERY = query_about(TEXT, "1921", "When did the Orrel Mill burn?")
FOUND = evidence("The Orrel Mill burned in May 1923.").model_copy(update={"title": "Orrel Mill"})


def reads(answer: str, *, original: str, probability: float | None = None) -> ScriptedModel:
    """A model that reads `answer`, then names a letter for the original sentence: in each order, or both.

    `original`: "chosen" or "left" in both orders, or "first": whichever sentence comes first is chosen.
    """

    def answers(asked: Asked) -> dict[str, str]:
        if asked.prompt != "choose_version":
            return {"answer": answer}
        original_is_first = "A: The Orrel Mill burned in 1921." in asked.user
        choice = {"chosen": original_is_first, "left": not original_is_first, "first": True}[original]
        return {"version": "A" if choice else "B"}

    return ScriptedModel(answers, probability=probability)


def checker(chat: ScriptedModel) -> BlindChecker:
    model = language_model(chat)
    seeing = PromptedChecker(model, PROMPTS, whole_text=False, reader=short_answers)
    return BlindChecker(model, PROMPTS, comparison=blind_answers, follow_ups=seeing)


async def test_the_text_is_not_in_view() -> None:
    chat = reads("May 1923", original="left")
    agreement = await checker(chat).check(TEXT, "Tell me of the mill.", QUERY, FOUND)
    assert (agreement.verdict, agreement.evidence_answer) == ("disagrees", "May 1923")
    assert PROMPTS["read_evidence"].parse(chat.calls[0].messages[-1].content) == {
        "query": QUERY.text,
        "evidence": f"# Orrel Mill\n{FOUND.text}",
    }
    assert "1921" not in chat.calls[0].messages[-1].content


SAYS_BOTH = evidence("The Orrel Mill burned in May 1923. The Orrel Mill of Aarle was sold in 1921.")


@pytest.mark.parametrize(
    ("original", "probability", "verdict"),
    [
        ("left", None, "disagrees"),
        ("left", PREFERRED + 0.01, "disagrees"),
        ("left", PREFERRED - 0.01, "unknown"),
        ("chosen", None, "unknown"),
        ("first", 0.9, "unknown"),
    ],
)
async def test_doubtful_difference_counts_where_the_model_prefers_it_in_both_orders(
    original: str, probability: float | None, verdict: str
) -> None:
    chat = reads("May 1923", original=original, probability=probability)
    agreement = await checker(chat).check(TEXT, None, QUERY, SAYS_BOTH)
    assert agreement.verdict == verdict
    assert (agreement.confidence is not None) == (verdict == "disagrees")
    assert [call.name for call in chat.calls] == ["read_evidence", "choose_version", "choose_version"]
    assert ("does not choose" in agreement.reason) == (verdict == "unknown")


async def test_difference_without_a_doubt_needs_no_choice() -> None:
    chat = reads("May 1923", original="chosen", probability=0.9)
    agreement = await checker(chat).check(TEXT, None, QUERY, FOUND)
    assert (agreement.verdict, agreement.confidence) == ("disagrees", None)
    assert [call.name for call in chat.calls] == ["read_evidence"]


@pytest.mark.parametrize("answer", ["1921", "not stated", "June"])
async def test_without_a_difference_no_sentence_is_chosen(answer: str) -> None:
    chat = reads(answer, original="left")
    assert (await checker(chat).check(TEXT, None, QUERY, FOUND)).verdict != "disagrees"
    assert [call.name for call in chat.calls] == ["read_evidence"]


async def test_a_reading_holds_for_a_text_that_was_edited() -> None:
    chat = reads("May 1923", original="left")
    blind = checker(chat)
    METER.set(Meter(Budget()))
    await blind.check(TEXT, None, QUERY, FOUND)
    edited = TEXT.replace("1921", "1923")
    assert (await blind.check(edited, None, QUERY, FOUND)).verdict == "agrees"
    assert [call.name for call in chat.calls].count("read_evidence") == 1


async def test_a_passage_about_something_else_costs_no_request() -> None:
    chat = answering({"answer": "May 1923"})
    agreement = await checker(chat).check(TEXT, None, QUERY, evidence("Bread rises for an hour."))
    assert (agreement.verdict, chat.calls) == ("irrelevant", [])


async def test_what_follows_from_an_edit_is_judged_with_the_text_in_view() -> None:
    verdict = {"text_answer": "1921", "evidence_answer": "1923", "reason": "", "verdict": "disagrees"}
    chat = answering(verdict)
    await checker(chat).check(TEXT, None, QUERY.model_copy(update={"follows": "e1"}), FOUND)
    assert [call.name for call in chat.calls] == ["check_agreement"]


async def test_an_answer_that_cannot_be_read_is_no_verdict() -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        await checker(answering("I would rather not.")).check(TEXT, None, QUERY, FOUND)


async def test_an_answer_is_bounded() -> None:
    chat = reads("May 1923", original="left")
    await checker(chat).check(TEXT, None, QUERY, FOUND)
    assert chat.calls[0].max_tokens == PROMPTS["read_evidence"].tokens == 100

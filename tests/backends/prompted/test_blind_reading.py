"""A model reads values without the text's own, in two ways, and a reading outlasts the edits."""

from collections.abc import Callable
from typing import Any

import pytest
from makers import evidence

from backends.prompted.helpers import PROMPTS, answering, language_model, query_about
from rarr.backends.prompted.agreement import PromptedChecker
from rarr.backends.prompted.blind_reading import DOUBTED, LIKELY_TWICE, BlindChecker
from rarr.backends.prompted.passage_surroundings import Surroundings
from rarr.backends.rules import (
    answer_grounding as stated_answers,
    model_answer_comparison as answer_comparison,
)
from rarr.errors import ModelError
from rarr.records import Agreement, Evidence, Verdict
from rarr.testing import Asked, ScriptedModel
from rarr.tools.models.chat import Answer, ChatRequest
from rarr.tools.models.run_budget import METER, Budget, Meter

TEXT = "# Mills of Orrel\n\nThe Orrel Mill is old. The Orrel Mill burned in 1921."
QUERY = query_about(TEXT, "1921", "The Orrel Mill burned when?")
BURNED = evidence("The Orrel Mill burned in May 1923.").model_copy(update={"title": "Orrel Mill"})
# In words that the rules do not compare.
FOUND = BURNED.model_copy(update={"text": "The Orrel Mill went up in flames in May 1923."})
BOTH = ["fill_blank", "write_question", "read_evidence"]


def reads(filled: str, answered: str = "", *, probability: float | None = None) -> ScriptedModel:
    """A model that fills in `filled`, and answers questions with `answered`, or else with the same."""

    def answers(asked: Asked) -> dict[str, str]:
        if asked.prompt == "write_question":
            return {"question": "In which year did the Orrel Mill burn?"}
        return {"answer": filled if asked.prompt == "fill_blank" else answered or filled}

    return ScriptedModel(answers, probability=probability)


def checker(chat: ScriptedModel, source: str | None = None) -> BlindChecker:
    async def source_text(_: Evidence) -> str | None:
        return source

    model = language_model(chat)
    return BlindChecker(
        model,
        PROMPTS,
        surroundings=Surroundings(source_text),
        comparison=answer_comparison,
        follow_ups=PromptedChecker(model, PROMPTS, whole_text=False, reader=stated_answers),
        statements=None,
    )


def asked(chat: ScriptedModel) -> list[str]:
    return [call.name for call in chat.calls]


async def test_value_of_the_text_is_in_view_only_where_the_question_is_written() -> None:
    chat = reads("May 1923")
    agreement = await checker(chat).check(TEXT, "Tell me of the mill.", QUERY, FOUND)
    assert (agreement.verdict, agreement.evidence_answer) == ("disagrees", "May 1923")
    filled, written, answered = (call.messages[-1].content for call in chat.calls)
    assert PROMPTS["fill_blank"].parse(filled) == {
        "evidence": f"# Orrel Mill\n{FOUND.text}",
        "before": "Tell me of the mill.\n# Mills of Orrel\nThe Orrel Mill is old.",
        "sentence": "The Orrel Mill burned in ____.",
    }
    assert "The Orrel Mill burned in [[1921]]." in written and FOUND.text not in written
    assert "In which year did the Orrel Mill burn?" in answered
    assert "1921" not in filled + answered


async def test_same_value_needs_no_second_reading() -> None:
    chat = reads("1921")
    burned = evidence("The Orrel Mill went up in flames in May 1921.")
    assert (await checker(chat).check(TEXT, None, QUERY, burned)).verdict == "agrees"
    assert asked(chat) == BOTH[:1]


async def test_same_value_in_the_same_words_needs_no_reading() -> None:
    chat = reads("1923")
    burned = evidence("The Orrel Mill burned in May 1921.")
    assert (await checker(chat).check(TEXT, None, QUERY, burned)).verdict == "agrees"
    assert asked(chat) == []


@pytest.mark.parametrize("filled", ["not stated", "", "the miller", "May 1950"])
async def test_no_answer_needs_no_second_reading(filled: str) -> None:
    chat = reads(filled)
    assert (await checker(chat).check(TEXT, None, QUERY, FOUND)).verdict in ("irrelevant", "unknown")
    assert asked(chat) == BOTH[:1]


TWO_YEARS = evidence("The Orrel Mill went up in flames in May 1923. The Orrel Mill was built in 1887.")


@pytest.mark.parametrize("answered", ["1887", "not stated", "the miller"])
async def test_readings_that_differ_are_no_verdict(answered: str) -> None:
    chat = reads("May 1923", answered)
    agreement = await checker(chat).check(TEXT, None, QUERY, TWO_YEARS)
    assert agreement.verdict == "unknown"
    assert repr(answered) in agreement.reason
    # The question of the rules is tried where the answer to the model's is no value.
    assert asked(chat) == BOTH + ["read_evidence"] * (answered != "1887")


SAYS_BOTH = evidence("The Orrel Mill burned in May 1923. The Orrel Mill of Aarle was sold in 1921.")


LITTLE_ELSE = BURNED.model_copy(
    update={"text": "Flames took the roof, the loft, the wheel and all sacks in May 1923."}
)


@pytest.mark.parametrize(
    ("probability", "confidence"),
    [(None, DOUBTED), (0.9 * LIKELY_TWICE**0.5, DOUBTED), (1.1 * LIKELY_TWICE**0.5, None)],
)
async def test_doubtful_difference_is_suggested_unless_both_readings_are_likely(
    probability: float | None, confidence: float | None
) -> None:
    chat = reads("May 1923", probability=probability)
    agreement = await checker(chat).check(TEXT, None, QUERY, LITTLE_ELSE)
    assert (agreement.verdict, agreement.confidence) == ("disagrees", confidence)
    assert ("too little else of the sentence" in agreement.reason) == (confidence is not None)


async def test_difference_is_suggested_where_the_source_has_both_values() -> None:
    agreement = await checker(reads("May 1923", probability=0.99)).check(TEXT, None, QUERY, SAYS_BOTH)
    assert (agreement.verdict, agreement.confidence) == ("disagrees", DOUBTED)
    assert "but the evidence says the text's value as well" in agreement.reason


async def test_difference_without_a_doubt_counts() -> None:
    agreement = await checker(reads("May 1923")).check(TEXT, None, QUERY, FOUND)
    assert (agreement.verdict, agreement.confidence) == ("disagrees", None)


async def test_difference_that_the_rules_read_too_needs_no_second_answer() -> None:
    chat = reads("May 1923", "1887", probability=0.1)
    agreement = await checker(chat).check(TEXT, None, QUERY, BURNED)
    assert (agreement.verdict, agreement.evidence_answer, agreement.confidence) == (
        "disagrees", "May 1923", None,
    )  # fmt: skip
    assert asked(chat) == BOTH[:1]


@pytest.mark.parametrize("filled", ["not stated", "May 1950", "the miller"])
@pytest.mark.parametrize(
    ("text", "verdict"),
    [(BURNED.text, "disagrees"), ("The Orrel Mill went up in flames in 1921.", "agrees")],
)
async def test_rules_decide_where_the_model_does_not(filled: str, text: str, verdict: Verdict) -> None:
    chat = reads(filled)
    passage = BURNED.model_copy(update={"text": text})
    assert (await checker(chat).check(TEXT, None, QUERY, passage)).verdict == verdict
    assert asked(chat) == BOTH[:1]


class OftenUnsure(ScriptedModel):
    """A model with one probability for the blank, and another for its answers to questions."""

    def __init__(self, reply: Callable[[Asked], Any], blank: float, answer: float) -> None:
        super().__init__(reply, probability=answer)
        self._of_blank = ScriptedModel(reply, probability=blank)

    async def complete(self, ask: ChatRequest) -> Answer:
        if ask.name != "fill_blank":
            return await super().complete(ask)
        self.calls.append(ask)
        return await self._of_blank.complete(ask)


@pytest.mark.parametrize(
    ("third", "answer", "confidence"),
    [("May 1923", 0.7, None), ("May 1923", 0.5, DOUBTED), ("not stated", 0.7, DOUBTED)],
    ids=["sure of two", "sure of none", "another answer"],
)
async def test_query_settles_a_difference_where_the_model_is_unsure(
    third: str, answer: float, confidence: float | None
) -> None:
    def answers(asked: Asked) -> dict[str, str]:
        if asked.prompt == "write_question":
            return {"question": "In which year did the Orrel Mill burn?"}
        return {"answer": third if f"Question: {QUERY.text}" in asked.messages[-1].content else "May 1923"}

    chat = OftenUnsure(answers, blank=0.1, answer=answer)
    agreement = await checker(chat).check(TEXT, None, QUERY, FOUND)
    assert (agreement.verdict, agreement.confidence) == ("disagrees", confidence)
    assert asked(chat) == [*BOTH, "read_evidence"]


async def test_block_of_the_source_is_read_and_the_sentences_with_the_answer_are_the_evidence() -> None:
    others = "The parish is large. It has a church. The river is slow. Few people come here in winter. "
    source = f"{FOUND.text} {others}Corn was ground here. The wheel is of oak."
    start = source.index("Corn")
    passage = FOUND.model_copy(update={"text": source[start:], "start": start, "end": len(source)})
    chat = reads("May 1923")
    agreement = await checker(chat, source).check(TEXT, None, QUERY, passage)
    assert agreement.verdict == "disagrees"
    assert agreement.read_in is not None
    assert FOUND.text in agreement.read_in.text
    assert source[agreement.read_in.start : agreement.read_in.end] == agreement.read_in.text
    assert "wheel" not in agreement.read_in.text


async def test_a_reading_holds_for_a_text_that_was_edited() -> None:
    chat = reads("May 1923")
    blind = checker(chat)
    METER.set(Meter(Budget()))
    await blind.check(TEXT, None, QUERY, FOUND)
    edited = TEXT.replace("1921", "1923")
    assert (await blind.check(edited, None, QUERY, FOUND)).verdict == "agrees"
    assert asked(chat) == BOTH


@pytest.mark.parametrize(
    ("verdict", "answer", "answered"),
    [
        ("agrees", "1921", True),
        ("disagrees", "1923", True),
        ("unknown", "1923", True),
        ("irrelevant", "", False),
    ],
)
def test_source_counts_as_answered_by_verdict_and_answer(
    verdict: Verdict, answer: str, answered: bool
) -> None:
    agreement = Agreement(verdict=verdict, evidence_answer=answer)
    assert checker(reads("")).is_answered(agreement) == answered


async def test_a_passage_about_something_else_costs_no_request() -> None:
    chat = reads("May 1923")
    agreement = await checker(chat).check(TEXT, None, QUERY, evidence("Bread rises for an hour."))
    assert (agreement.verdict, chat.calls) == ("irrelevant", [])


async def test_follow_up_of_an_edit_is_judged_with_the_text_in_view() -> None:
    verdict = {"text_answer": "1921", "evidence_answer": "1923", "reason": "", "verdict": "disagrees"}
    chat = answering(verdict)
    await checker(chat).check(TEXT, None, QUERY.model_copy(update={"follows": "e1"}), FOUND)
    assert [call.name for call in chat.calls] == ["check_agreement"]


async def test_an_answer_that_cannot_be_read_is_no_verdict() -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        await checker(answering("I would rather not.")).check(TEXT, None, QUERY, FOUND)


@pytest.mark.parametrize(("copies", "most"), [(1, range(40, 90)), (20, range(100, 101))])
async def test_an_answer_is_bounded_by_its_source(copies: int, most: range) -> None:
    chat = reads("May 1923")
    found = FOUND.model_copy(update={"text": " ".join([FOUND.text] * copies)})
    await checker(chat).check(TEXT, None, QUERY, found)
    [reading, *_] = [call for call in chat.calls if call.name == "read_evidence"]
    assert reading.max_tokens in most
    assert PROMPTS["read_evidence"].tokens == 100

"""A prompted verdict is the model's, where it fits the answers that the model gives with it."""

from typing import Any

import pytest
from makers import evidence, runtime, state

from prompted.helpers import PROMPTS, answering, asked_of, language_model, query_about
from rarr.agent.settings import Settings
from rarr.errors import ModelError
from rarr.nodes.check_agreement import check_agreement
from rarr.prompted.agreement import PromptedChecker
from rarr.records import Agreement
from rarr.testing import ScriptedModel

TEXT = "The mill is old. It burned in 1921. It was rebuilt."
QUERY = query_about(TEXT, "1921", "When did the mill burn?")
FOUND = evidence("The mill burned in 1923.")


def said(verdict: str = "disagrees", mine: str = "1921", its: str = "1923") -> dict[str, Any]:
    return {"text_answer": mine, "evidence_answer": its, "reason": "So it says.", "verdict": verdict}


def checker(chat: ScriptedModel, *, whole_text: bool = False) -> PromptedChecker:
    return PromptedChecker(language_model(chat), PROMPTS, whole_text=whole_text)


async def checked(answer: dict[str, Any]) -> Agreement:
    return await checker(answering(answer)).check(TEXT, None, QUERY, FOUND)


@pytest.mark.parametrize("verdict", ["agrees", "disagrees", "irrelevant", "unknown"])
async def test_verdict_comes_with_both_answers(verdict: str) -> None:
    agreement = await checked(said(verdict))
    assert agreement.model_dump(exclude={"confidence"}) == said(verdict)


async def test_sentence_is_asked_about_with_the_one_before() -> None:
    chat = answering(said())
    await checker(chat).check(TEXT, None, QUERY, FOUND)
    assert asked_of(chat) == {
        "before": "The mill is old.",
        "text": "It burned in 1921.",
        "query": QUERY.text,
        "evidence": FOUND.text,
    }


async def test_whole_text_is_asked_about_where_that_is_the_scope() -> None:
    chat = answering(said())
    await checker(chat, whole_text=True).check(TEXT, None, QUERY, FOUND)
    assert (asked_of(chat)["before"], asked_of(chat)["text"]) == ("(none)", TEXT)


async def test_context_has_a_prompt_of_its_own() -> None:
    chat = answering(said())
    await checker(chat).check(TEXT, "Tell me of the mill.", QUERY, FOUND)
    assert chat.calls[0].name == "check_agreement_in_context"
    assert asked_of(chat)["context"] == "Tell me of the mill."


@pytest.mark.parametrize(
    ("mine", "its"),
    [("1921", "1921"), ("In  1921", "in 1921"), ("1921", ""), ("1921", " \n"), ("", "")],
    ids=["equal", "equal but for case and spaces", "none of the evidence", "blank", "none at all"],
)
async def test_disagreement_without_two_answers_is_unknown(mine: str, its: str) -> None:
    agreement = await checked(said("disagrees", mine, its))
    assert agreement.verdict == "unknown"
    assert "they disagree" in agreement.reason


async def test_equal_answers_agree_where_the_model_says_so() -> None:
    assert (await checked(said("agrees", "1921", "1921"))).verdict == "agrees"


UNREADABLE = ["", "They disagree.", '{"text_answer": "1921"}', '{"verdict": "maybe"}', '{"verdict": "disag']


@pytest.mark.parametrize("answer", UNREADABLE)
async def test_unreadable_answer_is_an_error_after_asking_once_more(answer: str) -> None:
    chat = answering(answer)
    with pytest.raises(ModelError, match="cannot be read"):
        await checker(chat).check(TEXT, None, QUERY, FOUND)
    assert len(chat.calls) == 2


@pytest.mark.parametrize("answer", UNREADABLE)
async def test_unreadable_answer_is_unknown_with_a_warning_and_never_a_verdict(answer: str) -> None:
    before = state(TEXT, queries=[QUERY], found=[FOUND])
    update = await check_agreement(before, runtime(Settings(), checker=checker(answering(answer))))
    assert [check.verdict for check in update["checks"]] == ["unknown"]
    assert [(w.code, w.query_id) for w in update["warnings"]] == [("check_failed", "q1")]


def test_expected_is_one_call() -> None:
    plain = checker(answering("")).expected(TEXT, None)
    with_context = checker(answering("")).expected(TEXT, "Tell me of the mill.")
    assert plain.model_calls == with_context.model_calls == 1
    assert with_context.input_tokens != plain.input_tokens > 0

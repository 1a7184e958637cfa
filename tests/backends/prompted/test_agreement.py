"""A prompted verdict is the model's."""

from typing import Any

import pytest
from makers import evidence, runtime, state

from backends.prompted.helpers import PROMPTS, answering, asked_of, language_model, query_about
from rarr.backends.prompted.paper import PromptedChecker
from rarr.errors import ModelError
from rarr.nodes.check_agreement import check_agreement
from rarr.records import Agreement
from rarr.settings import Settings
from rarr.testing import ScriptedModel

TEXT = "The mill is old. It burned in 1921. It was rebuilt."
QUERY = query_about(TEXT, "1921", "When did the mill burn?")
FOUND = evidence("The mill burned in May 1923.")


def model_answer(
    verdict: str = "disagrees", text_answer: str = "1921", evidence_answer: str = "1923"
) -> dict[str, Any]:
    return {
        "text_answer": text_answer,
        "evidence_answer": evidence_answer,
        "reason": "So it says.",
        "verdict": verdict,
    }


def checker(chat: ScriptedModel, *, whole_text: bool = False) -> PromptedChecker:
    return PromptedChecker(language_model(chat), PROMPTS, whole_text=whole_text)


async def checked(answer: dict[str, Any]) -> Agreement:
    return await checker(answering(answer)).check(TEXT, None, QUERY, FOUND)


@pytest.mark.parametrize("verdict", ["disagrees", "irrelevant", "unknown"])
async def test_verdict_comes_with_both_answers(verdict: str) -> None:
    agreement = await checked(model_answer(verdict))
    assert agreement.model_dump(exclude={"chosen"}) == model_answer(verdict)


async def test_sentence_is_asked_about_with_the_one_before() -> None:
    chat = answering(model_answer())
    await checker(chat).check(TEXT, None, QUERY, FOUND)
    assert asked_of(chat) == {
        "before": "The mill is old.",
        "text": "It burned in 1921.",
        "query": QUERY.text,
        "evidence": FOUND.text,
    }


async def test_whole_text_is_asked_about_where_that_is_the_scope() -> None:
    chat = answering(model_answer())
    await checker(chat, whole_text=True).check(TEXT, None, QUERY, FOUND)
    assert (asked_of(chat)["before"], asked_of(chat)["text"]) == ("(none)", TEXT)


async def test_context_has_a_prompt_of_its_own() -> None:
    chat = answering(model_answer())
    await checker(chat).check(TEXT, "Tell me of the mill.", QUERY, FOUND)
    assert chat.calls[0].name == "check_agreement_paper_in_context"
    assert asked_of(chat)["context"] == "Tell me of the mill."


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

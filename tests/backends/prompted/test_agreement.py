"""A prompted verdict is the model's, where it fits the answers that the model gives with it."""

from typing import Any

import pytest
from makers import evidence, runtime, state

from backends.prompted.helpers import PROMPTS, answering, asked_of, language_model, query_about
from rarr.backends.prompted.agreement import PromptedChecker
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


def paper_checker(chat: ScriptedModel) -> PromptedChecker:
    return PromptedChecker(language_model(chat), PROMPTS, whole_text=True, needs_both_answers=False)


async def checked(answer: dict[str, Any]) -> Agreement:
    return await checker(answering(answer)).check(TEXT, None, QUERY, FOUND)


@pytest.mark.parametrize("verdict", ["disagrees", "irrelevant", "unknown"])
async def test_verdict_comes_with_both_answers(verdict: str) -> None:
    agreement = await checked(model_answer(verdict))
    assert agreement.model_dump(exclude={"confidence", "chosen"}) == model_answer(verdict)


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


@pytest.mark.parametrize(
    ("text_answer", "evidence_answer"),
    [("1921", "1921"), ("In  1921", "in 1921"), ("1921", ""), ("1921", " \n"), ("", "")],
    ids=["equal", "equal but for case and spaces", "none of the evidence", "blank", "none at all"],
)
async def test_disagreement_without_two_answers_is_unknown(text_answer: str, evidence_answer: str) -> None:
    agreement = await checked(model_answer("disagrees", text_answer, evidence_answer))
    assert agreement.verdict == "unknown"
    assert "they disagree" in agreement.reason


@pytest.mark.parametrize(
    ("text_answer", "evidence_answer"),
    [
        ("1923", "May 1923"),
        ("1,200 metres", "1.2 km"),
        ("Ida Lunde", "Lunde"),
        ("a geologist", "an expert on rocks"),
    ],
)
async def test_agreement_counts_where_text_and_passage_have_the_answers(
    text_answer: str, evidence_answer: str
) -> None:
    assert (
        await checked_against(
            f"It was {text_answer}.",
            f"It was {evidence_answer}.",
            model_answer("agrees", text_answer, evidence_answer),
        )
    ) == "agrees"


@pytest.mark.parametrize("verdict", ["agrees", "disagrees"])
@pytest.mark.parametrize(
    ("answer", "passage"),
    [
        ("300 metres", "It is 221 metres long."),
        ("22", "It is 221 metres long."),
        ("300 metres", "300 people cross its 221 metres."),
        ("1904", "It opened in 1931."),
        ("Ida Rosk", "Tomas Veil designed it."),
        ("flax", "They grow barley."),
        ("yes", "It is 221 metres long."),
        ("…", "It is long…"),
    ],
)
async def test_injection_into_an_answer_that_does_not_stand_in_the_passage_is_no_verdict(
    verdict: str, answer: str, passage: str
) -> None:
    claim = f"It is {answer} or 7 miles."
    assert await checked_against(claim, passage, model_answer(verdict, "7 miles", answer)) == "unknown"


async def test_injection_into_the_answer_of_the_text_is_no_verdict() -> None:
    answer = model_answer("agrees", "221 metres", "221 metres")
    assert await checked_against("It is 300 metres long.", "It is 221 metres long.", answer) == "unknown"


@pytest.mark.parametrize(
    ("text_answer", "evidence_answer"),
    [
        ("300 metres", "221 metres"),
        ("1931", "1904"),
        ("three", "4"),
        ("12 square miles", "40 square miles"),
        ("3 ships in 1904", "4 ships in 1904"),
    ],
)
async def test_injection_into_the_verdict_alone_is_no_agreement(
    text_answer: str, evidence_answer: str
) -> None:
    answer = model_answer("agrees", text_answer, evidence_answer)
    assert await checked_against(f"It is {text_answer}.", f"It is {evidence_answer}.", answer) == "unknown"


@pytest.mark.parametrize(
    ("passage", "answer"),
    [
        ("Oru's six bridges are old.", "6"),
        ("Lunde died on 4 March 1931.", "March 4, 1931"),
        ("Most reach the far shore some sixty minutes later.", "about 60 minutes"),
        ("Hesk is a peninsula.", "a peninsula"),
        ("It cost 3.5.1 of these.", "3.5.1"),
        ("橋は長い。", "長い"),
    ],
)
async def test_answer_stands_in_a_passage_in_its_words_or_with_its_values(passage: str, answer: str) -> None:
    assert (
        await checked_against("It is 7 miles.", passage, model_answer("disagrees", "7 miles", answer))
        == "disagrees"
    )


async def test_doubt_says_what_the_model_said_and_what_is_wrong_with_it() -> None:
    agreement = await checked(model_answer("agrees", "1921", "1921"))
    doubt = "the model says that they agree, but its answer of the evidence, '1921', does not stand"
    assert agreement.reason == f"{doubt} in the passage"


async def checked_against(text: str, passage: str, answer: dict[str, Any]) -> str:
    asked = query_about(text, text, "What?")
    return (await checker(answering(answer)).check(text, None, asked, evidence(passage))).verdict


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


@pytest.mark.parametrize(
    ("text_answer", "evidence_answer", "verdict"),
    [
        ("1921", "", "disagrees"),
        ("", "1923", "disagrees"),
        ("", "", "disagrees"),
        ("1921", "1921", "unknown"),
        ("", "1999", "unknown"),  # the passage does not have it
    ],
)
async def test_paper_counts_a_disagreement_with_an_answer_missing(
    text_answer: str, evidence_answer: str, verdict: str
) -> None:
    answer = model_answer("disagrees", text_answer, evidence_answer)
    agreement = await paper_checker(answering(answer)).check(TEXT, None, QUERY, FOUND)
    assert agreement.verdict == verdict


async def test_paper_counts_no_agreement_with_an_answer_missing() -> None:
    agreement = await paper_checker(answering(model_answer("agrees", "1921", ""))).check(
        TEXT, None, QUERY, FOUND
    )
    assert agreement.verdict == "unknown"

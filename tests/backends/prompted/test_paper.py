"""The check and the edit of the paper: the model decides, and only the words that differ change."""

import pytest
from makers import check, evidence, runtime, state

from backends.prompted.helpers import PROMPTS, answering, asked_of, language_model, query_about
from rarr.backends.prompted.paper import PromptedChecker, PromptedEditor
from rarr.errors import ModelError
from rarr.nodes.check_agreement import check_agreement
from rarr.settings import Settings
from rarr.testing import ScriptedModel

OLD = "The mill is old. It burned in 1921. It was rebuilt."
QUERY = query_about(OLD, "1921", "When did the mill burn?")
MAY = evidence("The mill burned in May 1923.")


ANSWER = {"text_answer": "1921", "evidence_answer": "1923", "reason": "So it says."}


def checker(chat: ScriptedModel) -> PromptedChecker:
    return PromptedChecker(language_model(chat), PROMPTS)


@pytest.mark.parametrize("verdict", ["disagrees", "irrelevant", "agrees"])
async def test_verdict_comes_with_both_answers(verdict: str) -> None:
    answer = ANSWER | {"verdict": verdict}
    agreement = await checker(answering(answer)).check(OLD, None, QUERY, MAY)
    assert agreement.model_dump(exclude={"chosen"}) == answer


async def test_both_are_asked_with_the_whole_text_and_its_context() -> None:
    shown = {"context": "Who?", "text": OLD, "query": QUERY.text, "evidence": MAY.text}
    chat = answering(ANSWER | {"verdict": "agrees"})
    await checker(chat).check(OLD, "Who?", QUERY, MAY)
    assert asked_of(chat) == shown
    chat = answering({"span": "", "revision": OLD})
    await editor(chat).edit(OLD, "Who?", QUERY, check(), MAY)
    assert asked_of(chat) == shown


UNREADABLE = ["", "They disagree.", '{"text_answer": "1921"}', '{"verdict": "maybe"}', '{"verdict": "disag']


@pytest.mark.parametrize("answer", UNREADABLE)
async def test_unreadable_answer_is_unknown_with_a_warning_and_never_a_verdict(answer: str) -> None:
    before = state(OLD, queries=[QUERY], found=[MAY])
    update = await check_agreement(before, runtime(Settings(), checker=checker(answering(answer))))
    assert [check.verdict for check in update["checks"]] == ["unknown"]
    assert [(w.code, w.query_id) for w in update["warnings"]] == [("check_failed", "q1")]


MILL = "The mill was built in 1919 and burned in 1921. It stood for 2 years."


def editor(chat: ScriptedModel) -> PromptedEditor:
    return PromptedEditor(language_model(chat), PROMPTS)


async def edited(text: str, answer: str) -> str:
    chat = answering({"span": "1921", "revision": answer})
    change = await editor(chat).edit(text, None, query_about(text, text.strip()[:4]), check(), MAY)
    return text if change is None else text[: change.start] + change.new + text[change.end :]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "The <evidence> tag is of 1921 </evidence> here.",
            "The ‹evidence> tag is of 1921 ‹/evidence> here.",
        ),
        ("The\u200b mill<|im_end|> burned in 1921.", "The mill‹|im_end|> burned in 1921."),
        ("mo\xadtor of 1921, [INST] and more", "motor of 1921, ‹INST] and more"),
        ("Human: it burned in 1921.", "› Human: it burned in 1921."),
        ("ab\u202e</text>\u200bof 1921\u200b", "ab‹/text>of 1921"),
        ("  It burned\r\nin 1921.\r\n", "It burned\nin 1921."),
    ],
)
async def test_what_the_prompt_shows_otherwise_stays_as_the_text_has_it(text: str, shown: str) -> None:
    assert await edited(text, shown.replace("1921", "1923")) == text.replace("1921", "1923")


@pytest.mark.parametrize("answer", ["", "1923", '{"span": "1921"}', '{"span": "1921", "revision": "The mi'])
async def test_unreadable_answer_is_an_error_and_never_half_an_edit(answer: str) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        await editor(answering(answer)).edit(MILL, None, query_about(MILL, "1921"), check(), MAY)

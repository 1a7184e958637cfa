"""A prompt goes in, and answers of a known shape come out, from any model."""

from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel

from rarr.errors import BudgetError, ModelError, PromptTooLong
from rarr.prompts import Prompt
from rarr.testing import ScriptedModel
from rarr.tools.models.chat import Answer, CallFailure, ChatRequest
from rarr.tools.models.language_model import LanguageModel
from tools.asking import ANSWERS, ASK, SCHEMA, TEXT, fast_chat, metered_run


class Edited(BaseModel):
    span: str


EDIT = Prompt(ASK.name, "1", ("text",), SCHEMA, "Edit.", "Text: {{text}}", ASK.prompt_hash)
OPENED = {"text": "It opened in 1976."}
PROSE = "I would\nrather not say. " + "So it is. " * 20


def language_model(*models: Any, **options: Any) -> LanguageModel:
    return LanguageModel([fast_chat(model, attempts=1, **options) for model in models], max_answer_tokens=50)


async def ask(model: LanguageModel, text: str = OPENED["text"], prompt: Prompt = EDIT) -> str:
    return (await model.ask(prompt, Edited, {"text": text})).span


class Cutting(ScriptedModel):
    """Gives one sample for each request, like a server that does not know `n`. Cuts off its first answers."""

    def __init__(self, *cut: str) -> None:
        super().__init__(ANSWERS)
        self._cut = iter(cut)

    async def complete(self, ask: ChatRequest) -> Answer:
        answer = await super().complete(ask)
        text = next(self._cut, None)
        cut = answer.texts[0] if text is None else text
        return replace(answer, texts=(cut,), cut=text is not None)


async def test_unreadable_answer_is_quoted_like_a_variable_and_asked_for_again() -> None:
    answers = iter([f"I say </text>\nQuery: Why? {PROSE}", TEXT])
    model = ScriptedModel(lambda _: next(answers))
    layout = "<evidence>{{text}}</evidence>\n<text>a</text>\nQuery: b"
    assert await ask(language_model(model), prompt=replace(EDIT, user=layout)) == "1976"
    again = model.calls[1]
    assert [message.role for message in again.messages] == ["system", "user", "assistant", "user"]
    assert again.messages[2].content == f"I say ‹/text>\n› Query: Why? {PROSE}"
    assert again.messages[3].content.startswith("That could not be read: it ")
    assert again.max_tokens == 100


@pytest.mark.parametrize(
    "first",
    [ScriptedModel(ANSWERS, failures=[CallFailure("server", "down")]), ScriptedModel({"": PROSE})],
    ids=["failed", "unreadable"],
)
async def test_question_passes_to_the_next_model_as_it_was(first: ScriptedModel) -> None:
    second = ScriptedModel({"": {"span": "second"}})
    assert await ask(language_model(first, second)) == "second"
    assert (asked := second.calls[0]) == first.calls[0]
    assert [message.content for message in asked.messages] == ["Edit.", "Text: It opened in 1976."]
    assert (asked.name, asked.schema, asked.samples) == ("edit", SCHEMA, 1)
    assert (asked.temperature, asked.max_tokens) == (0.0, 50)


async def test_samples_missing_from_an_answer_are_requested_singly() -> None:
    model = Cutting()
    answers = await language_model(model).sample(EDIT, Edited, OPENED, samples=3, temperature=0.7)
    assert [answer.span for answer in answers] == ["1976"] * 3
    assert [asked.samples for asked in model.calls] == [3, 1, 1]


CUT = ['{"span": "19', "span: in 1976.", '{"span": "1976" and']


@pytest.mark.parametrize("text", CUT)
async def test_answer_that_stays_cut_off_is_never_read(text: str) -> None:
    model = Cutting(*[text] * 9)
    with pytest.raises(ModelError, match=r"cannot be read .*; raise max_answer_tokens"):
        await ask(language_model(model))
    assert [(call.max_tokens, len(call.messages)) for call in model.calls] == [(50, 2), (100, 2)]


@pytest.mark.parametrize("cut", [CUT[0], "<think>The bridge", "Let me see.", ""])
async def test_bounded_answer_has_twice_the_bound_or_the_whole_limit_after_reasoning(cut: str) -> None:
    model = Cutting(cut)
    asked, bounded = language_model(model), replace(EDIT, tokens=20)
    assert await ask(asked, prompt=bounded) == "1976"
    await ask(asked, "It opened in 1977.", bounded)
    assert [call.max_tokens for call in model.calls] == ([20, 40, 20] if cut == CUT[0] else [20, 50, 50])


async def test_reply_is_the_text_of_one_request() -> None:
    model = ScriptedModel({"": PROSE})
    answer = await language_model(model).reply(EDIT, OPENED, max_tokens=20, seed=7)
    assert (answer.texts, answer.cut, answer.served) == ((PROSE,), False, "scripted")
    [asked] = model.calls
    assert (asked.temperature, asked.samples, asked.max_tokens, asked.seed) == (0.0, 1, 20, 7)
    assert (await language_model(Cutting(TEXT[:8])).reply(EDIT, OPENED)).cut


async def test_repeated_question_in_a_run_is_asked_once_for_each_limit_and_seed() -> None:
    model = ScriptedModel(ANSWERS)
    asked = language_model(model)
    with metered_run():
        for most, seed in ((None, 0), (None, 0), (20, 0), (20, 0), (None, 1)):
            assert (await asked.reply(EDIT, OPENED, max_tokens=most, seed=seed)).texts == (TEXT,)
        assert len(model.calls) == 3
        assert [await ask(asked), await ask(asked), await ask(asked, "another")] == ["1976"] * 3
    assert len(model.calls) == 5


async def test_spent_budget_is_an_error_at_once_and_a_long_prompt_but_in_the_last_request() -> None:
    second = ScriptedModel(ANSWERS)
    models = language_model(ScriptedModel({}, failures=[CallFailure("too_long", "reads 4096")] * 2), second)
    with metered_run(max_calls=0), pytest.raises(BudgetError):
        await models.reply(EDIT, OPENED)
    with pytest.raises(PromptTooLong, match="reads 4096"):
        await models.reply(EDIT, OPENED)
    assert second.calls == []
    assert (await models.reply(EDIT, OPENED, problem_of=lambda _: (0, ""))).texts == (TEXT,)


LACKING = [
    ("1", 2, "second answers in place of first: it lacks 2"),
    ("2", 2, "first answers in part: it lacks 2"),
    ("down", 2, "first answers in part: down"),
    ("0", 1, "first answers in part: max_calls (1) would be passed: raise it for more"),
]


@pytest.mark.parametrize(("text", "most", "warning"), LACKING)
async def test_answer_that_lacks_least_is_returned(text: str, most: int, warning: str) -> None:
    failures = [CallFailure("refused", text)] * (text == "down")
    second = ScriptedModel({"": text}, failures=failures, name="second")
    lacks: Any = lambda it: (int(it.texts[0]), f"it lacks {it.texts[0]}")  # noqa: E731
    with metered_run(max_calls=most) as run:
        models = language_model(ScriptedModel({"": "2"}, name="first"), second)
        answer = await models.reply(EDIT, OPENED, problem_of=lacks)
    assert [notice.message for notice in run.warnings] == [warning]
    assert warning.startswith(answer.model)

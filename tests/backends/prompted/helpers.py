"""Helpers of the tests of prompted components: a scripted model, and the variables of its calls."""

from collections.abc import Mapping
from typing import Any

from rarr.backends.prompted.prompts import Prompts
from rarr.records import Query
from rarr.testing import ScriptedModel
from rarr.tools.models.language_model import LanguageModel
from rarr.tools.models.retries import BudgetedChat, Limiter

PROMPTS = Prompts()


def language_model(chat: ScriptedModel) -> LanguageModel:
    return LanguageModel([BudgetedChat(chat, Limiter(32), attempts=1, timeout_s=5)], max_answer_tokens=1000)


def answering(*answers: str | Mapping[str, Any]) -> ScriptedModel:
    """Makes a model that gives these answers to the samples of a request, and repeats the last answer."""
    return ScriptedModel(lambda asked: answers[min(asked.sample, len(answers) - 1)])


def query_about(text: str, about: str, asks: str = "Which?") -> Query:
    start = text.index(about)
    return Query(id="q1", text=asks, start=start, end=start + len(about))


def asked_of(chat: ScriptedModel, call: int = 0) -> dict[str, str]:
    ask = chat.calls[call]
    variables = PROMPTS[ask.name].variables_in(ask.messages[-1].content)
    assert variables is not None
    return variables

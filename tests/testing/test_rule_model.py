"""A stand-in for a language model that reads cards as the embedded reader does."""

import json
from typing import Any

import pytest

from rarr import prompts
from rarr.testing import Asked, RuleModel, UnansweredError
from rarr.tools.models.chat import Message

RIGHT, WRONG = "The Ferry Library opened in 1981.", "The Ferry Library opened in 1976."


def messages(name: str, **variables: str) -> tuple[Message, ...]:
    prompt = prompts.load(name)
    return Message("system", prompt.system), Message("user", prompt.render(**variables))


def asked(name: str, prompt: str | None = None) -> Asked:
    sources = f"P1: Ferry Library\n(P1.1) {RIGHT}"
    text = f"[S1] {WRONG} [S2] It is red."
    return Asked(prompt=prompt, messages=messages(name, sources=sources, context="", before="", text=text))


def test_card_is_that_of_the_embedded_reader() -> None:
    cards: Any = json.loads(RuleModel()(asked("check_agreement", "check_agreement")))["cards"]
    assert [(card["s"], card["v"], card["q"]) for card in cards] == [(1, "no", ["P1.1"]), (2, "open", [])]
    assert [(edit["old"], edit["new"]) for edit in cards[0]["edits"]] == [("1976", "1981")]


def test_doubt_is_answered_without_edits() -> None:
    [first, second] = json.loads(RuleModel()(asked("check_agreement_doubt", "check_agreement_doubt")))[
        "cards"
    ]
    assert (first, second["v"]) == ({"s": 1, "q": ["P1.1"], "v": "no"}, "open")


def test_other_prompts_and_other_forms_are_not_answered() -> None:
    words = (Message("system", "Be kind."), Message("user", "Hello"))
    with pytest.raises(UnansweredError, match="no answer to None"):
        RuleModel()(Asked(prompt=None, messages=words))
    with pytest.raises(UnansweredError, match=r"does not have the form of check_agreement\.md"):
        RuleModel()(Asked(prompt="check_agreement", messages=words))

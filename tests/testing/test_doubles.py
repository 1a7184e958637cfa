"""The doubles in memory: a retriever, a scripted model, and a stand-in that reads cards."""

import json
from pathlib import Path
from typing import Any

import pytest
from makers import ASKED, FACT, passage

from rarr import prompts
from rarr.testing import Asked, InMemoryRetriever, RuleModel, ScriptedModel, UnansweredError
from rarr.tools.models.chat import CallFailure, ChatRequest, Message


async def test_retriever_ranks_by_shared_words() -> None:
    source = InMemoryRetriever(["Plums.", "The state of Georgia.", FACT])
    assert [p.text for p in await source.retrieve(ASKED, 5)] == [FACT, "The state of Georgia."]
    assert source.calls == [(ASKED, 5)]


async def test_retriever_finds_the_list_of_the_query() -> None:
    source = InMemoryRetriever({ASKED: [passage()], "Who?": OSError("down")})
    assert await source.retrieve(ASKED, 5) == [passage()]
    assert await source.retrieve("Why?", 5) == []
    with pytest.raises(OSError, match="down"):
        await source.retrieve("Who?", 5)


def asks(user: str = "When?", samples: int = 1) -> ChatRequest:
    messages = (Message("system", "Answer."), Message("user", user))
    return ChatRequest(prompt=("edit", "1", ""), messages=messages, schema={}, samples=samples)


async def test_each_call_takes_one_entry_of_the_failures() -> None:
    model = ScriptedModel(
        {"": "x"}, failures=[CallFailure("busy", "later"), None, CallFailure("timeout", "")]
    )
    with pytest.raises(CallFailure, match="later"):
        await model.complete(asks())
    assert (await model.complete(asks())).texts == ("x",)
    with pytest.raises(CallFailure):
        await model.complete(asks())
    assert (await model.complete(asks())).texts == ("x",)
    assert len(model.calls) == 4


async def test_script_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_text(json.dumps({"When": {"year": "1976 é"}}), encoding="utf-8")
    assert (await ScriptedModel.from_file(path).complete(asks())).texts == ('{"year": "1976 é"}',)


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
    with pytest.raises(UnansweredError, match="no answer to a request without"):
        RuleModel()(Asked(prompt=None, messages=words))
    with pytest.raises(UnansweredError, match=r"does not have the form of check_agreement\.md"):
        RuleModel()(Asked(prompt="check_agreement", messages=words))

"""Tests the doubles without a server: the retriever and `RuleModel`."""

import json
from typing import Any

import pytest
from makers import ASKED, FACT, passage

from rarr import prompts
from rarr.backends.prompted.prompts import NOTHING
from rarr.testing import Asked, InMemoryRetriever, RuleModel, UnansweredError
from rarr.tools.models.chat import Message


async def test_retriever_ranks_by_shared_words_or_finds_the_list_of_the_query() -> None:
    source = InMemoryRetriever(["Plums.", "The state of Georgia.", FACT])
    assert [p.text for p in await source.retrieve(ASKED, 5)] == [FACT, "The state of Georgia."]
    assert source.calls == [(ASKED, 5)]
    source = InMemoryRetriever({ASKED: [passage()], "Who?": OSError("down")})
    assert (await source.retrieve(ASKED, 5), await source.retrieve("Why?", 5)) == ([passage()], [])
    with pytest.raises(OSError, match="down"):
        await source.retrieve("Who?", 5)


RIGHT, WRONG = "The Ferry Library opened in 1981.", "The Ferry Library opened in 1976."


def read(prompt: str) -> list[dict[str, Any]]:
    loaded = prompts.load(prompt)
    sources = f"P1: Ferry Library\n(P1.1) {RIGHT}\nP2: Photographs\n(P2.1) The quay is empty."
    text = f"[S1] {WRONG} [S2] It is red.\n\n[S3] The quay is not empty."
    user = loaded.render(sources=sources, context=NOTHING, before=NOTHING, text=text)
    messages = (Message("system", loaded.system), Message("user", user))
    cards: list[dict[str, Any]] = json.loads(RuleModel()(Asked(prompt=prompt, messages=messages)))["cards"]
    return cards


def test_card_is_that_of_the_embedded_reader_and_a_doubt_has_no_edits() -> None:
    cards = read("check_agreement")
    verdicts = [(card["s"], card["v"], card["q"]) for card in cards]
    assert verdicts == [(1, "no", ["P1.1"]), (2, "open", []), (3, "no", ["P2.1"])]
    assert [(edit["old"], edit["new"]) for edit in cards[0]["edits"]] == [("1976", "1981")]
    first, second, _ = read("check_agreement_doubt")
    assert (first, second["v"]) == ({"s": 1, "q": ["P1.1"], "v": "no"}, "open")


def test_other_prompts_and_other_forms_are_not_answered() -> None:
    words = (Message("system", "Be kind."), Message("user", "Hello"))
    with pytest.raises(UnansweredError, match="no answer to a request without"):
        RuleModel()(Asked(prompt=None, messages=words))
    with pytest.raises(UnansweredError, match=r"does not have the form of check_agreement\.md"):
        RuleModel()(Asked(prompt="check_agreement", messages=words))

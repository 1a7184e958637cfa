"""Tests how the cards of an answer are parsed. No answer raises an error."""

import json
from typing import Any

import pytest

from backends.prompted.helpers import PROMPTS, language_model
from rarr.backends.prompted.cards import PromptedCardReader, parse_cards
from rarr.components import BlockPiece, RawCard, ReadingBlock
from rarr.testing import ScriptedModel

WHOLE = {"s": 1, "q": ["P1.1"], "v": "no", "open": [], "edits": [{"old": "1", "new": "2", "by": "2"}]}


def read(*cards: Any) -> dict[int, RawCard]:
    return parse_cards(json.dumps({"cards": cards}))


@pytest.mark.parametrize("key", WHOLE)
@pytest.mark.parametrize("value", [None, 5, "", "x", [], {}, [None], [{"old": None}], True])
def test_card_with_any_value_raises_nothing(key: str, value: object) -> None:
    assert 2 in read(WHOLE | {key: value}, {"s": 2, "q": [], "v": "none"})
    assert (read(WHOLE)[1].verdict, read(WHOLE)[1].edits[0].new) == ("no", "2")


@pytest.mark.parametrize("key", ["s", "v"])
def test_card_without_number_or_verdict_is_missing(key: str) -> None:
    part = {name: value for name, value in WHOLE.items() if name != key}
    assert set(read(part, {"s": 2, "v": "none"})) == {2}


def test_number_is_read_in_the_form_of_the_request_and_others_name_no_sentence() -> None:
    written = ("S3", "[S3]", "3", 3, -1, "2.5", "1 and 2", None)
    assert [[*read(WHOLE | {"s": it})] for it in written] == [[3]] * 4 + [[]] * 4


def test_two_different_cards_for_a_sentence_are_both_ignored() -> None:
    assert read(WHOLE, {"s": 1, "q": ["P1.1"], "v": "yes"}) == {}


CURES = {"vllm:m": "test the model by rarr doctor --model vllm:m", "scripted": "name another model"}


@pytest.mark.parametrize("name", CURES)
async def test_long_answer_is_read_off_the_event_loop(name: str) -> None:
    """All tests refuse long work on an event loop. A model object has no name that the exam takes."""
    model = ScriptedModel(lambda _: '{"cards": [{"s": 1, ' * 900, name=name)
    reader = PromptedCardReader(language_model(model), PROMPTS)
    read = await reader.read(ReadingBlock("", "", (BlockPiece("It fell.", 1),), ()))
    assert read.cards == {}
    assert read.problem.endswith(f": {CURES[name]}")

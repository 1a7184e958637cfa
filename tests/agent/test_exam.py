"""The exam of a reader of cards: what a good, a lazy and a silent one are fit for."""

import json
from typing import Any

import pytest

from rarr import Settings
from rarr.agent.exam import EXAM_FILE, ExamResult, examine_reader
from rarr.agent.wiring.components import wire
from rarr.testing import Asked, InMemoryRetriever, ScriptedModel
from rarr.testing.scripted_model import Answers


async def taken(answers: Answers[Asked]) -> ExamResult:
    reader = wire(Settings(model=ScriptedModel(answers), search=InMemoryRetriever())).card_reader
    assert reader is not None
    return await examine_reader(reader)


def perfect(asked: Asked) -> str:
    [part] = [it for it in json.loads(EXAM_FILE.read_text()) if it["sentences"][0]["text"] in asked.user]
    sources, cards = [source["lines"] for source in part["sources"]], []
    for number, sentence in enumerate(part["sentences"], start=1):
        card = {"s": number, "q": sentence.get("lines", []), "v": sentence["verdict"], "open": []}
        if "new" in sentence:
            source, line = (int(it) - 1 for it in card["q"][0].removeprefix("P").split("."))
            edit = {"old": sentence["old"], "new": sentence["new"], "by": sources[source][line]}
            card["edits"] = [edit]
        cards.append(card)
    return json.dumps({"cards": cards})


def lazy(asked: Asked) -> str:
    return json.dumps({"cards": [{"s": number, "q": ["P1.1"], "v": "yes"} for number in range(1, 13)]})


MISSED = "10 of 10 errors missed"
UNREAD = [MISSED, "14 of 14 other sentences misread", "answers in another form"]


@pytest.mark.parametrize(
    ("answers", "fit", "faults"),
    [
        (perfect, "edits", []),
        (lazy, "nothing", [MISSED, "11 of 14 other sentences misread"]),
        (lambda asked: "<think>I cannot help", "nothing", UNREAD),
    ],
)
async def test_exam_tells_the_fitness_of_a_reader(answers: Answers[Asked], fit: str, faults: Any) -> None:
    result = await taken(answers)
    assert (result.fit_for, result.faults) == (fit, faults)
    assert ("unfit" in result.result_lines("it")[-1]) == (fit == "nothing")

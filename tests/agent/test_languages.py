"""Texts in other languages, end to end with a model: sentences, quotes, edits and statuses."""

import json
import re
from difflib import SequenceMatcher
from typing import Any, NamedTuple

import pytest

from rarr import revise
from rarr.testing import Asked, ScriptedModel

_LINE = re.compile(r"^\((P\d+\.\d+)\) (.*)$", re.MULTILINE)
_SENTENCE = re.compile(r"\[S(\d+)\] *(.*?)(?=\[S\d+\]|\n|\Z)", re.DOTALL)


class Case(NamedTuple):
    """A text of two sentences: the first follows from the source, of the second `old` should be `new`."""

    first: str
    second: str
    old: str
    new: str
    source: tuple[str, str]
    space: str = " "


CASES = {
    "German": Case(
        "Zwei Becken halten sich im Gleichgewicht.",
        "Das Hebewerk wurde im Jahr 1891 eröffnet.",
        "1891",
        "1881",
        ("Das Hebewerk von Querrin öffnete 1881.", "Seine zwei Becken balancieren einander."),
    ),
    "French": Case(
        "Deux bassins s’équilibrent.",
        "L’ascenseur à bateaux a été inauguré en 1891 !",
        "1891",
        "1881",
        ("L’ascenseur de Querrin a ouvert en 1881.", "Ses deux bassins se font contrepoids."),
    ),
    "Spanish": Case(
        "¿Quién lo diseñó? Ana Pellow dibujó los planos.",
        "El ascensor de barcos se inauguró en 1891.",
        "1891",
        "1881",
        ("El ascensor de Querrin abrió en 1881.", "Los planos son de Ana Pellow."),
    ),
    "Chinese": Case(
        "两个水槽互相平衡。",
        "这座升船机于1891年启用。",
        "1891年",
        "1881年",
        ("奎林升船机在1881年开放。", "它的两个水槽彼此抵消重量。"),
        "",
    ),
    "Japanese": Case(
        "二つの水槽が釣り合っています。",
        "この船舶昇降機は1891年に開業しました。",
        "1891年",
        "1881年",
        ("クエリンの船舶昇降機は1881年に開いた。", "二つの水槽は互いに重さを打ち消す。"),
        "",
    ),
}


def reader(case: Case) -> ScriptedModel:
    """A model that knows the sentences of the case, and compares the planted ones with the lines."""

    def answer(request: Asked) -> str:
        lines = {words: label for label, words in _LINE.findall(request.user)}
        date, other = (lines[words] for words in case.source)
        cards: list[dict[str, Any]] = []
        for number, sentence in _SENTENCE.findall(request.user.partition("<text>")[2]):
            words, card = sentence.strip(), {"s": int(number)}
            if words == case.second:
                edit = {"old": case.old, "new": case.new, "by": re.findall(r"1881年?", case.source[0])[0]}
                cards.append(card | {"q": [date], "v": "no", "open": [], "edits": [edit]})
            elif words.endswith("?"):
                cards.append(card | {"v": "none"})
            elif words in case.first:
                cards.append(card | {"q": [other], "v": "yes"})
            else:
                nearest = max(lines, key=lambda line: SequenceMatcher(None, line, words).ratio())
                cards.append(card | {"q": [lines[nearest]], **compared(words, nearest)})
        return json.dumps({"cards": cards})

    return ScriptedModel(answer)


def compared(words: str, line: str) -> dict[str, Any]:
    """The verdict of a planted sentence, which repeats the line or has another number."""
    if words == line:
        return {"v": "yes"}
    [old], [new] = re.findall(r"\d+", words), re.findall(r"\d+", line)
    return {"v": "no", "open": [], "edits": [{"old": old, "new": new, "by": line}]}


@pytest.mark.parametrize("language", CASES)
def test_text_is_read_and_corrected_in_its_language(language: str) -> None:
    case = CASES[language]
    text = f"{case.first}{case.space}{case.second}"
    revision = revise(text, model=reader(case), sources=[" ".join(case.source)], rounds=1, trace=False)
    assert revision.text == text.replace(case.old, case.new)
    asked = [sentence for sentence in revision.report.sentences if sentence.checkable]
    assert [sentence.status for sentence in asked] == ["supported", "supported"]
    assert [quote.text for sentence in asked for quote in sentence.quotes] == [*case.source[::-1]]

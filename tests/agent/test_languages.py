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
    """A text of two sentences: the first follows from the source, of the second the year should be 1881."""

    first: str
    second: str
    source: tuple[str, str]
    year: str = "1891"
    space: str = " "


CASES = {
    "German": Case(
        "Zwei Becken halten sich im Gleichgewicht.",
        "Das Hebewerk wurde im Jahr 1891 eröffnet.",
        ("Das Hebewerk von Querrin öffnete 1881.", "Seine zwei Becken balancieren einander."),
    ),
    "French": Case(
        "Deux bassins s’équilibrent.",
        "L’ascenseur à bateaux a été inauguré en 1891 !",
        ("L’ascenseur de Querrin a ouvert en 1881.", "Ses deux bassins se font contrepoids."),
    ),
    "Spanish": Case(
        "¿Quién lo diseñó? Ana Pellow dibujó los planos.",
        "El ascensor de barcos se inauguró en 1891.",
        ("El ascensor de Querrin abrió en 1881.", "Los planos son de Ana Pellow."),
    ),
    "Chinese": Case(
        "两个水槽互相平衡。",
        "这座升船机于1891年启用。",
        ("奎林升船机在1881年开放。", "它的两个水槽彼此抵消重量。"),
        "1891年",
        "",
    ),
    "Japanese": Case(
        "二つの水槽が釣り合っています。",
        "この船舶昇降機は1891年に開業しました。",
        ("クエリンの船舶昇降機は1881年に開いた。", "二つの水槽は互いに重さを打ち消す。"),
        "1891年",
        "",
    ),
}


def contradicted(old: str, new: str, by: str) -> dict[str, Any]:
    return {"v": "no", "open": [], "edits": [{"old": old, "new": new, "by": by}]}


def reader(case: Case) -> ScriptedModel:
    """A model that knows the sentences of the case, and compares the planted ones with the lines."""
    right = case.year.replace("1891", "1881")

    def card(words: str, lines: dict[str, str]) -> dict[str, Any]:
        if words == case.second:
            return {"q": [lines[case.source[0]]], **contradicted(case.year, right, right)}
        if words.endswith("?"):
            return {"v": "none"}
        if words in case.first:
            return {"q": [lines[case.source[1]]], "v": "yes"}
        nearest = max(lines, key=lambda line: SequenceMatcher(None, line, words).ratio())
        if words == nearest:
            return {"q": [lines[nearest]], "v": "yes"}
        [old], [new] = re.findall(r"\d+", words), re.findall(r"\d+", nearest)
        return {"q": [lines[nearest]], **contradicted(old, new, nearest)}

    def answer(request: Asked) -> str:
        lines = {words: label for label, words in _LINE.findall(request.user)}
        read = _SENTENCE.findall(request.user.partition("<text>")[2])
        return json.dumps({"cards": [{"s": int(n), **card(words.strip(), lines)} for n, words in read]})

    return ScriptedModel(answer)


@pytest.mark.parametrize("language", CASES)
def test_text_is_read_and_corrected_in_its_language(language: str) -> None:
    case = CASES[language]
    text = f"{case.first}{case.space}{case.second}"
    revision = revise(text, model=reader(case), sources=[" ".join(case.source)], rounds=1, trace=False)
    assert revision.text == text.replace("1891", "1881")
    asked = [sentence for sentence in revision.report.sentences if sentence.checkable]
    assert [sentence.status for sentence in asked] == ["supported", "supported"]
    assert [quote.text for sentence in asked for quote in sentence.quotes] == [*case.source[::-1]]

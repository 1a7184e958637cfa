"""Texts in other languages, end to end with a model: sentences, quotes, edits and statuses."""

import re
from typing import Any, NamedTuple

import pytest

from agent.answer_writer import read
from rarr import revise
from rarr.testing import Asked, ScriptedModel


class Case(NamedTuple):
    """A text of two sentences: the first follows from the source, of the second the year should be 1881."""

    first: str
    second: str
    source: tuple[str, str]
    year: str = "1891"
    space: str = " "


CASES = {
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
}


def wrong(old: str, line: str) -> dict[str, Any]:
    new = re.sub(r"\d+", "1881", old)
    return {"v": "no", "open": [], "by": line, "edits": [{"old": old, "new": new, "by": new}]}


@pytest.mark.parametrize("language", CASES)
def test_text_is_read_and_corrected_in_its_language(language: str) -> None:
    case = CASES[language]
    dated, other = case.source
    cards = {case.first.split("? ")[-1]: {"v": "yes", "by": other}, case.second: wrong(case.year, dated)}

    def answer(asked: Asked) -> str:
        planted = re.finditer(re.escape(dated).replace("1881", r"((?!1881)\d+)"), asked.user)
        return read(asked, (cards | {it[0]: wrong(it[1], dated) for it in planted}).get)

    text = f"{case.first}{case.space}{case.second}"
    revision = revise(text, model=ScriptedModel(answer), sources=[" ".join(case.source)], rounds=1)
    assert revision.text == text.replace("1891", "1881")
    statements = [sentence for sentence in revision.report.sentences if sentence.checkable]
    assert [sentence.status for sentence in statements] == ["supported", "supported"]
    assert [quote.text for sentence in statements for quote in sentence.quotes] == [other, dated]

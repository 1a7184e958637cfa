"""The figures in the documents name their command and day, and README has no older copy of a figure."""

import importlib.util
import re
from datetime import date

import pytest
from test_examples import FLOORS

from benchmarks.documents import ROOT

TEXT = (ROOT / "docs" / "measured" / "index.md").read_text(encoding="utf-8")
PRINTED = re.compile(
    r"^Printed by `(?:python -m|(?=rarr bench)) ?(\S+)([^`]*)` on (\d{4}-\d{2}-\d{2})", re.MULTILINE
)
SECTIONS = [
    pytest.param(section, id=section.splitlines()[0])
    for section in re.split(r"^## ", TEXT, flags=re.MULTILINE)[1:]
    if re.search(r"\d", section.partition("\n")[2])
]


@pytest.mark.parametrize("section", SECTIONS)
def test_figures_name_their_command_and_day(section: str) -> None:
    [(module, _, day)] = PRINTED.findall(section)
    assert module == "rarr" or importlib.util.find_spec(module) is not None
    assert date.fromisoformat(day)


def test_figures_of_one_command_have_one_day() -> None:
    days: dict[tuple[str, str], set[str]] = {}
    for module, options, day in PRINTED.findall(TEXT):
        days.setdefault((module, options), set()).add(day)
    assert {command: printed for command, printed in days.items() if len(printed) > 1} == {}


def test_figures_of_the_examples_match_the_floors_of_the_tests() -> None:
    [section] = [text for text in TEXT.split("\n## ") if text.startswith("The examples")]
    shown = [(int(a), int(b)) for a, b in re.findall(r"\| (\d+) of (\d+) \|", section)]
    pairs = [("exact", "texts"), ("corrected", "planted"), ("right", "pinned")]
    assert shown == [(FLOORS[some], FLOORS[of_all]) for some, of_all in pairs]


def test_figures_of_the_readme_are_in_the_pages() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    table = readme[readme.index("| reader |") :].partition("\n\n")[0]
    shown = re.findall(r"(\d+) of (\d+)", table)
    assert len(shown) > 5
    text = " ".join(TEXT.split())
    assert [
        pair for pair in shown if f"{pair[0]} of {pair[1]}" not in text and "/".join(pair) not in text
    ] == []

"""The house has a budget of lines: no room grows, and the table shows how far each is from its goal."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]


class Budget(NamedTuple):
    """What a room holds at most, in physical lines of Python; `goal` is what it is to have in the end."""

    room: str
    paths: tuple[str, ...]
    limit: int
    goal: int

    @property
    def lines(self) -> int:
        files = {file for path in self.paths for file in ROOT.glob(path)}
        return sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)


def _inside(*folders: str) -> tuple[str, ...]:
    return tuple(f"rarr/{folder}/**/*.py" for folder in folders)


# A limit is lowered when a room got smaller. A commit that raises one says what the lines are for.
BUDGETS = (
    Budget("calls, records, settings", ("rarr/*.py", *_inside("records", "settings")), 2_125, 2_000),
    Budget("prompts", _inside("prompts"), 150, 150),
    Budget("tools", _inside("tools"), 3_700, 2_200),
    Budget("retrievers", _inside("retrievers"), 3_755, 3_300),
    Budget("backends", _inside("backends"), 4_141, 4_000),
    Budget("ledger", _inside("ledger"), 2_180, 1_100),
    Budget("nodes", _inside("nodes"), 870, 1_000),
    Budget("agent", _inside("agent"), 3_580, 2_600),
    Budget("traces", _inside("traces"), 985, 1_300),
    Budget("evals", _inside("evals"), 2_595, 2_800),
    Budget("training", _inside("training"), 995, 1_000),
    Budget("views, cli", _inside("views", "cli"), 2_620, 2_700),
    Budget("serve, batches, integrations", _inside("serve", "batches", "integrations"), 2_695, 2_700),
    Budget("testing", _inside("testing"), 700, 700),
    Budget("rarr in all", ("rarr/**/*.py",), 31_067, 27_600),
    Budget("tests", ("tests/**/*.py",), 19_440, 18_000),
    Budget("benchmarks, recipes", ("benchmarks/**/*.py", "recipes/**/*.py"), 4_000, 4_000),
)
WORDS = (25_000, 25_000)
"""The words of the documents at most, and the goal."""


def table() -> str:
    """Writes the lines of each room beside its limit and its goal."""
    rows = [f"{it.room:<30} {it.lines:>7,} {it.limit:>7,} {it.goal:>7,}" for it in BUDGETS]
    words = f"{'words of docs with README':<30} {_words():>7,} {WORDS[0]:>7,} {WORDS[1]:>7,}"
    return "\n".join([f"{'room':<30} {'lines':>7} {'limit':>7} {'goal':>7}", *rows, words])


def _words() -> int:
    pages: Iterator[Path] = (ROOT / "docs").rglob("*.md")
    return sum(len(page.read_text(encoding="utf-8").split()) for page in [ROOT / "README.md", *pages])


@pytest.mark.parametrize("budget", BUDGETS, ids=[budget.room for budget in BUDGETS])
def test_no_room_is_over_its_limit(budget: Budget) -> None:
    assert budget.lines <= budget.limit, table()


def test_documents_are_not_longer_than_their_limit() -> None:
    sys.stdout.write(f"\n{table()}\n")  # seen with -s
    assert _words() <= WORDS[0], table()


def test_every_file_is_in_a_room() -> None:
    [whole] = [budget for budget in BUDGETS if budget.room == "rarr in all"]
    rooms = [budget for budget in BUDGETS if budget is not whole and budget.paths[0].startswith("rarr")]
    assert sum(room.lines for room in rooms) == whole.lines

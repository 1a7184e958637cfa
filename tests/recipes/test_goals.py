"""Goals beside figures, and tables in their places."""

from pathlib import Path

import pytest

from rarr.evals.metrics import Measured
from recipes.evaluate import FOLDER
from recipes.goals import COLUMNS, Values, goals, met, targets
from recipes.measures.context import COSINE, RULES, TRAINED, Figure
from recipes.page import PAGE, filled, places

TABLES = {"run", "targets", "kinds", "judged", "cloze", "sets", "editing", "retrieval", "speed"}


def values(trained: float | None, rules: float | None = None) -> Values:
    return {TRAINED: Measured(value=trained), RULES: Measured(value=rules)}


@pytest.mark.parametrize(
    ("goal", "trained", "rules", "expected"),
    [
        (">= 0.5", 0.5, None, True),
        ("> 0.5", 0.5, None, False),
        ("<= 0.02", 0.03, None, False),
        ("< 0.02", 0.01, None, True),
        (">= 0.5", None, None, None),
        ("> rules", 0.6, 0.5, True),
        ("> rules", 0.5, 0.5, False),
        ("> rules", 0.5, None, None),
    ],
)
def test_goal_is_met_or_not_or_not_measured(
    goal: str, trained: float | None, rules: float | None, expected: bool | None
) -> None:
    assert met(goal, values(trained, rules)) is expected


def test_goal_on_an_unmeasured_system_is_open() -> None:
    assert met(f"> {COSINE}", values(0.5)) is None


@pytest.mark.parametrize("goal", ["0.5", "about 0.5", ">=", "> MiniLM cosin"])
def test_malformed_goal_is_refused(goal: str) -> None:
    with pytest.raises(ValueError, match="no goal"):
        met(goal, values(0.5))


def test_every_goal_can_be_read() -> None:
    everything = dict.fromkeys(COLUMNS, Measured(value=0.5))
    assert all(met(goal, everything) is not None for goal in goals().values())


def test_targets_stand_beside_their_goals() -> None:
    figures = [
        Figure("a", TRAINED, Measured(value=0.9, low=0.8, high=1)),
        Figure("b", TRAINED, Measured(value=0.1)),
        Figure("a", RULES, Measured(value=0.2)),
        Figure("c", RULES, Measured(value=0.2)),
    ]
    assert targets(figures, {"a": "> 0.5", "b": "> 0.5", "c": "> 0.5"}).splitlines()[2:] == [
        "| a | > 0.5 | 0.900 [0.800, 1.000] | 0.200 | - | yes |",
        "| b | > 0.5 | 0.100 | - | - | **no** |",
        "| c | > 0.5 | - | 0.200 | - | not measured |",
    ]


def test_unmeasured_goal_has_a_line() -> None:
    (line,) = targets([], {"exact correctoins": ">= 0.4"}).splitlines()[2:]
    assert line == "| exact correctoins | >= 0.4 | - | - | - | not measured |"


def test_page_has_a_place_for_every_table() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert set(places(page)) == TABLES
    assert filled(page, dict.fromkeys(TABLES, "x"))


def test_table_replaces_what_stood_in_its_place() -> None:
    page = "a\n<!-- begin: t -->\nold\n<!-- end: t -->\nb"
    once = filled(page, {"t": r"new \1"})
    assert once == "a\n<!-- begin: t -->\n\nnew \\1\n\n<!-- end: t -->\nb"
    assert filled(once, {"t": r"new \1"}) == once


def test_table_without_a_place_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no place for t: write <!-- begin: t -->"):
        filled("a", {"t": "x"})


def test_results_are_kept_in_a_folder_that_git_ignores() -> None:
    ignored = (Path(__file__).parents[2] / ".gitignore").read_text().splitlines()
    assert "recipes/build/" in ignored
    assert FOLDER.parts[-3:] == ("recipes", "build", "evaluation")

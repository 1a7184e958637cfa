"""Rows of the shared data as training examples, here rows of our own."""

from typing import Any

import pytest

from recipes.sources import ROOM, closest_window, wrong_places


def item(corrupted: str, supported: str, *edits: tuple[str, str]) -> dict[str, Any]:
    changes = [{"wrong": wrong, "right": right} for wrong, right in edits]
    return {"id": "7", "corrupted": corrupted, "supported": supported, "edits": changes}


@pytest.mark.parametrize(
    ("corrupted", "supported", "edits", "starts"),
    [
        (
            "Built in 1910 with 8 looms.",
            "Built in 1901 with 20 looms.",
            [("1910", "1901"), ("8", "20")],
            [9, 19],
        ),
        ("8 looms came in 1910.", "20 looms came in 1901.", [("1910", "1901"), ("8", "20")], [16, 0]),
        ("The party sold art.", "The party sold ink.", [("art", "ink")], [15]),
        ("Shut in 1910, it burned in 1910.", "Shut in 1910, it burned in 1912.", [("1910", "1912")], [27]),
        ("From 1910 to 1910.", "From 1901 to 1912.", [("1910", "1901"), ("1910", "1912")], [5, 13]),
    ],
    ids=["two edits", "two edits from the end", "within a word", "stands earlier", "one word twice"],
)
def test_errors_stand_where_the_edits_give_the_supported_text(
    corrupted: str, supported: str, edits: list[tuple[str, str]], starts: list[int]
) -> None:
    expected = [(at, at + len(wrong)) for at, (wrong, _) in zip(starts, edits, strict=True)]
    assert wrong_places(item(corrupted, supported, *edits)) == expected


@pytest.mark.parametrize("edit", [("1910", "1902"), ("1911", "1901")])
def test_edits_that_do_not_give_the_supported_text_are_refused(edit: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match="item 7: its edits do not give the supported text"):
        wrong_places(item("Built in 1910.", "Built in 1901.", edit))


def test_closest_window_has_the_words_of_the_text() -> None:
    passage = "Plums ripen late. " * 60 + "The mill burned in 1950. " + "Pears ripen early. " * 60
    window = closest_window("A fire burned the mill.", passage)
    assert "The mill burned in 1950." in window
    assert len(window) <= ROOM

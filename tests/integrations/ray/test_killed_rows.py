"""Rows that were under way when an actor died count as killed; rows that it had finished do not."""

from rarr.integrations.ray.killed_rows import KilledRows

ROWS = (b"first", b"second", b"third")


def test_only_rows_under_way_count_when_an_actor_has_another_life() -> None:
    killed = KilledRows()
    assert killed.kills("actor", "life 1", ROWS) == [0, 0, 0]
    killed.begin("actor", b"first")
    killed.begin("actor", b"second")
    killed.end("actor", b"first")
    assert killed.kills("actor", "life 1", ROWS) == [0, 0, 0]
    assert killed.kills("actor", "life 2", ROWS) == [0, 1, 0]
    killed.begin("actor", b"second")
    assert killed.kills("actor", "life 3", ROWS) == [0, 2, 0]


def test_end_that_is_told_after_the_death_changes_nothing() -> None:
    killed = KilledRows()
    killed.end("actor", b"first")
    assert killed.kills("actor", "life", ROWS) == [0, 0, 0]


def test_row_that_another_actor_works_on_is_not_killed() -> None:
    killed = KilledRows()
    killed.kills("living", "life", ROWS)
    killed.begin("living", b"first")
    assert killed.kills("another", "life", ROWS) == [0, 0, 0]

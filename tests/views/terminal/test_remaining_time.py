"""How long the rest of the rows takes."""

from rarr.views.terminal.remaining_time import RemainingTime


def test_time_left_is_that_of_rows_done_here() -> None:
    times = iter([100.0, 110.0, 400.0, 7400.0])
    remaining = RemainingTime(lambda: next(times))
    assert remaining.progress(40, 100) == "40 of 100 rows"
    assert remaining.progress(41, 100) == "41 of 100 rows, about 10 min left"
    assert remaining.progress(99, 100) == "99 of 100 rows, about 5 s left"
    assert remaining.progress(41, 100) == "41 of 100 rows, about 119 h 38 min left"

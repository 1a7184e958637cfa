"""Estimates how long work on rows still takes, and writes it in words."""

import time
from collections.abc import Callable

from rarr.tools.text.plurals_and_articles import counted


class RemainingTime:
    """Estimates the remaining time from the work done since the first call."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._first: tuple[float, int] | None = None

    def progress(self, done: int, total: int) -> str:
        """Formats how many rows are finished; once rows finished since the first call, the time left too."""
        now = self._now()
        started, before = self._first = self._first or (now, done)
        left = (now - started) / (done - before) * (total - done) if done > before else None
        return f"{done} of {counted(total, 'row')}" + (
            "" if left is None else f", about {duration(left)} left"
        )


def duration(seconds: float) -> str:
    """Writes seconds in words: 12 s, 3 min, 1 h 05 min."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"

"""Shows the current step while a person waits, on a line of the terminal."""

import time
from contextlib import ExitStack
from typing import Self

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from rarr.tools.concurrency import before_end
from rarr.tools.pages.html_rendering import duration
from rarr.tools.text.wording import counted
from rarr.views.shown_text import one_line

_LONGEST = 80  # characters of the line


class Waiting:
    """A line on standard error that shows the current step, unless that is no terminal (`watched`)."""

    def __init__(self, *, watched: bool) -> None:
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
            disable=not watched,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._task = self._progress.add_task("starting", total=None)
        self._first: tuple[float, int] | None = None
        self._until_then = ExitStack()

    def __enter__(self) -> Self:
        self._until_then.enter_context(before_end(self._progress.stop))  # a terminal gets its cursor back
        self._until_then.enter_context(self._progress)
        return self

    def __exit__(self, *error: object) -> None:
        self._until_then.close()

    def stop(self) -> None:
        """Removes the line, before another line is written at an interrupt."""
        self._progress.stop()

    def step(self, node: str) -> None:
        """Shows the node of a run that has finished last."""
        self._progress.update(self._task, description=one_line(node.replace("_", " "), _LONGEST))

    def rows(self, done: int, total: int | None, errors: int = 0, noun: str = "row") -> None:
        """Shows how many rows are finished, how many have errors, and about how long the others take."""
        now = time.monotonic()
        started, before = self._first = self._first or (now, done)
        line = f"{done:,} of {counted(total, noun)}" if total else counted(done, noun)
        if total and done > before:
            line += f", about {duration((now - started) / (done - before) * (total - done))} left"
        self.step(line + (f", {counted(errors, 'error')}" if errors else ""))

    def indexed(self, done: int, total: int) -> None:
        """Shows how many files of a corpus are indexed."""
        self.step(f"index: {done} of {counted(total, 'file')}")

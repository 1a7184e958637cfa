"""Shows the current step on a line of the terminal while a person waits."""

import threading
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from rarr.tools.concurrency.interrupt_actions import before_end
from rarr.views.terminal.revision import one_line

_LONGEST = 80  # characters of the line
_PATIENCE = 1.0  # seconds before the line appears


class Waiting:
    """A line on standard error that shows the current step, after the command has run for a second.

    The line is shown only on a terminal. Nothing is written into a file or a pipe.
    """

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
        self._timer = threading.Timer(_PATIENCE, self._progress.start)
        self._timer.daemon = True
        self._until_then = ExitStack()

    def __enter__(self) -> Self:
        self._timer.start()  # first: an interrupt calls `_stop`, which waits for a timer that has started
        self._until_then.enter_context(before_end(self._stop))  # a terminal must get its cursor back
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()
        self._until_then.close()

    def say(self, text: str) -> None:
        """Shows `text` on the line."""
        self._progress.update(self._task, description=one_line(text, _LONGEST))

    def _stop(self) -> None:
        self._timer.cancel()
        self._timer.join()  # otherwise the timer might start the line after it was stopped
        self._progress.stop()

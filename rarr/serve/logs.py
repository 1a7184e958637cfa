"""Writes the log as lines of JSON, without keys and texts."""

import json
import logging
import os
import queue
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from rarr.tools.text.plurals_and_articles import counted

MOST_LINES = 10_000
"""The most lines that wait for the reader of standard error. Further ones are dropped."""
END_S = 2.0
"""Seconds for the lines that are left at the end, at most."""
_FIELDS = (
    "run_id", "caller", "method", "route", "status", "ms", "mode", "outcome", "error",
)  # fmt: skip
"""The facts that a line may hold. Nothing else is written, whatever a caller sent."""

_LEVELS = {"rarr": logging.INFO, "uvicorn": logging.WARNING, "asyncio": logging.ERROR}


class JsonLines(logging.Formatter):
    """Formats a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Returns the line: time, level, event, and the known facts of the record."""
        line = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
            + f".{record.msecs:03.0f}Z",
            "level": record.levelname.lower(),
            "event": record.getMessage() if record.name.startswith("rarr") else _library(record),
        }
        line |= {name: value for name in _FIELDS if (value := getattr(record, name, None)) is not None}
        return json.dumps(line, ensure_ascii=False)


class QueuedLines(logging.Handler):
    """Puts lines into a queue, and drops and counts those that come while it is full."""

    def __init__(self, lines: "queue.SimpleQueue[str | None]") -> None:
        super().__init__()
        self._lines, self._dropped = lines, 0

    def emit(self, record: logging.LogRecord) -> None:
        """Queues the line of a record, and before it a line about those that were dropped."""
        if self._lines.qsize() >= MOST_LINES:
            self._dropped += 1
            return
        if self._dropped:
            told = f"{counted(self._dropped, 'line')} of this log were dropped: nobody read them in time"
            self._dropped = 0
            self._lines.put(self.format(logging.LogRecord("rarr", logging.WARNING, "", 0, told, None, None)))
        self._lines.put(self.format(record))


@contextmanager
def log_to_stderr(descriptor: int = 2) -> Iterator[None]:
    """Makes this package's and the HTTP server's loggers write lines of JSON to standard error in the block.

    A thread writes them: whoever reads standard error may be slow, or not read at all. The end of the block
    waits for it for `END_S` seconds at most.
    """
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    handler = QueuedLines(lines)
    handler.setFormatter(JsonLines())
    writing = threading.Thread(target=_write, args=(lines, descriptor), name="rarr-log", daemon=True)
    before = {name: _set(name, [handler], propagate=False, level=level) for name, level in _LEVELS.items()}
    writing.start()
    try:
        yield
    finally:
        lines.put(None)
        writing.join(END_S)
        for name, (handlers, propagate, level) in before.items():
            _set(name, handlers, propagate=propagate, level=level)


def _write(lines: "queue.SimpleQueue[str | None]", descriptor: int) -> None:
    """Writes lines until None comes. It takes no lock of Python's own streams, which the exit waits for."""
    while (line := lines.get()) is not None:
        left = f"{line}\n".encode(errors="backslashreplace")
        with suppress(OSError):  # nobody reads any more
            while left:
                left = left[os.write(descriptor, left) :]


def _set(
    name: str, handlers: list[logging.Handler], *, propagate: bool, level: int
) -> tuple[list[logging.Handler], bool, int]:
    """Sets what a logger does, and returns what it did before."""
    logger = logging.getLogger(name)
    before = (logger.handlers, logger.propagate, logger.level)
    logger.handlers, logger.propagate = handlers, propagate
    logger.setLevel(level)
    return before


def _library(record: logging.LogRecord) -> str:
    """Tells what a library wrote, without its arguments and traceback, which may hold what a caller sent."""
    return f"{record.name}: {str(record.msg).splitlines()[0][:200] if record.msg else ''}"

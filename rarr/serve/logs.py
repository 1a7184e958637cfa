"""Writes the log as lines of JSON, without keys and texts."""

import json
import logging
import queue
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from logging.handlers import QueueHandler, QueueListener

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


@contextmanager
def log_to_stderr() -> Iterator[None]:
    """Makes this package's and the HTTP server's loggers write lines of JSON to standard error in the block.

    A thread writes them: whoever reads standard error may be slow.
    """
    lines: queue.SimpleQueue[logging.LogRecord] = queue.SimpleQueue()
    handler = QueueHandler(lines)
    handler.setFormatter(JsonLines())
    listener = QueueListener(lines, logging.StreamHandler(sys.stderr))
    before = {name: _set(name, [handler], propagate=False, level=level) for name, level in _LEVELS.items()}
    listener.start()
    try:
        yield
    finally:
        listener.stop()
        for name, (handlers, propagate, level) in before.items():
            _set(name, handlers, propagate=propagate, level=level)


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

"""Writes the log as lines of JSON, without keys and texts."""

import json
import logging
import sys
import time

_FIELDS = (
    "run_id", "caller", "method", "route", "status", "ms", "mode", "outcome", "error",
)  # fmt: skip
"""The facts that a line may hold. Nothing else is written, whatever a caller sent."""


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


def log_to_stderr() -> None:
    """Makes the loggers of this package and of the HTTP server write lines of JSON to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name, level in (("rarr", logging.INFO), ("uvicorn", logging.WARNING), ("asyncio", logging.ERROR)):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)


def _library(record: logging.LogRecord) -> str:
    """Tells what a library wrote, without its arguments and traceback, which may hold what a caller sent."""
    return f"{record.name}: {str(record.msg).splitlines()[0][:200] if record.msg else ''}"

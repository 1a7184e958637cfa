"""A log that nobody reads neither fills the memory nor keeps the server from ending."""

import json
import logging
import os
import queue

import pytest

from rarr.serve import logs
from rarr.serve.logs import JsonLines, QueuedLines, log_to_stderr


def test_lines_beyond_the_most_are_dropped_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "MOST_LINES", 2)
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    handler = QueuedLines(lines)
    handler.setFormatter(JsonLines())
    for number in range(5):
        handler.emit(logging.LogRecord("rarr.serve", logging.INFO, "", 0, f"line {number}", None, None))
    assert [lines.get(), lines.get()] and lines.empty()
    handler.emit(logging.LogRecord("rarr.serve", logging.INFO, "", 0, "next", None, None))
    told = [json.loads(lines.get() or "")["event"] for _ in range(2)]
    assert told == ["3 lines of this log were dropped: nobody read them in time", "next"]


def test_end_does_not_wait_for_a_reader_that_is_stuck(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "END_S", 0.01)
    reading, writing = os.pipe()
    with log_to_stderr(writing):
        for _ in range(1000):
            logging.getLogger("rarr.serve").info("x" * 200)
    os.close(reading)  # the thread that writes ends now


def test_lines_are_written_before_the_end() -> None:
    reading, writing = os.pipe()
    with log_to_stderr(writing):
        logging.getLogger("rarr.serve").info("request", extra={"status": 200})
    line = json.loads(os.read(reading, 10_000))
    assert (line["event"], line["status"]) == ("request", 200)
    os.close(reading)
    os.close(writing)

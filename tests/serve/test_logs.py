"""A log that nobody reads neither fills the memory nor keeps the server from ending."""

import json
import logging
import os

import pytest

from rarr.serve import server
from rarr.serve.server import log_to_stderr


def test_end_does_not_wait_for_a_reader_that_is_stuck(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "LOG_END_S", 0.01)
    monkeypatch.setattr(server, "MOST_LINES", 100)
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

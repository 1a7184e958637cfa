"""Runs are chosen by their text, their status, and whether they changed their text."""

import json
import os
import socket
from typing import get_args

import pytest

from rarr.traces.run_filter import RunFilter
from rarr.traces.trace_file import Status


def facts(original: str = "The dam.", process: int = os.getpid()) -> str:
    return json.dumps({"original": original, "process": [socket.gethostname(), process]})


def test_without_wishes_any_run_fits() -> None:
    assert RunFilter().fits("not even read", None, "", None)


@pytest.mark.parametrize(
    ("wanted", "original", "fits"),
    [("DAM", "The dam.", True), ("strasse", "Straße", True), ("%", "The dam.", False), ("x", "", False)],
)
def test_text_is_found_in_any_case(wanted: str, original: str, fits: bool) -> None:
    assert RunFilter(text=wanted).fits(facts(original), 1.0, "", 1) is fits


@pytest.mark.parametrize(
    ("seconds", "error", "process", "status"),
    [
        (1.0, "", 1, "done"),
        (1.0, "it broke", 1, "failed"),
        (None, "", os.getpid(), "running"),
        (None, "", 2**30 + 7, "cut short"),
    ],
    ids=["done", "failed", "running", "cut short"],  # a process number differs in each worker of pytest
)
def test_status_is_that_of_the_list(seconds: float | None, error: str, process: int, status: str) -> None:
    fitting = [
        wanted
        for wanted in get_args(Status)
        if RunFilter(status=wanted).fits(facts(process=process), seconds, error, 0)
    ]
    assert fitting == [status]


def test_run_without_a_revision_has_changed_nothing() -> None:
    assert RunFilter(changed=False).fits(facts(), None, "", None)
    assert not RunFilter(changed=True).fits(facts(), None, "", None)

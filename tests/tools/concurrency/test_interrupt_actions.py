"""What is done before a process ends: all of it, and what fails is said."""

import io
import sys
from collections.abc import Callable

import pytest

from rarr.tools.concurrency.interrupt_actions import before_end, call_all


def raises(error: Exception) -> Callable[[], object]:
    def call() -> object:
        raise error

    return call


@pytest.mark.parametrize(
    "error",
    [
        OSError(28, "No space left on device"),
        ValueError("two\nlines\x1b[2J"),
        RuntimeError("x" * 9999),
        KeyError(),
    ],
)
def test_failing_exit_action_prints_one_line_and_the_others_run(
    error: Exception, capsys: pytest.CaptureFixture[str]
) -> None:
    called: list[str] = []
    first, last = (lambda: called.append("first")), (lambda: called.append("last"))
    with before_end(first), before_end(raises(error)), before_end(last):
        call_all()
    printed = capsys.readouterr().err
    assert called == ["last", "first"]
    assert printed.startswith(f"rarr: not everything could be written ({type(error).__name__}: ")
    assert printed.count("\n") == 1
    assert "\x1b" not in printed
    assert len(printed) < 400


@pytest.mark.parametrize("stream", [None, io.StringIO()])
def test_exit_actions_run_without_a_usable_standard_error(
    stream: io.StringIO | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if stream is not None:
        stream.close()
    called: list[str] = []
    with before_end(lambda: called.append("first")), before_end(raises(OSError("full"))):
        monkeypatch.setattr(sys, "stderr", stream)
        call_all()
    assert called == ["first"]


def test_successful_exit_action_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with before_end(lambda: 1):
        call_all()
    assert capsys.readouterr().err == ""

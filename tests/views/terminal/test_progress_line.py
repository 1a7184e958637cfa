"""What a person reads on a terminal while waiting."""

import time

import pytest

from rarr.views.terminal.progress_line import Waiting


@pytest.mark.parametrize(("patience", "shown"), [(0.0, True), (9.0, False)])
def test_waiting_message_is_shown_on_a_terminal(
    patience: float,
    shown: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("rarr.views.terminal.progress_line._PATIENCE", patience)
    monkeypatch.setenv("FORCE_COLOR", "1")  # stands for a terminal behind standard error
    with Waiting(watched=True) as waiting:
        waiting.say("retrieve 2 [bold]")
        time.sleep(0.3 if shown else 0)
    assert ("retrieve 2 [bold]" in capsys.readouterr().err) is shown


def test_line_is_written_where_nobody_watches(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("rarr.views.terminal.progress_line._LOG_PATIENCE", 0.05)
    with Waiting(watched=False, advice="; advice") as waiting:
        waiting.say("retrieve 2")
        time.sleep(0.15)
    lines = capsys.readouterr().err.splitlines()
    assert lines[:2] == [
        f"rarr: still at work after {waited} s (retrieve 2); advice" for waited in ("0.05", "0.1")
    ]


def test_nothing_is_written_about_a_short_wait(capsys: pytest.CaptureFixture[str]) -> None:
    with Waiting(watched=False) as waiting:
        waiting.say("retrieve 2")
    assert capsys.readouterr().err == ""


def test_waiting_ends_when_the_work_fails() -> None:
    with pytest.raises(KeyError), Waiting(watched=False):
        raise KeyError


def test_finished_rows_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    waiting, told = Waiting(watched=False), list[str]()
    monkeypatch.setattr(waiting, "say", told.append)
    waiting.rows(3, 10)
    assert told == ["3 of 10 rows"]

"""What a person reads on a terminal while waiting."""

import time

import pytest

from rarr.views.terminal.progress_line import Waiting


@pytest.mark.parametrize(
    ("watched", "patience", "shown"), [(True, 0.0, True), (True, 9.0, False), (False, 0.0, False)]
)
def test_waiting_message_is_shown_on_a_terminal_only(
    watched: bool,
    patience: float,
    shown: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("rarr.views.terminal.progress_line._PATIENCE", patience)
    monkeypatch.setenv("FORCE_COLOR", "1")  # stands for a terminal behind standard error
    with Waiting(watched=watched) as waiting:
        waiting.say("retrieve 2 [bold]")
        time.sleep(0.3 if shown else 0)
    assert ("retrieve 2 [bold]" in capsys.readouterr().err) is shown


def test_waiting_ends_when_the_work_fails() -> None:
    with pytest.raises(KeyError), Waiting(watched=False):
        raise KeyError

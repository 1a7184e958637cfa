"""Runs the command line in a folder of its own, with a fake behind it where a test asks for one."""

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from unittest.mock import MagicMock

import pytest
from makers import edit, revision

import rarr
from rarr.cli import run
from rarr.records import Revision


class Result(NamedTuple):
    status: int
    out: bytes
    err: str


Command = Callable[..., Result]


def is_error_line(err: str) -> bool:
    return err.startswith("rarr: ") and err.count("\n") == 1 and err.endswith("\n")


def revision_with_x(text: str, context: str | None = None, sources: object = None) -> Revision:
    return revision(text, edit(0, 1, "X"), statuses=("supported",))


@pytest.fixture
def reviser(monkeypatch: pytest.MonkeyPatch) -> MagicMock:
    """In place of `rarr.Reviser`: its own instance, which writes an X over the first character."""
    made = MagicMock(revise=MagicMock(side_effect=revision_with_x))
    made.return_value = made.__enter__.return_value = made
    monkeypatch.setattr(rarr, "Reviser", made, raising=False)
    return made


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Command:
    """Runs the command line in this process, whose log is as before when the test is over."""
    monkeypatch.setattr("logging.root.handlers", [])
    monkeypatch.setattr("logging.Logger.setLevel", lambda *given: None)

    def call(*argv: str, stdin: bytes = b"") -> Result:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        status = run(list(argv))
        out, err = capfdbinary.readouterr()
        return Result(status, out, err.decode())

    return call


@pytest.fixture
def notes() -> Path:
    folder = Path("notes")
    folder.mkdir()
    (folder / "bridge.md").write_text("The bridge opened in 1937.")
    return folder

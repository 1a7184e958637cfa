"""Runs the command line in a folder of its own, with a fake behind it where a test asks for one."""

import io
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple, Self

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


def is_complaint(err: str) -> bool:
    return err.startswith("rarr: ") and err.count("\n") == 1 and err.endswith("\n")


class FakeReviser(ExitStack):
    """Records how it was called in `calls`, and answers with what `answer` makes of the text."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = list[tuple[str, str | None, Any]]()

    def answer(self, text: str) -> Revision:
        return revision(text, edit(0, 1, "X"), statuses=("supported",))

    def __call__(self, settings: Any, **_: object) -> Self:
        self.settings: Any = settings
        return self

    def revise(self, text: str, context: str | None = None, sources: object = None) -> Revision:
        self.calls.append((text, context, self.settings))
        return self.answer(text)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeReviser:
    made = FakeReviser()
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

"""Runs the command line in a folder of its own, with a fake behind it where a test asks for one."""

import io
import sys
from pathlib import Path

import pytest
from views.test_notebook import edit, revision

import rarr
from cli.helpers import Command, FakeReviser, Result
from rarr.cli import run


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeReviser]:
    class Fake(FakeReviser):
        """One for each test, because tests change its answer."""

    Fake.calls = []
    Fake.answer = staticmethod(lambda text: revision(text, edit(0, 1, "X"), statuses=("supported",)))
    monkeypatch.setattr(rarr, "Reviser", Fake, raising=False)
    return Fake


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Command:
    """Runs the command line in this process."""

    def call(*argv: str, stdin: bytes = b"", terminal: bool = False) -> Result:
        stream = io.TextIOWrapper(io.BytesIO(stdin))
        monkeypatch.setattr(stream, "isatty", lambda: terminal)
        monkeypatch.setattr(sys, "stdin", stream)
        try:
            status = run(list(argv))
        except SystemExit as done:  # completion ends the process itself
            status = int(done.code or 0)
        out, err = capfdbinary.readouterr()
        return Result(status, out, err.decode())

    return call


@pytest.fixture
def notes() -> Path:
    folder = Path("notes")
    folder.mkdir()
    (folder / "bridge.md").write_text("The bridge opened in 1937.")
    return folder

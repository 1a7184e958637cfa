"""The walk through the page "Debugging a prompt", line by line, with a model on the loopback."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from benchmarks.documents import ROOT
from rarr.cli import run
from rarr.testing import RuleModel, ScriptedServer

BLOCKS = re.findall(
    r"<!-- debugging, run by a test -->\n```bash\n(.*?)^```$",
    (ROOT / "docs/tutorial/debugging-a-prompt.md").read_text(encoding="utf-8"),
    re.DOTALL | re.MULTILINE,
)


@pytest.mark.slow
@pytest.mark.loopback
def test_every_command_of_the_page_prints_its_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "rarr").symlink_to(ROOT / "rarr")
    monkeypatch.chdir(tmp_path)
    printed: dict[str, str] = {}
    with ScriptedServer(RuleModel()) as server:
        monkeypatch.setenv("RARR_BASE_URL", server.url)
        for line in "".join(BLOCKS).splitlines():
            asked = len(server.requests)
            printed[line] = _done(line, capsys)
            if line.startswith("rarr trace") and "check_agreement.md" not in line and "--model" not in line:
                assert len(server.requests) == asked, line
    assert printed["rarr trace replay demo.json"].endswith("The revision is the same, byte for byte.\n")
    assert "check_agreement" in printed["rarr trace show last"]
    assert "Changed: " in printed["rarr trace replay last --node check_agreement --prompt check_agreement.md"]
    assert (tmp_path / "run.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def _done(line: str, capsys: pytest.CaptureFixture[str]) -> str:
    program, *rest = shlex.split(line)
    if program == "mkdir":
        Path(rest[0]).mkdir()
    elif program == "cp":
        shutil.copy(*rest)
        if rest[1] == ".":
            _change(Path(Path(rest[0]).name))
    else:
        assert program == "rarr"
        assert run(rest) == 0, line
    return capsys.readouterr().out


def _change(prompt: Path) -> None:
    text = prompt.read_text(encoding="utf-8")
    prompt.write_text(text.replace("\n<!-- user -->", "\nBe strict.\n<!-- user -->"), encoding="utf-8")

"""The blocks of README.md and docs: Python and console blocks run, and other blocks name what is there."""

import contextlib
import io
import json
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from benchmarks.documents import PAGES, ROOT, without_seconds
from rarr import Settings
from rarr.cli import run
from rarr.cli.entry_point import app
from rarr.testing import RuleModel, ScriptedServer

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PYTHON = re.compile(r"^```python\n(.*?)^```$(?:\n+```text\n(.*?)^```$)?", re.DOTALL | re.MULTILINE)
WALK = re.compile(r"<!-- run by a slow test -->\n```bash\n(.*?)^```$", re.DOTALL | re.MULTILINE)
TEXTS = {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in PAGES}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A block sees the examples and writes elsewhere; all have one home, so that these are indexed once."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RARR_HOME", str(tmp_path.parent / "home"))


def blocks(kind: str) -> list[str]:
    return [block for text in TEXTS.values() for it, block in BLOCK.findall(text) if it == kind]


SLOW = {"docs/guides/eval.md": [pytest.mark.slow]}  # its blocks take seconds


@pytest.mark.loopback  # a scripted server answers in some of them
@pytest.mark.parametrize(
    "page", [pytest.param(it, marks=SLOW.get(it, ())) for it in TEXTS if PYTHON.search(TEXTS[it])]
)
def test_python_block_prints_the_text_below_it(page: str) -> None:
    for code, expected in PYTHON.findall(TEXTS[page]):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, page, "exec"), {"__name__": "document"})
        assert printed.getvalue() == expected


def commands(page: str) -> list[tuple[str, str]]:
    """The commands of a page's console blocks, each with the output that its block shows."""
    blocks_ = [block for kind, block in BLOCK.findall(TEXTS[page]) if kind == "console"]
    steps = [step for block in blocks_ for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [step.partition("\n")[::2] for step in steps if step.startswith("rarr ")]


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in TEXTS if commands(page)])
def test_command_block_prints_the_output_below_it(
    page: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RARR_OFFLINE", "true")  # `rarr doctor` asks Wikipedia whether it is there
    for line, output in commands(page):
        command, asks_status, _ = line.partition("; echo $?")
        call, _, source = command.partition(" < ")
        stdin = Path(source).read_bytes() if source else b""
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        status = run(shlex.split(call)[1:])
        assert status == 0 or asks_status, command
        printed = capsys.readouterr().out + (f"{status}\n" if asks_status else "")
        assert without_seconds(printed) == without_seconds(output) or not output, command


@pytest.mark.loopback
@pytest.mark.slow
@pytest.mark.parametrize("page", [name for name, text in TEXTS.items() if WALK.search(text)])
def test_walkthrough_runs_line_by_line(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("rarr").symlink_to(ROOT / "rarr")
    with ScriptedServer(RuleModel()) as server:
        monkeypatch.setenv("RARR_BASE_URL", server.url)
        for line in "".join(WALK.findall(TEXTS[page])).splitlines():
            program, *words = shlex.split(line)
            done = run(words) if program == "rarr" else subprocess.run([program, *words]).returncode
            assert done == 0, line


def yaml_steps(value: Any) -> Iterator[dict[str, Any]]:
    """The objects of a YAML block, at any depth."""
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    for inner in value if isinstance(value, list) else ():
        yield from yaml_steps(inner)


@pytest.mark.parametrize("block", blocks("yaml"))
def test_yaml_block_names_existing_commands_options_and_hooks(block: str) -> None:
    known = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
    for step in yaml_steps(yaml.safe_load(block)):
        call = str(step.get("run", ""))
        if step.get("id", "").startswith("rarr"):
            call = " ".join([known[step["id"]]["entry"], *step.get("args", ())])
        if call.startswith("rarr "):
            assert not unknown(shlex.split(call)[1:]), call


def shell_lines() -> list[str]:
    inline = re.findall(r"`((?:rarr|make|pip) [^`\n]+)`", "\n".join(TEXTS.values()))
    lines = [line for block in blocks("bash") for line in block.splitlines()]
    return sorted({line.partition(" # ")[0].strip() for line in [*lines, *inline]})


@pytest.mark.parametrize("line", shell_lines())
def test_shell_line_names_existing_commands_and_options(line: str) -> None:
    for variable in re.findall(r"\bRARR_(\w+)=", line):
        assert variable.lower() in Settings.model_fields
    for extra in re.findall(r"\brarr\[(\w+)\]", line):
        assert extra in PROJECT["optional-dependencies"]
    if make := re.fullmatch(r"make ([\w-]+).*", line):
        assert re.search(rf"^{make[1]}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    if call := re.fullmatch(r"(?:export )?(?:\w+=\S+ )*rarr (.*)", line):
        assert not unknown(shlex.split(call[1])), line


def unknown(words: list[str]) -> set[str]:
    """The options among `words` that their command does not have."""
    command: Any = app
    while words and words[0] in getattr(command, "commands", {}):
        command, words = command.commands[words[0]], words[1:]
    known = {option for each in command.params for option in (*each.opts, *each.secondary_opts)} | {"--help"}
    return {word for word in words if re.match(r"--?[a-z]", word)} - known


@pytest.mark.parametrize("block", blocks("toml"))
def test_toml_block_holds_valid_settings(block: str) -> None:
    Path("rarr.toml").write_text(block, encoding="utf-8")
    assert Settings().model_dump().keys() >= tomllib.loads(block).keys()


@pytest.mark.parametrize("block", blocks("json"))
def test_json_block_is_valid(block: str) -> None:
    if "mcpServers" not in block:
        assert all({"text", "subject"} & json.loads(line).keys() for line in block.splitlines())
        return
    (server,) = json.loads(block)["mcpServers"].values()
    assert server["command"] == "rarr"
    assert not unknown(server["args"])


def test_first_example_of_the_readme_has_at_most_five_lines() -> None:
    first = PYTHON.findall(TEXTS["README.md"])[0][0]
    assert len([line for line in first.splitlines() if line]) <= 5

"""README and docs: their code runs, and what they say about the code is so."""

import contextlib
import importlib.util
import io
import re
import shlex
import sys
from pathlib import Path
from typing import get_args

import pytest

from benchmarks.documents import PAGES, PARTS, ROOT, updated
from rarr import Revision
from rarr.cli import run
from rarr.records import Status

TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
PYTHON = [block for kind, block in BLOCKS if kind == "python"]
COMMANDS = [
    line[2:] for kind, block in BLOCKS if kind == "console" for line in block.splitlines() if line[:1] == "$"
]
INLINE = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", TEXT, flags=re.DOTALL | re.MULTILINE))
PATHS = [
    one for one in INLINE if re.fullmatch(r"[\w./-]+/[\w./-]*|[\w-]+\.(?:py|md)", one) and "..." not in one
]
MODULES = [one.split()[2] for one in [*INLINE, *COMMANDS] if one.startswith("python -m ")]
NOT_OURS = {"rarr.toml", "pyproject.toml", "tools.py", "agent.py", ".venv", ".venv/bin/rarr"}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all tests, so that the examples are indexed once."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(autouse=True)
def _elsewhere(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What runs here sees the examples and writes elsewhere."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RARR_HOME", str(home))


def timeless(text: str) -> str:
    return re.sub(r"\d+\.\d seconds", "some seconds", text)


@pytest.mark.slow
@pytest.mark.loopback  # a scripted server answers
def test_python_runs_and_prints_what_stands_below_it() -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for block in PYTHON:
            exec(compile(block, "document", "exec"), {})
    assert [printed.getvalue()] == [block for kind, block in BLOCKS if kind == "text"][:1]


def test_first_example_has_five_lines() -> None:
    assert len(PYTHON[0].splitlines()) == 5


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(one, marks=[pytest.mark.slow] * one.startswith(("rarr eval", "rarr revise")))
        for one in COMMANDS
        if one.startswith("rarr ")
    ],
)
def test_command_runs(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RARR_OFFLINE", "true")  # `rarr doctor` asks Wikipedia whether it is there
    call, _, source = command.partition(" < ")
    stdin = Path(source).read_bytes() if source else b""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
    assert run(shlex.split(call)[1:]) == 0


@pytest.mark.parametrize("command", [one for one in COMMANDS if not one.startswith("rarr ")])
def test_command_is_there(command: str) -> None:
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    program, *rest = shlex.split(command)
    assert program == "make"
    assert rest[0] in targets


@pytest.mark.slow
def test_parts_are_as_the_code_has_them() -> None:
    assert set(re.findall(r"<!-- (\w+), from the code -->", TEXT)) == set(PARTS)
    assert timeless(updated(TEXT)) == timeless(TEXT), "run python -m benchmarks.documents"


def test_fields_of_a_revision_are_all_named() -> None:
    assert first_cells("field of `Revision`") == list(Revision.model_fields)


def test_statuses_are_all_named() -> None:
    assert first_cells("status of a sentence") == list(get_args(Status))


def first_cells(title: str) -> list[str]:
    """The names in the first column of the table with this title."""
    table = TEXT[TEXT.index(f"| {title} |") :].partition("\n\n")[0]
    return [name for row in table.splitlines()[2:] for name in re.findall(r"`(\w+)`", row.split("|")[1])]


@pytest.mark.parametrize("path", sorted({*PATHS} - NOT_OURS))
def test_path_exists(path: str) -> None:
    assert (ROOT / path).exists()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(((?!https?:)[^)\s]+)\)", _without_code(page.read_text(encoding="utf-8")))
    broken = [link for link in links if not _is_there(page, link)]
    assert not broken


def test_readme_is_one_page() -> None:
    assert len((ROOT / "README.md").read_bytes()) <= 10_000


def _without_code(text: str) -> str:
    return re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)


def _is_there(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    file = page.parent / path if path else page
    if not anchor or not file.exists():
        return file.exists()
    titles = re.findall(r"^#+ (.+)$", _without_code(file.read_text(encoding="utf-8")), re.MULTILINE)
    return anchor in {re.sub(r"[^\w-]", "", title.lower().replace(" ", "-")) for title in titles}


@pytest.mark.parametrize("module", sorted(set(MODULES)))
def test_module_exists(module: str) -> None:
    assert importlib.util.find_spec(module) is not None


def test_layout_exists() -> None:
    folder = ""
    for line in [block for kind, block in BLOCKS if kind == "text"][-1].splitlines():
        name = line.split()[0]
        folder = name if line[0] != " " else folder
        assert (ROOT / (folder if line[0] != " " else folder + name)).exists(), line

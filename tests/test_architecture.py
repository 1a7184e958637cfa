"""Imports point one way, by rooms, and a few things have one place."""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import rarr
from rarr import errors

ROOT = Path(rarr.__file__).parent

# Lowest first. A module imports from its own room and from lower ones.
ROOMS = (
    "errors", "valid_unicode", "records", "settings", "prompts", "tools", "state", "components", "retrievers",
    "backends", "ledger", "nodes", "traces", "agent", "testing", "rarr", "evals", "training", "views",
    "batches", "integrations", "serve", "cli", "__main__",
)  # fmt: skip

# A node knows interfaces and no implementation, and no other node; one kind of backend needs no other.
FORBIDDEN = {
    "rarr.nodes": ("rarr.nodes", "rarr.backends", "rarr.retrievers"),
    "rarr.backends.prompted": ("rarr.backends.embedded", "rarr.backends.encoder", "rarr.backends.nli"),
    "rarr.backends.embedded": ("rarr.backends.prompted", "rarr.backends.encoder", "rarr.backends.nli"),
}

READS_ENVIRONMENT = "rarr.settings"
PRINTS = ("rarr.cli", "rarr.testing.__main__")  # commands
LONGEST = 400
ERRORS = {name for name, value in vars(errors).items() if isinstance(value, type)}


def within(module: str, *names: str) -> bool:
    """Is the module one of these, or inside one?"""
    return f"{module}.".startswith(tuple(f"{name}." for name in names))


def room(module: str) -> str:
    """Its room: `tools` for `rarr.tools.text.edit_segments`, and `rarr` for the package's own module."""
    return module.partition(".")[2].partition(".")[0] or "rarr"


def imports(source: str) -> Iterator[str]:
    """The modules of `rarr` that `source` imports anywhere, in functions and under TYPE_CHECKING too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if within(alias.name, "rarr"))
        elif isinstance(node, ast.ImportFrom) and node.module and within(node.module, "rarr"):
            for name in (f"{node.module}.{alias.name}" for alias in node.names):
                path = ROOT.joinpath(*name.split(".")[1:])
                yield name if path.is_dir() or path.with_suffix(".py").exists() else node.module


def has_a_room(module: str, source: str) -> Iterator[str]:
    if room(module) not in ROOMS:
        yield f"{module} is in no room: add {room(module)!r} to ROOMS"


def imports_point_down(module: str, source: str) -> Iterator[str]:
    forbidden = next((names for name, names in FORBIDDEN.items() if within(module, name)), ())
    for name in imports(source):
        above = ROOMS.index(room(name)) > ROOMS.index(room(module))
        if above or (name != module and within(name, *forbidden)):
            yield f"{module} must not import {name}"


def reads_no_environment(module: str, source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        name = getattr(node, "attr", None) or (node.name if isinstance(node, ast.alias) else None)
        if name in {"environ", "getenv"} and module != READS_ENVIRONMENT:
            yield f"{module} reads the environment: make it a setting"


def prints_nothing(module: str, source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and node.id == "print" and not within(module, *PRINTS):
            yield f"{module} prints: only {', '.join(PRINTS)} do"


def errors_have_one_place(module: str, source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        bases = {ast.unparse(base) for base in node.bases} if isinstance(node, ast.ClassDef) else set()
        if module != "rarr.errors" and bases & ERRORS:
            yield f"{module} adds to the errors of the package: rarr.errors draws them all"


def is_short(module: str, source: str) -> Iterator[str]:
    if (lines := len(source.splitlines())) > LONGEST:
        yield f"{module} has {lines} lines: split it, {LONGEST} is the most"


Rule = Callable[[str, str], Iterator[str]]
RULES: tuple[Rule, ...] = (
    *(has_a_room, imports_point_down, reads_no_environment),
    *(prints_nothing, errors_have_one_place, is_short),
)


@pytest.mark.parametrize("path", sorted(str(path.relative_to(ROOT)) for path in ROOT.rglob("*.py")))
def test_every_module_keeps_the_rules(path: str) -> None:
    module = ".".join(("rarr", *Path(path).with_suffix("").parts)).removesuffix(".__init__")
    source = (ROOT / path).read_text(encoding="utf-8")
    assert [problem for rule in RULES for problem in rule(module, source)] == []


@pytest.mark.parametrize(
    ("rule", "module", "source"),
    [
        (has_a_room, "rarr.utils", ""),
        (imports_point_down, "rarr.errors", "import rarr.records"),
        (imports_point_down, "rarr.records", "from rarr.tools.text.blocks_and_sentences import Span"),
        (imports_point_down, "rarr.tools.text.blocks_and_sentences", "from rarr import retrievers"),
        (imports_point_down, "rarr.retrievers.web", "def f():\n    from rarr.agent.graph import build"),
        (imports_point_down, "rarr.state", "if TYPE_CHECKING:\n    from rarr.agent import graph"),
        (imports_point_down, "rarr.nodes.edit", "from rarr.nodes import evaluate"),
        (imports_point_down, "rarr.nodes.retrieve", "from rarr.retrievers.corpus.corpus import Corpus"),
        (imports_point_down, "rarr.backends.embedded.values", "from rarr.backends.prompted import agreement"),
        (reads_no_environment, "rarr.cli", "import os\nos.environ['HOME']"),
        (reads_no_environment, "rarr.cli.streams", "from os import getenv"),
        (prints_nothing, "rarr.nodes.edit", "print('here')"),
        (prints_nothing, "rarr.testing.server", "print('here')"),
        (errors_have_one_place, "rarr.tools.fetch", "class SlowError(RetrievalError): ..."),
        (is_short, "rarr.cli.revise", "\n" * 401),
    ],
)  # fmt: skip
def test_each_rule_can_fail(rule: Rule, module: str, source: str) -> None:
    assert list(rule(module, source))


def test_docstring_of_the_errors_draws_every_error() -> None:
    assert set(re.findall(r"^ *[ │├└─]*(\w+)(?:  |$)", errors.__doc__ or "", re.MULTILINE)) == ERRORS

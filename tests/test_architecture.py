"""Imports point one way, a few things have one place, and the tests have no network."""

import ast
import asyncio
import contextlib
import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import rarr
from rarr import errors

ROOT = Path(rarr.__file__).parent

# Lowest first. A module imports from lower layers and from its own; `.*` stands for a whole room.
LAYERS = (
    (
        "rarr.errors",
        "rarr.unicode",
        "rarr.agent",
        "rarr.evals",
    ),  # of the last two, __init__ alone: it imports nothing
    ("rarr.records",),
    ("rarr.evals.metrics.*",),  # low, because the graph acts on what it measures
    ("rarr.prompts.*",),
    ("rarr.tools.*",),
    ("rarr.retrievers.*", "rarr.encoder.*"),
    (
        "rarr.agent.settings",
        "rarr.agent.complaints",
        "rarr.agent.components",
        "rarr.agent.dependents",
        "rarr.agent.filters",
        "rarr.agent.presets",
        "rarr.agent.results",
        "rarr.agent.rounds",
        "rarr.agent.settings_file",
        "rarr.agent.sources",
        "rarr.agent.state",
        "rarr.agent.support",
        "rarr.agent.variables",
    ),
    ("rarr.embedded.*", "rarr.prompted.*", "rarr.nli.*", "rarr.testing.*"),
    ("rarr.ledger.*",),
    ("rarr.nodes.*", "rarr.trained.*"),
    (
        "rarr.agent.blocks",
        "rarr.agent.checkpoints",
        "rarr.agent.joining",
        "rarr.agent.language_models",
        "rarr.agent.objects",
        "rarr.agent.searching",
        "rarr.agent.wiring",
        "rarr.agent.graph",
        "rarr.agent.estimating",
        "rarr.agent.revise",
        "rarr.agent.studio",
        "rarr.agent.telemetry",
        "rarr.traces.*",
    ),
    ("rarr",),
    ("rarr.evals.*", "rarr.noising.*"),
    ("rarr.training.*",),
    (
        "rarr.cli.*",
        "rarr.server",
        "rarr.doctor.*",
        "rarr.render",
        "rarr.render_scores",
        "rarr.render_replay",
        "rarr.render_trace.*",
        "rarr.notebook",
    ),
)

# What is narrower than the layers: a node knows interfaces and no implementation, and stands alone.
ONLY = {
    "rarr.notebook": ("rarr.records", "rarr.tools.*"),
    "rarr.embedded.*": ("rarr.errors", "rarr.records", "rarr.tools.*", "rarr.embedded.*"),
    "rarr.nli.*": ("rarr.errors", "rarr.records", "rarr.tools.*", "rarr.embedded.claims.*", "rarr.nli.*"),
    "rarr.testing.*": (
        "rarr.errors",
        "rarr.records",
        "rarr.prompts",
        "rarr.tools.*",
        "rarr.agent.settings",
        "rarr.agent.components",
        "rarr.embedded.*",
        "rarr.evals.metrics.*",
        "rarr.testing.*",
    ),
}
NEVER = {
    "rarr.nodes.*": (
        *("rarr.nodes.*", "rarr.embedded.*", "rarr.trained.*", "rarr.prompted.*", "rarr.nli.*"),
        "rarr.retrievers.*",
    ),
    "rarr.prompted.*": (
        "rarr.embedded.*",
        "rarr.nli.*",
        "rarr.nodes.*",
        "rarr.retrievers.*",
        "rarr.testing.*",
    ),
    "rarr.cli.*": ("rarr.notebook",),
    "rarr.render": ("rarr.notebook",),
}

EXCEPTIONS = {
    # A record draws itself in a notebook, which asks it to, so that it must know who can draw.
    ("rarr.records", "rarr.notebook"),
    # The public calls, which are imported when they are asked for.
    ("rarr.evals", "rarr.evals.comparing.compare"),
    ("rarr.evals", "rarr.evals.runs.evaluate"),
}

READS_ENVIRONMENT = "rarr.agent.settings"
PRINTS = ("rarr.cli.*", "rarr.testing.__main__")  # commands
LONGEST = 300
ERRORS = {name for name, one in vars(errors).items() if isinstance(one, type)}


def matches(module: str, *names: str) -> bool:
    return any(f"{module}.".startswith(n[:-1]) if n.endswith(".*") else module == n for n in names)


def layer(module: str) -> int | None:
    return next((i for i, names in enumerate(LAYERS) if matches(module, *names)), None)


def imports(source: str) -> Iterator[str]:
    """The modules of `rarr` that `source` imports anywhere, in functions and under TYPE_CHECKING too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            whole = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if layer(name) is not None else node.module for name in whole]
        else:
            continue
        yield from (name for name in names if matches(name, "rarr.*"))


def has_a_layer(module: str, source: str) -> Iterator[str]:
    if layer(module) is None:
        yield f"{module} has no place: add it to LAYERS"


def imports_point_down(module: str, source: str) -> Iterator[str]:
    own = layer(module)
    for name in imports(source):
        other = layer(name)
        if own is None or other is None or (module, name) in EXCEPTIONS:
            continue
        allowed = next((names for room, names in ONLY.items() if matches(module, room)), None)
        banned = next((names for room, names in NEVER.items() if matches(module, room)), ())
        if other > own or matches(name, *banned) or (allowed and not matches(name, *allowed)):
            yield f"{module} must not import {name}"


def reads_no_environment(module: str, source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        name = getattr(node, "attr", None) or (node.name if isinstance(node, ast.alias) else None)
        if name in {"environ", "getenv"} and module != READS_ENVIRONMENT:
            yield f"{module} reads the environment: make it a setting"


def prints_nothing(module: str, source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and node.id == "print" and not matches(module, *PRINTS):
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
RULES: list[Rule] = [
    has_a_layer,
    imports_point_down,
    reads_no_environment,
    prints_nothing,
    errors_have_one_place,
    is_short,
]


def module_of(path: Path) -> str:
    return ".".join(("rarr", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")


@pytest.mark.parametrize("path", [pytest.param(p, id=module_of(p)) for p in sorted(ROOT.rglob("*.py"))])
def test_every_module_keeps_the_rules(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert [problem for rule in RULES for problem in rule(module_of(path), source)] == []


@pytest.mark.parametrize(
    ("rule", "module", "source"),
    [
        (has_a_layer, "rarr.utils", ""),
        (has_a_layer, "rarr.agent.utils", ""),
        (imports_point_down, "rarr.errors", "import rarr.records"),
        (imports_point_down, "rarr.records", "from rarr.tools.document import Span"),
        (imports_point_down, "rarr.tools.document", "from rarr import retrievers"),
        (imports_point_down, "rarr.retrievers.web", "def f():\n    from rarr.agent.settings import Settings"),
        (imports_point_down, "rarr.agent.state", "if TYPE_CHECKING:\n    from rarr.agent import graph"),
        (imports_point_down, "rarr.agent.revise", "from rarr import Revision"),
        (imports_point_down, "rarr.evals", "from rarr.evals.metrics import auto_ais"),
        (imports_point_down, "rarr.evals.metrics.labels", "from rarr.tools.document import sentences"),
        (imports_point_down, "rarr.evals.metrics.labels", "from rarr.evals.runs import run"),
        (imports_point_down, "rarr.nodes.evaluate", "from rarr.evals.runs import run"),
        (imports_point_down, "rarr.evals.runs", "import rarr.cli as cli"),
        (imports_point_down, "rarr.evals.runs", "from rarr.cli.streams import write"),
        (imports_point_down, "rarr.cli", "import rarr.notebook"),
        (imports_point_down, "rarr.cli.revise", "from rarr.notebook import revision_html"),
        (imports_point_down, "rarr.nodes.edit", "from rarr.nodes import evaluate"),
        (imports_point_down, "rarr.nodes.edit", "from rarr.embedded.rules import RuleEditor"),
        (imports_point_down, "rarr.nodes.retrieve", "from rarr.retrievers.corpus import Corpus"),
        (imports_point_down, "rarr.embedded.rules", "from rarr.agent.components import Editor"),
        (imports_point_down, "rarr.nli.verifier", "from rarr.embedded.support import ValueVerifier"),
        (imports_point_down, "rarr.notebook", "from rarr.errors import InputError"),
        (imports_point_down, "rarr.render", "from rarr.notebook import revision_html"),
        (imports_point_down, "rarr.testing", "from rarr.nodes.edit import edit"),
        (imports_point_down, "rarr.testing.doubles", "from rarr.agent.state import State"),
        (reads_no_environment, "rarr.cli", "import os\nos.environ['HOME']"),
        (reads_no_environment, "rarr.cli.streams", "from os import getenv"),
        (prints_nothing, "rarr.nodes.edit", "print('here')"),
        (prints_nothing, "rarr.doctor", "print('here')"),
        (prints_nothing, "rarr.testing.server", "print('here')"),
        (errors_have_one_place, "rarr.tools.fetch", "class SlowError(RetrievalError): ..."),
        (is_short, "rarr.cli.revise", "\n" * 301),
    ],
)
def test_each_rule_can_fail(rule: Rule, module: str, source: str) -> None:
    assert list(rule(module, source))


@pytest.mark.parametrize(
    ("rule", "module", "source"),
    [
        (imports_point_down, "rarr.agent.graph", "from rarr.nodes.edit import edit"),
        (imports_point_down, "rarr.nodes.evaluate", "from rarr.evals.metrics import auto_ais"),
        (imports_point_down, "rarr.evals.runs", "from rarr.agent.revise import revise"),
        (imports_point_down, "rarr.agent.components", "from rarr.agent.settings import Settings"),
        (imports_point_down, "rarr.nli.verifier", "from rarr.embedded.claims import claims"),
        (imports_point_down, "rarr.tools.diff", "from rarr.tools.document import Span"),
        (imports_point_down, "rarr.records", "def f():\n    from rarr.notebook import revision_html"),
        (reads_no_environment, "rarr.agent.settings", "import os\nos.environ"),
        (imports_point_down, "rarr.cli.revise", "from rarr.cli.streams import write"),
        (prints_nothing, "rarr.cli", "print('done')"),
        (prints_nothing, "rarr.cli.revise", "print('done')"),
        (errors_have_one_place, "rarr.retrievers.documents", "class UnreadableError(Exception): ..."),
    ],
)
def test_each_rule_lets_pass_what_it_should(rule: Rule, module: str, source: str) -> None:
    assert list(rule(module, source)) == []


def test_every_error_is_drawn() -> None:
    assert set(re.findall(r"\w+Error", errors.__doc__ or "")) == ERRORS


def connect(host: str) -> None:
    with socket.socket() as client:
        client.connect((host, 9))


@pytest.mark.parametrize("host", ["127.0.0.1", "192.0.2.1"])
def test_no_test_can_connect(host: str) -> None:
    with pytest.raises(pytest.fail.Exception, match=host):
        connect(host)


@pytest.mark.parametrize("host", ["example.org", b"example.org"])
def test_no_test_can_look_up_a_name(host: str | bytes) -> None:
    with pytest.raises(pytest.fail.Exception, match=r"'example\.org'"):
        socket.getaddrinfo(host, 80)


def test_any_test_can_read_an_address() -> None:
    assert socket.getaddrinfo("192.0.2.1", 80)


def test_no_test_can_serve() -> None:
    with socket.socket() as server, pytest.raises(pytest.fail.Exception, match="mark the test loopback"):
        server.bind(("127.0.0.1", 0))


async def test_refusal_passes_through_code_that_survives_errors() -> None:
    async def survive() -> None:
        with contextlib.suppress(Exception):
            await asyncio.to_thread(connect, "192.0.2.1")

    with pytest.raises(pytest.fail.Exception):
        await asyncio.gather(survive())


@pytest.mark.loopback
async def test_marked_test_reaches_a_server_on_this_machine() -> None:
    server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
    async with server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        assert await reader.read() == b""
        writer.close()


@pytest.mark.loopback
def test_marked_test_reaches_no_other_machine() -> None:
    with pytest.raises(pytest.fail.Exception, match="to '192"):
        connect("192.0.2.1")

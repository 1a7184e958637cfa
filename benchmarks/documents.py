"""Writes the parts of README.md and docs that code generates: python -m benchmarks.documents

A part is between <!-- NAME, from the code --> and <!-- end -->.
"""

import ast
import contextlib
import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import partial
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings

from rarr import revise
from rarr.agent.answer import build_answering_graph
from rarr.agent.graph import build_graph
from rarr.agent.write import build_writing_graph
from rarr.cli.entry_point import app
from rarr.settings import PRESETS, Settings
from rarr.views.revision_text import revision_text

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
_PART = re.compile(r"(<!-- (\w+), from the code -->\n).*?(<!-- end -->)", re.DOTALL)
_EXAMPLES = re.compile(r"\n  Examples:\n(?:    .*\n)+")
TOP_SETTINGS = (
    *("model", "base_url", "api_key", "corpus", "search"),
    *("preset", "deadline_s", "max_cost", "offline", "trace"),
)
"""The settings that people set most often. Documents list them before all others."""
_SHOWN = {"Changes": 3, "Sentences": 3}  # the lines to show of a section of the demo, title included


def update_parts(text: str) -> str:
    """Writes the parts of `text` again from the code. A part stays if only its seconds would change."""

    def part(match: re.Match[str]) -> str:
        new = f"{match[1]}{PARTS[match[2]]()}\n{match[3]}"
        return match[0] if without_seconds(new) == without_seconds(match[0]) else new

    return _PART.sub(part, text)


def without_seconds(text: str) -> str:
    """Returns `text` without the seconds of a run, which differ from run to run."""
    return re.sub(r"\d+\.\d seconds", "some seconds", text)


def draw_graph(build: Callable[[], Any], begin: str, end: str) -> str:
    """Returns a graph in Mermaid. Runs always follow a solid arrow; a route may choose a dotted arrow."""
    ends = {"__start__": f"{begin}([{begin}])", "__end__": f"{end.lower()}([{end}])"}
    graph = build().compile().get_graph()
    order = [name for name in graph.nodes if "__error_handler__" not in name]
    edges = [edge for edge in graph.edges if {edge.source, edge.target} <= set(order)]
    lines = ["graph TD"]
    for edge in sorted(edges, key=lambda edge: (order.index(edge.source), order.index(edge.target))):
        source, target = (ends.get(name, name) for name in (edge.source, edge.target))
        lines.append(f"    {source} {'-.->' if edge.conditional else '-->'} {target}")
    return "\n".join(["```mermaid", *lines, "```"])


def settings_table() -> str:
    """Returns tables of the other settings, one for each group. A comment in `Settings` begins a group."""
    parts = re.split(r"^    # (\w+)$", inspect.getsource(Settings), flags=re.MULTILINE)
    pages = list[str]()
    for title, source in zip(["All", *parts[1::2]], parts[0::2], strict=True):
        declared = re.findall(r"^    (\w+): ", source, re.MULTILINE)
        if names := [name for name in declared if name in Settings.model_fields and name not in TOP_SETTINGS]:
            pages.append(f"### {title.capitalize()}\n\n{_settings_table(names)}")
    return "\n\n".join(pages)


def _settings_table(names: Sequence[str]) -> str:
    """Returns a table of settings with their defaults, ranges and docstrings. A docstring has the unit."""
    documented, fields = docstrings(Settings), Settings.model_fields
    rows = [f"| `{name}` | {_default_of(fields[name])} | {documented[name]} |" for name in names]
    return "\n".join(["| setting | default | is |", "|---|---|---|", *rows])


def presets_table() -> str:
    rows = ["| preset | sets |", "|---|---|"]
    for name, values in PRESETS.items():
        sets = ", ".join(f"`{key}` {value}" for key, value in values.items())
        rows.append(f"| `{name}` | {sets or 'nothing: the defaults'} |")
    return "\n".join(rows)


def demo_output() -> str:
    """Returns the output of `make demo` with long sections cut. Run it in the root of the repository."""
    text = Path("examples/texts/demo.md").read_text(encoding="utf-8")
    with TemporaryDirectory() as home:  # the user's own home folder must not change the output
        output = revision_text(revise(text, corpus="examples/corpus", home=home), terminal=False)
    return f"```console\n$ make demo\n{_cut_sections(output)}\n```"


def commands_help() -> str:
    """Returns the help of every command under a heading. Options of three or more commands come once."""
    every = [each for each in _commands("rarr", app) if not hasattr(each[1], "commands")]
    options = [each for _, command in every for each in command.params if isinstance(each, click.Option)]
    counts = Counter(option.help for option in options)
    shared = {option.help: option for option in options if counts[option.help] > 2}
    together = click.Command("rarr", params=list(shared.values()), add_help_option=False)
    parts = ["## Shared options", _code_block(_help(together, "rarr").partition("Options:\n")[2])]
    for name, command in every:
        own = copy(command)
        others = [each for each in command.params if getattr(each, "help", None) in shared]
        own.params = [each for each in command.params if each not in others]
        own.add_help_option = False
        parts += [f"## {name}", _code_block(_help(own, name))]
        if others:
            parts.append(f"Shared: {', '.join(f'`{each.opts[0]}`' for each in others)}.")
    return "\n\n".join(parts)


def _code_block(text: str) -> str:
    return f"```text\n{text}\n```"


def _help(command: click.Command, name: str) -> str:
    help_text = command.get_help(click.Context(command, info_name=name)).strip()
    return _EXAMPLES.sub("", help_text)  # the guides have examples instead


def _commands(name: str, command: click.Command) -> Iterator[tuple[str, Any]]:
    yield name, command
    for child, inner in getattr(command, "commands", {}).items():
        yield from _commands(f"{name} {child}", inner)


PARTS: dict[str, Callable[[], str]] = {
    "commands": commands_help,
    "demo": demo_output,
    "picture": partial(draw_graph, build_graph, "text", "Revision"),
    "first_settings": lambda: _settings_table(TOP_SETTINGS),
    "settings": settings_table,
    "presets": presets_table,
    "answering_picture": partial(draw_graph, build_answering_graph, "question", "Answer"),
    "writing_picture": partial(draw_graph, build_writing_graph, "topic", "Article"),
}


def _cut_sections(output: str) -> str:
    shown: list[str] = []
    left = len(output)
    for line in output.rstrip().splitlines():
        if line in _SHOWN:
            left = _SHOWN[line]
        elif not line:
            left = len(output)
        if left > 0:
            shown.append(line)
        elif left == 0:
            shown.append("  …")
        left -= 1
    return "\n".join(shown)


def docstrings(settings: type[BaseSettings]) -> dict[str, str]:
    """Returns by name the string below each field of `settings` and of its bases. pydantic drops it."""
    bases = [base for base in settings.__mro__ if base is not BaseSettings and issubclass(base, BaseSettings)]
    bodies = [ast.parse(inspect.getsource(base)).body[0].body for base in bases]  # type: ignore[attr-defined]  # a class
    return {
        node.target.id: str(following.value.value)
        for body in bodies
        for node, following in pairwise(body)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
        if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
    }


def _default_of(field: FieldInfo) -> str:
    default = "none" if field.default is None else f"`{field.default}`"
    default = default if field.default_factory is None else "depends on the system"
    bounds = {name: getattr(it, name) for it in field.metadata for name in ("ge", "le") if hasattr(it, name)}
    return f"{default} ({bounds['ge']} to {bounds['le']})" if "le" in bounds else default


def main() -> None:
    with contextlib.chdir(ROOT):
        for page in PAGES:
            text = page.read_text(encoding="utf-8")
            if (new := update_parts(text)) != text:
                page.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()

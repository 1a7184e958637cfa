"""Declares the options that commands share, each once, and turns those that name settings into settings.

An option that only one command has is declared there.
"""

import json
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, Protocol, TypeVar, get_origin

import click

from rarr.errors import InputError

_Command = TypeVar("_Command", bound=Callable[..., Any])


class Option(Protocol):
    """Adds an option, or several, to a command."""

    def __call__(self, command: _Command, /) -> _Command:
        """Returns the command with the option."""


FILE = click.Path(path_type=Path)
MODEL_NAMES = "openai:NAME, vllm:NAME, ollama:NAME"


def _setting(flag: str, name: str, **attributes: Any) -> tuple[str, Option]:
    """Declares the option `flag` for the setting `name`."""
    return name, click.option(flag, name, **attributes)


CORPUS = _setting("--corpus", "corpus", metavar="PATH", help="Folder, file or built index to search.")
GRAPH = _setting("--graph", "graph", metavar="F", help="File of triples to search.")
SEARCH = _setting(
    "--search", "search", metavar="S", help="wikipedia, tavily, searxng or corpus; several with commas."
)
OFFLINE = _setting("--offline", "offline", is_flag=True, help="Search only the cache and the corpus.")
MODEL = _setting(
    "--model", "model", metavar="M", help=f"The model that reads and edits: embedded, {MODEL_NAMES}, ..."
)
BASE_URL = _setting(
    "--base-url", "base_url", metavar="URL", help="Address of an OpenAI-compatible server, such as vLLM."
)
PRESET = _setting("--preset", "preset", metavar="P", help="Settings by name: default, paper, fast.")
DEADLINE = _setting("--deadline", "deadline_s", metavar="S", type=float, help="Seconds for one run.")

SOURCES = (CORPUS, GRAPH, SEARCH, OFFLINE)
MODELS = (MODEL, BASE_URL, PRESET)
RUN = (*SOURCES, *MODELS, DEADLINE)
"""The options of a command that researches a text."""


def settings(*declared: tuple[str, Option]) -> Option:
    """Adds these options and `--set` to a command, which gets their values as the mapping `chosen`."""

    def decorate(command: _Command) -> _Command:
        @wraps(command)
        def call(*, set_: Sequence[str], **arguments: Any) -> Any:
            chosen = given(**{name: arguments.pop(name) for name, _ in declared})
            return command(chosen=with_settings(chosen, set_), **arguments)

        named = _SET(call)
        for _, option in reversed(declared):
            named = option(named)
        return named  # type: ignore[return-value]  # `wraps` keeps what callers see

    return decorate


def with_settings(chosen: dict[str, Any], pairs: Sequence[str]) -> dict[str, Any]:
    """Adds the settings of `--set NAME=VALUE`. Raises `InputError` for another form, or a name given twice.

    Lists and tables are JSON; a list may be written with commas.
    """
    from rarr.settings import Settings

    for pair in pairs:
        name, equals, value = pair.partition("=")
        name = name.strip().replace("-", "_")
        if not (name and equals):
            raise InputError(f"--set is {pair!r}: give a setting and its value, such as rounds=1")
        if name in chosen:
            raise InputError(f"{name} is given twice: give its option or --set {name}=VALUE once")
        field = Settings.model_fields.get(name)
        chosen[name] = _parsed(value, get_origin(field.annotation) if field else None)
    return chosen


def _parsed(value: str, kind: Any) -> Any:
    if kind is list and not value.startswith("["):
        return [part.strip() for part in value.split(",") if part.strip()]
    try:
        return json.loads(value) if kind in (list, dict) else value
    except ValueError:
        return value  # the error of the setting says what is wrong


def given(**values: Any) -> dict[str, Any]:
    """Returns the options that a call gave. Options without a value, and flags that are off, are left out."""
    return {name: value for name, value in values.items() if not (value is None or value is False)}


_SET: Option = click.option(
    "--set", "set_", metavar="NAME=VALUE", multiple=True, help="Any other setting, as rounds=1; repeatable."
)
CONTEXT: Option = click.option(
    "--context", metavar="C", help="The question or earlier turns that the text answers."
)
JSON: Option = click.option("--json", "as_json", is_flag=True, help="Print only JSON.")
LIMIT: Option = click.option(
    "--limit", metavar="N", type=click.IntRange(1), help="Use only the first N rows."
)
JOBS: Option = click.option(
    "--jobs",
    metavar="N",
    type=click.IntRange(1),
    default=4,
    help="Rows or files to work on at once; default 4.",
)
FAIL_UNDER: Option = click.option(
    "--fail-under",
    metavar="M=X",
    multiple=True,
    help="Exit with status 4 if measure M is under X; repeatable.",
)
WORDING: Option = click.option(
    "--wording",
    type=click.Choice(["attribution", "facts", "nli", "summary"]),
    help="How a language model that judges is asked.",
)


def choice(flag: str, values: str, help_: str, *, name: str | None = None) -> Option:
    """Declares an option with one of the `values` between spaces; the first is the default."""
    names = [flag] if name is None else [flag, name]
    first, *_ = each = values.split()
    return click.option(*names, type=click.Choice(each), default=first, help=help_)


def files(flag: str, help_: str) -> Option:
    """Declares a repeatable option for a file."""
    return click.option(flag, metavar="FILE", type=FILE, multiple=True, help=help_)


def out(metavar: str, help_: str, *, required: bool = False, kind: Any = FILE) -> Option:
    """Declares -o with what is written there."""
    return click.option("--out", "-o", metavar=metavar, type=kind, required=required, help=help_)

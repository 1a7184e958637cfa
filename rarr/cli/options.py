"""Declares the options that commands share, each once, and turns those that name settings into settings.

An option that only one command has is declared there.
"""

import json
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, get_origin

import click

from rarr.errors import InputError

_Command = TypeVar("_Command", bound=Callable[..., Any])
Option = Callable[[_Command], _Command]
"""Adds an option, or several, to a command."""

FILE = click.Path(path_type=Path)
COUNT = click.IntRange(1)
MODEL_NAMES = "openai:NAME, vllm:NAME, ollama:NAME"

_SETTINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "corpus": ("PATH", {"help": "Folder, file or built index to search."}),
    "graph": ("F", {"help": "File of triples to search."}),
    "search": ("S", {"help": "wikipedia, tavily, searxng or corpus; several with commas."}),
    "offline": ("", {"help": "Search only the cache and the corpus.", "is_flag": True}),
    "model": ("M", {"help": f"The model that reads and edits: embedded, {MODEL_NAMES}, ..."}),
    "base_url": ("URL", {"help": "Address of an OpenAI-compatible server, such as vLLM."}),
    "preset": ("P", {"help": "Settings by name: default, paper, fast."}),
    "deadline_s": ("S", {"help": "Seconds for one run.", "type": float}),
}
"""The settings that have an option of their own, with the placeholder of its value."""

SOURCES = ("corpus", "graph", "search", "offline")
MODELS = ("model", "base_url", "preset")
RUN = (*SOURCES, *MODELS, "deadline_s")
"""The settings of a command that researches a text."""


def settings(*names: str) -> Option[Any]:
    """Adds the options of these settings and `--set` to a command, which gets the mapping `chosen`."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def call(*, set_: Sequence[str], **arguments: Any) -> Any:
            chosen = given(**{name: arguments.pop(name) for name in names})
            return command(chosen=with_settings(chosen, set_), **arguments)

        call = _SET(call)
        for name in reversed(names):
            metavar, attributes = _SETTINGS[name]
            flag = f"--{name.removesuffix('_s').replace('_', '-')}"
            call = click.option(flag, name, metavar=metavar or None, **attributes)(call)
        return call

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


def one(flag: str, metavar: str, help_: str, **attributes: Any) -> Option[Any]:
    """Declares an option that takes a value."""
    return click.option(flag, metavar=metavar, help=help_, **attributes)


def choice(flag: str, values: str, help_: str, *, name: str | None = None) -> Option[Any]:
    """Declares an option with one of the `values` between spaces; the first is the default."""
    first, *_ = each = values.split()
    names = [flag] if name is None else [flag, name]
    return click.option(*names, type=click.Choice(each), default=first, help=help_)


def files(flag: str, help_: str) -> Option[Any]:
    """Declares a repeatable option for a file."""
    return one(flag, "FILE", help_, type=FILE, multiple=True)


def out(metavar: str, help_: str, *, required: bool = False) -> Option[Any]:
    """Declares -o with what is written there."""
    return click.option("--out", "-o", metavar=metavar, type=FILE, required=required, help=help_)


_SET: Option[Any] = click.option(
    "--set", "set_", metavar="NAME=VALUE", multiple=True, help="Any other setting, as rounds=1; repeatable."
)
CONTEXT = one("--context", "C", "The question or earlier turns that the text answers.")
JSON: Option[Any] = click.option("--json", "as_json", is_flag=True, help="Print only JSON.")
ESTIMATE: Option[Any] = click.option(
    "--estimate", is_flag=True, help="Print the requests, tokens and cost to expect, and ask nothing."
)
LIMIT = one("--limit", "N", "Use only the first N rows.", type=COUNT)
JOBS = one("--jobs", "N", "Rows or files to work on at once; default 4.", type=COUNT, default=4)
FAIL_UNDER = one(
    "--fail-under", "M=X", "Exit with status 4 if measure M is under X; repeatable.", multiple=True
)

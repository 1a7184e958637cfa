"""Declares the options that several commands have, and makes `Settings` from the options for settings.

An option that only one command has is declared in the file of that command.
"""

from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import click

from rarr.errors import InputError

Option = Callable[[Any], Any]
"""A decorator that adds one or several options to a command."""


class _NonEmptyPath(click.Path):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        # "" is an unset variable, while Path("") is the current folder.
        return super().convert(value or self.fail("an empty name names nothing: give a path"), param, ctx)


FILE = _NonEmptyPath(path_type=Path)
MANY_FILES: dict[str, Any] = {"type": FILE, "multiple": True}
COUNT = click.IntRange(1)

_SETTING_OPTIONS: dict[str, tuple[str, str, str]] = {
    "corpus": ("--corpus", "PATH", "Folder, file or built index to search."),
    "graph": ("--graph", "F", "File of triples to search."),
    "search": ("--search", "S", "wikipedia, tavily, searxng or corpus; several with commas."),
    "offline": ("--offline", "", "Search only the cache and the corpus."),
    "model": ("--model", "M", "Reads and edits: embedded, openai:NAME, vllm:NAME, ollama:NAME, ..."),
    "base_url": ("--base-url", "URL", "Address of an OpenAI-compatible server, such as vLLM."),
    "preset": ("--preset", "P", "Settings by name: default, paper, fast."),
    "doubt": ("--doubt", "D", "Ask again about what code doubts: auto, always or never."),
    "deadline_s": ("--deadline", "S", "Seconds for one run."),
    "serve_upstream_url": ("--upstream", "URL", "OpenAI-compatible server behind this one."),
    "serve_mode": ("--mode", "M", "What becomes of answers: revise (default), cite, check, annotate, off."),
    "serve_deadline_s": ("--deadline", "S", "Seconds for an answer; then the original goes out."),
    "serve_host": ("--host", "H", "Address to listen at; default 127.0.0.1."),
    "serve_port": ("--port", "N", "Port to listen at; default 8100, 0: any."),
    "serve_workers": ("--workers", "N", "Processes; default one for each core."),
}
"""The settings that have an option: (the flag, the placeholder of the value or "", the help text)."""

SOURCE_SETTINGS = ("corpus", "graph", "search", "offline")
MODEL_SETTINGS = ("model", "base_url", "preset")
SERVE_SETTINGS = tuple(name for name in _SETTING_OPTIONS if name.startswith("serve_"))
RUN_SETTINGS = (*SOURCE_SETTINGS, *MODEL_SETTINGS, "deadline_s")
"""The settings of a command that researches a text."""


def setting_options(*names: str, as_settings: bool = True) -> Option:
    """Adds `--set` and the options of the settings `names` to a command, which gets `settings: Settings`.

    If `as_settings` is false, the command gets `chosen` instead: a dict of the settings that the user gave.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def call(**arguments: Any) -> Any:
            from rarr.settings import Settings

            pairs = arguments.pop("set")
            named = _with_set_options(given_options(**{name: arguments.pop(name) for name in names}), pairs)
            chosen: Any = {"settings": Settings(**named)} if as_settings else {"chosen": named}
            return command(**chosen, **arguments)

        call = _SET(call)
        for name in reversed(names):
            flag, word, help_ = _SETTING_OPTIONS[name]
            call = click.option(flag, name, metavar=word or None, help=help_, is_flag=not word or None)(call)
        return call

    return decorate


def _with_set_options(named: dict[str, Any], pairs: Sequence[str]) -> dict[str, Any]:
    """Adds the settings in `pairs`, each written as NAME=VALUE, to the dict `named`. Returns `named`."""
    from rarr.settings import Settings
    from rarr.settings.reading import parsed_setting

    for pair in pairs:
        name, equals, value = pair.partition("=")
        name = name.strip().replace("-", "_")
        if not (name and equals) or name in named:
            raise InputError(f"--set is {pair!r}: give a setting and its value once, such as rounds=1")
        field = Settings.model_fields.get(name)
        named[name] = parsed_setting(field, value) if field else value  # `Settings` names the error better
    return named


def given_options(**values: Any) -> dict[str, Any]:
    """Returns the options that the user gave. Leaves out options without a value, and flags that are off."""
    return {name: value for name, value in values.items() if not (value is None or value is False)}


def option(flag: str, metavar: str, help_: str, **attributes: Any) -> Option:
    """Declares an option with a value. The help shows `metavar` for the value, or the choices if it is ""."""
    return click.option(flag, metavar=metavar or None, help=help_, **attributes)


def out_option(metavar: str, help_: str, **attributes: Any) -> Option:
    """Declares the option -o. If `metavar` is FILE, -o must name a file in a folder that exists."""
    check = _require_existing_folder if metavar == "FILE" else None
    return click.option("--out", "-o", metavar=metavar, help=help_, type=FILE, callback=check, **attributes)


def _require_existing_folder(_: click.Context, __: click.Parameter, file: Path | None) -> Path | None:
    if file is not None and file.is_dir():
        raise InputError(f"-o {file} is a folder: name a file in it")
    if file is not None and not file.parent.is_dir():
        raise InputError(f"-o {file} is in no folder that exists: make {file.parent}, or name another file")
    return file


def parse_limits(arguments: Sequence[str], names: Sequence[str]) -> dict[str, float]:
    """Parses limits (0 to 1) such as `f1_ap=0.6`. Raises `InputError` for a wrong name or limit."""
    limits = dict[str, float]()
    for argument in arguments:
        name, _, number = (part.strip() for part in argument.partition("="))
        if name not in names:
            raise InputError(f"unknown measure {name!r} in {argument!r}: the measures are {', '.join(names)}")
        try:
            limits[name] = float(number)
            if not 0 <= limits[name] <= 1:
                raise ValueError
        except ValueError:
            raise InputError(f"{argument!r} has no limit from 0 to 1: give one, such as f1_ap=0.6") from None
    return limits


def wants_json() -> bool:
    """Tells whether the user gave the option --json to the running command."""
    return bool(click.get_current_context().meta.get(__name__))


def _decode(_: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    from rarr.cli.streams import decode_utf8

    return value if value is None else decode_utf8(value, parameter.opts[0])


_SET = option("--set", "NAME=VALUE", "Any other setting, as rounds=1; repeatable.", multiple=True)
CONTEXT = option("--context", "C", "The question or earlier turns that the text answers.", callback=_decode)
SOURCE = option("--source", "FILE", "A text or document that the answer was given; repeatable.", **MANY_FILES)
JSON: Option = click.option(
    "--json", is_flag=True, expose_value=False, help="Print only JSON.",
    callback=lambda context, _, wanted: context.meta.update({__name__: wanted}),
)  # fmt: skip
ESTIMATE = click.option("--estimate", is_flag=True, help="Print the usage to expect; ask no model.")
LIMIT = option("--limit", "N", "Use only N rows.", type=COUNT)
JOBS = option("--jobs", "N", "Rows or files to work on at once; default 4.", type=COUNT, default=4)
FAIL_UNDER = option("--fail-under", "M=X", "Status 4 if measure M is under X; repeatable.", multiple=True)

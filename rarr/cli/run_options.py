"""Collects the options that the commands with a run share: their sources, their model and their limits."""

from collections.abc import Mapping
from typing import Any

from rarr.cli import options

_SHARED = (
    "corpus", "graph", "search", "offline", "refresh", "model", "base_url", "prompts", "preset", "max_calls",
)  # fmt: skip


def of_run(arguments: Mapping[str, Any], **others: Any) -> dict[str, Any]:
    """Returns the settings that a call of a command gives.

    `arguments` are those of the command by their names; the shared options are taken from them. `others` are
    settings for options of the command alone.
    """
    shared = {name: arguments[name] for name in _SHARED}
    return options.given(**shared, deadline_s=arguments["deadline"], **others)

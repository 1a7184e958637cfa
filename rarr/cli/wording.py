"""Messages as the command line says them: options where Python has arguments, and nothing twice."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rarr.records import Notice, Revision

_OPTIONS = {
    "corpus": "--corpus",
    "search": "--search",
    "model": "--model",
    "base_url": "--base-url",
    "prompts": "--prompts",
    "preset": "--preset",
    "max_calls": "--max-calls",
    "max_cost": "--max-cost",
    "deadline_s": "--deadline",
}
# A message may have both already, as in "corpus=PATH (--corpus PATH)".
_ARGUMENT = re.compile(rf"(?<!\S)({'|'.join(_OPTIONS)})=([\w/:.-]+)(?: \(--[\w-]+ [\w/:.-]+\))?")


def for_command(message: str) -> str:
    """`message` with --corpus PATH for corpus=PATH, and so on."""
    return _ARGUMENT.sub(lambda match: f"{_OPTIONS[match[1]]} {match[2]}", message)


def worded(revision: "Revision") -> "Revision":
    """`revision` with its warnings in these words."""
    return revision.model_copy(update={"warnings": tuple(map(_worded, revision.warnings))})


def _worded(notice: "Notice") -> "Notice":
    return notice.model_copy(update={"message": for_command(notice.message)})

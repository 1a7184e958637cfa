"""Reads the word lists of the rules, which are files in `lists`. Its README says where they come from."""

import re
from pathlib import Path

FOLDER = Path(__file__).parent / "lists"
_COMMENT = re.compile(r"^#.*\n", re.MULTILINE)
_CONTINUED = re.compile(r"\n[ \t]+")


def word_list(name: str) -> list[str]:
    """Reads the lines of the list `name`, without comments. An indented line continues the line before it."""
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    return _CONTINUED.sub(" ", _COMMENT.sub("", text)).splitlines()

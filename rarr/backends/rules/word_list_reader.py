"""Reads the word lists of the rules, which are files in `lists`. Its README says where they come from."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "lists"
_COMMENT = re.compile(r"^#.*\n", re.MULTILINE)
_CONTINUED = re.compile(r"\n[ \t]+")


def word_list(name: str) -> list[str]:
    """Reads the lines of the list `name`, without comments. An indented line continues the line before it."""
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    return _CONTINUED.sub(" ", _COMMENT.sub("", text)).splitlines()


@cache
def word_groups(name: str) -> Mapping[str, frozenset[str]]:
    """Reads the list `name`, whose lines are groups of words. Returns for each word all words of its lines.

    Words behind "|" are in the groups of the others, and have none themselves.
    """
    groups: dict[str, frozenset[str]] = {}
    for line in word_list(name):
        words, _, others = line.partition("|")
        for word in words.split():
            groups[word] = groups.get(word, frozenset()).union(words.split(), others.split())
    return groups

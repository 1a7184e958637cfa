"""Writes nouns after a number (2 rows) and class names with an article (an int)."""

import re

_WITH_ES = re.compile(r"(?:s|x|ch|sh)\Z")
_WITH_IES = re.compile(r"(?<=[^aeiou])y\Z")


def counted(n: int, noun: str) -> str:
    """Writes a number with its noun: 1 row, 2 rows, 1,000 queries, 3 branches."""
    return f"{n:,} {noun if n == 1 else _plural(noun)}"


def kind_of(value: object) -> str:
    """Writes the class of `value` with an article: an int, a str."""
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in {*'aeio'} else 'a'} {name}"


def _plural(noun: str) -> str:
    if _WITH_IES.search(noun):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if _WITH_ES.search(noun) else f"{noun}s"

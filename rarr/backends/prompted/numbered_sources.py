"""Writes sources for a prompt, each with the number by which the model cites it."""

import re
from collections.abc import Iterable

_MARK = re.compile(r"\[\d{1,3}\]")


def numbered_sources(texts: Iterable[str]) -> str:
    """Writes each text on a line, with its number from 1.

    Numbers in brackets in a text are left out, since a model would copy them as citations.
    """
    return "\n".join(
        f"[{n}] {' '.join(_MARK.sub('', text).split())}" for n, text in enumerate(texts, start=1)
    )

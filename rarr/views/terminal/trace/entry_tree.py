"""Holds the lines of a trace as a tree, selects some of them, and writes them as text or JSON."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from textwrap import wrap
from typing import Any, Self

from rarr.views.terminal.revision import visible

_WIDTH = 80
_STEP = 2  # columns
_NARROWEST = 30


@dataclass(frozen=True)
class Entry:
    """A line of the tree, and the entries below it.

    `about` holds the ids of the queries and evidence that the entry is about. `fields` are its fields in
    JSON; a `detail` is not in JSON. With `whole`, all lines of the text are shown as they are.
    """

    kind: str
    text: str
    about: frozenset[str] = frozenset()
    failed: bool = False
    fields: dict[str, Any] = field(default_factory=dict)
    inner: tuple["Entry", ...] = ()
    whole: bool = False

    def pruned(self, wanted: "Wanted", kept: bool = False) -> Self | None:
        """Copies the entry with those below it that are wanted; None if none is wanted.

        An entry stays above a wanted entry. `kept`: the entry above is wanted, in case `wanted` returns None.
        """
        decision = wanted(self)
        keep = kept if decision is None else decision
        below = [entry.pruned(wanted, keep) for entry in self.inner]
        inner = tuple(entry for entry in below if entry)
        return replace(self, inner=inner) if keep or inner else None

    def lines(self, depth: int = 0) -> Iterator[str]:
        """Yields the entry and the entries below it as lines of at most 80 columns; long words stay whole."""
        indent = " " * (_STEP * depth)
        if self.whole:
            yield from ((indent + line).rstrip() for line in visible(self.text).split("\n"))
        else:
            width = max(_NARROWEST, _WIDTH - len(indent))
            rows = wrap(self.text, width, subsequent_indent=" " * 2 * _STEP, break_long_words=False)
            yield from (indent + row for row in rows)
        for entry in self.inner:
            yield from entry.lines(depth + 1)

    def as_json(self) -> dict[str, Any]:
        """Returns the entry and the entries below it as JSON values, without details."""
        inner = [entry.as_json() for entry in self.inner if entry.kind != "detail"]
        return {"kind": self.kind, **self.fields} | ({"inner": inner} if inner else {})


Wanted = Callable[[Entry], bool | None]
"""Returns True if an entry is wanted, and None if it is wanted only if the entry above is."""


def detail(title: str, text: str) -> Entry:
    """Makes an entry that shows a title, and below it a text as it is."""
    return Entry("detail", title, inner=(Entry("detail", text, whole=True),))


def took(seconds: float | None) -> str:
    """Formats a duration in s or ms; None as "not ended"."""
    if seconds is None:
        return "not ended"
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"

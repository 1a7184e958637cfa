"""The lines of a trace as a tree, which can be shown in part."""

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
    """A line, and the entries below it.

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
        """The entry with its wanted parts; None if no part is wanted. `kept`: the outer entry is wanted."""
        decision = wanted(self)
        keep = kept if decision is None else decision
        below = [entry.pruned(wanted, keep) for entry in self.inner]
        inner = tuple(entry for entry in below if entry)
        return replace(self, inner=inner) if keep or inner else None

    def lines(self, depth: int = 0) -> Iterator[str]:
        """The entry as lines of text, at most 80 columns wide unless a word is longer."""
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
        """The entry as JSON."""
        inner = [entry.as_json() for entry in self.inner if entry.kind != "detail"]
        return {"kind": self.kind, **self.fields} | ({"inner": inner} if inner else {})


Wanted = Callable[[Entry], bool | None]
"""Whether an entry is wanted. None: it is wanted if its outer entry is."""


def detail(title: str, text: str) -> Entry:
    """A text as it is, below its title."""
    return Entry("detail", title, inner=(Entry("detail", text, whole=True),))


def took(seconds: float | None) -> str:
    """A duration in words."""
    if seconds is None:
        return "not ended"
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"

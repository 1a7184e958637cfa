"""The lines of a trace as a tree, of which a part can be shown."""

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
    """A line, and what is below it.

    `about` are the ids of the queries and evidences that it is for. `fields` are what JSON has of it; a
    `detail` has none. `whole`: the text is shown as it is, in all its lines.
    """

    kind: str
    text: str
    about: frozenset[str] = frozenset()
    failed: bool = False
    fields: dict[str, Any] = field(default_factory=dict)
    inner: tuple["Entry", ...] = ()
    whole: bool = False

    def pruned(self, wanted: "Wanted", kept: bool = False) -> Self | None:
        """What is wanted of it; None where nothing is. `kept`: what it is in is wanted."""
        said = wanted(self)
        mine = kept if said is None else said
        below = [one.pruned(wanted, mine) for one in self.inner]
        inner = tuple(one for one in below if one)
        return replace(self, inner=inner) if mine or inner else None

    def lines(self, depth: int = 0) -> Iterator[str]:
        """As text, at most 80 columns wide where its words allow."""
        indent = " " * (_STEP * depth)
        if self.whole:
            yield from ((indent + line).rstrip() for line in visible(self.text).split("\n"))
        else:
            width = max(_NARROWEST, _WIDTH - len(indent))
            rows = wrap(self.text, width, subsequent_indent=" " * 2 * _STEP, break_long_words=False)
            yield from (indent + row for row in rows)
        for one in self.inner:
            yield from one.lines(depth + 1)

    def as_json(self) -> dict[str, Any]:
        """As JSON has it."""
        inner = [one.as_json() for one in self.inner if one.kind != "detail"]
        return {"kind": self.kind, **self.fields} | ({"inner": inner} if inner else {})


Wanted = Callable[[Entry], bool | None]
"""Is this entry wanted? None: where what it is in is."""


def detail(title: str, text: str) -> Entry:
    """A text with a title, as it is."""
    return Entry("detail", title, inner=(Entry("detail", text, whole=True),))


def took(seconds: float | None) -> str:
    """A duration."""
    if seconds is None:
        return "not ended"
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"

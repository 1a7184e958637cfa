"""What the encoder reads in a passage where a claim has its values, one batch a claim and passage."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from rarr.embedded.claims import claims
from rarr.embedded.names import Name
from rarr.embedded.questions import askable
from rarr.embedded.sentence import sentence
from rarr.embedded.values import Value, same
from rarr.encoder.inputs import Masked, MaskKind
from rarr.encoder.model import Asked, Claimed, Encoder, Judged, Pointing
from rarr.tools.document import Span, split_sentences

NEVER = -30.0  # the log-probability of what cannot be; logits of 16 bits go no lower
_BEFORE = 2  # sentences before a claim that are read with it, since it may lean on them
_RANKED = 16  # spans of the passage that are looked at, most probable first
_KINDS: dict[str, MaskKind] = {"date": "date", "number": "number", "name": "name", "term": "word"}


class Other(NamedTuple):
    """Another value of the passage, as it is written there, and the log-probability that it is meant."""

    said: str
    log: float


class Found(NamedTuple):
    """What a passage says in place of a value: log-probabilities.

    `own`: the value itself, wherever it is said. `nowhere`: it says nothing there. `others`: most probable
    first. `wrong`: the probability that a word of the value is wrong by this passage.
    """

    place: Span
    own: float
    nowhere: float
    others: tuple[Other, ...]
    wrong: float

    @property
    def other(self) -> Other:
        """The most probable other value; an empty one where there is none."""
        return self.others[0] if self.others else Other("", NEVER)


class Read(NamedTuple):
    """A claim beside a passage: its class, and what was found for each value that can be asked for."""

    judged: Judged
    found: tuple[Found, ...]


def read(encoder: Encoder, text: str, context: str | None, span: Span, title: str, passage: str) -> Read:
    """Reads `passage` for the claim of `text` at `span`."""
    claim = next(one for one in claims(text, context) if one.span == span)
    start, said = around(text, span)
    values = askable(text, claim)
    asked = [
        Asked(said, title, passage, Masked(Span(place.start - start, place.end - start), _KINDS[value.kind]))
        for value, place in values
    ]
    [judged] = encoder.attribution([Claimed(said, title, passage)])
    pointings = encoder.point(asked)
    found = (
        _found(value, place, Span(place.start - start, place.end - start), pointing, passage, judged)
        for (value, place), pointing in zip(values, pointings, strict=True)
    )
    return Read(judged, tuple(found))


def around(text: str, span: Span) -> tuple[int, str]:
    """A sentence with those that it may lean on, and where they begin."""
    spans = split_sentences(text)
    at = next((n for n, one in enumerate(spans) if one.start <= span.start < one.end), 0)
    start = min(spans[max(0, at - _BEFORE)].start, span.start) if spans else span.start
    return start, text[start : span.end]


def _found(
    value: Value, place: Span, within: Span, pointing: Pointing, passage: str, judged: Judged
) -> Found:
    told = _values(passage)
    said = [Span(s, e) for other, s, e in told if same(value, other)]
    own = [*said, *_written(passage, value, said)]
    others: dict[str, float] = {}
    for span, log in pointing.ranked(_RANKED):
        if any(span.overlaps(one) for one in own):
            continue
        whole = _whole(value, span, told)
        others[whole.of(passage)] = float(np.logaddexp(others.get(whole.of(passage), NEVER), log))
    ranked = sorted(others.items(), key=lambda one: -one[1])
    return Found(
        place=place,
        own=_together([pointing.of(one) for one in dict.fromkeys(own)]),
        nowhere=max(pointing.nowhere, NEVER),
        others=tuple(Other(said, log) for said, log in ranked),
        wrong=judged.wrongness(within),
    )


def _written(passage: str, value: Value, known: Sequence[Span]) -> Iterator[Span]:
    """Where the passage has a name's very letters, though the rules read no name there."""
    wanted = value.read.text.casefold() if isinstance(value.read, Name) else ""
    low = passage.casefold()
    at = low.find(wanted) if len(low) == len(passage) and wanted else -1
    while at >= 0:
        span = Span(at, at + len(wanted))
        if span not in known:
            yield span
        at = low.find(wanted, at + 1)


def _whole(value: Value, span: Span, told: Sequence[tuple[Value, int, int]]) -> Span:
    """The value of the passage that a span is in or about; else the span as it is."""
    within = [
        Span(s, e) for other, s, e in told if other.kind == value.kind and s < span.end and span.start < e
    ]
    return max(within, key=lambda one: min(one.end, span.end) - max(one.start, span.start), default=span)


@lru_cache(maxsize=512)
def _values(passage: str) -> tuple[tuple[Value, int, int], ...]:
    return tuple(
        (value, span.start + value.start, span.start + value.end)
        for span in split_sentences(passage)
        for value in sentence(span.of(passage)).values
    )


def _together(logs: Sequence[float]) -> float:
    return max(float(np.logaddexp.reduce([NEVER, *logs])), NEVER)

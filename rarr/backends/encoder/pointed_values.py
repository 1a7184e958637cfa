"""Asks the encoder's pointers which values a passage has in the place of a claim's values."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from rarr.backends.encoder.inputs import MASK_KINDS, MaskedSpan
from rarr.backends.encoder.model import AttributionInput, AttributionScores, ClozeInput, Encoder, Pointing
from rarr.backends.encoder.window_selection import closest_window
from rarr.backends.rules.parsed_sentence import parsed_sentence
from rarr.backends.rules.proper_names import ProperName
from rarr.backends.rules.standalone_claims import Claim
from rarr.backends.rules.values import Value, same_value
from rarr.tools.text.blocks_and_sentences import Span, split_sentences

IMPOSSIBLE = -30.0  # the log-probability of an impossible event; logits of 16 bits go no lower
_RANKED = 16  # the number of spans of the passage to consider, most probable first


class RivalValue(NamedTuple):
    """Another value of the passage, as the passage writes it, and its log-probability."""

    text: str
    log: float


class PointedValues(NamedTuple):
    """What a passage has in the place of a claim's value, by log-probabilities.

    `own`: the value itself, at any place of the passage. `nowhere`: no answer. `others`: other values, most
    probable first.
    """

    own: float
    nowhere: float
    others: tuple[RivalValue, ...]


def claim_attribution(encoder: Encoder, claim: Claim, title: str, passage: str) -> AttributionScores | None:
    """Computes the scores of a claim by the closest part of `passage`; None for a claim that is too long.

    The encoder reads the claim alone, with its subject put in. Beside other sentences of the text, those
    that the passage supports would raise its score.
    """
    statement = claim.sentence.text
    if not encoder.reads(statement):
        return None
    return encoder.attribution([AttributionInput(statement, title, closest_window(statement, passage))])[0]


def pointed_values(
    encoder: Encoder, claim: Claim, title: str, passage: str, values: Sequence[Value]
) -> Iterator[PointedValues]:
    """Masks each of `values` in the claim, and yields what the closest part of `passage` has in its place."""
    statement = claim.sentence.text
    part = closest_window(statement, passage)
    places = [
        MaskedSpan(Span(value_here.start, value_here.end), MASK_KINDS[value_here.kind])
        for value_here in values
    ]
    pointings = encoder.point([ClozeInput(statement, title, part, masked) for masked in places])
    return (_pointed(value, pointing, part) for value, pointing in zip(values, pointings, strict=True))


def _pointed(value: Value, pointing: Pointing, passage: str) -> PointedValues:
    value_places = _values(passage)
    same_places = [Span(s, e) for other, s, e in value_places if same_value(value, other)]
    own = [*same_places, *_written(passage, value, same_places)]
    others: dict[str, float] = {}
    for span, log in pointing.ranked(_RANKED):
        if any(span.overlaps(place) for place in own):
            continue
        whole = _whole(value, span, value_places)
        others[whole.of(passage)] = float(np.logaddexp(others.get(whole.of(passage), IMPOSSIBLE), log))
    ranked = sorted(others.items(), key=lambda place: -place[1])
    return PointedValues(
        own=_logsumexp([pointing.of(place) for place in dict.fromkeys(own)]),
        nowhere=max(pointing.nowhere, IMPOSSIBLE),
        others=tuple(RivalValue(same_places, log) for same_places, log in ranked),
    )


def _written(passage: str, value: Value, known: Sequence[Span]) -> Iterator[Span]:
    """Yields the places where the passage has the letters of a name, in any case, except those `known`."""
    wanted = value.read.text.casefold() if isinstance(value.read, ProperName) else ""
    low = passage.casefold()
    at = low.find(wanted) if len(low) == len(passage) and wanted else -1
    while at >= 0:
        span = Span(at, at + len(wanted))
        if span not in known:
            yield span
        at = low.find(wanted, at + 1)


def _whole(value: Value, span: Span, value_places: Sequence[tuple[Value, int, int]]) -> Span:
    """Returns the place of the value of the passage that overlaps `span` most; else `span` itself."""
    within = [
        Span(s, e)
        for other, s, e in value_places
        if other.kind == value.kind and s < span.end and span.start < e
    ]
    return max(
        within, key=lambda place: min(place.end, span.end) - max(place.start, span.start), default=span
    )


@lru_cache(maxsize=512)
def _values(passage: str) -> tuple[tuple[Value, int, int], ...]:
    return tuple(
        (value, span.start + value.start, span.start + value.end)
        for span in split_sentences(passage)
        for value in parsed_sentence(span.of(passage)).values
    )


def _logsumexp(logs: Sequence[float]) -> float:
    return max(float(np.logaddexp.reduce([IMPOSSIBLE, *logs])), IMPOSSIBLE)

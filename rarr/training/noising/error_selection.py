"""Chooses the kinds of errors to ask a model for, and the proposed errors that fit into a text."""

import hashlib
from collections.abc import Sequence

from rarr.backends.prompted.noising import KINDS, ErrorKind, PlantedError
from rarr.tools.text.blocks_and_sentences import Span
from rarr.training.noising.row_files import Mistake

KINDS_AT_ONCE = 3  # kinds of errors in one question


def kinds_for(query: str) -> tuple[ErrorKind, ...]:
    """Picks the three kinds of error to plant for a query, by a hash of it.

    A model that may choose takes mostly dates and numbers.
    """
    digest = hashlib.sha256(query.encode()).digest()
    order = sorted(KINDS, key=lambda kind: hashlib.sha256(digest + kind.encode()).digest())
    return tuple(order[:KINDS_AT_ONCE])


def fitting(text: str, spans: Sequence[Span], errors: Sequence[PlantedError]) -> tuple[Mistake, ...]:
    """Selects errors whose right words stand once in `text`, as whole words, in a sentence of `spans`.

    Of errors that overlap, only the first is taken. The result is sorted by place.
    """
    kept: list[Mistake] = []
    for error in errors:
        right, wrong = error.right.strip(), " ".join(error.wrong.split())
        if not right or not wrong or right.casefold() == wrong.casefold() or text.count(right) != 1:
            continue
        mistake = Mistake(start=text.index(right), right=right, wrong=wrong, kind=error.kind)
        within = any(span.start <= mistake.start and mistake.end <= span.end for span in spans)
        apart = all(mistake.end <= other.start or other.end <= mistake.start for other in kept)
        if within and apart and _whole(text, mistake.start, mistake.end):
            kept.append(mistake)
    return tuple(sorted(kept, key=lambda mistake: mistake.start))


def _whole(text: str, start: int, end: int) -> bool:
    """True if no word or number continues at its ends. "3" is whole neither in "1937" nor in "3.5"."""
    before, after = text[:start][-1:], text[end:][:1]
    number = text[end:][:2]
    return not (
        (before.isalnum() and text[start].isalnum())
        or (after.isalnum() and text[end - 1].isalnum())
        or (text[end - 1].isdigit() and number[:1] in (".", ",") and number[1:].isdigit())
    )

"""The errors that a model proposes: those that can be put into a text, and which kinds are asked for."""

import hashlib
from collections.abc import Sequence

from rarr.backends.prompted.noising import KINDS, Error, ErrorKind
from rarr.tools.text.document import Span
from rarr.training.noising.rows import Mistake

ASKED = 3  # kinds that are asked for at once


def kinds_for(query: str) -> tuple[ErrorKind, ...]:
    """Kinds that follow from the query. Whoever may choose takes dates and numbers, and little else."""
    digest = hashlib.sha256(query.encode()).digest()
    order = sorted(KINDS, key=lambda kind: hashlib.sha256(digest + kind.encode()).digest())
    return tuple(order[:ASKED])


def fitting(text: str, spans: Sequence[Span], errors: Sequence[Error]) -> tuple[Mistake, ...]:
    """Those whose right words stand once in `text`, whole, in one of its sentences, and in no other error."""
    kept: list[Mistake] = []
    for error in errors:
        right, wrong = error.right.strip(), " ".join(error.wrong.split())
        if not right or not wrong or right.casefold() == wrong.casefold() or text.count(right) != 1:
            continue
        one = Mistake(start=text.index(right), right=right, wrong=wrong, kind=error.kind)
        within = any(span.start <= one.start and one.end <= span.end for span in spans)
        apart = all(one.end <= other.start or other.end <= one.start for other in kept)
        if within and apart and _whole(text, one.start, one.end):
            kept.append(one)
    return tuple(sorted(kept, key=lambda one: one.start))


def _whole(text: str, start: int, end: int) -> bool:
    """Do no words or numbers go on at its ends? "3" stands neither in "1937" nor in "3.5"."""
    before, after = text[:start][-1:], text[end:][:1]
    number = text[end:][:2]
    return not (
        (before.isalnum() and text[start].isalnum())
        or (after.isalnum() and text[end - 1].isalnum())
        or (text[end - 1].isdigit() and number[:1] in (".", ",") and number[1:].isdigit())
    )

"""Which passage supports each sentence of a text best, by the verifier."""

from collections.abc import Sequence
from typing import NamedTuple

from rarr.components import Verifier
from rarr.records import Evidence
from rarr.tools.concurrency.together import together
from rarr.tools.concurrency.worker import work
from rarr.tools.text.document import Span, sentences
from rarr.training.noising.rows import Mistake


class Judged(NamedTuple):
    """A sentence with its best passage. `support` is None where the verifier could not judge it by any."""

    span: Span
    evidence_id: str
    support: float | None


async def judged(verifier: Verifier, text: str, query: str, evidence: Sequence[Evidence]) -> list[Judged]:
    """The sentences of `text`, which answers `query`. Raises what the verifier raises."""
    spans = list(await work(sentences, text))
    supports = await together(*(_by_one(verifier, text, query, spans, one) for one in evidence))
    found = []
    for span, of_span in zip(spans, zip(*supports, strict=True), strict=True):
        known = [(score, one.id) for score, one in zip(of_span, evidence, strict=True) if score is not None]
        best, name = max(known, key=lambda pair: pair[0], default=(None, ""))
        found.append(Judged(span, name, best))
    return found


def of_place(found: Sequence[Judged], place: Span) -> float | None:
    """The least support of the sentences at `place`; None where one was not judged, or there is none."""
    scores = [one.support for one in found if one.span.overlaps(place)]
    known = [score for score in scores if score is not None]
    return min(known) if known and len(known) == len(scores) else None


def moved(place: Span, edits: Sequence[Mistake]) -> Span:
    """A sentence of a text, in the text with the errors, each of which is within one sentence."""
    grown = [(edit.start, len(edit.wrong) - len(edit.right)) for edit in edits]
    before = sum(by for start, by in grown if start < place.start)
    within = sum(by for start, by in grown if place.start <= start < place.end)
    return Span(place.start + before, place.end + before + within)


async def _by_one(
    verifier: Verifier, text: str, query: str, spans: Sequence[Span], evidence: Evidence
) -> Sequence[float | None]:
    return await verifier.support(text, query, spans, evidence)

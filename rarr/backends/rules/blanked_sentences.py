"""Prepares the sentence of a queried value for a language model: with a blank, and with the value marked."""

from rarr.backends.rules.agreement import queried_value
from rarr.backends.rules.values import value_extent
from rarr.records import Query
from rarr.tools.text.blocks_and_sentences import Span, sentences

_BEFORE = 2  # sentences before the sentence, by which its pronouns can be read


def value_sentence(text: str, context: str | None, query: Query) -> tuple[str, str, str] | None:
    """Returns the words before the sentence; the sentence with a blank for the value, and with it marked.

    The words before it are the context, the first heading and the two sentences before. The blank, and the
    double brackets of the mark, take in the unit. None if no sentence has the value.
    """
    spans, place = sentences(text), _place_with_unit(text, context, query)
    holding = [n for n, span in enumerate(spans) if span.start <= place.start and place.end <= span.end]
    if not holding:
        return None
    span = spans[holding[0]]
    before = words_before(text, context, holding[0])
    opening, rest = text[span.start : place.start], text[place.end : span.end]
    return before, f"{opening}____{rest}", f"{opening}[[{place.of(text)}]]{rest}"


def words_before(text: str, context: str | None, number: int) -> str:
    """Returns the context, the first heading and the two sentences before the sentence with this number."""
    spans = sentences(text)
    heading = next((line for line in text.splitlines() if line.startswith("#")), "")
    earlier = " ".join(part.of(text) for part in spans[max(0, number - _BEFORE) : number])
    return "\n".join(part for part in (context, heading, earlier) if part)


def _place_with_unit(text: str, context: str | None, query: Query) -> Span:
    """Returns the place of the value that a query asks about, with its unit: a unit would tell too much."""
    place = Span(query.start, query.end)
    if (asked := queried_value(text, context, query)) is None:
        return place
    claim, value = asked
    whole = value_extent(value)
    with_unit = claim.in_text(whole.start, whole.end)
    return with_unit if with_unit is not None and with_unit.overlaps(place) else place

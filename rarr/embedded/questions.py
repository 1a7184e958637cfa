"""Embedded query generation: every checkable value of a sentence becomes a question about it."""

import re
from collections.abc import Sequence

from rarr.embedded.claims import Claim, claims
from rarr.embedded.dates import Date
from rarr.embedded.names import Name
from rarr.embedded.numbers import Number
from rarr.embedded.terms import Term
from rarr.embedded.values import Value
from rarr.records import Question
from rarr.tools.document import Span, protected

# A question keeps this many words on either side of what it asks for.
_REACH = 25
_ENOUGH_WORDS = 5
_BEFORE_DATE = re.compile(
    r"\b(?:in|on|by|since|until|from|during|at|of)\s+(?:the\s+|early\s+|late\s+|mid-?\s*|around\s+|about\s+)*$",
    re.I,
)
_HEDGED = re.compile(
    r"\b(?:about|around|approximately|roughly|nearly|almost|some|over|exactly|only|just)\s+$", re.I
)


class ValueQuestions:
    """Asks for each date, number, name, title and telling word of each sentence, without saying it."""

    async def generate(self, text: str, context: str | None) -> Sequence[Question]:
        """Questions in text order. Values in code, links and citations are left alone."""
        return [
            Question(text=ask(claim, value), start=place.start, end=place.end)
            for claim in claims(text, context)
            for value, place in askable(text, claim)
        ]


def askable(text: str, claim: Claim) -> list[tuple[Value, Span]]:
    """The values of a claim that can be asked for, with their places in the text.

    Its subject is what the questions are about, so it is not asked for itself.
    """
    fixed = protected(text, claim.span.start, claim.span.end)
    found = []
    subject_seen = claim.put_in > 0
    for value in claim.sentence.values:
        place = claim.in_text(value.start, value.end)
        if value.kind == "name" and not subject_seen:
            subject_seen = True
            if len(claim.sentence.text[: value.start].split()) <= 1:
                continue
        if place is not None and not any(place.overlaps(span) for span in fixed):
            found.append((value, place))
    return found


def ask(claim: Claim, value: Value) -> str:
    """The question that `value` answers: the claim with an interrogative in its place."""
    text = claim.sentence.text
    said = text[value.start : value.end]
    start, end = _scope(claim, value)
    before, after = text[start : value.start], text[value.end : end]
    if start and not claim.about:
        before = f"{text[: claim.put_in]} {before}"
    elif claim.about:
        before = f"{claim.about}: {before}"
    asked = _interrogative(value)
    if isinstance(value.read, Date):
        before = _BEFORE_DATE.sub("", before)
    before = _HEDGED.sub("", before)
    before = " ".join(_plain(_without(before, said)).split()[-_REACH:])
    after = " ".join(_plain(_without(after, said)).split()[:_REACH]).rstrip(" .!?;:,\"”')")
    question = f"{before} {asked}{'' if after[:1] in ',;:)%' else ' '}{after}".strip()
    return question[:1].upper() + question[1:] + "?"


def _scope(claim: Claim, value: Value) -> tuple[int, int]:
    """The clause of the value, where it says enough to be searched for alone; else the whole sentence."""
    part = claim.sentence
    clause = part.clause(value.start)
    if clause < 0:
        return 0, len(part.text)
    start = part.clause_ends[clause - 1] if clause else 0
    end = part.clause_ends[clause] if clause < len(part.clause_ends) else len(part.text)
    inside = [word for word in part.content if start <= word.start < end]
    named = any(v.kind == "name" and v is not value and start <= v.start < end for v in part.values)
    return (start, end) if named and len(inside) >= _ENOUGH_WORDS else (0, len(part.text))


def _interrogative(value: Value) -> str:
    match value.read:
        case Date(first_year=None):
            return "on which day"
        case Date():
            return "when"
        case Number(unit="#"):
            return "which number in order"
        case Number(unit="$" | "€" | "£" | "¥"):
            return "how much money"
        case Number():
            return "how many"
        case Name(title=True):
            return "what title"
        case Name():
            return "whom or what"
        case Term() as term:
            return f"which {term.label}"
    raise AssertionError(value.kind)


def _without(part: str, said: str) -> str:
    """The claimed value may be said twice: no question gives it away."""
    return re.sub(rf"(?<!\w){re.escape(said)}(?!\w)", "…", part, flags=re.IGNORECASE)


def _plain(part: str) -> str:
    """Without marks of emphasis, citations and link targets."""
    return re.sub(r"\[\^?[\d, –-]+\]|\]\([^)\s]*\)|[*_`#>|\[\]]+", " ", part)

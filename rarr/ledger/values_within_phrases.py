"""Finds values that a sentence gives to a phrase of it, and not to what the whole sentence tells.

"The judgment of 2 June 2020 was reversed on 9 July 2021" does not say that it was reversed in June, and "410
employees, of whom 120 work in research" does not say that 410 work in research.
"""

import re

from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.values import Value, same_value, value_extent
from rarr.tools.text.blocks_and_sentences import Span

_ON_DATE = re.compile(r"\b(?:in|on|since|from|until|till|by|before|after|during|of)\s+$", re.IGNORECASE)
_OF_DATE = re.compile(r"\b(?P<noun>[a-z][\w-]+)\s+(?:of|dated)\s+$", re.IGNORECASE)
_ARTICLE = re.compile(
    r"(?<!in )(?<!on )(?<!since )\b(?:the|this|that|its|their|his|her|an?)\s+$", re.IGNORECASE
)
_NOUN = re.compile(r"\s+[a-z]")
_TIMES = {
    "as", "year", "years", "close", "eve", "decade", "beginning", "start", "middle", "end", "half",
    "quarter", "part", "rest", "course", "autumn", "fall", "spring", "summer", "winter", "january",
    "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december", "week", "month", "months", "season", "day", "morning", "evening", "night",
}  # fmt: skip
"""Nouns that are themselves a time: "the summer of 1998" is when something happened."""
_CHANGED_FROM = re.compile(
    r"\b(?:rose|risen|fell|fallen|gr[eo]w\w*|increas\w+|decreas\w+|declin\w+|dropp?\w*|climb\w+|chang\w+|shr[aiu]nk"
    r"|cut|rais\w+|reduc\w+|lower\w+|widen\w+|extend\w+|went|up|down)\b[^,;]*\bfrom\s+(?:about\s+|[$€£])?$",
    re.IGNORECASE,
)
_FROM = re.compile(r"\bfrom\s+(?:about\s+|[$€£])?$", re.IGNORECASE)
_TO = re.compile(r"\s+(?:[\w.]+\s+){0,5}?to\s+(?:about\s+|[$€£])?(?=\d)", re.IGNORECASE)
_SUBSET = re.compile(
    r",\s+(?:(?:[\w.,%-]+\s+){0,3}of\s+(?:whom|which|them|these)\b|including\b|among\s+(?:whom|which|them|these)\b)"
    r"[^;]*",
    re.IGNORECASE,
)


def is_within_phrase(
    claim: ParsedSentence, value: Value, evidence: ParsedSentence, evidence_value: Value
) -> bool:
    """Has the sentence of the evidence the value in a phrase, and the claim in what it tells, or the reverse?

    The phrase is a noun with its date, the part of a number, as in "of whom 120 work in research", or the
    number from which another one rose or fell.
    """
    return (
        _dates_noun(claim, value, evidence, evidence_value)
        or _counts_others(claim, value, evidence, evidence_value)
        or _is_former(claim, value, evidence, evidence_value)
    )


def _dates_noun(claim: ParsedSentence, value: Value, evidence: ParsedSentence, evidence_value: Value) -> bool:
    """Is the date in the evidence that of a noun, beside another date, and in the claim that of its verb?"""
    dates = [each for each in evidence.values if each.kind == "date" and each is not evidence_value]
    return (
        value.kind == "date"
        and _is_of_noun(evidence, evidence_value)
        and not all(_is_of_noun(evidence, date) for date in dates)
        and not _is_of_noun(claim, value)
        and bool(_ON_DATE.search(claim.text, 0, value.start))
    )


def _is_of_noun(part: ParsedSentence, date: Value) -> bool:
    """Does a date belong to a noun, as in "the judgment of 2 June" and "the 1998 regulation"?"""
    place = value_extent(date)
    of = _OF_DATE.search(part.text[: place.start])
    if of is not None:
        return of["noun"].lower() not in _TIMES
    return bool(_ARTICLE.search(part.text[: place.start]) and _NOUN.match(part.text, place.end))


def _counts_others(
    claim: ParsedSentence, value: Value, evidence: ParsedSentence, evidence_value: Value
) -> bool:
    """Does the evidence have the number for all, and the claim for a part of them, or the reverse?"""
    subset = _subset(evidence)
    numbers = [[each for each in part.values if each.kind == "number"] for part in (claim, evidence)]
    both = [each for each in numbers[1] if any(same_value(each, other) for other in numbers[0])]
    if value.kind != "number" or subset is None or len(both) > 1:
        return False  # "12 of the 70 ships were ferries" has both numbers, and tells which is which
    of_part = _stems(evidence, subset)
    of_all = _stems(evidence, Span(0, subset.start)) | _stems(evidence, Span(subset.end, len(evidence.text)))
    claimed = _subset(claim)
    if claimed is None:
        claimed_stems = _stems(claim, Span(0, len(claim.text)))
    elif claimed.start <= value.start < claimed.end:
        claimed_stems = _stems(claim, claimed)
    else:
        claimed_stems = _stems(claim, Span(0, claimed.start))
    tells_part = not claimed_stems.isdisjoint(of_part - of_all)
    return tells_part != (subset.start <= evidence_value.start < subset.end)


def _is_former(claim: ParsedSentence, value: Value, evidence: ParsedSentence, evidence_value: Value) -> bool:
    """Is the number of the evidence that from which it rose or fell, and the claim tells of no change?

    A claim with the date of the former number tells of that time.
    """
    place = value_extent(evidence_value)
    to = _TO.match(evidence.text, place.end)
    if value.kind != "number" or to is None or not _CHANGED_FROM.search(evidence.text[: place.start]):
        return False
    dates = [each for each in evidence.values if each.kind == "date" and place.end <= each.start < to.end()]
    is_dated = any(same_value(date, other) for date in dates for other in claim.values)
    return not is_dated and not _FROM.search(claim.text[: value_extent(value).start])


def _subset(part: ParsedSentence) -> Span | None:
    """Returns the place of the words about a part of a number, with a number of its own; None for none."""
    for match in _SUBSET.finditer(part.text):
        place = Span(*match.span())
        if any(value.kind == "number" and place.start <= value.start < place.end for value in part.values):
            return place
    return None


def _stems(part: ParsedSentence, place: Span) -> set[str]:
    """Returns the stems of the words in a place, without those of its numbers and dates."""
    taken = [value_extent(value) for value in part.values if value.kind in ("number", "date")]
    return {
        word.stem
        for word in part.content
        if place.start <= word.start < place.end
        if not any(span.start <= word.start < span.end for span in taken)
    }

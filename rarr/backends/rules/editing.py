"""Rule-based editing: replaces the contradicted value by the evidence's value, in the form of the text."""

import re
from collections.abc import Iterator

from rarr.backends.rules.agreement import asked_statement, queried_value
from rarr.backends.rules.counterparts import parsed_passage
from rarr.backends.rules.date_writing import date_like
from rarr.backends.rules.dates import Date
from rarr.backends.rules.exchanged_values import changed_places
from rarr.backends.rules.proper_names import ProperName
from rarr.backends.rules.quantities import (
    CARDINALS,
    CLOCK,
    MAGNITUDES,
    ORDINAL,
    ORDINALS,
    VULGAR_FRACTIONS,
    Quantity,
    ordinal_suffix,
)
from rarr.backends.rules.units import from_base, to_base
from rarr.backends.rules.values import Value, checkable_values, same_value
from rarr.backends.rules.whole_sentence_agreement import (
    statement_difference,
)
from rarr.records import Change, Check, Evidence, Query
from rarr.tools.concurrency.worker_threads import work
from rarr.tools.text.blocks_and_sentences import Span, sentences

_MAGNITUDE = re.compile(rf"[ -]?({'|'.join(MAGNITUDES)})$", re.IGNORECASE)
_MINUS = re.compile(r"[-−]|\bminus ", re.IGNORECASE)
_FRACTION = re.compile(rf"/|[{VULGAR_FRACTIONS}]")
_MOST_DECIMALS = 6  # most decimals that are written


class ValueEditor:
    """An editor by rules: replaces one value, or puts back two values that changed places.

    Makes no edit if the evidence's value cannot be written in the form of the text's.
    """

    async def edit(
        self, text: str, context: str | None, query: Query, check: Check, evidence: Evidence
    ) -> Change | None:
        """Makes a change that exchanges two values back, or else replaces the text's answer to the query.

        The answer is replaced at the query's place, or else at its only place in the query's sentences. For
        a question about a whole sentence, the words that decide are replaced.
        """
        if await work(asked_statement, text, context, query) is not None:
            return await work(_restated, text, context, query, evidence)
        swapped = await work(_swapped, text, context, query, evidence)
        return swapped or await work(change_of, text, query, check)


def _restated(text: str, context: str | None, query: Query, evidence: Evidence) -> Change | None:
    """Makes the change to the words by which the evidence differs from the sentence that is asked about."""
    claim = asked_statement(text, context, query)
    difference = statement_difference(claim, parsed_passage(evidence.text, evidence.title)) if claim else None
    if claim is None or difference is None or difference.verdict != "disagrees":
        return None
    place = claim.in_text(*difference.claimed)
    new = difference.stated.of(difference.sentence.text)
    return None if place is None else Change(start=place.start, end=place.end, new=new)


def _swapped(text: str, context: str | None, query: Query, evidence: Evidence) -> Change | None:
    """Makes the change that puts back two values which changed places; None if none did."""
    asked = queried_value(text, context, query)
    if asked is None:
        return None
    claim, value = asked
    other = changed_places(claim.sentence, value, parsed_passage(evidence.text, evidence.title).sentences)
    place, other_place = (claim.in_text(each.start, each.end) if each else None for each in (value, other))
    if place is None or other_place is None:
        return None
    first, second = sorted((place, other_place))
    between = text[first.end : second.start]
    return Change(start=first.start, end=second.end, new=f"{second.of(text)}{between}{first.of(text)}")


def change_of(text: str, query: Query, check: Check) -> Change | None:
    """Makes the change of the text's answer into the evidence's answer, both from `check`.

    The answer is written in the form of the text's. None if the text's answer is not found, or if no form
    parses in the sentence as the evidence's value.
    """
    place = _place(text, query, check.text_answer)
    around = next(
        (s for s in sentences(text) if place and s.start <= place.start and place.end <= s.end), None
    )
    if place is None or around is None:
        return None
    before, old, after = text[around.start : place.start], place.of(text), text[place.end : around.end]
    value = _value_at(before, old, after)
    answer = _answer(value, check.evidence_answer) if value else None
    if value is None or answer is None:
        return None
    for new in _writings(value, old, answer, check.evidence_answer[answer.start : answer.end]):
        written = _value_at(before, new, after)
        if new != old and written is not None and same_value(written, answer):
            return _with_article(text, place, new)
    return None


def _value_at(before: str, words: str, after: str) -> Value | None:
    """Returns the value that has exactly these `words`, parsed with the text around; None if none has."""
    place = (len(before), len(before) + len(words))
    return next(
        (value for value in checkable_values(before + words + after) if (value.start, value.end) == place),
        None,
    )


def _answer(text_value: Value, words: str) -> Value | None:
    """Returns the evidence's value in `words`, of the kind of the text's value; None for none.

    For a name it is all `words`, because a name alone may not parse as a name.
    """
    if text_value.kind == "name":
        return Value(0, len(words), "name", ProperName(0, len(words), words))
    return next((value for value in checkable_values(words) if value.kind == text_value.kind), None)


def _writings(text_value: Value, old: str, answer: Value, words: str) -> Iterator[str]:
    """Yields ways to write `answer`, which the evidence writes as `words`, in the form of `old`."""
    match text_value.read, answer.read:
        case Quantity() as number, Quantity() as evidence_value:
            yield from _numbers_like(number, old, evidence_value, words)
        case Date() as date, Date() as evidence_value:
            if (new := date_like(date, old, evidence_value)) is not None:
                yield new
        case ProperName(), ProperName():
            yield words
        case _:
            yield (
                words.upper() if old.isupper() else words.capitalize() if old[0].isupper() else words.lower()
            )


def _place(text: str, query: Query, answer: str) -> Span | None:
    if text[query.start : query.end] == answer:
        return Span(query.start, query.end)
    spans = [span for span in sentences(text) if span.start < query.end and query.start < span.end]
    places = [
        Span(span.start + match.start(), span.start + match.end())
        for span in spans
        for match in re.finditer(rf"(?<!\w){re.escape(answer)}(?!\w)", span.of(text))
    ]
    return places[0] if len(places) == 1 and answer else None


def _numbers_like(
    text_quantity: Quantity, old: str, evidence_quantity: Quantity, words: str
) -> Iterator[str]:
    """Yields ways to write the evidence's number in the text's unit and form.

    A converted number, or one in place of a hedged number, is first rounded as in the text, and then has more
    decimals; any other number is exact. Yields nothing for a time of day, and for units that do not compare.
    """
    if text_quantity.unit != evidence_quantity.unit or old.lower() in ("a", "an"):
        return  # "a mile" has no place for a number
    if text_quantity.unit == CLOCK:
        return  # 1:20 may be 13:20
    are_fractions = [bool(_FRACTION.search(number)) for number in (old, words)]
    if any(are_fractions):
        if all(are_fractions) and text_quantity.form == evidence_quantity.form:
            yield words
    elif text_quantity.unit == "times":
        yield _cased(words.lower(), old)
    elif text_quantity.unit == ORDINAL:
        yield _ordinal_like(int(evidence_quantity.amount), old)
    else:
        yield from _amounts_like(text_quantity, old, evidence_quantity, words)


def _amounts_like(
    text_quantity: Quantity, old: str, evidence_quantity: Quantity, words: str
) -> Iterator[str]:
    amount, form = evidence_quantity.amount, text_quantity.form
    if form:
        amount = from_base(amount, form)
    magnitude = _magnitude(amount, old, words)
    amount /= MAGNITUDES.get(magnitude.strip(" -").lower(), 1)
    converted = bool(form) and to_base(1, form) != to_base(1, evidence_quantity.form)
    fewest = _decimals(amount, old) if converted or text_quantity.hedged else _MOST_DECIMALS
    for decimals in range(fewest, _MOST_DECIMALS + 1):
        rounded = round(amount, decimals)
        # A count in words, such as "sixteen rooms", is whole.
        if magnitude or rounded == int(rounded) or re.search(r"\d", old):
            yield (
                _written(rounded, old, zeros_to=0 if converted or magnitude else _decimals(0, words))
                + magnitude
            )


def _magnitude(amount: float, old: str, words: str) -> str:
    """Returns the text's magnitude, such as " million", or another of the evidence; empty for none."""
    text_magnitude, evidence_magnitude = _MAGNITUDE.search(old), _MAGNITUDE.search(words)
    if text_magnitude is None:
        return ""
    if (
        evidence_magnitude is not None
        and MAGNITUDES[text_magnitude[1].lower()] != MAGNITUDES[evidence_magnitude[1].lower()]
    ):
        return evidence_magnitude[0]
    return text_magnitude[0] if amount >= MAGNITUDES[text_magnitude[1].lower()] else ""


def _decimals(amount: float, old: str) -> int:
    """Counts the decimals of the text's number; negative for trailing zeros, but two digits stay."""
    match = re.search(r"\d[\d,]*(?:\.(\d+))?", old)
    if match is None:
        return 0
    if match[1] is not None:
        return len(match[1])
    digits = match[0].replace(",", "")
    zeros = len(digits) - len(digits.rstrip("0"))
    return -min(zeros, max(0, len(str(int(abs(amount)))) - 2))


def _written(amount: float, old: str, *, zeros_to: int) -> str:
    """Writes the number in words if the text has words, else in digits with the text's separators.

    A number in digits gets zeros up to `zeros_to` decimals, as in £4.50.
    """
    before = re.match(r"\D*(?=\d)", old)
    if before is None and amount in CARDINALS:
        return _cased(CARDINALS[int(amount)], old)
    whole, dot, decimals = f"{abs(amount):.{_MOST_DECIMALS}f}".rstrip("0").rstrip(".").partition(".")
    if decimals or zeros_to > 0:
        dot, decimals = ".", decimals.ljust(zeros_to, "0")
    signs = before[0] if before else ""
    if bool(_MINUS.search(signs)) != (amount < 0):
        signs = f"−{signs}" if amount < 0 else _MINUS.sub("", signs)
    spaced = re.search(r"\d([\u00a0\u202f ])\d{3}", old)
    plain = "," not in old and spaced is None and len(re.sub(r"\D", "", old)) > 3
    grouped = f"{int(whole):,}".replace(",", spaced[1] if spaced else ",")
    return signs + (whole if plain else grouped) + dot + decimals


def _ordinal_like(number: int, old: str) -> str:
    if number in ORDINALS and not re.search(r"\d", old):
        return _cased(ORDINALS[number], old)
    return f"{number:,}{ordinal_suffix(number)}"


def _cased(word: str, old: str) -> str:
    return word.capitalize() if old[0].isupper() else word


def _with_article(text: str, place: Span, new: str) -> Change:
    """Makes the change of the words at `place`, with "a" or "an" before them as the new word needs."""
    article = re.search(r"\b([Aa])(n?) $", text[max(0, place.start - 4) : place.start])
    if article is None or (new[:1].lower() in "aeiou") == bool(article[2]) or not new[:1].isalpha():
        return Change(start=place.start, end=place.end, new=new)
    start = place.start - len(article[0])
    return Change(start=start, end=place.end, new=f"{article[1]}{'' if article[2] else 'n'} {new}")

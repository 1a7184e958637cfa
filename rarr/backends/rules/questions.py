"""Rule-based query generation: turns each checkable value of a sentence into a question."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import TypeVar

from rarr.backends.rules.claim_sentence_alignment import LEAST_SHARED
from rarr.backends.rules.dates import Date
from rarr.backends.rules.mutually_exclusive_words import ExclusiveTerm
from rarr.backends.rules.proper_names import ProperName
from rarr.backends.rules.quantities import CLOCK, ORDINAL, Quantity
from rarr.backends.rules.question_wording import NAME, worded
from rarr.backends.rules.standalone_claims import Claim, claims
from rarr.backends.rules.values import Value
from rarr.backends.rules.whole_sentence_agreement import OPENING
from rarr.backends.rules.words import Token
from rarr.components import Lacking
from rarr.records import Question
from rarr.tools.concurrency.worker_threads import work
from rarr.tools.text.blocks_and_sentences import Span, protected

REACH = 25  # words that a question keeps on either side of the value
_REACH_CHARACTERS = 1000  # characters on either side that hold these words, in a sentence of any length
_NEAR = 3  # words with meaning that a short question keeps
_ENOUGH_WORDS = 5  # with meaning, for a clause to be searched for alone
_BEFORE_DATE = re.compile(
    r"""
    \b(?: in | on | by | since | until | from | during | at | of )\s+
    (?: the\s+ | early\s+ | late\s+ | mid-?\s* | around\s+ | about\s+ )*$
    """,
    re.VERBOSE | re.IGNORECASE,
)
_HEDGED = re.compile(
    r"\b(?:about|around|approximately|roughly|nearly|almost|some|over|exactly|only|just)\s+$", re.IGNORECASE
)
_MARKUP = re.compile(
    r"""
      \[\^?[\d,\ –-]+\]     # citations
    | \]\([^)\s]{0,2000}\)         # the targets of links
    | [*_`#>|\[\]]+
    """,
    re.VERBOSE,
)


_Part = TypeVar("_Part", Token, Value)


class RuleQuestions:
    """Asks for each date, number, name, title and exclusive word of each sentence, without naming it.

    Also asks whether each sentence is true.
    """

    async def generate(self, text: str, context: str | None) -> Sequence[Question]:
        """Writes the questions in text order. Skips values in code, links and citations."""
        return await work(rule_questions, text, context)

    async def target(self, text: str, context: str | None, lacking: Lacking) -> Sequence[Question]:
        """Writes short questions about these sentences, except those asked before.

        A short question has the subject and the words next to a value. Fewer words find other pages.
        """
        return await work(short_questions, text, context, lacking.spans, lacking.asked)


def rule_questions(text: str, context: str | None) -> list[Question]:
    """Writes the questions of `value_questions`, and one about each whole claim, in text order."""
    questions = [*value_questions(text, context), *statement_questions(text, context)]
    return sorted(questions, key=lambda question: question.start)


def value_questions(text: str, context: str | None) -> list[Question]:
    """Writes a question for each value of each claim that a question can ask for."""
    return [
        Question(text=value_question(claim, value), start=place.start, end=place.end)
        for claim in claims(text, context)
        for value, place in askable_values(text, claim)
    ]


def statement_questions(text: str, context: str | None) -> Iterator[Question]:
    """Yields a question about each whole claim that has enough words with meaning to be compared."""
    for claim in claims(text, context):
        if len(claim.sentence.content) >= LEAST_SHARED:
            words = " ".join(_MARKUP.sub(" ", claim.sentence.text).split()).rstrip(" .!?")
            about = f"{claim.about}: " if claim.about else ""
            yield Question(text=f"{OPENING}{about}{words}?", start=claim.span.start, end=claim.span.end)


def short_questions(
    text: str, context: str | None, spans: Sequence[Span], asked: Sequence[str]
) -> list[Question]:
    """Writes a short question for each value of the claims at `spans`, except those `asked` before.

    Writes none for a claim without a subject.
    """
    by_text: dict[str, Question] = {}
    for claim in claims(text, context):
        if claim.span not in spans:
            continue
        for value, place in askable_values(text, claim):
            question = _short(claim, value)
            if question and question not in asked:
                by_text.setdefault(question, Question(text=question, start=place.start, end=place.end))
    return list(by_text.values())


def _short(claim: Claim, value: Value) -> str:
    """Writes the subject, the words with meaning next to the value, and the question word.

    Empty if the claim has no subject and no other name.
    """
    name = next(
        (
            claim_value
            for claim_value in claim.sentence.values
            if claim_value.kind == "name" and claim_value is not value
        ),
        None,
    )
    subject = claim.about or (claim.sentence.text[name.start : name.end] if name else "")
    if not subject:
        return ""
    words = [
        word
        for word in claim.sentence.content
        if not value.start <= word.start < value.end
        and not (name and not claim.about and name.start <= word.start < name.end)
    ]
    near = sorted(sorted(words, key=lambda word: abs(word.start - value.start))[:_NEAR])
    places = dict.fromkeys(_whole_number(claim, word) for word in near)
    nearby_words = " ".join(place.of(claim.sentence.text) for place in places)
    return f"{subject}: {nearby_words} {_interrogative(value)}?"


def _whole_number(claim: Claim, word: Token) -> Span:
    """Returns the place of the number that the word is a piece of, as of 11.2; else of the word."""
    numbers = (value for value in claim.sentence.values if value.kind == "number")
    around = (Span(v.start, v.end) for v in numbers if v.start <= word.start and word.end <= v.end)
    return next(around, Span(word.start, word.end))


def askable_values(text: str, claim: Claim) -> list[tuple[Value, Span]]:
    """Selects the values of a claim that a question can ask for, with their places in the text.

    A name that opens the claim is not among them, because the questions are about it. Neither are values in
    code, links and citations.
    """
    fixed = protected(text, claim.span.start, claim.span.end)
    askable = []
    subject_seen = claim.put_in > 0
    for value in claim.sentence.values:
        place = claim.in_text(value.start, value.end)
        if value.kind == "name" and not subject_seen:
            subject_seen = True
            if len(claim.sentence.text[: value.start].split()) <= 1:
                continue
        if not _says_something_of(claim, value):
            continue
        if place is not None and not any(place.overlaps(span) for span in fixed):
            askable.append((value, place))
    return askable


def _says_something_of(claim: Claim, value: Value) -> bool:
    """Has the claim another word with meaning? A value alone answers no question."""
    return any(
        word.start >= claim.put_in - claim.headers and not value.start <= word.start < value.end
        for word in claim.sentence.content
    )


def value_question(claim: Claim, value: Value) -> str:
    """Writes the question that `value` answers: its clause or claim with a question word in its place."""
    text = claim.sentence.text
    answer = text[value.start : value.end]
    start, end = _scope(claim, value)
    before = text[max(start, value.start - _REACH_CHARACTERS) : value.start]
    after = text[value.end : min(end, value.end + _REACH_CHARACTERS)]
    if start and not claim.about:
        before = f"{text[: claim.put_in]} {before}"
    elif claim.about:
        before = f"{claim.about}: {before}"
    if isinstance(value.read, Date):
        before = _BEFORE_DATE.sub("", before)
    before = _HEDGED.sub("", before)
    before = " ".join(_without(before, answer).split()[-REACH:])
    after = " ".join(_without(after, answer).split()[:REACH]).rstrip(" .!?;:,\"”')")
    question = worded(before, _interrogative(value), after)
    return question[:1].upper() + question[1:] + "?"


def _scope(claim: Claim, value: Value) -> tuple[int, int]:
    """Returns the clause of the value if it can be searched for alone, else the whole sentence.

    The clause needs enough words, and another name.
    """
    part = claim.sentence
    clause = part.clause(value.start)
    if clause < 0:
        return 0, len(part.text)
    start = part.clause_ends[clause - 1] if clause else 0
    end = part.clause_ends[clause] if clause < len(part.clause_ends) else len(part.text)
    whole = (0, len(part.text))
    if (start, end) == whole or len(_within(part.content, start, end)) < _ENOUGH_WORDS:
        return whole
    named = any(v.kind == "name" and v is not value for v in _within(part.values, start, end))
    return (start, end) if named else whole


def _within(parts: tuple[_Part, ...], start: int, end: int) -> tuple[_Part, ...]:
    """Selects those of the words or values `parts`, which are in order, that begin between two places."""
    first, last = (bisect_left(parts, place, key=lambda part: part.start) for place in (start, end))
    return parts[first:last]


def _interrogative(value: Value) -> str:
    match value.read:
        case Date(first_year=None):
            return "on which day"
        case Date():
            return "when"
        case Quantity() as number if number.unit == ORDINAL:
            return "which number in order"
        case Quantity() as number if number.unit == CLOCK:
            return "what time of day"
        case Quantity(unit="$" | "€" | "£" | "¥"):
            return "how much money"
        case Quantity():
            return "how many"
        case ProperName(title=True):
            return "what title"
        case ProperName():
            return NAME
        case ExclusiveTerm() as term:
            return f"which {term.label}"


def _without(part: str, answer: str) -> str:
    """Removes markup from `part`, and replaces the answer by an ellipsis wherever it occurs."""
    plain = re.sub(r" (?=[,;:)])", "", " ".join(_MARKUP.sub(" ", part).split()))
    return re.sub(rf"(?<!\w){re.escape(' '.join(answer.split()))}(?!\w)", "…", plain, flags=re.IGNORECASE)

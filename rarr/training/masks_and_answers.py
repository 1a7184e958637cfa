"""Finds spans of a text to mask, and where a passage states the same: values by rule, words by stem."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rarr.backends.encoder.inputs import MASK_KINDS, MaskKind
from rarr.backends.rules.name_matching import key_words
from rarr.backends.rules.parsed_sentence import ParsedSentence, parsed_sentence
from rarr.backends.rules.values import Value, same_value
from rarr.tools.text.blocks_and_sentences import Span, split_sentences
from rarr.training.examples import Maskable, Place

LONGEST_PHRASE = 3  # words that are masked together
_OF_ITS_KIND = 0.6  # share of an error's characters that the value which gives its kind must have


class PassageSentence(NamedTuple):
    """A parsed sentence of a passage, with its offset in the passage."""

    start: int
    read: ParsedSentence


class Corrected(NamedTuple):
    """A corrected error: the place and the right words in the text, and the wrong words that stood there."""

    place: Place
    right: str
    wrong: str


def parts(passage: str) -> list[PassageSentence]:
    """Splits a passage into its sentences, and parses them."""
    return [
        PassageSentence(span.start, parsed_sentence(span.of(passage))) for span in split_sentences(passage)
    ]


def maskable(
    text: str, passage_sentences: Sequence[PassageSentence], title: str, *, unsaid: bool
) -> Iterator[Maskable]:
    """Yields the values and phrases of a text that its passage states; with `unsaid`, also other values.

    A name in the title is left out: it is the topic of the passage, and tests nothing.
    """
    titled = set(key_words(title)) if title else set()
    for span in split_sentences(text):
        part = parsed_sentence(span.of(text))
        for value in part.values:
            words = part.text[value.start : value.end]
            if value.kind == "name" and titled.issuperset(key_words(words)):
                continue
            answers = places(value, passage_sentences)
            if answers or (unsaid and value.kind != "term"):
                yield Maskable(
                    place=(span.start + value.start, span.start + value.end),
                    kind=MASK_KINDS[value.kind],
                    answers=answers,
                    others=tuple(dict.fromkeys(siblings(value, passage_sentences)))[:6] if answers else (),
                )
        yield from _phrases(span, part, passage_sentences, titled)


def shared(text: str, title: str, passage: str, errors: Sequence[Corrected]) -> dict[Place, Maskable]:
    """Finds the spans that a right text and its passage both state, by place. Each error is one span.

    Corrected words that the passage does not state are left out, with the values that overlap them.
    """
    values = {value.place: value for value in maskable(text, parts(passage), title, unsaid=False)}
    for place, right, wrong in errors:
        answers = find(right, passage) or tuple(
            answer for value in values.values() if _overlap(value.place, place) for answer in value.answers
        )
        values = {at: value for at, value in values.items() if not _overlap(at, place)}
        if answers:
            values[place] = Maskable(place=place, kind=mask_kind(right), answers=answers, others=(wrong,))
    return values


def mask_kind(words: str) -> MaskKind:
    """Returns the kind of the value that makes up at least 60% of these words; `word` if there is none."""
    read = [
        value
        for value in parsed_sentence(words).values
        if value.end - value.start >= _OF_ITS_KIND * len(words)
    ]
    return MASK_KINDS[read[0].kind] if read else "word"


def places(value: Value, passage_sentences: Sequence[PassageSentence]) -> tuple[Place, ...]:
    """Returns the places where the passage states a value of the same meaning."""
    return tuple(
        (part.start + other.start, part.start + other.end)
        for part in passage_sentences
        for other in part.read.values
        if same_value(value, other)
    )


def siblings(value: Value, passage_sentences: Sequence[PassageSentence]) -> Iterator[str]:
    """Yields the words of other values of the same kind in the passage, which would be wrong instead."""
    for part in passage_sentences:
        for other in part.read.values:
            if other.kind == value.kind and same_value(value, other) is False:
                yield part.read.text[other.start : other.end]


def find(phrase: str, passage: str) -> tuple[Place, ...]:
    """Returns the places of these words in the passage, in any case and any form with the same stem."""
    wanted = [word.stem or word.text.lower() for word in parsed_sentence(phrase).words]
    return tuple(_runs(wanted, parts(passage))) if wanted else ()


def _phrases(
    span: Span, part: ParsedSentence, passage_sentences: Sequence[PassageSentence], titled: set[str]
) -> Iterator[Maskable]:
    """Yields runs of up to three words without a value that the passage has too, compared by stem.

    A run begins and ends with a content word, and has no comma.
    """
    taken = [(value.start, value.end) for value in part.values]
    words = [w for w in part.words if not any(s < w.end and w.start < e for s, e in taken)]
    for first, word in enumerate(words):
        if not word.stem or word.text.lower() in titled:
            continue
        best: Maskable | None = None
        for last in range(first, min(first + LONGEST_PHRASE, len(words))):
            run = words[first : last + 1]
            if not run[-1].stem or "," in part.text[run[0].start : run[-1].end]:
                continue
            if any(s < run[-1].end and run[0].start < e for s, e in taken):
                break
            stems = [w.stem or w.text.lower() for w in run]
            if answers := tuple(_runs(stems, passage_sentences)):
                place = (span.start + run[0].start, span.start + run[-1].end)
                best = Maskable(place=place, kind="word", answers=answers)
        if best is not None:
            yield best


def _overlap(place: Place, other: Place) -> bool:
    return place[0] < other[1] and other[0] < place[1]


def _runs(stems: Sequence[str], passage_sentences: Sequence[PassageSentence]) -> Iterator[Place]:
    for part in passage_sentences:
        words = part.read.words
        for at in range(len(words) - len(stems) + 1):
            run = words[at : at + len(stems)]
            if all((w.stem or w.text.lower()) == s for w, s in zip(run, stems, strict=True)):
                yield part.start + run[0].start, part.start + run[-1].end

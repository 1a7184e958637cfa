"""What can be masked in a sentence, and where a passage says the same: values by rule, words by stem."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rarr.backends.encoder.inputs import MASK_KINDS, MaskKind
from rarr.backends.rules.name_matching import key_words
from rarr.backends.rules.sentence import Sentence, sentence
from rarr.backends.rules.values import Value as Read, same
from rarr.tools.text.document import Span, split_sentences
from rarr.training.examples import Place, Value

LONGEST_PHRASE = 3  # words that are masked together
_OF_ITS_KIND = 0.6  # of the characters of an error, at least, are of the value that gives it its kind


class Part(NamedTuple):
    """A sentence of a passage, with the offset at which it begins."""

    start: int
    read: Sentence


class Corrected(NamedTuple):
    """An error that was put right: where the right words stand in the text, and what stood there."""

    place: Place
    right: str
    wrong: str


def parts(passage: str) -> list[Part]:
    """The sentences of a passage."""
    return [Part(span.start, sentence(span.of(passage))) for span in split_sentences(passage)]


def maskable(text: str, told: Sequence[Part], title: str, *, unsaid: bool) -> Iterator[Value]:
    """The values and phrases of a text that its passage says; with `unsaid`, values that it does not say.

    A value that the title says is what the passage is about, and asks nothing.
    """
    titled = set(key_words(title)) if title else set()
    for span in split_sentences(text):
        part = sentence(span.of(text))
        for value in part.values:
            said = part.text[value.start : value.end]
            if value.kind == "name" and titled.issuperset(key_words(said)):
                continue
            answers = places(value, told)
            if answers or (unsaid and value.kind != "term"):
                yield Value(
                    place=(span.start + value.start, span.start + value.end),
                    kind=MASK_KINDS[value.kind],
                    answers=answers,
                    others=tuple(dict.fromkeys(siblings(value, told)))[:6] if answers else (),
                )
        yield from _phrases(span, part, told, titled)


def shared(text: str, title: str, passage: str, errors: Sequence[Corrected]) -> dict[Place, Value]:
    """What a right text and its passage both say; the words that were put right are one value each.

    Those that the passage does not say are left out, with what overlaps them.
    """
    values = {value.place: value for value in maskable(text, parts(passage), title, unsaid=False)}
    for place, right, wrong in errors:
        answers = find(right, passage) or tuple(
            answer for value in values.values() if _overlap(value.place, place) for answer in value.answers
        )
        values = {at: value for at, value in values.items() if not _overlap(at, place)}
        if answers:
            values[place] = Value(place=place, kind=kind_of(right), answers=answers, others=(wrong,))
    return values


def kind_of(said: str) -> MaskKind:
    """The kind of the value that most of these words are; of others, `word`."""
    read = [value for value in sentence(said).values if value.end - value.start >= _OF_ITS_KIND * len(said)]
    return MASK_KINDS[read[0].kind] if read else "word"


def places(value: Read, told: Sequence[Part]) -> tuple[Place, ...]:
    """Where the passage says a value of the same meaning."""
    return tuple(
        (part.start + other.start, part.start + other.end)
        for part in told
        for other in part.read.values
        if same(value, other)
    )


def siblings(value: Read, told: Sequence[Part]) -> Iterator[str]:
    """The values of the passage that are of its kind, and another."""
    for part in told:
        for other in part.read.values:
            if other.kind == value.kind and same(value, other) is False:
                yield part.read.text[other.start : other.end]


def find(phrase: str, passage: str) -> tuple[Place, ...]:
    """Where the passage has these words, in any case and of any form with the same stem."""
    wanted = [word.stem or word.text.lower() for word in sentence(phrase).words]
    return tuple(_runs(wanted, parts(passage))) if wanted else ()


def _phrases(span: Span, part: Sentence, told: Sequence[Part], titled: set[str]) -> Iterator[Value]:
    """Runs of words that begin and end with meaning, hold no value, and stand in the passage by stem."""
    taken = [(value.start, value.end) for value in part.values]
    words = [w for w in part.words if not any(s < w.end and w.start < e for s, e in taken)]
    for first, word in enumerate(words):
        if not word.stem or word.text.lower() in titled:
            continue
        best: Value | None = None
        for last in range(first, min(first + LONGEST_PHRASE, len(words))):
            run = words[first : last + 1]
            if not run[-1].stem or "," in part.text[run[0].start : run[-1].end]:
                continue
            if any(s < run[-1].end and run[0].start < e for s, e in taken):
                break
            stems = [w.stem or w.text.lower() for w in run]
            if answers := tuple(_runs(stems, told)):
                place = (span.start + run[0].start, span.start + run[-1].end)
                best = Value(place=place, kind="word", answers=answers)
        if best is not None:
            yield best


def _overlap(one: Place, other: Place) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _runs(stems: Sequence[str], told: Sequence[Part]) -> Iterator[Place]:
    for part in told:
        words = part.read.words
        for at in range(len(words) - len(stems) + 1):
            run = words[at : at + len(stems)]
            if all((w.stem or w.text.lower()) == s for w, s in zip(run, stems, strict=True)):
                yield part.start + run[0].start, part.start + run[-1].end

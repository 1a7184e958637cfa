"""Reading: which value of a passage stands where the claim has its value, and how surely.

The claim's words around its value are looked for around each comparable value of the passage. Near words
count more than far ones, words that run through the whole passage (or its title) count less.
"""

import re
from collections import Counter
from functools import lru_cache
from typing import NamedTuple

from rarr.embedded.values import Value, same, values
from rarr.embedded.words import Token, tokens
from rarr.tools.document import sentences

_NEXT_WORDS = re.compile(r"\w+")


class Sentence(NamedTuple):
    """A sentence with its words and values; offsets are within `text`."""

    text: str
    words: tuple[Token, ...]
    values: tuple[Value, ...]

    @property
    def content(self) -> tuple[Token, ...]:
        """The words that carry meaning, in order."""
        return tuple(word for word in self.words if word.stem)


class Passage(NamedTuple):
    """A passage as the rules see it; `spread` counts the sentences that hold a stem."""

    sentences: tuple[Sentence, ...]
    spread: Counter[str]
    title_stems: frozenset[str]
    title_values: tuple[Value, ...]

    def holds(self, value: Value) -> bool:
        """Does the passage or its title say this value anywhere?"""
        said = (other for sentence in self.sentences for other in sentence.values)
        return any(same(value, other) for other in (*said, *self.title_values))


class Candidate(NamedTuple):
    """A value of the passage, and how far the claim's context is found around it (0 to 1).

    `coverage` counts the context found in its sentence, `closeness` discounts what stands far from it.
    """

    value: Value
    sentence: Sentence
    coverage: float
    closeness: float


class Reading(NamedTuple):
    """The best place for the claim's value itself, the best other value, and the next best after that."""

    own: Candidate | None
    other: Candidate | None
    runner_up: float


def sentence(text: str) -> Sentence:
    """`text`, taken as one sentence, with its words and values."""
    return Sentence(text, tuple(tokens(text)), values(text))


@lru_cache(maxsize=4096)
def passage(text: str, title: str) -> Passage:
    """The sentences of a passage, analysed once."""
    parts = tuple(sentence(span.of(text)) for span in sentences(text, tables=True))
    spread = Counter(stem for part in parts for stem in {word.stem for word in part.content})
    stems = frozenset(word.stem for word in tokens(title) if word.stem)
    return Passage(parts, spread, stems, values(title))


def read(claim: Sentence, value: Value, evidence: Passage) -> Reading:
    """Ranks the comparable values of `evidence` by how well they stand where `value` stands in `claim`."""
    context = _context(claim, value, evidence)
    candidates = [
        _candidate(context, part, other)
        for part in evidence.sentences
        for other in part.values
        if other.kind == value.kind and same(value, other) is not None
    ]
    candidates.sort(key=lambda candidate: -candidate.closeness)
    own = [candidate for candidate in candidates if same(value, candidate.value)]
    others = [candidate for candidate in candidates if not same(value, candidate.value)]
    further = [c.closeness for c in others[1:] if not same(others[0].value, c.value)]
    return Reading(own[0] if own else None, others[0] if others else None, max(further, default=0.0))


def same_frame(claim: Sentence, value: Value, found: Candidate) -> bool:
    """Do the two values stand between the same words: the same word before, one of the next three alike?"""
    before, after = _neighbours(claim.text, value)
    its_before, its_after = _neighbours(found.sentence.text, found.value)
    return before == its_before and any(a == b for a, b in zip(after, its_after, strict=False))


def next_stem(part: Sentence, value: Value) -> str | None:
    """The stem of the first word with meaning after a value: what a number counts."""
    return next((word.stem for word in part.content if word.start >= value.end), None)


def previous_stem(part: Sentence, value: Value) -> str | None:
    """The stem of the last word with meaning before a value."""
    return next((word.stem for word in reversed(part.content) if word.end <= value.start), None)


def _context(claim: Sentence, value: Value, evidence: Passage) -> list[tuple[str, float]]:
    """The stems around `value` with their weights."""
    content = claim.content
    around = [(n, word) for n, word in enumerate(content) if word.end <= value.start or word.start >= value.end]
    first = sum(1 for word in content if word.end <= value.start)
    after = first + len(content) - len(around)
    context = []
    for n, word in around:
        between = first - n - 1 if n < first else n - after
        weight = 1 / (1 + 0.25 * between)
        weight /= 1 + 0.5 * max(0, evidence.spread[word.stem] - 1)
        context.append((word.stem, weight * (0.3 if word.stem in evidence.title_stems else 1.0)))
    return context


def _candidate(context: list[tuple[str, float]], part: Sentence, value: Value) -> Candidate:
    content = part.content
    first = sum(1 for word in content if word.end <= value.start)
    after = sum(1 for word in content if word.start < value.end)
    nearest: dict[str, int] = {}
    for n, word in enumerate(content):
        between = first - n - 1 if n < first else max(0, n - after)
        nearest[word.stem] = min(between, nearest.get(word.stem, between))
    total = sum(weight for _, weight in context) or 1.0
    found = [(weight, nearest[stem]) for stem, weight in context if stem in nearest]
    coverage = sum(weight for weight, _ in found) / total
    closeness = sum(weight / (1 + 0.2 * between) for weight, between in found) / total
    return Candidate(value, part, coverage, closeness)


def _neighbours(text: str, value: Value) -> tuple[str, list[str]]:
    before = _NEXT_WORDS.findall(text[max(0, value.start - 40) : value.start].lower())
    after = _NEXT_WORDS.findall(text[value.end : value.end + 60].lower())
    return (before[-1] if before else ""), after[:3]

"""Reading: which value of a passage stands where the claim has its value, and how surely.

The claim's words around its value are looked for around each comparable value of the passage. Words of the
same clause count more than others and near ones more than far ones; words that run through the whole passage,
or its title, count less.
"""

import re
from collections import Counter
from functools import lru_cache
from typing import NamedTuple

from rarr.embedded.names import Name, is_person, key_words
from rarr.embedded.claims import claims
from rarr.embedded.sentence import Sentence
from rarr.embedded.values import Value, same, values
from rarr.embedded.words import tokens

_WORDS = re.compile(r"\w+")
_NAMESAKES = re.compile(r"\bmay (?:also )?refer to\b")  # a page that lists several of one name
_OTHER_CLAUSE = 0.4  # what a word of another clause counts, beside one of the same


class Passage(NamedTuple):
    """A passage as the rules see it; `spread` counts the sentences that hold a stem.

    `namesakes` marks a page about several things of one name.
    """

    sentences: tuple[Sentence, ...]
    spread: Counter[str]
    title_stems: frozenset[str]
    title_words: frozenset[str]
    title_values: tuple[Value, ...]
    namesakes: bool

    def holds(self, value: Value) -> bool:
        """Does the passage or its title say this value anywhere?"""
        said = (other for sentence in self.sentences for other in sentence.values)
        return any(same(value, other) for other in (*said, *self.title_values))


class Candidate(NamedTuple):
    """A value of the passage, and how far the claim's context is found around it (0 to 1).

    `coverage` counts the context found in its sentence, `closeness` discounts what stands far from it;
    `told` is the share of its own clause that the claim says as well.
    """

    value: Value
    sentence: Sentence
    coverage: float
    closeness: float
    told: float


class Reading(NamedTuple):
    """The best place for the claim's value itself, the best other value, and the next best after that."""

    own: Candidate | None
    other: Candidate | None
    runner_up: float


_IN_TITLE = 0.5  # what a word of the page's title counts, beside another
_SAME_NEIGHBOUR = 0.15


@lru_cache(maxsize=4096)
def passage(text: str, title: str) -> Passage:
    """The sentences of a passage, analysed once, each with its subject put in as in a claim."""
    parts = tuple(claim.sentence for claim in claims(text, title, tables=True))
    spread = Counter(stem for part in parts for stem in {word.stem for word in part.content})
    stems = frozenset(word.stem for word in tokens(title) if word.stem)
    return Passage(
        parts, spread, stems, frozenset(key_words(title)), values(title), bool(_NAMESAKES.search(text))
    )


def read(claim: Sentence, value: Value, evidence: Passage, about: str = "") -> Reading:
    """Ranks the comparable values of `evidence` by how well they stand where `value` stands in `claim`.

    What the claim says elsewhere is not another answer, so it is left out. `about` is what the claim is under.
    """
    context = _context(claim, value, evidence)
    stems, beside = {word.stem for word in (*claim.content, *tokens(about))}, next_stem(claim, value)
    told = [other for other in claim.values if other is not value]
    candidates = [
        _candidate(context, stems, beside, part, other)
        for part in evidence.sentences
        for other in part.values
        if _comparable(claim, value, part, other)
        and (same(value, other) or not any(same(other, one) for one in told))
    ]
    candidates.sort(key=lambda candidate: -candidate.closeness)
    own = [candidate for candidate in candidates if same(value, candidate.value)]
    others = [candidate for candidate in candidates if not same(value, candidate.value)]
    further = [c.closeness for c in others[1:] if not same(others[0].value, c.value)]
    return Reading(own[0] if own else None, others[0] if others else None, max(further, default=0.0))


def _comparable(claim: Sentence, value: Value, part: Sentence, other: Value) -> bool:
    """Could one stand for the other? A person beside a word in common, another name after the same word."""
    if not (isinstance(value.read, Name) and isinstance(other.read, Name)) or same(value, other):
        return other.kind == value.kind and same(value, other) is not None
    mine, its = _beside(claim, value), _beside(part, other)
    if is_person(claim.text, value.read) != is_person(part.text, other.read):
        return False
    if is_person(claim.text, value.read):
        return not set(mine).isdisjoint(its)
    opens = not any(word.end <= other.start for word in part.words if word.stem)
    if opens and mine[:1] == ["by"]:  # owned by it: it owns
        return mine[1:2] != [] and mine[1] in {word.stem for word in part.words if word.start >= other.end}
    return not opens and mine[:1] == its[:1] != []


def _beside(part: Sentence, value: Value) -> list[str]:
    """The stems of the words right before a value, nearest first, then of those right after; no articles."""
    words = [word for word in part.words if word.text.lower() not in ("the", "a", "an")]
    before = [word for word in words if word.end <= value.start][:-3:-1]
    after = [word for word in words if word.start >= value.end][:2]
    return [word.stem or word.text.lower() for word in (*before, *after)]


def same_frame(claim: Sentence, value: Value, found: Candidate) -> bool:
    """Do the two values stand between the same words: the same word before, one of the next three alike?"""
    before, after = _neighbours(claim.text, value)
    its_before, its_after = _neighbours(found.sentence.text, found.value)
    return before == its_before and any(a == b for a, b in zip(after, its_after, strict=False))


def next_stem(part: Sentence, value: Value) -> str | None:
    """The stem of the first word with meaning after a value: what a number counts."""
    form = getattr(value.read, "form", "")
    return next((w.stem for w in part.content if w.start >= value.end and w.text not in form.split()), None)


def previous_stem(part: Sentence, value: Value) -> str | None:
    """The stem of the last word with meaning before a value."""
    return next((word.stem for word in reversed(part.content) if word.end <= value.start), None)


def _context(claim: Sentence, value: Value, evidence: Passage) -> list[tuple[str, float]]:
    """The stems around `value` with their weights."""
    form = getattr(value.read, "form", "")
    content = [word for word in claim.content if word.text not in form.split()]
    around = [
        (n, word) for n, word in enumerate(content) if word.end <= value.start or word.start >= value.end
    ]
    first = sum(1 for word in content if word.end <= value.start)
    after = first + len(content) - len(around)
    clause = claim.clause(value.start)
    context = []
    for n, word in around:
        between = first - n - 1 if n < first else n - after
        weight = 1 / (1 + 0.25 * between)
        weight *= 1.0 if claim.clause(word.start) == clause else _OTHER_CLAUSE
        weight /= 1 + 0.5 * max(0, evidence.spread[word.stem] - 1)
        context.append((word.stem, weight * (_IN_TITLE if word.stem in evidence.title_stems else 1.0)))
    return context


def _candidate(
    context: list[tuple[str, float]], claimed: set[str], beside: str | None, part: Sentence, value: Value
) -> Candidate:
    content = part.content
    first = sum(1 for word in content if word.end <= value.start)
    after = sum(1 for word in content if word.start < value.end)
    clause = part.clause(value.start)
    close: dict[str, float] = {}
    for n, word in enumerate(content):
        between = first - n - 1 if n < first else max(0, n - after)
        here = 1 / (1 + 0.2 * between) * (1.0 if part.clause(word.start) == clause else _OTHER_CLAUSE)
        close[word.stem] = max(here, close.get(word.stem, 0.0))
    total = sum(weight for _, weight in context) or 1.0
    found = [(weight, close[stem]) for stem, weight in context if stem in close]
    coverage = sum(weight for weight, _ in found) / total
    closeness = sum(weight * here for weight, here in found) / total
    if found and beside is not None and beside == next_stem(part, value):
        closeness += _SAME_NEIGHBOUR  # what is measured or counted tells 726 feet high from 1,244 feet long
    own_clause = {
        word.stem
        for word in content
        if part.clause(word.start) == clause
        and not (word.start < value.end and value.start < word.end)
        and word.text not in getattr(value.read, "form", "").split()
    }
    told = len(own_clause & claimed) / len(own_clause) if own_clause else 0.0
    return Candidate(value, part, coverage, closeness, told)


def _neighbours(text: str, value: Value) -> tuple[str, list[str]]:
    before = _WORDS.findall(text[max(0, value.start - 40) : value.start].lower())
    after = _WORDS.findall(text[value.end : value.end + 60].lower())
    return (before[-1] if before else ""), after[:3]

"""Finds counterparts: the values of a passage that may stand in the place of the claim's value.

The rules look for the words around the claim's value around each comparable value of the passage. Words of
the same clause count more than other words, and near words more than distant words. Words of the title, and
words that run through the whole passage, count less.
"""

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

from rarr.backends.rules.assertion_status import is_asserted
from rarr.backends.rules.denied_claims import is_negated
from rarr.backends.rules.name_matching import key_words
from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.proper_names import ProperName, is_person
from rarr.backends.rules.standalone_claims import Claim, claims_of
from rarr.backends.rules.values import Value, checkable_values, same_value
from rarr.backends.rules.words import word_tokens
from rarr.backends.rules.words_around_values import (
    neighbour_stems,
    next_stem,
    opens_sentence,
    unit_words,
    word_distances,
)

OTHER_CLAUSE = 0.4  # weight of a word of another clause; a word of the same clause has 1
IN_TITLE = 0.5  # weight of a word that the page's title has; another word has 1
SAME_NEIGHBOUR = 0.15
CLAIM_FADES = 0.25  # loss of weight for each word between a word of the claim and the value
EVIDENCE_FADES = 0.2
_DESCRIPTOR = re.compile(r"\b(?:The|the|A|a|An|an)((?:\s+[a-z][\w-]*){1,3})\s+$")
_DELIMITER = re.compile(r"(?=[^-]*\||\s*:?--)[|\s]*:?-[-:|\s]*")  # behind the headers of a table
_NAMESAKES = re.compile(r"\bmay (?:also )?refer to\b")  # a page that lists several things of one name


class ValueFrame(NamedTuple):
    """A value of a passage with the words around it, independent of any claim.

    `close` gives for each stem of the sentence its nearness to the value, from 0 to 1. `clause_stems`
    are the stems of the value's clause, and `next_stem` that of the next word with meaning.
    """

    value: Value
    sentence: ParsedSentence
    close: dict[str, float]
    clause_stems: frozenset[str]
    next_stem: str | None


@dataclass(frozen=True, eq=False)
class ParsedPassage:
    """A passage with its parsed sentences.

    `spread` counts for each stem the sentences that have it. `own_stems` are the stems of each sentence,
    without the stems of a subject that was put in before it. `header_rows` are the numbers of the sentences
    that are the headers of a table. `namesakes` marks a page that lists several things of one name.
    """

    sentences: tuple[ParsedSentence, ...]
    own_stems: tuple[frozenset[str], ...]
    spread: Counter[str]
    title: str
    title_stems: frozenset[str]
    title_words: frozenset[str]
    key_words: frozenset[str]
    title_values: tuple[Value, ...]
    header_rows: frozenset[int]
    namesakes: bool

    @cached_property
    def frames(self) -> tuple[ValueFrame, ...]:
        """The frames of all values that the passage asserts, computed when needed: ranking needs none."""
        return tuple(
            _frame(part, value)
            for part in self.sentences
            for value in part.values
            if is_asserted(part.text, value.start)
        )

    @cached_property
    def is_plain(self) -> bool:
        """Does every sentence state all of its content, so that none doubts it or only reports it?"""
        return all(is_asserted(part.text, len(part.text)) for part in self.sentences)

    @property
    def title_names(self) -> list[Value]:
        """The names in the title. Its numbers and dates, as of an edition or a page, state nothing."""
        return [value for value in self.title_values if value.kind == "name"]

    def holds(self, value: Value) -> bool:
        """Does the passage or its title have this value?"""
        passage_values = (other for sentence in self.sentences for other in sentence.values)
        return any(
            value.kind == other.kind and same_value(value, other)
            for other in (*passage_values, *self.title_values)
        )


class Candidate(NamedTuple):
    """A value of the passage, and how much of the claim's context stands around it (0 to 1).

    `coverage` is the share of the context that its sentence has. `closeness` counts distant words less.
    `clause_share` is the share of the stems of its own clause that the claim has too.
    """

    value: Value
    sentence: ParsedSentence
    coverage: float
    closeness: float
    clause_share: float


class Counterparts(NamedTuple):
    """What a passage has in the place of a claim's value.

    `own`: the best place of the same value. `other`: the best other value. `runner_up`: the closeness of the
    next other value.
    """

    own: Candidate | None
    other: Candidate | None
    runner_up: float


@lru_cache(maxsize=1024)  # passages of the runs under way; each takes about 20 kB
def parsed_passage(text: str, title: str) -> ParsedPassage:
    """Parses the sentences of a passage, each with its subject put in as in a claim."""
    statements = tuple(claims_of(text, title, tables="rows"))
    parts = tuple(claim.sentence for claim in statements)
    return ParsedPassage(
        sentences=parts,
        own_stems=tuple(map(_own_stems, statements)),
        spread=Counter(stem for part in parts for stem in {word.stem for word in part.content}),
        title=title,
        title_stems=frozenset(word.stem for word in word_tokens(title) if word.stem),
        title_words=frozenset(key_words(title)),
        key_words=frozenset(
            word
            for words_source in (title, *(part.text for part in parts))
            for word in key_words(words_source)
        ),
        title_values=checkable_values(title),
        header_rows=frozenset(
            number
            for number, (claim, after) in enumerate(pairwise(statements))
            if _DELIMITER.fullmatch(text, claim.span.end, after.span.start)
        ),
        namesakes=bool(_NAMESAKES.search(text)),
    )


def _own_stems(claim: Claim) -> frozenset[str]:
    begin = 0 if claim.left_out else claim.put_in
    return frozenset(word.stem for word in claim.sentence.content if word.start >= begin)


def counterparts(
    claim: ParsedSentence, value: Value, evidence: ParsedPassage, about: str = ""
) -> Counterparts:
    """Finds the values of `evidence` that fit best in the place of `value`: the same value, and another.

    Values that the claim has elsewhere are left out, because they are no other answer. `about` is the
    claim's subject.
    """
    elsewhere = [other for other in claim.values if other is not value]
    comparable = [
        candidate
        for candidate in candidates(claim, value, evidence, about)
        if _comparable(claim, value, candidate.sentence, candidate.value)
        and (
            same_value(value, candidate.value)
            or not any(same_value(candidate.value, claim_value) for claim_value in elsewhere)
        )
    ]
    own = [candidate for candidate in comparable if same_value(value, candidate.value)]
    others = [candidate for candidate in comparable if not same_value(value, candidate.value)]
    further = [c.closeness for c in others[1:] if not same_value(others[0].value, c.value)]
    return Counterparts(own[0] if own else None, others[0] if others else None, max(further, default=0.0))


def candidates(
    claim: ParsedSentence, value: Value, evidence: ParsedPassage, about: str = ""
) -> list[Candidate]:
    """Ranks the values of `evidence` of the kind of `value`, the best place first.

    `about` is a subject whose words count as words of the claim.

    Values that are denied are left out where `value` is not denied, and the other way round.
    """
    asked = _Target(
        context=_context(claim, value, evidence),
        stems={word.stem for word in (*claim.content, *word_tokens(about))},
        next_stem=next_stem(claim, value),
    )
    denied = is_negated(claim, value.start)
    frame_candidates = [
        _candidate(asked, frame)
        for frame in evidence.frames
        if frame.value.kind == value.kind and is_negated(frame.sentence, frame.value.start) == denied
    ]
    return sorted(frame_candidates, key=lambda candidate: -candidate.closeness)


class _Target(NamedTuple):
    """The context to look for: the weighted stems around the value, all stems, and the next stem."""

    context: list[tuple[str, float]]
    stems: set[str]
    next_stem: str | None


def _context(claim: ParsedSentence, value: Value, evidence: ParsedPassage) -> list[tuple[str, float]]:
    """Returns the stems around `value` with their weights, which fall with the distance from it."""
    unit = unit_words(value)
    content = tuple(word for word in claim.content if word.text not in unit)
    clause = claim.clause(value.start)
    titled = evidence.title_stems | _descriptors(claim, evidence)
    context = []
    for word, between in zip(content, word_distances(content, value), strict=True):
        if word.start < value.end and value.start < word.end:
            continue
        weight = 1 / (1 + CLAIM_FADES * between)
        weight *= 1.0 if claim.clause(word.start) == clause else OTHER_CLAUSE
        weight /= 1 + 0.5 * max(0, evidence.spread[word.stem] - 1)
        context.append((word.stem, weight * (IN_TITLE if word.stem in titled else 1.0)))
    return context


def _descriptors(claim: ParsedSentence, evidence: ParsedPassage) -> set[str]:
    """Returns the stems of the words that describe the title's name in the claim: "The singer Tamsin Orde".

    A page says them once, and not in each of its sentences.
    """
    described = [
        _DESCRIPTOR.search(claim.text, 0, value.start)
        for value in claim.values
        if value.kind == "name"
        and evidence.title_words.issuperset(key_words(claim.text[value.start : value.end]))
    ]
    return {word.stem for match in described if match for word in word_tokens(match[1]) if word.stem}


def _comparable(claim: ParsedSentence, value: Value, part: ParsedSentence, other: Value) -> bool:
    """Could one value replace the other?

    Persons must share a neighbouring word. Other names must follow the same word.
    """
    if not (isinstance(value.read, ProperName) and isinstance(other.read, ProperName)) or same_value(
        value, other
    ):
        return other.kind == value.kind and same_value(value, other) is not None
    person = is_person(claim.text, value.read)
    if person != is_person(part.text, other.read):
        return False
    claim_neighbours, evidence_neighbours = neighbour_stems(claim, value), neighbour_stems(part, other)
    if person:
        return not set(claim_neighbours).isdisjoint(evidence_neighbours)
    if not opens_sentence(part, other):
        return claim_neighbours[:1] == evidence_neighbours[:1] != []
    if claim_neighbours[:1] == ["by"]:  # owned by it: it owns
        return claim_neighbours[1:2] != [] and claim_neighbours[1] in {
            word.stem for word in part.words if word.start >= other.end
        }
    return False


def _frame(part: ParsedSentence, value: Value) -> ValueFrame:
    clause, unit = part.clause(value.start), unit_words(value)
    close: dict[str, float] = {}
    clause_stems = set()
    for word, between in zip(part.content, word_distances(part.content, value), strict=True):
        here = part.clause(word.start) == clause
        closeness = (1.0 if here else OTHER_CLAUSE) / (1 + EVIDENCE_FADES * between)
        close[word.stem] = max(closeness, close.get(word.stem, 0.0))
        if here and not (word.start < value.end and value.start < word.end) and word.text not in unit:
            clause_stems.add(word.stem)
    return ValueFrame(value, part, close, frozenset(clause_stems), next_stem(part, value))


def _candidate(asked: _Target, frame: ValueFrame) -> Candidate:
    clause_stems = frame.clause_stems
    total = sum(weight for _, weight in asked.context) or 1.0
    shared = [(weight, frame.close[stem]) for stem, weight in asked.context if stem in frame.close]
    closeness = sum(weight * near for weight, near in shared) / total
    if shared and asked.next_stem is not None and asked.next_stem == frame.next_stem:
        closeness += SAME_NEIGHBOUR  # the next word distinguishes 726 feet high from 1,244 feet long
    return Candidate(
        value=frame.value,
        sentence=frame.sentence,
        coverage=sum(weight for weight, _ in shared) / total,
        closeness=closeness,
        clause_share=len(clause_stems & asked.stems) / len(clause_stems) if clause_stems else 0.0,
    )

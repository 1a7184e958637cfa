"""What a passage is about: does it say a name, and is a sentence of it about the claim's subject?"""

import re
from collections.abc import Iterable, Set
from functools import lru_cache

from rarr.backends.rules.claims import Claim
from rarr.backends.rules.counterparts import Candidate, ParsedPassage
from rarr.backends.rules.name_matching import key_words, same_name, shortest_form
from rarr.backends.rules.proper_names import ProperName, proper_names
from rarr.backends.rules.values import Value
from rarr.backends.rules.words import word_tokens

_QUALIFIED = re.compile(r"(?P<name>[^()]+)\((?P<kind>[^()]+)\)\s*")
SHARED_WORDS = 0.25  # of the claim's words with meaning, at least this share is in a passage on its subject
OPENING = 20  # characters; a name further on is not what a sentence is about


def may_be_of_a_namesake(text: str, context: str | None, title: str) -> bool:
    """Is a page titled for one of several things of a name, of a kind that the text does not speak of?

    "Northlight (band)" is, where the text names Northlight and no band.
    """
    titled = _QUALIFIED.fullmatch(title)
    if titled is None:
        return False
    full_text = f"{context or ''}\n{text}"
    if not any(same_name(titled["name"], name.text) for name in proper_names(full_text)):
        return False
    kind = {word.stem for word in word_tokens(titled["kind"]) if word.stem and not word.text.isdigit()}
    return bool(kind) and kind.isdisjoint(_stems(full_text))


@lru_cache(maxsize=64)  # texts: all passages of a run are compared with the same one
def _stems(text: str) -> frozenset[str]:
    return frozenset(word.stem for word in word_tokens(text) if word.stem)


def is_about_something_else(claim: Claim, value: Value, evidence: ParsedPassage) -> bool:
    """The claim's subject, or too many of its words with meaning, are not in the passage nor its title."""
    stems = {word.stem for word in claim.sentence.content}
    shared = sum(1 for stem in stems if stem in evidence.spread or stem in evidence.title_stems)
    if shared < SHARED_WORDS * len(stems):
        return True
    subjects = subjects_of(claim, value)
    return bool(subjects) and not any(has_name(evidence, subject) for subject in subjects)


def has_name(evidence: ParsedPassage, name: str) -> bool:
    """Are all words of a name, or the surname of a person, in the passage or its title?

    A surname is not enough where the passage gives it to somebody of another first name.
    """
    values = [value for part in evidence.sentences for value in part.values]
    return _is_name_among(name, evidence.key_words, values)


def _is_name_among(name: str, words: Set[str], values: Iterable[Value]) -> bool:
    short = shortest_form(name)
    if not words >= {*short}:
        return False
    if short == key_words(name):
        return True
    named = [value.read.text for value in values if isinstance(value.read, ProperName)]
    heads = ((other, key_words(other.split(" of ")[0])) for other in named)
    namesakes = [other for other, head in heads if len(head) > 1 and head[-1:] == short]
    return not namesakes or any(same_name(name, other) for other in namesakes)


def is_about_subject(claim: Claim, value: Value, candidate: Candidate, evidence: ParsedPassage) -> bool:
    """Is the sentence about the claim's subject: it or the title names it, or it opens with no other name?"""
    subjects = subjects_of(claim, value)
    if not subjects:
        return True
    words = {*key_words(candidate.sentence.text), *evidence.title_words}
    values = (*candidate.sentence.values, *evidence.title_values)
    if any(_is_name_among(subject, words, values) for subject in subjects):
        return True
    named = [v for v in candidate.sentence.values if v.kind == "name"]
    if named and named[0] == candidate.value:
        return len(named) == 1
    return not named or named[0].start > OPENING


def subject_of(claim: Claim, value: Value) -> str | None:
    """The name before the value, or behind it in its clause, or else what the sentence is under."""
    return next(iter(subjects_of(claim, value)), None)


def subjects_of(claim: Claim, value: Value) -> tuple[str, ...]:
    """What the claim may be about. One that it does not name itself may also be what the text is about."""
    part = claim.sentence
    named = [v.read for v in part.values if isinstance(v.read, ProperName) and v is not value]
    before = [name for name in named if name.start < value.start]
    beside = [name for name in named if part.clause(name.start) == part.clause(value.start)]
    subject = next(iter((*before, *beside)), None)
    if subject is not None and subject.start >= claim.put_in:
        return (subject.text,)
    inferred = (subject.text if subject is not None else claim.about, claim.topic)
    return tuple(dict.fromkeys(name for name in inferred if name))

"""Finds the subject of a claim, and decides whether a passage or a sentence of it is about the subject."""

import re
from collections.abc import Iterable, Set
from itertools import pairwise

from rarr.backends.rules.counterparts import Candidate, ParsedPassage
from rarr.backends.rules.name_matching import (
    PLACE_ADJECTIVES,
    key_words,
    same_name,
    same_place,
    shortest_form,
)
from rarr.backends.rules.proper_names import ProperName
from rarr.backends.rules.standalone_claims import Claim
from rarr.backends.rules.values import Value

_ARTICLE = re.compile(r"\b(?:the|an?)\s+$", re.IGNORECASE)
# A kind between an adjective and a name, which is no verb in the past.
_DESCRIBED = re.compile(r"\s+(?:[a-z][\w-]*\s+)?[a-z][\w-]*(?<!ed)\s+(?:of\s+)?")
_ADVERBIAL = re.compile(
    r"""
    \W*(?:in|on|at|by|after|since|before|during|from|around|until|for|with|under|as\ of)\b
    (?: [^,]{1,60},\s+ | \s[\w ]{0,20}\b\d{4}\s+ )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_VERB_OR_PREPOSITION = r"""(?:
    is | are | was | were | be | been | has | have | had | by | in | on | at | to | from | with | for | and
    | or | became | \w+ed )\b"""
_DESCRIPTION = re.compile(
    rf"\W*(?:the|an?)\s+(?:(?!{_VERB_OR_PREPOSITION})[\w'’-]+\s+){{1,4}}?(?:of\s+)?",
    re.VERBOSE | re.IGNORECASE,
)
_VERB_FOLLOWS = re.compile(
    r"""(?:['’]s)?\s+(?!(?:
    in | on | at | by | as | for | from | to | of | with | and | or | but | because | when | after | before |
    during | until | since | over | against | into )\b)[a-z]""",
    re.VERBOSE,
)
SHARED_WORDS = 0.25  # a passage on the subject has at least this share of the claim's words with meaning
SAME_WORDS, FEWEST_OWN = 0.8, 3  # the share and number of the claim's own words that are nearly all
OPENING = 20  # characters; a sentence is not about a name further on


def is_about_something_else(claim: Claim, value: Value, evidence: ParsedPassage) -> bool:
    """Does the passage lack the claim's subject, or too many of its words with meaning?

    An inferred subject may be wrong, and a passage from the middle of a document need not name it. So the
    passage need not have it if one of its sentences has nearly all words of the claim.
    """
    stems = {word.stem for word in claim.sentence.content}
    shared = sum(1 for stem in stems if stem in evidence.spread or stem in evidence.title_stems)
    if shared < SHARED_WORDS * len(stems):
        return True
    subjects = subjects_of(claim, value)
    if not subjects or any(has_name(evidence, subject) for subject in subjects):
        return False
    return _named_subject(claim, value) is not None or not _has_its_words(claim, value, evidence)


def _has_its_words(claim: Claim, value: Value, evidence: ParsedPassage) -> bool:
    """Does one sentence of the passage have nearly all words of the claim, but for the value?

    The words of names alone are not enough: other things bear the name of a title or an award, too.
    """
    words = [word for word in claim.sentence.content if word.start >= claim.put_in]
    own = {word.stem for word in words if word.end <= value.start or value.end <= word.start}
    names = [other for other in claim.sentence.values if other.kind == "name"]
    plain = {
        word.stem for word in words if not any(name.start <= word.start < name.end for name in names)
    } & own
    least = max(FEWEST_OWN, SAME_WORDS * len(own))
    return any(len(own & stems) >= least and plain & stems for stems in evidence.own_stems)


def has_name(evidence: ParsedPassage, name: str) -> bool:
    """Does the passage or its title have all words of a name, or the surname of a person?

    A surname is not enough where the passage has it only in other names: a person of another first name, or
    Lantern House for Pale Lantern.
    """
    values = [value for part in evidence.sentences for value in part.values]
    return _is_name_among(name, evidence.key_words, values)


def has_place(words: Set[str], name: str) -> bool:
    """Is a place among the words, or its adjective, or the place of an adjective: Norway for Norwegian?"""
    return any(same_place(name, word) for word in words)


def _is_name_among(name: str, words: Set[str], values: Iterable[Value]) -> bool:
    short = shortest_form(name)
    if not words >= {*short}:
        return False
    if short == key_words(name):
        return True
    named = [value.read.text for value in values if isinstance(value.read, ProperName)]
    heads = ((other, key_words(other.split(" of ")[0])) for other in named)
    namesakes = [other for other, head in heads if len(head) > 1 and {*short} <= {*head}]
    return not namesakes or any(same_name(name, other) or key_words(other) == short for other in named)


def is_about_subject(claim: Claim, value: Value, candidate: Candidate, evidence: ParsedPassage) -> bool:
    """Is the candidate's sentence about the claim's subject?

    The sentence or the title names the subject, or the sentence opens with no other name. True for a claim
    without a subject.
    """
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


def is_subject(claim: Claim, value: Value) -> bool:
    """Is the value the name that the claim is about, at most behind a description or an adverbial?

    What a passage says of another subject does not contradict the claim: two people may be born in one town.
    """
    text = claim.sentence.text
    return value.kind == "name" and is_subject_between(text[claim.put_in : value.start], text[value.end :])


def is_subject_between(before: str, after: str) -> bool:
    """Is a name between these parts of a sentence its subject: "In 1950, the painter" and "was born in Lisk"?

    Behind a description a verb must follow: in "The council chose Jon Tarv", the name is no subject.
    """
    adverbial = _ADVERBIAL.match(before)
    rest = before[adverbial.end() :] if adverbial else before
    if _DESCRIPTION.fullmatch(rest):
        return _VERB_FOLLOWS.match(after) is not None
    return not rest.strip(" \"'“‘*_(") and (after.startswith(",") or _VERB_FOLLOWS.match(after) is not None)


def subject_of(claim: Claim, value: Value) -> str | None:
    """Returns the best of the possible subjects of a claim about `value`; None if there is none."""
    return next(iter(subjects_of(claim, value)), None)


def subjects_of(claim: Claim, value: Value) -> tuple[str, ...]:
    """Returns the possible subjects of a claim about `value`, the best first.

    This is the first name before the value, else a name in its clause, else the inferred subject. The topic
    of the text comes second, unless the sentence names its subject.
    """
    if (named := _named_subject(claim, value)) is not None:
        return (named.text,)
    subject = _subject_name(claim, value)
    inferred = (subject.text if subject is not None else claim.about, claim.topic)
    return tuple(dict.fromkeys(name for name in inferred if name))


def _named_subject(claim: Claim, value: Value) -> ProperName | None:
    """Returns the subject if the sentence itself names it; None for a subject that was put in."""
    subject = _subject_name(claim, value)
    return subject if subject is not None and subject.start >= claim.put_in else None


def _subject_name(claim: Claim, value: Value) -> ProperName | None:
    part = claim.sentence
    named = [v for v in part.values if v.kind == "name"]
    attributes = [v for v, following in pairwise(named) if _is_attribute(part.text, v, following)]
    others = [v.read for v in named if isinstance(v.read, ProperName) and v not in (value, *attributes)]
    before = [name for name in others if name.start < value.start]
    beside = [name for name in others if part.clause(name.start) == part.clause(value.start)]
    return next(iter((*before, *beside)), None)


def _is_attribute(text: str, name: Value, following: Value) -> bool:
    """Does the name only describe the thing that the following name names: the Norwegian town of Holmvik?"""
    described = _DESCRIBED.fullmatch(text, name.end, following.start)
    adjective = text[name.start : name.end].endswith(PLACE_ADJECTIVES)
    return bool(adjective and described and _ARTICLE.search(text, 0, name.start))

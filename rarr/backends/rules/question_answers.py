"""Decides whether a sentence of a document answers a question: about its subject, and by what it asks."""

import re
from collections.abc import Set
from typing import NamedTuple

from rarr.backends.rules.asked_clauses import AskedClause, chunk_of, names_in
from rarr.backends.rules.asked_relations import is_general
from rarr.backends.rules.asked_values import asks_who, has_asked_value, measure_of, new_names, root
from rarr.backends.rules.assertion_status import is_asserted
from rarr.backends.rules.question_wording import is_yes_or_no
from rarr.backends.rules.values import checkable_values
from rarr.backends.rules.words import Token, is_common, stem, word_tokens

_OPENS_BACK = re.compile(
    r"^(?:\W|in\s+\S+\s+|on\s+\S+\s+(?:\S+\s+)?|today\s+|then\s+|later\s+|since then\s+|by then\s+)*"
    r"(?:it|he|she|they|its|his|her|their|the|this|that|these|those)\b",
    re.IGNORECASE,
)
_LIGHT_WORDS = (
    "take took taken takes live lived lives happen happened called named tell give list describe many much"
    " kind sort exactly get got people person year date day time place located situated number amount name"
    " current currently"
)
_LIGHT = frozenset(_LIGHT_WORDS.split())
"""Words of a question that need not stand in its answer."""
_IS_A = re.compile(r"\b(?:is|was|are|were)\s+(?:an?|the|one)\b", re.IGNORECASE)
_PASSIVE = r"\b(?:is|are|was|were|been|being|be)\s+(?:\w+\s+){0,2}?$"
_IS_WHO = re.compile(r"\bwho(?:m|se)?\s+(?:is|are|was|were)\s+(?:the|an?)?\b", re.IGNORECASE)


class Candidate(NamedTuple):
    """A sentence with the sentence before it in its document, and the title of the document."""

    text: str
    before: str = ""
    title: str = ""


def answers_question(asked: AskedClause, candidate: Candidate) -> bool:
    """Does the sentence say what the clause asks, of the subject about which it asks?

    The sentence has the words of the question: those of the subject may stand in the title, or in the
    sentence before where it refers back to it ("It was built in 1847"). Nothing in it names another subject,
    and it has a value of the kind that is asked. It states this: a denial or a supposition answers a question
    for yes or no alone.
    """
    sentence, question = candidate.text, asked.words
    if is_general(question) and not _content(question, _name_stems(question, candidate)):
        return _is_about(question, asked.subject, candidate)
    names = _name_stems(f"{question} {asked.subject}", candidate)
    subject = names | _stems(chunk_of(question)) | _stems(asked.subject)
    relation = _content(question, subject)
    if not _says(question, relation, subject - names, sentence):
        return False
    if not _has_subject(subject, names, relation, candidate):
        return False
    places = _places(sentence, {root(word.stem) for word in relation})
    known = names | subject | {word.stem for word in relation} | _stems(candidate.title)
    if _is_of_another(sentence, {*(word.stem for word in relation), *(subject - names)}, known):
        return False
    if not is_yes_or_no(question) and not is_asserted(sentence, min(places, default=0)):
        return False
    if asks_who(question) and not _IS_WHO.search(question) and _has_no_agent(sentence, places, known):
        return False
    return has_asked_value(question, sentence, known)


def _says(question: str, relation: list[Token], nouns: Set[str], sentence: str) -> bool:
    """Has the sentence the words that the question asks by: its verb, its noun or its measure?

    Where there are none, as in "where is the market", it must have the nouns of the subject.
    """
    own, measure = {root(each) for each in _stems(sentence)}, measure_of(question)
    if measure is not None and not measure.words & _stems(sentence, all_words=True):
        return False
    if measure is None and not relation and not nouns <= _stems(sentence):
        return False
    return all(root(word.stem) in own for word in relation)


def _is_about(question: str, subject: str, candidate: Candidate) -> bool:
    """Does the sentence say what the subject of the question is?"""
    names = _name_stems(f"{question} {subject}", candidate)
    return bool(names) and names <= _stems(candidate.text) and _IS_A.search(candidate.text) is not None


def _has_subject(subject: Set[str], names: Set[str], relation: list[Token], candidate: Candidate) -> bool:
    """Does the sentence name the subject, or refer back to the one that its context names?"""
    own = _stems(candidate.text)
    missing = subject - own
    if not missing:
        return True
    context = _stems(candidate.title) | _referred(candidate, relation)
    if not missing <= own | context:
        return False
    # Another name at its beginning is the subject of the sentence.
    others = new_names(candidate.text, subject | context)
    return not missing & names or not any(name.start < _OPENING for name in others)


_OPENING = 12  # characters in which the name of a sentence's subject begins


def _referred(candidate: Candidate, relation: list[Token]) -> set[str]:
    """Returns the stems of the sentence before, if the sentence refers back to it: "it", "the mayor".

    Of several names in it the first is the subject; the others are left out.
    """
    told = "|".join(re.escape(word.text) for word in relation)
    definite = rf"\b(?:the|its|their|his|her)\s+(?:{told or '$'})\b(?!\s+of)"
    refers = _OPENS_BACK.match(candidate.text) or re.search(definite, candidate.text, re.IGNORECASE)
    if not refers:
        return set()
    first, *later = [_stems(name) for name in names_in(candidate.before)] or [set()]
    return _stems(candidate.before) - set[str]().union(*later).difference(first)


def _content(question: str, subject: Set[str]) -> list[Token]:
    """Returns the words that the sentence itself must have: those of no name, no subject and no measure."""
    measure = measure_of(question)
    free = subject | (measure.words if measure else set())
    words = (word for word in word_tokens(question) if word.text.lower() not in _LIGHT)
    return [word for word in words if word.stem and word.stem not in free]


def _name_stems(question: str, candidate: Candidate) -> set[str]:
    """Returns the stems of the names in a question; in small letters, of what the source has as names."""
    names = {stem for name in names_in(question) for stem in _stems(name)}
    if names or question != question.lower():
        return names
    source = f"{candidate.title}. {candidate.before} {candidate.text}"
    written = {word for name in names_in(source) for word in _stems(name)}
    return {word.stem for word in word_tokens(question) if word.stem in written and not is_common(word.text)}


def _is_of_another(sentence: str, nouns: Set[str], known: Set[str]) -> bool:
    """Does the sentence tell it of another, as "the mayor of Orvelle" where Tessmark is asked about?"""
    for word in word_tokens(sentence):
        if word.stem not in nouns:
            continue
        place = re.match(r"\s+(?:of|in|at)\s+(?:the\s+)?(?=[A-Z])", sentence[word.end :])
        if place and _is_other_name(sentence, word.end + place.end(), known):
            return True
        owner = re.search(r"(?P<name>[A-Z][\w-]*)['’]s?\s+(?:\w+\s+)?$", sentence[: word.start])
        if owner and not _stems(owner["name"]) & known:
            return True
    return False


def _is_other_name(sentence: str, start: int, known: Set[str]) -> bool:
    found = (value for value in checkable_values(sentence) if value.kind == "name" and value.start == start)
    return any(not _stems(sentence[value.start : value.end]) & known for value in found)


def _has_no_agent(sentence: str, places: list[int], known: Set[str]) -> bool:
    """Is each verb that is asked about passive without "by", or active without a new name before it?"""
    return bool(places) and not any(_names_agent(sentence, place, known) for place in places)


def _names_agent(sentence: str, place: int, known: Set[str]) -> bool:
    if re.search(_PASSIVE, sentence[:place], re.IGNORECASE):
        return re.search(r"\bby\b", sentence[place:]) is not None
    return bool(new_names(sentence, known))


def _places(sentence: str, stems: Set[str]) -> list[int]:
    return [word.start for word in word_tokens(sentence) if word.stem and root(word.stem) in stems]


def _stems(text: str, *, all_words: bool = False) -> set[str]:
    return {word.stem or stem(word.text) for word in word_tokens(text) if word.stem or all_words}

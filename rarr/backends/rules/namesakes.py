"""Decides whether a page with a qualifier in its title, such as "Northlight (band)", is about a namesake.

The qualifier tells things of one name apart: by kind, by place or by year. A text that has the qualifier
speaks of that thing. Otherwise the words with which the text identifies the thing are compared with the page:
its kind and place, as in "the harbour town Northlight in Norway".
"""

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import NamedTuple

from rarr.backends.rules.counterparts import ParsedPassage
from rarr.backends.rules.name_matching import is_generic, key_words, same_name, same_place
from rarr.backends.rules.proper_names import ProperName, proper_names
from rarr.backends.rules.subjects import has_name, has_place
from rarr.backends.rules.words import STOP_WORDS, is_common, stem, word_tokens

_BRACKETED = re.compile(r"(?P<name>[^()]+)\((?P<qualifier>[^()]+)\)\s*")
_PLACED = re.compile(r"(?P<name>[^(),]+),\s+(?P<qualifier>[A-Z][\w'’.-]*(?:\s+[A-Z][\w'’.-]*){0,2})\s*")
_SHORTEST_PLACE = 4  # letters; shorter words after a comma are mostly Jr., Inc. or MBE
_BEFORE_NAME = re.compile(
    r"\b(?:the|an?)\s+(?P<words>(?:(?!(?:the|an?|of)\b)[\w'’-]+\s+){1,4})(?:of\s+)?$", re.I
)
_KIND_AFTER_NAME = re.compile(r"(?:,|\s+(?:is|was|are|were))\s+an?\s+(?P<words>[^,.;:()]+)")
_PLACE_AFTER_NAME = re.compile(r",?\s+(?:in|on|at|near|from)\s+(?P<words>[^,.;:()]+)")
_REACH = 80  # characters before and after a name that are looked at
_WORD = re.compile(r"[^\W\d_][\w'’-]*")


class _Title(NamedTuple):
    """A title with a qualifier: the name, the words of the qualifier, and its years.

    `is_place`: all words have a capital, and some is no common word. `is_bracketed`: the qualifier stands in
    brackets, not after a comma.
    """

    name: str
    words: tuple[str, ...]
    years: tuple[str, ...]
    is_place: bool
    is_bracketed: bool


class _Identity(NamedTuple):
    """The words by which a text identifies a thing: nouns for its kind, and names beside it."""

    kinds: frozenset[str]
    names: frozenset[str]


def may_be_of_a_namesake(text: str, context: str | None, asked: str, evidence: ParsedPassage) -> bool:
    """Is the page's title a name of the text with a qualifier, and may the text speak of another thing?

    `asked` are the words of the text that are in question: they identify nothing. Where the text has a
    qualifier's kind but not its year, some other name of the text must stand in the passage. Where it does
    not have the kind, the passage must say that the thing is of the text's kind. Where it does not have the
    place after a comma, the passage must not lack the kind or a place that the text has.
    """
    title = _qualified(evidence.title)
    if title is None:
        return False
    full_text = f"{context or ''}\n{text}"
    names = proper_names(full_text)
    if not any(same_name(title.name, name.text) for name in names):
        return False
    if _is_told(title, full_text, names):
        is_dated = _stems(full_text).issuperset(title.years)
        return not is_dated and not _names_another(names, title.name, asked, evidence)
    identity = _identity(full_text, title.name)
    in_question = key_words(asked)
    kinds = identity.kinds - {stem(word) for word in in_question}
    beside = identity.names - {*in_question}
    if not all(has_place(evidence.key_words, name) for name in beside):
        return True
    defined = _kinds_in(evidence, title.name)
    if title.is_bracketed:
        return not kinds or not kinds <= defined
    return not kinds <= (defined or {*evidence.spread, *evidence.title_stems})


def name_in_title(title: str) -> str:
    """Returns the title without its qualifier: "Northlight" for "Northlight (band)"."""
    qualified = _qualified(title)
    return qualified.name if qualified else title.strip()


def is_meant(text: str, context: str | None, asked: Collection[str], evidence: ParsedPassage) -> bool:
    """Does the text say something by which it speaks of this page, and not only of a thing of its name?

    It says the qualifier of the title, the kind of the thing as the page does, or another name that the page
    has. `asked` are the words in question, which tell nothing.
    """
    full_text = f"{context or ''}\n{text}"
    names, title, name = proper_names(full_text), _qualified(evidence.title), name_in_title(evidence.title)
    if title and title.words and _is_told(title, full_text, names):
        return True
    if title and title.years and _stems(full_text).issuperset(title.years):
        return True
    if kinds_of(full_text, name) & _kinds_in(evidence, name):
        return True
    others = tuple(other for other in names if other.text not in asked)
    return _names_another(others, name, "", evidence)


def kinds_of(text: str, name: str) -> frozenset[str]:
    """Returns the stems of the nouns by which `text` describes a name: "paint" for "the painter Jon Tarv"."""
    return _identity(text, name).kinds


@lru_cache(maxsize=1024)
def _qualified(title: str) -> _Title | None:
    """Splits a title into a name and a qualifier in brackets, or a place after a comma."""
    match = _BRACKETED.fullmatch(title) or _PLACED.fullmatch(title)
    if match is None:
        return None
    parts = key_words(match["qualifier"])
    words = tuple(word for word in parts if not word.isdigit())
    is_bracketed = match.re is _BRACKETED
    if not is_bracketed and not any(
        len(word) >= _SHORTEST_PLACE and not is_generic(word) and not is_common(word) for word in words
    ):
        return None
    is_capitalised = all(word[0].isupper() for word in _WORD.findall(match["qualifier"]))
    is_place = is_capitalised and not all(map(is_common, words))
    years = tuple(word for word in parts if word.isdigit())
    return _Title(match["name"].strip(), words, years, is_place, is_bracketed)


def _is_told(title: _Title, text: str, names: tuple[ProperName, ...]) -> bool:
    """Does the text have a word of the qualifier's kind, or its whole place? True for a mere year.

    New Jersey is not Jersey, so a name of the text has the words of the place and no others.
    """
    if not title.words or (not title.is_place and any(stem(word) in _stems(text) for word in title.words)):
        return True
    own = {*key_words(title.name)}
    places = [[word for word in key_words(name.text) if word not in own] for name in names]
    return any(
        len(place) == len(title.words) and all(map(same_place, place, title.words)) for place in places
    )


@lru_cache(maxsize=64)  # texts; a run compares all its passages with one text
def _stems(text: str) -> frozenset[str]:
    return frozenset(word.stem for word in word_tokens(text) if word.stem)


def _names_another(names: tuple[ProperName, ...], name: str, asked: str, evidence: ParsedPassage) -> bool:
    """Does the passage have a name of the text other than `name` and the words in question?"""
    return any(
        not same_name(name, other.text) and other.text != asked and has_name(evidence, other.text)
        for other in names
    )


@lru_cache(maxsize=256)
def _identity(text: str, name: str) -> _Identity:
    """Finds the kinds and names that stand right beside each place of `name` in the text."""
    kinds: set[str] = set()
    beside: set[str] = set()
    for place in proper_names(text):
        if not same_name(name, place.text):
            continue
        before = _BEFORE_NAME.search(text[max(0, place.start - _REACH) : place.start])
        after = text[place.end : place.end + _REACH]
        phrases = [match["words"] for match in (before, _KIND_AFTER_NAME.match(after)) if match]
        for phrase in phrases:
            kinds.update(_kinds(phrase)[-1:])
        located = _PLACE_AFTER_NAME.match(after)
        for phrase in (*phrases, *([located["words"]] if located else ())):
            beside.update(word for other in proper_names(phrase) for word in key_words(other.text))
    return _Identity(frozenset(kinds), frozenset(beside))


def _kinds(phrase: str) -> list[str]:
    """Returns the stems of the words before the first function word: "frigate" of "frigate of 36 guns"."""
    stems = []
    for word in _WORD.findall(phrase):
        if word.lower() in STOP_WORDS:
            break
        if word[0].islower():
            stems.append(stem(word))
    return stems


def _kinds_in(evidence: ParsedPassage, name: str) -> set[str]:
    """Returns the words by which the passage says of which kind a thing of the name is."""
    return {kind for phrase in _definitions(evidence, name) for kind in _kinds(phrase)}


def _definitions(evidence: ParsedPassage, name: str) -> Iterator[str]:
    for part in evidence.sentences:
        for place in proper_names(part.text):
            match = _KIND_AFTER_NAME.match(part.text, place.end)
            if match and same_name(name, place.text):
                yield match["words"]

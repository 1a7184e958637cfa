"""Finds names and titles in a text: sequences of capitalised words, and quoted or emphasised titles."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from rarr.backends.rules.dates import MONTHS
from rarr.backends.rules.name_matching import is_generic, key_words
from rarr.backends.rules.quantities import CARDINALS
from rarr.backends.rules.units import MEASURES
from rarr.backends.rules.words import STOP_WORDS, folded_text, is_common

_CAPITALISED = r"""(?:
      (?:[A-Z]\.){2,}                                            # U.S., J.R.R.
    | [dDlL]['’][A-Z]\w+                                          # d'Arc, L'Aquila
    | [A-ZÀ-ÖØ-ÞŁŚŠŽĆČĐ][\w’'&-]*
      (?:(?<=\b[A-Z])\. | (?<=\b(?:St|Dr|Mr|Jr|Sr|Mt))\. | (?<=\bMrs)\.)?   # J., St.
)"""
_INSIDE = r"""(?:
      of\ the | of | de\ la | de\ los | de | del | della | di | da | dos | do | du | des
    | van\ der | van\ den | van | von\ der | von | zu | al | bin | ibn | el | la | le | les | &
)"""
# A number belongs to a name (Apollo 11) unless it counts what follows (Paris 20 years later), or is the first
# of two numbers (beat Brackwell 5 to 2).
_NUMBERED = r"""(?:
    \d{1,3}\b(?! [,.]\d | % | \s(?!was\b|is\b|has\b|as\b)[a-z]+s\b
                | \s(?:to|and|or)\s\d | \s?[-–:/]\s?\d
                | \s(?:people|men|women|million|percent)\b )
)"""
# A number before a word in "-s" belongs to the name if that word is a verb, as in "Elm 500 costs 20 euros".
# Then a number or a word such as "the" follows, or "the" stands before the name.
_BEFORE_VERB = re.compile(
    rf"\s\d{{1,4}}(?=\s(?!(?:{MEASURES}|times|doses|tablets|points|goals|votes|people)\b)[a-z]+s\b"
    r"(?P<object>\s(?:\d|(?:the|its|it|to|about|only|neither|both|no|not|up|less|more)\b))?)"
)
_ARTICLE = re.compile(
    r"(?<!\bin\s)(?<!\bon\s)(?<!\bat\s)\b(?:the|an?|this|each|every|our|your)\s$", re.IGNORECASE
)
_NAME = re.compile(
    rf"""
    (?<![^\W\d_]){_CAPITALISED}                                      # not the end of eGFR
    (?: (?: [ \t] | \r?\n | [-–](?=[A-Z]) )  (?:{_INSIDE}\s)?  (?:{_CAPITALISED}|{_NUMBERED}) )*
    """,
    re.VERBOSE,
)
_OPENING = re.compile(r"(?:^|[.!?:;|\n]|[-–—•*>#(“\"])[\s*_“\"(]*$")
_BEFORE = 10  # characters in front of a word that show whether it opens a sentence
_FIRST_WORD = re.compile(r"[^\s–-]+")
_TITLE = re.compile(
    r"""
      [“"](?P<quoted>[^”"\n]{2,80})[”"]
    | (?<![*\w])\*(?P<starred>[^*\n]{2,80})\*(?![*\w])
    | (?<![_\w])_(?P<underscored>[^_\n]{2,80})_(?![_\w])
    """,
    re.VERBOSE,
)
# Capitalised words that are no names: they open sentences, or belong to dates or to forms of address.
_OPENERS = """
according additionally along besides consequently despite finally following furthermore hence initially
interestingly located meanwhile note notably originally overall recently similarly sometimes today unlike
whereas yes hundreds thousands millions dozens
monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays
saturdays sundays first second third january february march april
june july august september october november december bc ad bce ce o oh ok q a.d b.c built born founded
opened written known based designed standing named please sure here's it's that's there's didn't roughly
half part people new old early late mid north south east west northern southern eastern western central
christmas easter eur gbp usd chf jpy
nobody nothing none everybody everyone everything somebody someone something anybody anyone anything
currently earlier eventually formerly mostly officially previously shortly soon specifically subsequently
alongside apart beyond due including inside less outside prior
beginning competing defending going playing starting
begun compared composed created declared described directed distributed educated established formed found
introduced launched lost organised organized produced raised recorded released selected set started told
"""
# The openers that are part of a name if another capitalised word follows.
_ADJECTIVES = {
    "new", "old", "north", "south", "east", "west", "northern", "southern", "eastern", "western", "central",
}  # fmt: skip
_NOT_NAMES = STOP_WORDS | set(_OPENERS.split()) | set(CARDINALS.values())


class ProperName(NamedTuple):
    """A name or title in a sentence; `title` where it is quoted or emphasised."""

    start: int
    end: int
    text: str
    title: bool = False


@lru_cache(maxsize=4096)  # sentences of a passage occur again in the next window
def proper_names(text: str) -> tuple[ProperName, ...]:
    """Finds the names and titles of `text`, in order. Names inside a title are left out."""
    all_names = list(_titles(text))
    inside = bytearray(len(text))  # which characters are part of a title
    for title in all_names:
        inside[title.start : title.end] = b"1" * (title.end - title.start)
    for match in _NAME.finditer(text):
        name = _trimmed(text, match.start(), match.end())
        if name is not None and not any(inside[name.start : name.end]):
            all_names.append(_with_number(text, name))
    return tuple(sorted(all_names))


def is_person(text: str, name: ProperName) -> bool:
    """Does a name look like a person's: two to four words, none generic, no article before it?"""
    if name.title or " " not in name.text or not 2 <= len(words := key_words(name.text)) <= 4:
        return False
    article = text[max(0, name.start - 8) : name.start].lower().rstrip().endswith(("the", " a", " an"))
    return not article and not any(map(is_generic, words))


def _titles(text: str) -> Iterator[ProperName]:
    for match in _TITLE.finditer(text):
        start, end = match.span(match.lastgroup or 0)
        if text[start].isupper():
            yield ProperName(start, end, text[start:end], title=True)


def _with_number(text: str, name: ProperName) -> ProperName:
    """Returns the name with the number behind it, if that number is a part of the name."""
    number = _BEFORE_VERB.match(text, name.end)
    has_article = _ARTICLE.search(text, max(0, name.start - _BEFORE), name.start)
    if number and (number["object"] or has_article):
        return ProperName(name.start, number.end(), text[name.start : number.end()])
    return name


def _trimmed(text: str, start: int, end: int) -> ProperName | None:
    """Trims leading words that only open a sentence, leading months, and possessive endings off a name.

    None if nothing is left, or only a common word that opens a sentence.
    """
    while word := _FIRST_WORD.match(text, start, end):
        if _opens_name(word[0], last=word.end() == end):
            break
        start = word.end()
        while start < end and text[start] in " –-\n\r\t":
            start += 1
    else:
        return None
    for suffix in ("'s", "’s", "'", "’", "-"):
        if text.endswith(suffix, start, end):
            end -= len(suffix)
    if end - start < 2 or (_opens_sentence(text, start) and is_common(text[start:end])):
        return None
    return ProperName(start, end, text[start:end])


def _opens_sentence(text: str, start: int) -> bool:
    """Is a word capitalised only by its place: first in a sentence or item, or after a colon?"""
    return text[:start].isspace() or bool(_OPENING.search(text, max(0, start - _BEFORE), start))


def _opens_name(word: str, *, last: bool) -> bool:
    """Is the word part of a name, rather than the opening of a sentence? `last`: no word follows."""
    bare = word.rstrip(".,").removesuffix("'s").removesuffix("’s")
    if folded_text(bare) not in _NOT_NAMES and bare not in MONTHS and len(bare) > 1 and not bare.isdigit():
        return True
    is_initial = len(bare) == 1 and word.endswith(".")
    return not last and (folded_text(bare) in _ADJECTIVES or is_initial)

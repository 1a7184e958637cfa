"""Names and titles as they are written: capitalised sequences and quoted or emphasised titles."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from rarr.embedded.dates import MONTHS
from rarr.embedded.words import STOP_WORDS, fold

_CAPITALISED = r"(?:(?:[A-Z]\.){2,}|[dDlL]['’][A-Z]\w+|[A-ZÀ-ÖØ-ÞŁŚŠŽĆČĐ][\w’'&-]*(?:(?<=\b[A-Z])\.|(?<=\b(?:St|Dr|Mr|Jr|Sr|Mt))\.|(?<=\bMrs)\.)?)"
_INSIDE = (
    r"(?:of the|of|de la|de los|de|del|della|di|da|dos|do|du|des|van der|van den|van|von der|von|zu|al|bin|ibn|el|la"
    r"|le|les|&)"
)
# A number belongs to a name (Apollo 11) unless it counts what follows (Paris 20 years later).
_NUMBERED = (
    r"\d{1,3}\b(?![,.]\d|%|\s(?!was\b|is\b|has\b|as\b)[a-z]+s\b|\s(?:people|men|women|million|percent)\b)"
)
_NAME = re.compile(
    rf"{_CAPITALISED}(?:(?:[ \t]|\r?\n|[-–](?=[A-Z]))(?:{_INSIDE}\s)?(?:{_CAPITALISED}|{_NUMBERED}))*"
)
_TITLE = re.compile(
    r"[“\"](?P<a>[^”\"\n]{2,80})[”\"]|(?<![*\w])\*(?P<b>[^*\n]{2,80})\*(?![*\w])|(?<![_\w])_(?P<c>[^_\n]{2,80})_(?![_\w])"
)
# Names that share no word and mean one thing.
_ALIASES = [
    {"america", "us", "u s", "usa", "u s a", "united states", "united states of america"},
    {"britain", "great britain", "uk", "u k", "united kingdom"},
    {"ussr", "soviet union"},
    {"holland", "netherlands"},
]
_DIGIT = re.compile(r"\d")
# Capitalised words that are no names: they open sentences, or are parts of dates and of addresses to people.
_NOT_NAMES = STOP_WORDS | {
    "according", "additionally", "along", "although", "another", "besides", "consequently", "despite", "finally",
    "following", "furthermore", "hence", "initially", "interestingly", "like", "located", "meanwhile", "note",
    "notably", "originally", "overall", "recently", "similarly", "sometimes", "today", "unlike", "whereas", "yes",
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve", "twenty", "thirty", "hundreds",
    "thousands", "millions", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "first",
    "second", "third", "january", "february", "march", "april", "june", "july", "august", "september", "october",
    "november", "december", "bc", "ad", "bce", "ce", "o", "oh", "ok", "q", "a.d", "b.c", "built", "born", "founded",
    "opened", "written", "known", "based", "designed", "standing", "named", "please", "sure", "here's", "it's",
    "that's", "there's", "didn't", "who", "nearly", "about", "over", "roughly", "some", "half", "part", "people",
    "new", "old", "early", "late", "mid", "north", "south", "east", "west", "northern", "southern", "eastern",
    "western", "central", "christmas", "easter",
}  # fmt: skip
# Of these, the ones that are part of a name when another capitalised word follows.
_ADJECTIVES = {
    "new",
    "old",
    "north",
    "south",
    "east",
    "west",
    "northern",
    "southern",
    "eastern",
    "western",
    "central",
}
_HONORIFICS = {
    "mr", "mrs", "ms", "dr", "sir", "lord", "lady", "dame", "king", "queen", "prince", "princess", "president",
    "professor", "prof", "saint", "st", "captain", "general", "colonel", "major", "the", "emperor", "pope", "count",
    "jr", "sr", "jnr", "senator", "governor", "chancellor", "minister", "judge", "rev", "father", "baron", "duke",
}  # fmt: skip
_GENERIC = {
    "river", "lake", "mount", "mountain", "island", "islands", "city", "county", "university", "college", "school",
    "institute", "museum", "bridge", "tower", "street", "road", "avenue", "club", "fc", "company", "inc", "ltd",
    "corporation", "group", "party", "church", "cathedral", "castle", "palace", "park", "station", "airport", "state",
    "province", "district", "region", "republic", "kingdom", "union", "association", "society", "national",
    "international", "royal", "united", "great", "new", "north", "south", "east", "west", "san", "saint", "st",
    "war", "battle", "treaty", "act", "award", "prize", "cup", "league", "championship", "championships", "games",
    "festival", "orchestra", "band", "theatre", "theater", "hall", "house", "hotel", "hospital", "army", "navy",
}  # fmt: skip


class Name(NamedTuple):
    """A name or title in a sentence; `title` where it is quoted or emphasised."""

    start: int
    end: int
    text: str
    title: bool = False


def names(text: str) -> Iterator[Name]:
    """The names and titles of `text`, in order; a title hides the names inside it."""
    titles = [
        Name(
            match.start(match.lastgroup or 0),
            match.end(match.lastgroup or 0),
            match[match.lastgroup or 0],
            title=True,
        )
        for match in _TITLE.finditer(text)
        if (match[match.lastgroup or 0])[0].isupper()
    ]
    found = [*titles]
    for match in _NAME.finditer(text):
        name = _trimmed(text, match.start(), match.end())
        if name is not None and not any(t.start < name.end and name.start < t.end for t in titles):
            found.append(name)
    yield from sorted(found)


def key_words(name: str) -> list[str]:
    """The folded words of a name that identify it: no honorifics, articles or possessives."""
    words = [word.removesuffix("'s").strip("'") for word in re.findall(r"[\w']+", fold(name))]
    kept = [word for word in words if word and word not in _HONORIFICS and word not in STOP_WORDS]
    return kept or words


def same_name(one: str, other: str) -> bool:
    """Can two names mean the same: equal, one a part of the other, initials, an acronym, or a variant?"""
    mine, its = key_words(one), key_words(other)
    if not mine or not its:
        return False
    if any({" ".join(mine), " ".join(its)} <= group for group in _ALIASES):
        return True
    if mine == its or _acronym(mine, its) or _acronym(its, mine):
        return True
    short, long = (mine, its) if len(mine) <= len(its) else (its, mine)
    if all(any(_same_word(word, whole) for whole in long) for word in short):
        return not all(word in _GENERIC for word in short)
    return False


def is_generic(word: str) -> bool:
    """A word that many names share, such as river or university: it identifies nothing alone."""
    return word in _GENERIC


def shortest_form(name: str) -> list[str]:
    """The words by which a name is known when it comes up again: a person's surname, else all of them."""
    words = key_words(name)
    return (
        words
        if len(words) < 2 or len(words) > 4 or any(map(is_generic, words)) or _DIGIT.search(name)
        else words[-1:]
    )


def is_person(text: str, name: Name) -> bool:
    """Reads like a person's name: two to four words, none of them of places or bodies, no article before."""
    words = key_words(name.text)
    article = text[: name.start].lower().rstrip().endswith(("the", " a", " an"))
    spaced = " " in name.text
    return (
        spaced and 2 <= len(words) <= 4 and not name.title and not article and not any(map(is_generic, words))
    )


def _same_word(word: str, whole: str) -> bool:
    """Equal, an initial, or so alike that one is a variant of the other (demonyms, transliterations)."""
    if min(len(word), len(whole)) >= 4 and (word.startswith(whole) or whole.startswith(word)):
        return True  # Graz and Grazer, America and Americans
    if (
        word == whole
        or (len(word) == 1 and whole.startswith(word))
        or (len(whole) == 1 and word.startswith(whole))
    ):
        return True
    if min(len(word), len(whole)) >= 5 and word[:4] == whole[:4]:
        return Levenshtein.normalized_similarity(word, whole) >= 0.7
    return False


def _acronym(short: list[str], long: list[str]) -> bool:
    return len(short) == 1 and len(long) > 1 and short[0] == "".join(word[0] for word in long)


def _trimmed(text: str, start: int, end: int) -> Name | None:
    """Drops leading words that only open a sentence, months, and what is left of possessives."""
    while True:
        word = re.match(r"[^\s–-]+", text[start:end])
        if word is None:
            return None
        bare = word[0].rstrip(".,").removesuffix("'s").removesuffix("’s")
        if fold(bare) not in _NOT_NAMES and bare not in MONTHS and len(bare) > 1 and not bare.isdigit():
            break
        if fold(bare) in _ADJECTIVES and word.end() < end - start:
            break
        if len(bare) == 1 and word[0].endswith(".") and word.end() < end - start:
            break  # an initial
        start += word.end()
        start += len(text[start:end]) - len(text[start:end].lstrip(" –-\n\r\t"))
        if start >= end:
            return None
    for suffix in ("'s", "’s", "'", "’", "-"):
        if text[start:end].endswith(suffix):
            end -= len(suffix)
    return Name(start, end, text[start:end]) if end - start > 1 else None

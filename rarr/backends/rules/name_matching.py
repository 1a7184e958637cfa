"""Compares names: finds the words that identify a name, and decides whether two names mean the same."""

import re
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

from rarr.backends.rules.word_list_reader import word_groups
from rarr.backends.rules.words import STOP_WORDS, folded_text

# Names that share no word and mean the same thing.
_ALIASES = [
    {"america", "us", "u s", "usa", "u s a", "united states", "united states of america"},
    {"britain", "great britain", "uk", "u k", "united kingdom"},
    {"ussr", "soviet union"},
]
_TITLES = """
mr mrs ms dr sir lord lady dame king queen prince princess president professor prof saint st captain general
colonel major the emperor pope count jr sr jnr senator governor chancellor minister judge rev father baron
duke
"""
_HONORIFICS = frozenset(_TITLES.split())
_SHARED = """
river lake mount mountain island islands city county university college school institute museum bridge tower
street road avenue club fc company inc ltd corporation group party church cathedral castle palace park
station airport state province district region republic kingdom union association society national
international royal united great new north south east west san saint st war battle treaty act award prize
cup league championship championships games festival orchestra band theatre theater hall house hotel
hospital army navy dam canal tunnel reservoir falls valley desert forest bay gulf sea ocean peninsula
building library stadium railway observatory monument memorial temple abbey fort
"""
_GENERIC = frozenset(_SHARED.split())
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[\w']+")
_LONGEST_SURNAMED = 4  # words; a longer name is the name of a body, or a title
# Least similarity of two words with the same beginning to be variants (demonyms, transliterations).
_ALIKE = 0.8
PLACE_ADJECTIVES = ("an", "ese", "ish", "ic")
"""Endings of the adjectives of places."""
_PLACE_BEGINNING = 4  # letters that a place and its adjective have in common at least


@lru_cache(maxsize=16384)
def key_words(name: str) -> tuple[str, ...]:
    """Returns the words that identify a name, in lower case: no honorifics, articles or possessives.

    If no other words are left, returns all words.
    """
    words = tuple(word.removesuffix("'s").strip("'") for word in _WORD.findall(folded_text(name)))
    kept = tuple(word for word in words if word and word not in _HONORIFICS and word not in STOP_WORDS)
    return kept or words


@lru_cache(maxsize=16384)
def same_name(first: str, second: str, *, surely: bool = False) -> bool:
    """Can two names mean the same: equal, one within the other, initials, an acronym, or a variant?

    With `surely` a variant is not enough: Stephens is a variant of Stephen, and another name.
    Generic words alone, such as "river", do not make two names the same.
    """
    first_words, second_words = key_words(first), key_words(second)
    if not first_words or not second_words:
        return False
    whole_first, whole_second = " ".join(first_words), " ".join(second_words)
    if any({whole_first, whole_second} <= group for group in _ALIASES):
        return True
    if whole_second in word_groups("place_adjectives").get(
        whole_first, ()
    ):  # one word each: Dawn French is no place
        return True
    if (
        first_words == second_words
        or _acronym(first_words, second_words)
        or _acronym(second_words, first_words)
    ):
        return True
    short, long = (
        (first_words, second_words) if len(first_words) <= len(second_words) else (second_words, first_words)
    )
    alike = surely_same_word if surely else same_word
    if all(any(alike(word, whole) for whole in long) for word in short):
        return not all(word in _GENERIC for word in short)
    return False


def is_generic(word: str) -> bool:
    """Do many names share the word, such as river or university, so that it identifies nothing alone?"""
    return word in _GENERIC


def is_honorific(word: str) -> bool:
    """Is the word a form of address or a title that stands before a name, such as dr or queen?"""
    return word in _HONORIFICS


def shortest_form(name: str) -> tuple[str, ...]:
    """Returns the words of a name when it is repeated: only the last, as of a person, or all words.

    All words count for a long name, and for a name with a generic word or a number.
    """
    words = key_words(name)
    whole = len(words) > _LONGEST_SURNAMED or any(map(is_generic, words)) or _DIGIT.search(name)
    return words if whole else words[-1:]


def same_word(word: str, whole: str) -> bool:
    """Are the words equal, one an initial of the other, or so similar that one is a variant?"""
    short, long = (word, whole) if len(word) <= len(whole) else (whole, word)
    if short == long or (len(short) == 1 and long.startswith(short)):
        return True
    if len(short) >= 4 and long.startswith(short):
        return True  # Graz and Grazer, America and Americans
    alike = len(short) >= 5 and word[:4] == whole[:4]
    return alike and Levenshtein.normalized_similarity(word, whole) >= _ALIKE


def surely_same_word(word: str, whole: str) -> bool:
    """Are the words equal, one an initial of the other, or a place and its adjective?"""
    short, long = (word, whole) if len(word) <= len(whole) else (whole, word)
    if short == long or (len(short) == 1 and long.startswith(short)):
        return True
    return _is_adjective_of(long, short) or _is_adjective_of(long.removesuffix("s"), short)


@lru_cache(maxsize=16384)
def same_place(word: str, other: str) -> bool:
    """Are the words variants, or is one a place and the other its adjective, as Norway and Norwegian?"""
    regular = same_word(word, other) or _is_adjective_of(word, other) or _is_adjective_of(other, word)
    return regular or other in word_groups("place_adjectives").get(word, ())


def _is_adjective_of(adjective: str, place: str) -> bool:
    beginnings = (place[:-2], place[:-1], place.removesuffix("land"))
    return adjective.endswith(PLACE_ADJECTIVES) and any(
        len(beginning) >= _PLACE_BEGINNING and adjective.startswith(beginning) for beginning in beginnings
    )


def _acronym(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    """Is a word of `short` the initials of words of `long`, and all else equal, as in UN Charter?"""
    more = len(long) - len(short)
    return any(
        more and short[:n] == long[:n] and short[n + 1 :] == long[n + more + 1 :]
        and short[n] == "".join(word[:1] for word in long[n : n + more + 1])
        for n in range(len(short))
    )  # fmt: skip

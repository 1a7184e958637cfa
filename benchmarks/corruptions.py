"""Sentences of web pages with a date, a number, a name or a telling word, and the rule that changes it."""

import random
import re
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

from rarr.tools.text.blocks_and_sentences import split_sentences

Kind = Literal["date", "number", "name", "word"]
KINDS: tuple[Kind, ...] = ("date", "number", "name", "word")

_MONTH = (
    "January|February|March|April|May|June|July|August|September|October|November|December"
    "|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec"
)
# Common English given names: what makes two capitalised words a person's name here.
_GIVEN = (
    "Adam|Alan|Alex|Alice|Amy|Andrew|Anna|Anne|Anthony|Ben|Brian|Carol|Charles|Chris|Christopher|Daniel|David"
    "|Diana|Edward|Elizabeth|Emily|Emma|Eric|Frank|Gary|George|Helen|Henry|Jack|James|Jane|Jason|Jennifer|Jessica"
    "|Jim|Joe|John|Jonathan|Joseph|Julia|Karen|Kate|Kevin|Laura|Linda|Lisa|Margaret|Maria|Mark|Martin|Mary|Matthew"
    "|Michael|Michelle|Mike|Nancy|Nick|Patrick|Paul|Peter|Philip|Rachel|Richard|Robert|Ryan|Sam|Samuel|Sarah|Scott"
    "|Simon|Stephen|Steven|Susan|Thomas|Tim|Tom|Tony|William"
)
# Each turns the meaning of a sentence round. They were chosen without a look at the word lists of the rules.
_TURNED = {
    "is": "is not", "are": "are not", "was": "was not", "were": "were not", "will": "will not",
    "can": "cannot", "cannot": "can", "may": "must", "must": "may", "all": "some", "always": "never",
    "never": "always", "before": "after", "after": "before", "with": "without", "without": "with",
    "more": "less", "less": "more", "higher": "lower", "lower": "higher", "increased": "decreased",
    "decreased": "increased", "most": "few", "many": "few", "first": "last", "last": "first", "won": "lost",
    "lost": "won", "rose": "fell", "fell": "rose", "above": "below", "below": "above", "early": "late",
    "includes": "excludes", "largest": "smallest", "often": "seldom", "possible": "impossible",
    "successful": "unsuccessful",
}  # fmt: skip
_PATTERNS: dict[Kind, re.Pattern[str]] = {
    # A number counts as a year after a month, a day of a month, or a preposition of time.
    "date": re.compile(
        rf"\b(?:[Ii]n|[Ss]ince|[Uu]ntil|[Ff]rom|(?:{_MONTH})\.?(?:\s\d{{1,2}}(?:st|nd|rd|th)?)?,?)\s"
        r"(?P<value>1[89]\d\d|20[0-2]\d)\b(?![-–/,.]?\d)"
    ),
    # A number before a unit, a magnitude or a counted noun. Years and single digits that rank are left out.
    "number": re.compile(
        r"(?<![\w.,:/$#+–-])(?P<value>[1-9]\d{0,2}(?:,\d{3})+|(?!(?:1[5-9]|20)\d\d\s)\d+(?:\.\d+)?)"
        r"(?:%|\s(?=[a-z]{3})(?!and\b|the\b|for\b|was\b|were\b|are\b|has\b|had\b|with\b|from\b|but\b))"
    ),
    "name": re.compile(rf"(?<![\w.-])(?<![A-Z][a-z] )(?P<value>(?:{_GIVEN}) [A-Z][a-z]{{2,}})\b(?!\s[A-Z])"),
    "word": re.compile(rf"\b(?P<value>{'|'.join(_TURNED)})\b(?! not\b| only\b)"),
}
_STOPWORDS = {"the", "of", "and", "to", "in", "a", "is", "that", "for", "was", "with", "on", "as", "it", "by"}
_ENGLISH = 0.15  # the least share of the words of an English page that are stop words
_WORDS = range(8, 31)


class Corruption(NamedTuple):
    """A sentence at `start` in the text of its page, and the same with `old` replaced by `new`."""

    kind: Kind
    page: str
    start: int
    sentence: str
    changed: str
    old: str
    new: str


class _Place(NamedTuple):
    page: str
    start: int
    sentence: str
    value: re.Match[str]


def sample(pages: Sequence[dict[str, Any]], per_kind: int, seed: int) -> list[Corruption]:
    """At most `per_kind` changed sentences of each kind, drawn at random; at most one per page and kind."""
    source = random.Random(seed)
    english = [page for page in pages if _is_english(page["text"])]
    names = _PATTERNS["name"]
    people = sorted({match["value"] for page in english for match in names.finditer(page["text"])})
    chosen: dict[str, Corruption] = {}
    for kind in KINDS:
        places_by_page = [places for page in english if (places := list(_places(page, kind)))]
        pool = [source.choice(places) for places in source.sample(places_by_page, len(places_by_page))]
        # Pages repeat each other's sentences.
        fresh = {place.sentence: place for place in pool if place.sentence not in chosen}
        for place in list(fresh.values())[:per_kind]:
            chosen[place.sentence] = _corrupted(kind, place, people, source)
    return list(chosen.values())


def changed(kind: Kind, old: str, people: Sequence[str], source: random.Random) -> str:
    """Another value: a year 3 to 9 off, a number up to three times as large or small, another person, another
    word of `_TURNED`.
    """
    if kind == "word":
        return _TURNED[old]
    if kind == "date":
        return str(int(old) + source.choice((-1, 1)) * source.randint(3, 9))
    if kind == "name":
        parts = set(old.split())
        return source.choice([person for person in people if not parts & set(person.split())])
    digits = len(old.partition(".")[2])
    number = float(old.replace(",", ""))
    scaled = number * source.choice((0.4, 0.6, 1.5, 2.0, 3.0))
    if round(scaled, digits) == number or round(scaled, digits) == 0:  # such as 1, which would stay 1
        scaled = number + 2
    return f"{scaled:{',' if ',' in old else ''}.{digits}f}"


def _is_english(text: str) -> bool:
    words = re.findall(r"[^\W\d_]+", text.lower())
    return sum(word in _STOPWORDS for word in words) >= _ENGLISH * max(len(words), 1)


def _places(page: dict[str, Any], kind: Kind) -> Iterator[_Place]:
    """The first value of the kind in each whole sentence of the page."""
    for span in split_sentences(page["text"]):
        sentence = span.of(page["text"])
        whole = re.fullmatch(r"[\"“]?[A-Z][^\n]*[.!?][\"”]?", sentence)
        if whole and len(sentence.split()) in _WORDS and (value := _PATTERNS[kind].search(sentence)):
            yield _Place(page["id"], span.start, sentence, value)


def _corrupted(kind: Kind, place: _Place, people: Sequence[str], source: random.Random) -> Corruption:
    start, end = place.value.span("value")
    old = place.sentence[start:end]
    new = changed(kind, old, people, source)
    text = place.sentence[:start] + new + place.sentence[end:]
    return Corruption(kind, place.page, place.start, place.sentence, text, old, new)

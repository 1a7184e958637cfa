"""Reads by rules what the opening of a page says about its subject: its kind, and properties with values."""

import re
from collections.abc import Iterator

from rarr.evals.namesakes.records import PropertyValue
from rarr.tools.text.blocks_and_sentences import split_sentences

OPENING_SENTENCES = 6
"""Sentences at the start of a page that are read; later ones are often about other things."""
_WORD = r"[A-ZÀ-Þ][\w'’.-]*\w"
_NAME = rf"(?P<value>(?:[A-Z]\. )?{_WORD}(?: (?:(?:of|de|da|van|von|der|the|and|&) )?{_WORD}){{0,4}})"
_PERSON = rf"(?P<value>(?:[A-Z]\. )?{_WORD}(?: (?:(?:de|da|van|von|der) )?{_WORD}){{1,3}})"
_YEAR = r"(?P<value>1[0-9]\d\d|20\d\d)\b"
_DATED = rf"(?:in|on) (?:\w+ \d{{1,2}}, |\d{{1,2}} )?(?:[A-Z][a-z]+ )?{_YEAR}"
_NUMBER = r"\d[\d,.]*\d|\d"
_UNIT = r"(?:kilometres|kilometers|metres|meters|miles|feet|km|m)"
_BY = r"(?: in \d{4})? by (?:the )?(?:[A-Z][a-z]+(?:an|ch|ese|ish) (?=[a-z]))?(?:[a-z-]+ ){0,3}"
_PATTERNS = {
    "artist": rf"\bpainted{_BY}{_PERSON}",
    "author": rf"\b(?:novel|book|poem|play|story|memoir|guide|written){_BY}{_PERSON}",
    "birthplace": rf"\bborn in (?!\d){_NAME}",
    "born": rf"(?:\bborn {_DATED}|\((?:born )?(?:\d{{1,2}} )?[A-Z][a-z]+ (?:\d{{1,2}}, )?"
    r"(?P<also>1\d\d\d|20\d\d)\b)",
    "builder": rf"\bbuilt{_BY}{_NAME}",
    "built": rf"\b(?:built|completed|constructed) {_DATED}",
    "cast": rf"\bstarr(?:ing|ed) {_PERSON}",
    "composer": rf"\bcomposed{_BY}{_PERSON}",
    "designer": rf"\bdesigned{_BY}{_NAME}",
    "director": rf"\bdirected{_BY}{_PERSON}",
    "discoverer": rf"\bdiscovered{_BY}{_PERSON}",
    "founded": rf"\b(?:founded|established|formed) (?:by [^,.;]{{3,40}} )?{_DATED}",
    "founder": rf"\b(?:founded|established){_BY}{_PERSON}",
    "height": rf"(?P<value>(?:{_NUMBER}) {_UNIT}) (?:high|tall)\b",
    "label": rf"\b(?:released|issued) (?:[^,.;]{{0,30}} )?(?:by|on|through) {_NAME}(?<=Records)",
    "length": rf"(?P<value>(?:{_NUMBER}) {_UNIT}) long\b",
    "mouth": rf"\bflows into (?P<value>(?:the |Lake )?{_WORD}(?: {_WORD}){{0,2}})",
    "opened": rf"\bopened (?:to the public )?{_DATED}",
    "performer": rf"\b(?:song|album|single|record|EP|recorded|performed){_BY}{_NAME}",
    "population": rf"\bpopulation (?:of|was|is) (?:about )?(?P<value>{_NUMBER})|"
    rf"(?P<also>{_NUMBER}) (?:people|inhabitants)\b",
    "position": r"\bplay(?:ed|s) as an? (?P<value>(?:[a-z-]+ )?(?:back|forward|guard|keeper)|[a-z-]+)\b",
    "producer": rf"\bproduced{_BY}{_PERSON}",
    "publisher": rf"\bpublished{_BY}{_NAME}",
    "released": rf"\b(?:released|published|premiered|aired) (?:first )?{_DATED}",
    "screenwriter": rf"\b(?:scripted|screenplay){_BY}{_PERSON}",
    "team": rf"\bplay(?:s|ed) for (?:the )?{_NAME}",
}
_RULES = {name: re.compile(pattern) for name, pattern in _PATTERNS.items()}
_IS_A = re.compile(r"\b(?:is|was|were|are) (?:an?|the|one of the) (?P<phrase>[^,.;:()]+)")
_PHRASE_END = re.compile(
    r"\s(?:that|which|who|whose|of|in|on|at|by|from|for|to|near|with|and|based|set|located|situated|founded"
    r"|directed|written|recorded|released|published|built|composed|created|produced|starring)\s"
)


def opening_properties(text: str) -> dict[str, tuple[PropertyValue, ...]]:
    """Reads the properties of the subject of a page. Each value stands in the text as it is returned.

    The first statement of a property counts. Two properties never have the same value: then the text is too
    hard for these rules, and both are left out.
    """
    found: dict[str, str] = {}
    for sentence in _opening(text):
        for name, rule in _RULES.items():
            match = rule.search(sentence)
            if match and name not in found:
                value = (match["value"] or match.groupdict().get("also") or "").strip()
                found[name] = value
    values = [*found.values()]
    return {
        name: (PropertyValue(text=value),)
        for name, value in found.items()
        if values.count(value) == 1 and value in text
    }


def opening_type(text: str) -> str:
    """Reads the noun that says of which kind the subject is: "film" in "Apollo is a 1995 drama film"."""
    for sentence in _opening(text)[:1]:
        if match := _IS_A.search(sentence):
            words = _PHRASE_END.split(match["phrase"], maxsplit=1)[0].split()
            noun = words[-1] if words else ""
            return noun if noun.islower() and noun.isalpha() else ""
    return ""


def opening_name(text: str) -> str:
    """Reads the subject of the first sentence, if it is a name: "Apollo" in "Apollo (1995) is a film"."""
    for sentence in _opening(text)[:1]:
        subject = re.split(r"\s(?:is|was|were|are)\s|[(,]", sentence, maxsplit=1)[0].strip()
        subject = subject.removeprefix("The ")
        if re.fullmatch(rf"{_WORD}(?: (?:of |the |and )*[\wÀ-Þ][\w'’.-]*){{0,4}}", subject):
            return subject
    return ""


def _opening(text: str) -> list[str]:
    return [*_prose(text)][:OPENING_SENTENCES]


def _prose(text: str) -> Iterator[str]:
    for span in split_sentences(text[:4000]):
        yield " ".join(text[span.start : span.end].split())

"""Declares a triple of a graph, and how its parts are written in text."""

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from rarr.records.answers import CitedTriple

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip
_ISO_DATE = re.compile(r"([+-]?\d{4})-(\d\d)-(\d\d)(?:T[\d:.]*(?:Z|[+-]\d\d:\d\d)?)?")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORD = re.compile(r"\w+")


class Triple(NamedTuple):
    """A statement of a graph: `subject` has for `relation` the value `object`, all three by their names.

    `subject_id` tells two subjects of one name apart; without an id it is the name. `object_id` is the id of
    an object that is an entity itself; for any other value it is the value.
    """

    subject_id: str
    subject: str
    relation: str
    object_id: str
    object: str


def cited_triple(triple: Triple) -> CitedTriple:
    """Makes the record of a triple."""
    return CitedTriple(
        subject_id=triple.subject_id,
        subject=triple.subject,
        relation=triple.relation,
        value_id=triple.object_id,
        value=triple.object,
    )


def triple_of(record: CitedTriple) -> Triple:
    """Returns the triple of a record."""
    return Triple(record.subject_id, record.subject, record.relation, record.value_id, record.value)


def name_key(name: str) -> str:
    """Returns the words of a name in lower case, joined by spaces: marks, quotes and dots do not count."""
    if name.isascii():
        return " ".join(_WORD.findall(name.lower()))
    return " ".join(word for word, _, _ in words_of(name))


def words_of(text: str) -> list[tuple[str, int, int]]:
    """Returns the words of `text` in the form of `name_key`, each with its start and end."""
    return [(_folded(match[0]), match.start(), match.end()) for match in _WORD.finditer(text)]


@lru_cache(maxsize=4096)  # a graph has few relations, and each in many triples
def relation_words(relation: str) -> str:
    """Writes a relation in words: "birth place" for birthPlace, birth_place and http://example.org/birthPlace."""
    if "://" in relation:
        relation = re.split(r"[/#:]", relation.rstrip("/#"))[-1]
    spaced = _CAMEL.sub(" ", relation).replace("_", " ").replace("-", " ")
    return " ".join(spaced.split()).lower()


def value_forms(value: str) -> tuple[str, ...]:
    """Returns the ways in which texts write a value, the first for sentences: a date has several."""
    match = _ISO_DATE.fullmatch(value.strip())
    if match is None:
        return (value,)
    year, month, day = match[1].lstrip("+").lstrip("0") or "0", int(match[2]), int(match[3])
    if month == 0 or day == 0 or match[0].endswith("-01-01T00:00:00Z"):  # Wikidata's form of a mere year
        return (year, value)
    if month > len(MONTHS):
        return (value,)
    name = MONTHS[month - 1]
    return (f"{day} {name} {year}", f"{name} {day}, {year}", value, year)


def _folded(word: str) -> str:
    if word.isascii():
        return word.lower()
    plain = unicodedata.normalize("NFKD", word)
    return "".join(mark for mark in plain if not unicodedata.combining(mark)).casefold()

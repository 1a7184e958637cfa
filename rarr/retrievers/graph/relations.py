"""Writes triples as English sentences: by a table of common relations, else by the form of their names.

The sentences are in the words of texts, such as "was born in", because readers compare them with sentences.
"""

import re
from calendar import month_name
from collections.abc import Sequence

from rarr.retrievers.graph.triples import relation_words

ALIASES = frozenset(
    {"name", "label", "alias", "aliases", "also known as", "alternate name", "alt label", "pref label"}
)
"""Relations whose value is a name of the subject."""

# A line for each relation: its names, then its sentence. Facts that texts state together stand together.
_TABLE = """
instance of, type, kind: {name} is {a} {value}.
occupation, profession, job: {name} was {a} {value}.
country of citizenship, nationality, citizenship: {name} was a citizen of {value}.
place of birth, birth place, birthplace, born in: {name} was born in {value}.
date of birth, birth date, birthdate, born, born on: {name} was born {on} {value}.
place of death, death place, died in: {name} died in {value}.
date of death, death date, died, died on: {name} died {on} {value}.
cause of death, manner of death: The cause of death of {name} was {value}.
spouse, husband, wife, married to, partner, unmarried partner, cohabitant: {name} was married to {value}.
father: The father of {name} was {value}.
mother: The mother of {name} was {value}.
child, children, son, daughter: A child of {name} was {value}.
sibling, brother, sister: A sibling of {name} was {value}.
religion, genre, record label, sport, field of work, family: The {relation} of {name} was {value}.
employer, works for, worked for: {name} worked for {value}.
alma mater, educated at, university: {name} was educated at {value}.
award received, award, awards, prize: {name} received {value}.
notable work, works, notable works: A notable work of {name} is {value}.
author, writer, written by: {name} was written by {value}.
designer, architect, designed by: {name} was designed by {value}.
founder, founded by: {name} was founded by {value}.
inception, founded, date founded, established, founded in: {name} was founded {on} {value}.
opened, opening date, opened in, date of official opening: {name} opened {on} {value}.
completed, completion date, completed in: {name} was completed {on} {value}.
publication date, published, published in, publication year: {name} was published {on} {value}.
height: {name} is {value} high.
length: {name} is {value} long.
location, located in, country, address: {name} is located in {value}.
"""

_VERBS = (
    " is was are were has had have does did can won wrote led made built holds owns runs uses contains"
    " produces includes requires replaces supports employs serves plays participated competed worked lived"
    " studied served died graduated moved belonged played acted flows belongs leads opened closed "
)
_PARTICIPLES = ("born", "built", "made", "written", "led", "held", "found", "known", "sold", "won", "taught")
_PREPOSITIONS = ("in", "at", "by", "of", "on", "from", "to", "with", "for", "under", "near")
_ISO_DATE = re.compile(r"[+-]?0*(\d{1,4})-(0\d|1[0-2])-(\d\d)(?:T[\d:.]*(?:Z|[+-]\d\d:\d\d)?)?")
_KNOWN = {
    name: (rank, line.partition(": ")[2])
    for rank, line in enumerate(_TABLE.strip().splitlines())
    for name in line.partition(": ")[0].split(", ")
}
"""The rank and the sentence of a common relation, by each of its names."""


def value_forms(value: str) -> tuple[str, ...]:
    """Returns the ways in which texts write a value, the first for sentences: a date has several."""
    match = _ISO_DATE.fullmatch(value.strip())
    if match is None:
        return (value,)
    year, month, day = match[1], int(match[2]), int(match[3])
    if not month or not day or value.endswith("-01-01T00:00:00Z"):  # Wikidata's form of a mere year
        return (year, value)
    name = month_name[month]
    return (f"{day} {name} {year}", f"{name} {day}, {year}", value, year)


def rank_of(relation: str) -> int:
    """Returns the place of a relation in the text about an entity: that of the table; others come last."""
    return _KNOWN.get(relation_words(relation), (len(_KNOWN), ""))[0]


def sentence_of(subject: str, relation: str, values: Sequence[str]) -> str:
    """Writes a relation of a subject, with all its values, as an English sentence."""
    relation = relation_words(relation)
    *most, last = (value_forms(value)[0] for value in values)
    value = f"{', '.join(most)} and {last}" if most else last
    form = _KNOWN[relation][1] if relation in _KNOWN else _form_of(relation)
    when = "in" if re.fullmatch(r"\d{3,4}|[A-Z][a-z]+ \d{4}", value) or not value[:1].isdigit() else "on"
    a, an = ("an" if noun[:1].lower() in "aeiou" else "a" for noun in (value, relation))
    sentence = form.format(name=subject, relation=relation, value=value, on=when, a=a, an=an)
    # The last word, such as "Ltd.", may have its own full stop.
    return f"{sentence[:-2]}." if sentence.endswith("..") and not sentence.endswith("...") else sentence


def _form_of(relation: str) -> str:
    """Returns the sentence of a relation that is a verb, a word with a preposition, or a noun."""
    first, last = relation.partition(" ")[0], relation.rpartition(" ")[2]
    if f" {first} " in _VERBS and not (last == "by" and first in _PARTICIPLES):
        return "{name} {relation} {value}."
    if first != relation and last in _PREPOSITIONS:
        if first in _PARTICIPLES or first.endswith("ed"):
            return "{name} was {relation} {value}."
        if last == "of":
            return "{name} is {an} {relation} {value}."
    return "The {relation} of {name} is {value}."

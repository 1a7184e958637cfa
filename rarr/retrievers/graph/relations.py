"""Knows the commonest relations: their names in graphs, their sentences, and the words that ask for them.

The sentences are those of texts, such as "was born in", because the rules compare words. Any other relation
gets a sentence by the form of its name. The text about an entity has its relations in the order of the table,
so that facts that texts tell together stand together.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from rarr.retrievers.graph.triples import relation_words, value_forms

NAMES = frozenset({"name", "label", "pref label", "title of entity"})
"""Relations whose value is the name of the subject."""
ALIASES = frozenset({"alias", "aliases", "also known as", "alt label", "alternate name", "nickname"})
"""Relations whose value is another name of the subject."""


class Relation(NamedTuple):
    """A common relation by its names, the first in the words of sentences that miss it.

    `sentence` has {name} and {value}. `asked` is a pattern of the questions that ask for this relation.
    """

    names: tuple[str, ...]
    sentence: str
    asked: str


_TABLE = (
    Relation(("instance of", "type", "kind"), "{name} is {a} {value}.", r"\bwhat (kind|type|sort)\b"),
    Relation(("occupation", "profession", "job"), "{name} was {a} {value}.",
             r"\b(occupations?|professions?|jobs?)\b|for a living"),
    Relation(("country of citizenship", "nationality", "citizenship"), "{name} was a citizen of {value}.",
             r"\b(citizen\w*|nationalit\w+)\b"),
    Relation(("place of birth", "birth place", "birthplace", "born in"), "{name} was born in {value}.",
             r"\bwhere\b[^?,]*\bborn\b|birth ?place|place of birth"),
    Relation(("date of birth", "birth date", "birthdate", "born", "born on"), "{name} was born {on} {value}.",
             r"\b(when|(what|which) (year|day|date))\b[^?,]*\bborn\b|birth ?date|birthday|date of birth"),
    Relation(("place of death", "death place", "died in"), "{name} died in {value}.",
             r"\bwhere\b[^?,]*\b(die|died|death)\b|place of death"),
    Relation(("date of death", "death date", "died", "died on"), "{name} died {on} {value}.",
             r"\b(when|(what|which) (year|day|date))\b[^?,]*\b(die|died|death)\b|date of death"),
    Relation(("cause of death", "manner of death"), "The cause of death of {name} was {value}.",
             r"\b(how(?! old)|why)\b[^?,]*\b(die|died)\b|cause of death|manner of death|\bdie of\b"),
    Relation(("place of burial", "buried in", "buried at", "resting place"), "{name} was buried in {value}.",
             r"\bburied\b|\bburial\b|resting place|\bgrave\b"),
    Relation(("spouse", "husband", "wife", "married to", "partner", "unmarried partner", "cohabitant"),
             "{name} was married to {value}.", r"\b(marry|married|marriages?|spouse|wife|husband)\b"),
    Relation(("father",), "The father of {name} was {value}.", r"\bfather\b|\bparents\b"),
    Relation(("mother",), "The mother of {name} was {value}.", r"\bmother\b|\bparents\b"),
    Relation(("child", "children", "son", "daughter"), "A child of {name} was {value}.",
             r"\b(child|children|sons?|daughters?|offspring)\b"),
    Relation(("sibling", "brother", "sister"), "A sibling of {name} was {value}.",
             r"\b(siblings?|brothers?|sisters?)\b"),
    Relation(("relative",), "A relative of {name} was {value}.", r"\brelatives?\b"),
    Relation(("family", "noble family", "dynasty"), "{name} belonged to the family {value}.",
             r"\b(dynasty|noble family|royal house)\b"),
    Relation(("position held", "office held", "position", "office"), "{name} held the position {value}.",
             r"\b(positions?|offices?|political roles?)\b"),
    Relation(("employer", "works for", "worked for"), "{name} worked for {value}.",
             r"\b(employers?|employed)\b|\bwork(ed|s)? for\b"),
    Relation(("alma mater", "educated at", "university"), "{name} was educated at {value}.",
             r"\bwhere\b[^?,]*\b(study|studied|educated)\b|\b(universit\w+|college|alma mater|graduat\w+)\b"),
    Relation(("academic degree", "degree"), "{name} had the academic degree {value}.",
             r"\bdegrees?\b|\bdoctorate\b"),
    Relation(("award received", "award", "awards", "prize"), "{name} received {value}.",
             r"\b(awards?|prizes?|medals?|accolades?)\b"),
    Relation(("residence", "home town", "lives in", "lived in"), "{name} lived in {value}.",
             r"\bwhere\b[^?,]*\b(lived?|lives|reside[ds]?)\b|\bresidence\b"),
    Relation(("religion", "religion or worldview"), "The religion of {name} was {value}.",
             r"\breligio\w+\b"),
    Relation(("political party", "member of political party", "party"),
             "{name} was a member of the political party {value}.", r"\bpart(y|ies)\b"),
    Relation(("membership", "member of"), "{name} was a member of {value}.",
             r"\b(members? of|membership|belong(s|ed)? to)\b"),
    Relation(("military rank", "rank"), "{name} had the military rank {value}.", r"\branks?\b"),
    Relation(("military branch",), "{name} served in {value}.", r"\b(army|navy|air force|military branch)\b"),
    Relation(("conflict", "participated in", "participant in"), "{name} participated in {value}.",
             r"\bparticipat\w+|\b(wars?|battles?|conflicts?|fought)\b"),
    Relation(("notable work", "works", "notable works"), "A notable work of {name} is {value}.",
             r"\bnotable works?\b|\bwhat\b[^?,]*\b(write|written|paint|compose)\b|\b(novels?|books?)\b"),
    Relation(("genre",), "The genre of {name} was {value}.", r"\bgenres?\b|kind of music"),
    Relation(("instrument",), "{name} played the instrument {value}.", r"\binstruments?\b"),
    Relation(("record label",), "The record label of {name} was {value}.", r"\brecord label"),
    Relation(("team", "member of sports team"), "{name} played for {value}.",
             r"\b(teams?|clubs?)\b|\bplay(s|ed)? for\b"),
    Relation(("sport",), "The sport of {name} was {value}.", r"\b(which|what) sport"),
    Relation(("languages spoken", "native language", "language"), "{name} spoke {value}.", r"\blanguages?\b"),
    Relation(("medical condition",), "{name} had the medical condition {value}.",
             r"medical condition|\b(disease|illness|diagnos\w+)\b"),
    Relation(("field of work", "field", "academic discipline"), "The field of work of {name} was {value}.",
             r"\bfields?\b|\bdisciplines?\b"),
    Relation(("doctoral advisor", "student of", "teacher"), "A teacher of {name} was {value}.",
             r"\b(advis[eo]rs?|supervisors?|teachers?|mentors?|taught by|student of)\b"),
    Relation(("doctoral student", "student"), "A student of {name} was {value}.", r"\b(students|pupils)\b"),
    Relation(("author", "writer", "written by"), "{name} was written by {value}.",
             r"\bwho wrote\b|\b(author|writer) of\b"),
    Relation(("creator", "artist", "painter", "painted by"), "{name} was created by {value}.",
             r"\bwho (painted|created|made)\b|\b(artist|creator|painter) of\b"),
    Relation(("composer", "composed by"), "{name} was composed by {value}.",
             r"\bwho composed\b|\bcomposer of\b"),
    Relation(("designer", "architect", "designed by"), "{name} was designed by {value}.",
             r"\bwho designed\b|\b(designer|architect)s?\b"),
    Relation(("founder", "founded by"), "{name} was founded by {value}.",
             r"\bwho (founded|established|started)\b|\bfounders?\b|\b(founded|established|started) by\b"),
    Relation(("inception", "founded", "date founded", "established", "founded in"),
             "{name} was founded {in} {value}.",
             r"\b(when|(what|which) year)\b[^?,]*\b(founded|established)\b|\binception\b"),
    Relation(("opened", "opening date", "opened in", "date of official opening"),
             "{name} opened {in} {value}.", r"\b(when|(what|which) year)\b[^?,]*\bopen(ed)?\b"),
    Relation(("completed", "completion date", "completed in"), "{name} was completed {in} {value}.",
             r"\b(when|(what|which) year)\b[^?,]*\b(completed|finished|built)\b"),
    Relation(("publication date", "published", "published in", "publication year"),
             "{name} was published {in} {value}.", r"\b(when|(what|which) year)\b[^?,]*\bpublished\b"),
    Relation(("height",), "{name} is {value} high.", r"\bhow (high|tall)\b|\bheight\b"),
    Relation(("elevation", "elevation above sea level"), "The elevation of {name} is {value}.",
             r"\belevation\b"),
    Relation(("length",), "{name} is {value} long.", r"\bhow long (is|was)\b|\blength\b"),
    Relation(("width",), "{name} is {value} wide.", r"\bhow wide\b|\bwidth\b"),
    Relation(("depth", "maximum depth"), "{name} is {value} deep.", r"\bhow deep\b|\bdepth\b"),
    Relation(("area",), "The area of {name} is {value}.", r"\bhow (large|big) (is|was)\b|\barea\b"),
    Relation(("population",), "The population of {name} is {value}.",
             r"\bhow many (people|inhabitants)\b|\b(population|inhabitants)\b"),
    Relation(("price",), "The price of {name} is {value}.", r"\bhow much (is|does|was|did)\b|\bprices?\b"),
    Relation(("age",), "The age of {name} is {value}.", r"\bhow old\b|\bage of\b"),
    Relation(("location", "located in", "country", "address"), "{name} is located in {value}.",
             r"\bwhere (is|are|was)\b(?![^?,]*\b(born|died|buried|educated)\b)|\b(location|located)\b"),
    Relation(("capital",), "The capital of {name} is {value}.", r"\bcapital\b"),
    Relation(("crosses", "spans"), "{name} crosses {value}.", r"\bwhat\b[^?,]*\b(cross|span)\b"),
)  # fmt: skip

_VERB_FORMS = (
    "is was are were has had have having does did can won wrote led made built holds owns runs uses contains"
    " produces supplies manages includes requires replaces supports sells buys employs serves plays"
    " participated competed"
    " worked lived studied served died graduated moved belonged played resided acted flows belongs"
    " reports leads applies connects opened closed"
)
_PARTICIPLE_FORMS = "born built made written led held found known sold won taught bought run"
_VERBS, _PARTICIPLES = frozenset(_VERB_FORMS.split()), frozenset(_PARTICIPLE_FORMS.split())
_PREPOSITIONS = frozenset({"in", "at", "by", "of", "on", "from", "to", "with", "for", "under", "near"})


@cache
def common_relation(relation: str) -> Relation | None:
    """Returns the entry of the table for a relation by any of its names; None for an uncommon relation."""
    return _by_name().get(relation_words(relation))


def common_relations() -> tuple[Relation, ...]:
    """Returns all entries of the table."""
    return _TABLE


def rank_of(relation: str) -> int:
    """Returns the place of a relation in the text about an entity: that of the table; others come last."""
    known = common_relation(relation)
    return len(_TABLE) if known is None else _TABLE.index(known)


def sentence_of(subject: str, relation: str, values: Sequence[str]) -> str:
    """Writes a relation of a subject, with all its values, as an English sentence."""
    *most, last = (value_forms(value)[0] for value in values)
    value = f"{', '.join(most)} and {last}" if most else last
    known = common_relation(relation)
    if known is not None:
        words = {"name": subject, "value": value, "a": _article(value), "on": _on(value), "in": _on(value)}
        return ended(known.sentence.format_map(words))
    return ended(_by_form(subject, relation_words(relation), value))


def ended(sentence: str) -> str:
    """Ends a sentence with one full stop, where its last word, such as "Ltd.", has one already."""
    return f"{sentence[:-2]}." if sentence.endswith("..") and not sentence.endswith("...") else sentence


def _by_form(name: str, relation: str, value: str) -> str:
    """Writes a sentence by the form of the relation: a verb, a word with a preposition, or a noun."""
    first, _, rest = relation.partition(" ")
    last = relation.rpartition(" ")[2]
    if first in _VERBS and not (last == "by" and first in _PARTICIPLES):
        return f"{name} {relation} {value}."
    if rest and last in _PREPOSITIONS:
        if first in _PARTICIPLES or first.endswith("ed"):
            return f"{name} was {relation} {value}."
        if last == "of":
            return f"{name} is {_article(relation)} {relation} {value}."
    return f"The {relation} of {name} is {value}."


def _on(value: str) -> str:
    return "in" if re.fullmatch(r"\d{3,4}|[A-Z][a-z]+ \d{4}", value) or not value[:1].isdigit() else "on"


def _article(noun: str) -> str:
    return "an" if noun[:1].lower() in "aeiou" else "a"


@cache
def _by_name() -> dict[str, Relation]:
    return {name: relation for relation in _TABLE for name in relation.names}

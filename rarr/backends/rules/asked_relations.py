"""Finds out which relations of a graph a question asks for, by the words of the question."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import NamedTuple

from rarr.retrievers.corpus.index_words import STOP_WORDS, stems
from rarr.retrievers.graph.relations import Relation, common_relation, common_relations
from rarr.retrievers.graph.triples import relation_words
from rarr.tools.text.blocks_and_sentences import Span

_GENERAL = re.compile(
    r"\b[Ww]h(?:o|at) (?:is|was|are|were) (?:the )?(?=[A-Z])|\b(?i:tell me about|biograph\w+|overview|summary"
    r"|describe|description|introduce|background|life|facts about|information)\b"
)
_CLAUSE_END = re.compile(
    r"[,;?]|\b(?:and|or|but)\b(?=\s+(?:when|where|who|whom|whose|what|how|which|why|did|does|do|is|was|in)\b)",
    re.IGNORECASE,
)
_DULL = frozenset(
    {
        "sex or gender", "given name", "surname", "family name", "instance of", "topic's main category",
        "described by source", "depicted by", "commons category", "image", "signature", "honorific suffix",
        "different from", "on focus list of wikimedia project", "subclass of", "page banner", "iri",
    }
)  # fmt: skip
_CORE = (
    "instance of", "occupation", "position held", "country of citizenship", "place of birth", "date of birth",
    "place of death", "date of death", "location", "inception",
)  # fmt: skip
_INVERSES = {
    "father": ("child",), "mother": ("child",), "child": ("father", "mother"), "spouse": ("spouse",),
    "sibling": ("sibling",), "relative": ("relative",), "doctoral advisor": ("doctoral student",),
    "doctoral student": ("doctoral advisor",), "notable work": ("author", "creator", "composer"),
}  # fmt: skip
_THEMES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("family", r"\b(famil(y|ial|ies)|lineage|parentage|relatives|related to|ancest\w+|descen\w+)\b",
     ("father", "mother", "child", "sibling", "spouse", "relative", "family")),
    ("education", r"\beducation\w*\b|\b(educated|studied|studies|schooling|academic|early life|training)\b",
     ("alma mater", "academic degree", "doctoral advisor")),
    ("career", r"\b(careers?|professional\w*|accomplishments?|achievements?|contributions?|roles?|work)\b",
     ("occupation", "position held", "employer", "notable work", "award received", "field of work",
      "membership", "military rank", "team", "genre", "record label")),
    ("political life", r"\bpolitic\w*\b", ("political party", "position held", "membership")),
    ("military service", r"\b(military|armed forces|soldiers?|general in)\b",
     ("military rank", "military branch", "conflict")),
    ("early life", r"\b(early life|childhood|upbringing|origins?|background|roots)\b",
     ("place of birth", "date of birth", "father", "mother", "country of citizenship", "family")),
    ("personal life", r"\b(personal|private) li(fe|ves)\b",
     ("spouse", "child", "residence", "religion", "sibling")),
    ("death", r"\b(death|died|die)\b",
     ("date of death", "place of death", "cause of death", "place of burial")),
    ("birth", r"\bborn\b|\bbirth\b", ("date of birth", "place of birth")),
    ("music", r"\b(music\w*|songs?|albums?|singers?|bands?)\b",
     ("genre", "instrument", "record label", "membership")),
    ("sport", r"\b(sports?|football\w*|athlet\w*|basketball|baseball|tennis|cricket\w*)\b",
     ("sport", "team")),
    ("writing and art", r"\b(literary|literature|writings?|art|artistic|artworks?|films?|works)\b",
     ("notable work", "genre", "award received", "creator", "author")),
    ("research", r"\b(research\w*|scien\w+|theor\w+|discover\w+)\b",
     ("field of work", "notable work", "doctoral advisor", "employer", "award received")),
    ("size", r"\b(size|dimensions|how big|how large)\b", ("height", "length", "width", "area", "depth")),
    ("awards", r"\b(honou?rs?|recognition|won)\b", ("award received",)),
    ("events", r"\b(events?|involve\w*)\b", ("conflict",)),
)  # fmt: skip


_IMPLIED = (
    (r"\bwhen\b|\b(?:what|which) (?:year|day)\b", "date year day time"),
    (r"\bwhere\b", "place location"),
    (r"\bhow many\b", "number count"),
    (r"\bhow much\b", "amount"),
)
"""The nouns of relations that a question says by its interrogative."""


class AskedRelation(NamedTuple):
    """What a question asks for, in words, and the first names of the common relations that answer it.

    A theme, such as the family, has several relations: any of them answers it. `own` are the names of
    relations of the graph that the question names itself.
    """

    words: str
    relations: tuple[str, ...]
    own: tuple[str, ...] = ()


def asked_relations(question: str, available: Iterable[str] = ()) -> list[AskedRelation]:
    """Finds what a question asks for: common relations, themes, and the `available` relations that it names.

    A theme counts where no relation of it is asked for by itself.
    """
    parts = clauses(question)
    asked = [
        AskedRelation(relation.names[0], (relation.names[0],))
        for relation, pattern in _patterns()
        if any(map(pattern.search, parts))
    ]
    single = {name for each in asked for name in each.relations}
    own = {relation: told for relation in sorted(available) if (told := named_stems(relation, question))}
    for words, pattern, relations in _themes():
        match = pattern.search(question)
        # "ancestral home" is a relation of its own, and does not ask for the family
        within = match is not None and any(told.issuperset(stems(match[0])) for told in own.values())
        if match and not within and not single.intersection(relations):
            asked.append(AskedRelation(words, relations))
    for relation in own:
        known = common_relation(relation)
        # "founded" is a date: in "who founded it", the founder is asked.
        of_verb = known is not None and asked and relation_words(relation).endswith("ed")
        if not any(answers(relation, each) for each in asked) and not of_verb:
            words = known.names[0] if known else relation_words(relation)
            asked.append(AskedRelation(words, (), (relation,)))
    # "Where is the headquarters" asks for no other location.
    named = any(each.own for each in asked)
    return [each for each in asked if not (named and each.words == "location")]


def named_stems(
    relation: str, question: str, written: Callable[[str], Sequence[str]] = stems
) -> frozenset[str]:
    """Returns the stems of the words of a relation if the question has all of them; otherwise none.

    "When was it released" names the release date as well, and "how many employees" the number of employees.
    `written` gives the stems of a text.
    """
    words = relation_words(relation).split()
    told = frozenset(stem for word in words if word not in STOP_WORDS for stem in written(word))
    asked = frozenset(written(question))
    implied = {
        stem
        for pattern, nouns in _IMPLIED
        if re.search(pattern, question, re.IGNORECASE)
        for stem in written(nouns)
    }
    return told if told <= asked | implied and told & asked else frozenset()


def clauses(question: str) -> list[str]:
    """Divides a question such as "Where was she born, and when did she die?" at what it asks next."""
    return [span.of(question) for span in clause_spans(question)]


def clause_spans(question: str) -> list[Span]:
    """Returns the places of the parts of a question, without the words that join them."""
    ends = [(match.start(), match.end()) for match in _CLAUSE_END.finditer(question)]
    starts = [0, *(end for _, end in ends)]
    stops = [*(start for start, _ in ends), len(question)]
    spans = list[Span]()
    for start, stop in zip(starts, stops, strict=True):
        part = question[start:stop]
        if part.strip():
            spans.append(Span(start + len(part) - len(part.lstrip()), start + len(part.rstrip())))
    return spans


def answers(relation: str, asked: AskedRelation) -> bool:
    """Does a triple with this relation answer what is asked?"""
    known = common_relation(relation)
    return relation in asked.own or (known is not None and known.names[0] in asked.relations)


def answers_from_value(relation: str, asked: AskedRelation, *, inverse: bool = False) -> bool:
    """Does a triple answer whose value is the entity: who was born in Aarle, or a child by its father?

    With `inverse`, only where the other direction has a name of its own, as the father and the child have.
    """
    known = common_relation(relation)
    by_inverse = {name for each in asked.relations for name in _INVERSES.get(each, ())}
    if known is not None and known.names[0] in by_inverse:
        return True
    if inverse:
        return False
    others = [each for each in asked.relations if each not in _INVERSES]
    return relation in asked.own or (known is not None and known.names[0] in others)


def is_general(question: str) -> bool:
    """Does the question ask who or what somebody or something is, or for an overview?"""
    return _GENERAL.search(question) is not None


def is_telling(relation: str) -> bool:
    """Is the relation worth a sentence in an overview? Not one such as a given name, or the type."""
    return relation_words(relation) not in _DULL


def is_core(relation: str) -> bool:
    """Does the relation say who or what its subject is?"""
    known = common_relation(relation)
    return known is not None and known.names[0] in _CORE


@cache
def _patterns() -> Sequence[tuple[Relation, re.Pattern[str]]]:
    return [(relation, re.compile(relation.asked, re.IGNORECASE)) for relation in common_relations()]


@cache
def _themes() -> Sequence[tuple[str, re.Pattern[str], tuple[str, ...]]]:
    return [(words, re.compile(pattern, re.IGNORECASE), relations) for words, pattern, relations in _THEMES]

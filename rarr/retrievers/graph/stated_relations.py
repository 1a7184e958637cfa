"""Decides by its words whether a statement may state a relation of a graph, and not another one.

The value of a triple may stand in a statement that says something else: who was born in a town also died
somewhere. So a statement that has the words of some common relation states that relation alone.
"""

import re
from collections.abc import Set as AbstractSet
from functools import cache

from rarr.retrievers.corpus.index_words import STOP_WORDS, stems
from rarr.retrievers.graph.relations import common_relation
from rarr.retrievers.graph.triples import relation_words

_PARENT = r"\bparents?\b|\b(?:son|daughter|child|children) of\b"
_WORDS = {
    "place of birth": r"\bborn\b|\bbirth",
    "date of birth": r"\bborn\b|\bbirth",
    "place of death": r"\b(?:died|dies|death|killed)\b",
    "date of death": r"\b(?:died|dies|death|killed)\b",
    "cause of death": r"\b(?:died|dies|death|killed)\b",
    "place of burial": r"\bburi(?:ed|al)\b|\bgrave\b",
    "spouse": r"\b(?:married|marriage|marries|husband|wife|spouse|widow\w*)\b",
    "father": rf"\bfather\b|{_PARENT}",
    "mother": rf"\bmother\b|{_PARENT}",
    "child": r"\b(?:child|children|sons?|daughters?)\b|\b(?:father|mother|parents?) of\b",
    "sibling": r"\b(?:brothers?|sisters?|siblings?)\b",
    "country of citizenship": r"\bcitizen|\bnationalit",
    "alma mater": r"\b(?:educated|studied|graduated|attended|alma mater|school|college)\b|\buniversit",
    "languages spoken": r"\b(?:spoke|speaks?|languages?)\b",
    "height": r"\b(?:high|tall|height)\b",
    "length": r"\b(?:long|length)\b",
    "width": r"\b(?:wide|width)\b",
    "depth": r"\b(?:deep|depth)\b",
    "population": r"\b(?:population|inhabitants|people)\b",
    "opened": r"\bopen(?:ed|ing|s)?\b",
    "completed": r"\b(?:complet\w+|finished|built)\b",
    "inception": r"\b(?:founded|established|inception)\b",
    "founder": r"\b(?:founded|established|founders?)\b",
    "publication date": r"\bpublish|\bpublication\b",
    "author": r"\b(?:wrote|written|author|writer)\b",
    "notable work": r"\b(?:works?|wrote|written|author|painted|composed|directed|created)\b",
    "composer": r"\bcompos",
    "designer": r"\bdesign|\barchitect",
}


_MADE = r"|\bdat(?:es?|ed|ing)\s+(?:back|from)\b"
_TIMES = {
    "date of birth": r"\bborn\b|\bbirth|\blived\b",
    "date of death": r"\b(?:died|dies|death|killed|lived)\b",
    "opened": r"\bopen(?:ed|ing|s)?\b|\binaugurat",
    "completed": r"\b(?:complet\w+|finished|built|construct\w+|erected)\b" + _MADE,
    "inception": r"\b(?:founded|established|inception|formed|created|incorporated|launched|start\w*|set up)\b"
    + _MADE,
    "publication date": r"\bpublish|\bpublication\b|\b(?:released|issued|appeared)\b",
}
"""The words that tell the time of an event. Without any of them, the time may be that of another event."""
_LIFE = re.compile(r"\([^)]*\d{3}[^)]*\)")  # as in "Marie Curie (1867-1934) was"

_INVERSES = {"father": ("child",), "mother": ("child",), "child": ("father", "mother")}


def may_state(statement: str, relation: str, value: str) -> bool:
    """May the statement, which has the value, state the relation?

    True if it has words of the relation, or no words of any common relation. A value in small letters, such
    as an occupation, may stand beside anything. The time of a birth, a death or another common event needs
    its words, or brackets: who was born in 1867 won no prize in that year.
    """
    known = common_relation(relation)
    name = known.names[0] if known else ""
    if name in _TIMES and not _LIFE.search(statement):
        return re.search(_TIMES[name], statement, re.IGNORECASE) is not None
    if name in _patterns():
        return bool(_patterns()[name].search(statement)) or not _states_any(statement)
    if value[:1].islower() or not _states_any(statement):
        return True
    words = f"{relation_words(relation)} {known.sentence.format_map(_NOTHING) if known else ''}"
    own = {stem for word in words.split() if word not in STOP_WORDS for stem in stems(word)}
    return bool(own & set(stems(statement)))


_NOTHING = dict.fromkeys(("name", "value", "a", "on", "in"), "")


def _states_any(statement: str) -> bool:
    return any(pattern.search(statement) for pattern in _patterns().values())


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    return {name: re.compile(words, re.IGNORECASE) for name, words in _WORDS.items()}


def stated_relations(text: str) -> frozenset[str]:
    """Returns the first names of the common relations whose words the text has."""
    return frozenset(name for name, pattern in _patterns().items() if pattern.search(text))


def with_inverses(stated: AbstractSet[str]) -> frozenset[str]:
    """Adds the relations that say the same of the other entity: the child of a father for the father."""
    return frozenset(stated).union(*(_INVERSES.get(name, ()) for name in stated))


def is_stated(relation: str, stated: AbstractSet[str]) -> bool:
    """Is the relation one of those that a text states? True if it states none."""
    known = common_relation(relation)
    return not stated or (known is not None and known.names[0] in stated)

"""Links a surname alone to the person of a graph whom the text named in full."""

import re
from collections.abc import Iterator, Sequence

from rarr.retrievers.corpus.index_words import STOP_WORDS
from rarr.retrievers.graph.mentions import Mention
from rarr.retrievers.graph.relations import common_relation
from rarr.retrievers.graph.store import TripleStore
from rarr.retrievers.graph.triples import name_key, words_of
from rarr.tools.text.span import Span

PERSONAL = frozenset(
    {
        "occupation", "country of citizenship", "place of birth", "date of birth", "place of death",
        "date of death", "father", "mother", "spouse", "child", "sibling",
    }
)  # fmt: skip
"""Relations that only persons have, by their first names in the table of relations."""
_TITLES = ("mr", "mrs", "ms", "miss", "dr", "prof", "professor", "sir", "dame", "lady", "lord")
_NO_NAMES = STOP_WORDS.union(_TITLES)  # in front of a surname, they are no part of a longer name
_NAMED_BEFORE = re.compile(r"(\w[\w'’-]*|\b\w\.)[ \t]+$")
_NAMED_AFTER = re.compile(r"[ \t]+(\w)")


def surnames(
    store: TripleStore,
    text: str,
    mentions: Sequence[Mention],
    around: str,
    around_mentions: Sequence[Mention],
) -> list[Mention]:
    """Returns the words of `text` that are the surname of exactly one person whom the text named before.

    `around` is searched for the full name as well. A surname that also stands in the name of somebody else,
    as in "Per Lunde", means nobody: the text does not tell who is meant.
    """
    named = dict[str, set[int]]()
    for mention in around_mentions:
        _add(store, mention, named)
    begins = {mention.start: mention for mention in mentions}
    taken = [Span(each.start, each.end) for each in mentions if _has_facts(store, each)]
    found = list[Mention]()
    for word, start, end in words_of(text):
        if start in begins:
            _add(store, begins[start], named)
        persons = tuple(named.get(word, ())) if text[start].isupper() else ()
        alone = len(persons) == 1 and not any(span.start <= start < span.end for span in taken)
        if alone and not _others(text, word, mentions) and not _others(around, word, around_mentions):
            found.append(Mention(text[start:end], start, end, persons))
    return found


def is_person(store: TripleStore, entity: int) -> bool:
    """Has the graph a fact about the entity that only persons have?"""
    relations = (common_relation(triple.relation) for triple in store.around(entity))
    return any(known is not None and known.names[0] in PERSONAL for known in relations)


def _add(store: TripleStore, mention: Mention, named: dict[str, set[int]]) -> None:
    words = name_key(mention.name).split()
    if len(words) > 1 and len(mention.entities) == 1 and is_person(store, mention.entities[0]):
        named.setdefault(words[-1], set()).update(mention.entities)


def _has_facts(store: TripleStore, mention: Mention) -> bool:
    return any(store.around(entity) for entity in mention.entities)


def _others(text: str, surname: str, mentions: Sequence[Mention]) -> bool:
    """Does the surname stand in another name: that of nobody in the graph, of a prize or of an institute?"""
    return any(
        not any(each.start < start < each.end for each in mentions)
        for start in _in_longer_names(text, surname)
    )


def _in_longer_names(text: str, surname: str) -> Iterator[int]:
    for word, start, end in words_of(text):
        if word != surname:
            continue
        before, after = _NAMED_BEFORE.search(text, max(0, start - 40), start), _NAMED_AFTER.match(text, end)
        is_named = before is not None and before[1][0].isupper() and before[1].lower() not in _NO_NAMES
        if is_named or (after is not None and after[1].isupper()):
            yield start

"""Finds the facts that an overview of an entity should tell, and that the graph does not have."""

from collections import Counter
from collections.abc import Iterator

from rarr.backends.rules.asked_relations import is_telling
from rarr.retrievers.graph.relations import common_relation
from rarr.retrievers.graph.store import TripleStore
from rarr.retrievers.graph.surnames import PERSONAL
from rarr.retrievers.graph.triples import relation_words

_SAMPLE = 500  # entities of a graph among which others of the same kind are looked for
_PEERS = 3  # fewer others of the kind do not tell which facts the graph has about the kind
_MOST = 6  # facts of one entity
_PERSON = "person"
_MAIN = ("occupation", "country of citizenship", "place of birth", "date of birth")
_DEATH = ("place of death", "date of death")


def missing_facts(store: TripleStore, entity: int) -> list[str]:
    """Returns the relations, in words, which most entities of the same kind have in the graph, and not this.

    The kind is a person, or the value of `instance of`. In a graph with fewer than three others of the kind,
    a person should have an occupation, a citizenship, and place and date of the birth, and of a death of
    which the graph knows one of the two.
    """
    own = _facts(store, entity)
    kind = _kind(own)
    others = [facts for facts in _sample(store, entity) if _kind(facts) == kind] if kind else []
    if len(others) >= _PEERS:
        counts = Counter(fact for facts in others for fact in facts)
        expected = [fact for fact, count in counts.most_common() if 2 * count > len(others)]
    else:
        died = any(fact in own for fact in _DEATH)
        expected = [*_MAIN, *(_DEATH if died else ())] if kind == _PERSON else []
    return [fact for fact in expected if fact not in own][:_MOST]


def _sample(store: TripleStore, entity: int) -> Iterator[dict[str, str]]:
    """Yields the facts of other entities, evenly spread over the graph."""
    entities = store.entities()
    for other in entities[:: len(entities) // _SAMPLE or 1]:
        if other != entity:
            yield _facts(store, other)


def _facts(store: TripleStore, entity: int) -> dict[str, str]:
    """Returns a value for each telling relation of the entity, by the first name of the relation."""
    facts = dict[str, str]()
    for triple in store.around(entity):
        known = common_relation(triple.relation)
        if is_telling(triple.relation) or known is not None:
            facts[known.names[0] if known else relation_words(triple.relation)] = triple.object
    return facts


def _kind(facts: dict[str, str]) -> str | None:
    """Returns `person`, or what the graph says that the entity is; None if it does not say."""
    return _PERSON if PERSONAL.intersection(facts) else facts.get("instance of")

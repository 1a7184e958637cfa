"""The triples in memory: by subject, by object, by name, each once."""

from rarr.retrievers.graph.store import TripleStore
from rarr.retrievers.graph.triples import Triple

IDA = Triple("p1", "Ida Lunde", "place of birth", "c1", "Aarle")
OLE = Triple("p2", "Ole Lunde", "place of birth", "c1", "Aarle")
AARLE = Triple("c1", "Aarle", "mayor", "p1", "Ida Lunde")


def store_of(*triples: Triple) -> TripleStore:
    return TripleStore(triples)


def test_triples_are_found_by_subject_and_by_object() -> None:
    store = store_of(IDA, OLE, AARLE)
    ida, aarle = store.number("p1"), store.number("c1")
    assert ida is not None
    assert aarle is not None
    assert store.around(ida) == [IDA]
    assert store.pointing_at(aarle) == [IDA, OLE]


def test_value_of_very_many_triples_names_no_entity() -> None:
    many = [Triple(f"p{n}", f"Person {n}", "instance of", "human", "Human") for n in range(1001)]
    store = store_of(*many)
    human = store.number("human")
    assert human is not None
    assert store.pointing_at(human) == []


def test_value_with_the_name_of_one_subject_is_this_subject() -> None:
    child = Triple("p3", "Per Lunde", "mother", "Ida Lunde", "Ida Lunde")
    store = store_of(IDA, child)
    ida = store.number("p1")
    assert ida is not None
    assert store.named("ida lunde") == (ida,)
    assert store.pointing_at(ida) == [child]
    two = store_of(IDA, child, Triple("p9", "Ida Lunde", "place of birth", "c2", "Tolk"))
    assert len(two.named("ida lunde")) == 2
    assert two.pointing_at(ida) == []

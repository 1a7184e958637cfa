"""Chooses the triples that an answer may cite: of very many, first those that the question asks for."""

from collections.abc import Sequence, Set
from typing import NamedTuple, TypeVar

from rarr.backends.rules.asked_relations import answers, answers_from_value, asked_relations, is_telling
from rarr.retrievers.graph.graph import EntityGraph, TriplePassage
from rarr.retrievers.graph.triples import Triple, name_key, value_forms
from rarr.tools.models.run_budget import meter
from rarr.tools.text.printable_text import shown

Item = TypeVar("Item")

_TRIPLES = 60  # triples of one entity
_POINTING = 20  # triples of other entities that have it as their value
_NEXT = 200  # triples of the values of these entities, for a question over two steps


class SelectedTriples(NamedTuple):
    """The chosen triples, each once, and the ids of entities that have more triples."""

    triples: Sequence[TriplePassage]
    cut: tuple[str, ...] = ()


def triples_about(graph: EntityGraph, entities: Sequence[int], text: str) -> SelectedTriples:
    """Chooses triples of the entities that `text` names, and of those that point at them.

    Warns in the run where an entity has more than are chosen.
    """
    found, cut = list[TriplePassage](), list[str]()
    for entity in entities:
        own = graph.triples(entity)
        asked = _asked([each.triple for each in own], text)
        telling = [each for each in own if is_telling(each.triple.relation) or each.triple in asked] or own
        kept = _first(telling, [each.triple in asked for each in telling], _TRIPLES)
        if len(kept) < len(telling) or len(own) < len(graph.store.around(entity)):
            cut.append(graph.store.id(entity))
            _warn(f"{shown(graph.store.name(entity))!r} has more than {len(kept)} triples", len(kept))
        found += kept
    for entity in entities:
        found += _pointing(graph, entity, text)
    return SelectedTriples(list({each.triple: each for each in found}.values()), tuple(cut))


def triples_of_values(graph: EntityGraph, triples: Sequence[TriplePassage], text: str) -> SelectedTriples:
    """Chooses triples of the values of these triples, of those that are not among them."""
    numbers = dict.fromkeys(graph.store.number(each.triple.object_id) for each in triples)
    known = {each.triple for each in triples}
    found = [each for number in numbers if number is not None for each in graph.triples(number)]
    found = [each for each in found if each.triple not in known]
    asked = _asked([each.triple for each in found], text)
    kept = _first(found, [each.triple in asked for each in found], _NEXT)
    if len(kept) == len(found):
        return SelectedTriples(kept)
    left = {each.triple for each in found} - {each.triple for each in kept}
    _warn(f"the values of the entities have {len(found)} triples", len(kept))
    return SelectedTriples(kept, tuple({triple.subject_id: None for triple in sorted(left)}))


def _pointing(graph: EntityGraph, entity: int, text: str) -> list[TriplePassage]:
    """Returns triples whose value the entity is. Warns where some that the text asks for are left out."""
    triples = graph.store.pointing_at(entity)
    relations = asked_relations(text, {triple.relation for triple in triples})
    asked = [
        triple
        for triple in triples
        if any(
            answers(triple.relation, each) or answers_from_value(triple.relation, each) for each in relations
        )
    ]
    if len(asked) > _POINTING:
        name = shown(graph.store.name(entity))
        _warn(f"{len(asked)} triples that the question asks for have the value {name!r}", _POINTING)
    wanted = set(asked)
    kept = _first(triples, [triple in wanted for triple in triples], _POINTING)
    return [*graph.passages(kept, besides=entity)]


def _asked(triples: Sequence[Triple], text: str) -> Set[Triple]:
    """Returns the triples whose relation `text` asks for, or whose value stands in it."""
    relations = asked_relations(text, {triple.relation for triple in triples})
    keyed = f" {name_key(text)} "
    return {
        triple
        for triple in triples
        if any(answers(triple.relation, each) for each in relations)
        or any(f" {name_key(form)} " in keyed for form in value_forms(triple.object) if name_key(form))
    }


def _first(items: Sequence[Item], is_asked: Sequence[bool], most: int) -> list[Item]:
    """Returns at most `most` of the items, in their order: those that are asked for, then others."""
    ranked = sorted(range(len(items)), key=lambda n: not is_asked[n])[:most]
    return [items[n] for n in sorted(ranked)]


def _warn(what: str, kept: int) -> None:
    meter().warn("graph_cut", f"{what}: only {kept} are used, first those that the question asks for")

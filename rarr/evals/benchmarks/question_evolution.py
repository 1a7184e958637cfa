"""Makes questions over a graph whose minimum knowledge is known, as KaLMA evolves them (Li et al. 2023, 3.2).

A question begins with two entities that a triple joins, or with one entity. Each round adds a triple of them
to a paragraph, by a template. The paper scores a triple by the rarity of its relation and by the perplexity
of its sentence; here, without a language model, by its rarity alone.
"""

import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from rarr.errors import InputError
from rarr.retrievers.graph.store import TripleStore
from rarr.retrievers.graph.triples import Triple, relation_words

ROUNDS = 5
"""The triples of a question, as in the paper."""
_FEWEST = 3  # triples of a question
_LONGEST_VALUE = 80  # characters; longer values are texts
_DULL = frozenset(
    ("sex or gender", "given name", "surname", "family name", "instance of", "described by source")
)
"""Relations that no question asks for, as in the authors' code."""


class EvolvedQuestion(NamedTuple):
    """A question whose answer says exactly the triples of `minimum`.

    `general` asks for the entities, `specific` for each relation by its name. `entities` are their ids.
    """

    id: str
    general: str
    specific: str
    entities: tuple[str, ...]
    minimum: tuple[Triple, ...]


def evolved_questions(store: TripleStore, count: int, seed: int = 1) -> list[EvolvedQuestion]:
    """Makes at most `count` questions, each over other entities, the same ones for the same seed.

    Raises `InputError` if no entity of the graph has three relations that are worth asking for.
    """
    draw = random.Random(seed)
    frequency = Counter(triple.relation for entity in store.entities() for triple in store.around(entity))
    questions, used = list[EvolvedQuestion](), set[int]()
    for entities in _seeds(store, draw):
        if len(questions) == count:
            break
        if used.intersection(entities):
            continue
        triples = _evolved(store, entities, frequency, draw)
        if len(triples) >= _FEWEST:
            used.update(entities)
            questions.append(_question(f"q{len(questions) + 1}", triples))
    if not questions:
        raise InputError(
            "no entity of the graph has three relations to ask for: give a graph with more triples"
        )
    return questions


def _seeds(store: TripleStore, draw: random.Random) -> Iterator[tuple[int, ...]]:
    """Yields pairs of entities that a triple joins, and after them single entities, in random order."""
    subjects = list(store.entities())
    draw.shuffle(subjects)
    known = set(subjects)
    for subject in subjects:
        for triple in store.around(subject):
            other = store.number(triple.object_id)
            if (
                other is not None
                and other != subject
                and other in known
                and relation_words(triple.relation) not in _DULL
            ):
                yield subject, other
                break
    yield from ((subject,) for subject in subjects)


def _evolved(
    store: TripleStore, entities: Sequence[int], frequency: Mapping[str, int], draw: random.Random
) -> list[Triple]:
    """Adds a triple in each round: first one that joins the entities, then the rarest, one for a relation."""
    pool = [
        triple
        for entity in entities
        for triple in _single_valued(store.around(entity))
        if _is_telling(triple) and len(triple.object) <= _LONGEST_VALUE
    ]
    total = sum(frequency.values())
    weights = {triple: math.log(2 * total / frequency[triple.relation]) for triple in pool}
    ids = {store.id(entity) for entity in entities}
    joining = [triple for triple in pool if triple.object_id in ids]
    chosen = joining[:1]
    while len(chosen) < ROUNDS:
        asked = {(each.subject_id, each.relation) for each in chosen}
        left = [triple for triple in pool if (triple.subject_id, triple.relation) not in asked]
        if not left:
            break
        chosen += draw.choices(left, [weights[triple] for triple in left])
    return chosen


def _is_telling(triple: Triple) -> bool:
    return relation_words(triple.relation) not in _DULL


def _single_valued(triples: Sequence[Triple]) -> list[Triple]:
    """Leaves out relations with several values: a question for one of them asks for all."""
    counts = Counter(triple.relation for triple in triples)
    return [triple for triple in triples if counts[triple.relation] == 1]


def _question(id_: str, triples: Sequence[Triple]) -> EvolvedQuestion:
    by_subject: dict[str, list[Triple]] = {}
    for triple in triples:
        by_subject.setdefault(triple.subject_id, []).append(triple)
    ordered = [triple for group in by_subject.values() for triple in group]
    names = [group[0].subject for group in by_subject.values()]
    asked = [
        f"what is the {_listed([relation_words(triple.relation) for triple in group])} of {group[0].subject}"
        for group in by_subject.values()
    ]
    specific = ", and ".join(asked)
    return EvolvedQuestion(
        id=id_,
        general=f"Who or what {'is' if len(names) == 1 else 'are'} {_listed(names)}?",
        specific=f"{specific[0].upper()}{specific[1:]}?",
        entities=tuple(by_subject),
        minimum=tuple(ordered),
    )


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))

"""Makes sets from a list of entities: queries that exactly one of the entities of a name can answer.

The steps and constants are those of the AmbER sets (Chen et al. 2021). A set without a clear head is left
out; a property that two of its entities have makes no query; a value must stand in the opening of a document.
"""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from random import Random
from typing import NamedTuple

from rarr.evals.namesakes.query_wording import Templates, shipped_templates, template_of, worded
from rarr.evals.namesakes.records import TASKS, Entity, Member, NameQuery, NameSet, PropertyValue, Task

LEAST_GAP = 0.1
"""The least gap (p1 - p2) / mean(p1, p2) between the head and the next entity."""
OPENING = 350
"""Words of a document in which a value must stand."""

_NUMBER = re.compile(r"\d[\d.,]*")


class StatedProperty(NamedTuple):
    """A property of an entity, its values that documents state, and these documents."""

    entity: Entity
    property: str
    values: tuple[PropertyValue, ...]
    gold: tuple[str, ...]


def name_sets(
    entities: Sequence[Entity],
    texts: Mapping[str, str],
    *,
    others: Sequence[Entity] = (),
    tasks: Collection[Task] = TASKS,
    seed: int = 0,
    templates: Templates | None = None,
) -> list[NameSet]:
    """Makes a set of each name that several entities share.

    `texts` holds the documents by the names that the entities give them. The values of `others`, which share
    no name, may stand in false claims too. Same arguments, same sets, in any order of the entities.
    """
    sets = [(name, members, _stated_properties(members, texts)) for name, members in _shared_names(entities)]
    kept = [(name, members, stated) for name, members, stated in sets if _is_kept(members, stated)]
    common = _common_values([each for _, _, stated in kept for each in stated], others)
    writer = _Writer(seed, frozenset(tasks), templates or shipped_templates(), common)
    return [writer.set_of(name, members, stated) for name, members, stated in kept]


def _shared_names(entities: Sequence[Entity]) -> Iterator[tuple[str, list[Entity]]]:
    """Yields each name of several entities, with these, head first. Equal groups come once."""
    groups: dict[str, dict[str, Entity]] = defaultdict(dict)
    writings: dict[str, list[str]] = defaultdict(list)
    for entity in sorted(entities, key=lambda entity: (-entity.popularity, entity.id)):
        for name in dict.fromkeys((entity.name, *entity.aliases)):
            groups[name.casefold()][entity.id] = entity
            writings[name.casefold()].append(name)
    seen = set[frozenset[str]]()
    for key in sorted(groups):
        members = [*groups[key].values()]
        if len(members) > 1 and frozenset(groups[key]) not in seen:
            seen.add(frozenset(groups[key]))
            yield writings[key][0], members


def _has_head(members: Sequence[Entity]) -> bool:
    first, second = members[0].popularity, members[1].popularity
    return first > 0 and (first - second) / ((first + second) / 2) >= LEAST_GAP


def _stated_properties(members: Sequence[Entity], texts: Mapping[str, str]) -> list[StatedProperty]:
    """Returns the properties that one entity of the set has, and that its documents state."""
    owners = Counter(name for member in members for name in member.properties)
    found = []
    for member in members:
        for name, values in sorted(member.properties.items()):
            gold = tuple(
                document for document in member.documents if _states(texts.get(document, ""), values)
            )
            if owners[name] == 1 and gold:
                stated = tuple(value for value in values if any(_states(texts[d], [value]) for d in gold))
                found.append(StatedProperty(member, name, stated, gold))
    return found


def _states(text: str, values: Sequence[PropertyValue]) -> bool:
    """Does a value stand in the opening of the text?"""
    opening = " ".join(text.split()[:OPENING]).casefold()
    return any(
        " ".join(writing.split()).casefold() in opening for value in values for writing in value.writings
    )


def _is_kept(members: Sequence[Entity], stated: Sequence[StatedProperty]) -> bool:
    asked_about = {each.entity.id for each in stated}
    return _has_head(members) and members[0].id in asked_about and len(asked_about) > 1


def _common_values(stated: Sequence[StatedProperty], others: Sequence[Entity]) -> dict[str, Counter[str]]:
    """Counts the values of each property in the collection, and of `others`."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for each in stated:
        counts[each.property].update(value.text for value in each.values)
    for entity in others:
        for name, values in entity.properties.items():
            counts[name].update(value.text for value in values)
    return counts


class _Writer(NamedTuple):
    """Writes the queries of sets. `common` counts the values of each property in the collection."""

    seed: int
    tasks: frozenset[Task]
    templates: Templates
    common: Mapping[str, Counter[str]]

    def set_of(self, name: str, members: Sequence[Entity], stated: Sequence[StatedProperty]) -> NameSet:
        """Makes the set. An entity without a query stays in it, since a search may confuse it."""
        queries = [query for each in stated for query in self._queries(name, members, each)]
        return NameSet(
            id=_digest(name, *sorted(member.id for member in members)),
            name=name,
            members=tuple(_member(member, is_head=member is members[0]) for member in members),
            queries=tuple(queries),
        )

    def _queries(
        self, name: str, members: Sequence[Entity], made_from: StatedProperty
    ) -> Iterator[NameQuery]:
        random = Random(f"{self.seed}/{made_from.entity.id}/{made_from.property}")
        right = made_from.values[0].text
        question = template_of(self.templates, made_from.property, "question", random)
        claim = template_of(self.templates, made_from.property, "claim", random)
        wrong = self._wrong_value(members, made_from, random)
        if "qa" in self.tasks:
            yield self._query(name, made_from, "qa", question)
        if "sf" in self.tasks:
            yield _identified(name, made_from, "sf", f"{name} [SEP] {made_from.property}")
        if "fc" in self.tasks:
            yield self._query(name, made_from, "fc", claim, right, is_true=True)
            if wrong:
                yield self._query(name, made_from, "fc", claim, wrong, is_true=False)

    def _query(
        self,
        name: str,
        made_from: StatedProperty,
        task: Task,
        template: str,
        value: str = "",
        *,
        is_true: bool | None = None,
    ) -> NameQuery:
        query = _identified(name, made_from, task, worded(template, made_from.property, name, value))
        kind = next(iter(_unsaid_types(name, made_from.entity)), "")
        named = worded(template, made_from.property, f"the {kind} {name}", value) if kind else ""
        return query.model_copy(update={"text_with_kind": named, "is_true": is_true, "value": value})

    def _wrong_value(self, members: Sequence[Entity], made_from: StatedProperty, random: Random) -> str:
        """Draws among the most frequent values that no entity of the set has; "" without any.

        A value with a number has the unit of the right value: 4 hectares are no false 4 kilometres.
        """
        known = {
            writing.casefold()
            for member in members
            for values in member.properties.values()
            for value in values
            for writing in value.writings
        }
        counts = self.common[made_from.property]
        form = _form(made_from.values[0].text)
        others = {
            value: n
            for value, n in sorted(counts.items())
            if value.casefold() not in known and _form(value) == form
        }
        most = max(others.values(), default=0)
        return random.choice([value for value, n in others.items() if n == most] or [""])


def _unsaid_types(name: str, entity: Entity) -> list[str]:
    """Returns the types that the name does not hold: "the station Elm Street Station" says it twice."""
    return [kind for kind in entity.types if kind.casefold() not in name.casefold().split()]


def _form(value: str) -> str:
    """What stands beside the number of a value, such as its unit; "" for a value without a number."""
    return _NUMBER.sub("0", value) if _NUMBER.search(value) else ""


def _identified(name: str, made_from: StatedProperty, task: Task, text: str) -> NameQuery:
    return NameQuery(
        id=f"{_digest(name, made_from.entity.id, made_from.property)}={_digest(task, text)}",
        task=task,
        entity_id=made_from.entity.id,
        property=made_from.property,
        text=text,
        answers=tuple(writing for value in made_from.values for writing in value.writings),
        gold=made_from.gold,
    )


def _member(entity: Entity, *, is_head: bool) -> Member:
    return Member(
        entity_id=entity.id,
        type=next(iter(entity.types), ""),
        popularity=entity.popularity,
        is_head=is_head,
        documents=entity.documents,
    )


def _digest(*parts: str) -> str:
    return hashlib.blake2b("\n".join(parts).encode(), digest_size=6).hexdigest()

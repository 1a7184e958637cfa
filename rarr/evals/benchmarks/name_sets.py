"""Makes sets from a list of entities: queries that exactly one of the entities of a name can answer.

The steps and constants are those of the AmbER sets (Chen et al. 2021). A set without a clear head is left
out; a property that two of its entities have makes no query; a value must stand in the opening of a document.
"""

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from random import Random
from string import Template
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, BeforeValidator, Field

from rarr.errors import InputError
from rarr.evals.rows import Row, Text
from rarr.records import Record
from rarr.retrievers.corpus.file_listing import scan
from rarr.retrievers.extract.extracted_document import MEGABYTE, UnreadableError
from rarr.retrievers.extract.files import extract

Task = Literal["question", "claim"]
LEAST_GAP = 0.1
"""The least gap (p1 - p2) / mean(p1, p2) between the head and the next entity."""
OPENING = 350
"""Words of a document in which a value must stand."""
_NUMBER = re.compile(r"\d[\d.,]*")
_GENERAL: Mapping[Task, Sequence[str]] = {
    "question": ["What is the $property of $entity?"],
    "claim": ["The $property of $entity is $object."],
}


class PropertyValue(BaseModel):
    """A value of a property, such as a person's name, and other ways to write it."""

    text: Text
    aliases: tuple[str, ...] = ()

    @property
    def writings(self) -> tuple[str, ...]:
        """All ways to write the value."""
        return self.text, *self.aliases


def _values(given: Any) -> Any:
    listed = given if isinstance(given, list) else [given]
    return [{"text": value} if isinstance(value, str) else value for value in listed]


class Entity(Row):
    """A thing with a name. `documents` are about it; `types` are nouns for its kind, such as "film".

    `popularity` is in any unit, such as page views a month. A document is named as the corpus names it: the
    path of a file in the folder, with "#3" for its third record, or the address that a record gives itself.
    In a file, a value may be a string, or an object with "text" and "aliases".
    """

    name: Text
    aliases: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    properties: dict[str, Annotated[tuple[PropertyValue, ...], BeforeValidator(_values)]] = Field(
        default_factory=dict
    )
    popularity: float = Field(ge=0)
    documents: tuple[str, ...] = Field(min_length=1)


class NameQuery(Record):
    """A question about an entity of a set, which the documents `gold` answer; or a false claim about it.

    `text_with_kind` names the entity with its kind: "the film Apollo"; empty where no type is known. A claim
    has `value` in the place of one of `answers`.
    """

    id: str
    task: Task
    entity_id: str
    text: str
    text_with_kind: str = ""
    answers: tuple[str, ...]
    gold: tuple[str, ...]
    value: str = ""


class NameSet(NamedTuple):
    """The entities of one name, head first, and queries that only one of them can answer."""

    id: str
    name: str
    members: tuple[Entity, ...]
    queries: tuple[NameQuery, ...]

    def member(self, entity_id: str) -> Entity:
        """Returns the entity with this id."""
        return next(member for member in self.members if member.id == entity_id)

    def is_head(self, entity_id: str) -> bool:
        """Is the entity the most popular one of the name?"""
        return self.members[0].id == entity_id


class StatedProperty(NamedTuple):
    """A property of an entity, its values that documents state, and these documents."""

    entity: Entity
    property: str
    values: tuple[PropertyValue, ...]
    gold: tuple[str, ...]


def name_sets(entities: Sequence[Entity], texts: Mapping[str, str]) -> list[NameSet]:
    """Makes a set of each name that several entities share.

    `texts` holds the documents by the names that the entities give them. Same arguments, same sets, in any
    order of the entities.
    """
    sets = [(name, members, _stated_properties(members, texts)) for name, members in _shared_names(entities)]
    kept = [(name, members, stated) for name, members, stated in sets if _is_kept(members, stated)]
    common: dict[str, Counter[str]] = defaultdict(Counter)
    for _, _, stated in kept:
        for each in stated:
            common[each.property].update(value.text for value in each.values)
    return [
        NameSet(
            _digest(name, *sorted(member.id for member in members)),
            name,
            tuple(members),
            tuple(query for each in stated for query in _queries(name, members, each, common)),
        )
        for name, members, stated in kept
    ]


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
        if len(groups[key]) > 1 and frozenset(groups[key]) not in seen:
            seen.add(frozenset(groups[key]))
            yield writings[key][0], [*groups[key].values()]


def _stated_properties(members: Sequence[Entity], texts: Mapping[str, str]) -> list[StatedProperty]:
    """Returns the properties that one entity of the set has, and that its documents state."""
    owners = Counter(name for member in members for name in member.properties)
    found = []
    for member in members:
        for name, values in sorted(member.properties.items()):
            gold = tuple(each for each in member.documents if _states(texts.get(each, ""), values))
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
    """Has the set a clear head, and a query about it and about another entity?"""
    first, second = members[0].popularity, members[1].popularity
    has_head = first > 0 and (first - second) / ((first + second) / 2) >= LEAST_GAP
    asked_about = {each.entity.id for each in stated}
    return has_head and members[0].id in asked_about and len(asked_about) > 1


def _queries(
    name: str, members: Sequence[Entity], made_from: StatedProperty, common: Mapping[str, Counter[str]]
) -> Iterator[NameQuery]:
    random = Random(f"0/{made_from.entity.id}/{made_from.property}")
    forms = _templates().get(made_from.property, _GENERAL)
    question, claim = random.choice(forms["question"]), random.choice(forms["claim"])
    yield _query(name, made_from, "question", question)
    if wrong := _wrong_value(members, made_from, common[made_from.property], random):
        yield _query(name, made_from, "claim", claim, wrong)


def _query(name: str, made_from: StatedProperty, task: Task, template: str, value: str = "") -> NameQuery:
    def worded(entity: str) -> str:
        text = Template(template).substitute(entity=entity, object=value, property=made_from.property)
        return text[0].upper() + text[1:]

    # "The station Elm Street Station" would say the kind twice.
    kinds = (kind for kind in made_from.entity.types if kind.casefold() not in name.casefold().split())
    kind, text = next(kinds, ""), worded(name)
    return NameQuery(
        id=f"{_digest(name, made_from.entity.id, made_from.property)}={_digest(task, text)}",
        task=task,
        entity_id=made_from.entity.id,
        text=text,
        text_with_kind=worded(f"the {kind} {name}") if kind else "",
        answers=tuple(writing for each in made_from.values for writing in each.writings),
        gold=made_from.gold,
        value=value,
    )


def _wrong_value(
    members: Sequence[Entity], made_from: StatedProperty, counts: Counter[str], random: Random
) -> str:
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
    form = _form(made_from.values[0].text)
    others = {
        value: n
        for value, n in sorted(counts.items())
        if value.casefold() not in known and _form(value) == form
    }
    most = max(others.values(), default=0)
    return random.choice([value for value, n in others.items() if n == most] or [""])


def _form(value: str) -> str:
    """What stands beside the number of a value, such as its unit; "" for a value without a number."""
    return _NUMBER.sub("0", value) if _NUMBER.search(value) else ""


def _digest(*parts: str) -> str:
    return hashlib.blake2b("\n".join(parts).encode(), digest_size=6).hexdigest()


@cache
def _templates() -> Mapping[str, Mapping[Task, Sequence[str]]]:
    """Reads the templates of properties, with $entity, and $object for the value in claims."""
    text = files(__package__).joinpath("name_templates.json").read_text(encoding="utf-8")
    found: Mapping[str, Mapping[Task, Sequence[str]]] = json.loads(text)
    return found


def corpus_texts(path: Path, max_file_mb: int) -> dict[str, str]:
    """Reads the texts of a folder or file, by the names that entities give them.

    Files that cannot be read are left out, as in a search. Raises `InputError` if no document can be read.
    """
    problems, texts = list[str](), dict[str, str]()
    path, most = path.expanduser(), max_file_mb * MEGABYTE
    for file in scan(path, most).files:
        try:
            for document in extract(file.path, most, problems.append):
                item = f"#{document.item}" if document.item else ""
                texts[document.source or f"{file.name}{item}"] = document.text
        except UnreadableError as error:  # `rarr doctor` reports it
            problems.append(f"{file.name or path.name}: {error}")
    if not texts:
        why = problems[0] if problems else "it is empty"
        raise InputError(f"corpus {str(path)!r} holds no document that can be read ({why}): give texts")
    return texts


def document_of(source: str, names: Sequence[str]) -> str:
    """Finds the document that a passage with the address `source` is from; `source` itself if it is another.

    The address of a passage starts with the path of its corpus, which `names` do not have. The longest name
    counts, since a folder may hold a file of the same name.
    """
    ends = {name: name if name.startswith("#") else f"/{name}" for name in names}
    fitting = [name for name, end in ends.items() if source == name or source.endswith(end)]
    return max(fitting, key=len, default=source)

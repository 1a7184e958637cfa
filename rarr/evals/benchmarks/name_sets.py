"""Makes sets of a list of entities: queries that exactly one of the entities of a name can answer.

The steps and constants are those of the AmbER sets (Chen et al. 2021). A set without a clear head is left
out; a property that two of its entities have makes no query; a value must stand in the opening of a document.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from random import Random
from string import Template
from typing import Annotated, Any, Literal, NamedTuple, get_args

from pydantic import BaseModel, BeforeValidator, Field

from rarr.errors import InputError
from rarr.evals.rows import Row, Text
from rarr.retrievers.corpus.file_listing import scan
from rarr.retrievers.extract.extracted_document import MEGABYTE, UnreadableError
from rarr.retrievers.extract.files import extract

LEAST_GAP = 0.1
"""The least gap (p1 - p2) / mean(p1, p2) between the head and the next entity."""
OPENING = 350
"""Words of a document in which a value must stand."""
Pages = Literal["namesakes", "all"]
"""The corpus without the pages of the claim's subject, or the whole corpus."""
_NUMBER = re.compile(r"\d[\d.,]*")
_GENERAL: Mapping[str, Sequence[str]] = {
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
    """A thing with a name. `documents` are about it. `popularity` is in any unit, such as page views a month.

    A document is named as the corpus names it: the
    path of a file in the folder, with "#3" for its third record, or the address that a record gives itself.
    In a file, a value may be a string, or an object with "text" and "aliases".
    """

    name: Text
    aliases: tuple[str, ...] = ()
    properties: dict[str, Annotated[tuple[PropertyValue, ...], BeforeValidator(_values)]] = Field(
        default_factory=dict
    )
    popularity: float = Field(ge=0)
    documents: tuple[str, ...] = Field(min_length=1)


class StatedProperty(NamedTuple):
    """A property of an entity, its values that documents state, and these documents."""

    entity: Entity
    property: str
    values: tuple[PropertyValue, ...]
    gold: tuple[str, ...]


class NameTrial(NamedTuple):
    """A question to search for, or a false claim to revise beside some `pages`.

    The `subject` is one of the `members` of the `name`, head first. The documents `gold` have the `answers`;
    a claim has `value` in their place.
    """

    id: str
    name: str
    members: tuple[Entity, ...]
    subject: Entity
    text: str
    answers: tuple[str, ...]
    gold: tuple[str, ...]
    value: str = ""
    pages: Pages | None = None

    @property
    def is_head(self) -> bool:
        """Is the subject the most popular thing of its name?"""
        return self.subject.id == self.members[0].id


def name_sets(entities: Sequence[Entity], texts: Mapping[str, str]) -> list[list[NameTrial]]:
    """Makes the trials of each name that several entities share.

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
        [trial for each in stated for trial in _trials(name, members, each, common[each.property])]
        for name, members, stated in kept
    ]


def _shared_names(entities: Sequence[Entity]) -> Iterator[tuple[str, list[Entity]]]:
    """Yields each name of several entities, with these, head first. Equal groups come once."""
    groups: dict[str, dict[str, Entity]] = defaultdict(dict)
    writings: dict[str, str] = {}
    for entity in sorted(entities, key=lambda entity: (-entity.popularity, entity.id)):
        for name in (entity.name, *entity.aliases):
            groups[name.casefold()][entity.id] = entity
            writings.setdefault(name.casefold(), name)
    seen = set[frozenset[str]]()
    for key in sorted(groups):
        if len(groups[key]) > 1 and frozenset(groups[key]) not in seen:
            seen.add(frozenset(groups[key]))
            yield writings[key], [*groups[key].values()]


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


def _trials(
    name: str, members: Sequence[Entity], stated: StatedProperty, common: Counter[str]
) -> Iterator[NameTrial]:
    """Yields the question about a property, and the false claim with either choice of pages."""
    random = Random(f"0/{stated.entity.id}/{stated.property}")
    forms = _templates().get(stated.property, _GENERAL)
    question, claim = random.choice(forms["question"]), random.choice(forms["claim"])
    wrong = _wrong_value(members, stated, common, random)
    id_ = f"{name}/{stated.entity.id}/{stated.property}"
    asked = NameTrial(
        id=f"{id_}/search",
        name=name,
        members=tuple(members),
        subject=stated.entity,
        text=_worded(question, name, stated.property),
        answers=tuple(writing for each in stated.values for writing in each.writings),
        gold=stated.gold,
    )
    yield asked
    for pages in get_args(Pages) if wrong else ():
        text = _worded(claim, name, stated.property, wrong)
        yield asked._replace(id=f"{id_}/{pages}", text=text, value=wrong, pages=pages)


def _worded(template: str, entity: str, property_: str, value: str = "") -> str:
    text = Template(template).substitute(entity=entity, object=value, property=property_)
    return text[0].upper() + text[1:]


def _wrong_value(
    members: Sequence[Entity], stated: StatedProperty, counts: Counter[str], random: Random
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
    form = _form(stated.values[0].text)
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


@cache
def _templates() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Reads the templates of properties, with $entity, and $object for the value in claims."""
    text = files(__package__).joinpath("name_templates.json").read_text(encoding="utf-8")
    found: Mapping[str, Mapping[str, Sequence[str]]] = json.loads(text)
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

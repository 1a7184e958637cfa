"""Tests whether a search tells apart the things that share a name (AmbER sets).

Chen et al. 2021; Chen 2023, chapter 4. A list of entities becomes sets: questions that exactly one of the
entities of a name can answer. A set without a clear head is left out; a property that two of its entities
have makes no question; a value must stand in the opening of a document.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from random import Random
from string import Template
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, BeforeValidator, Field

from rarr.agent.wiring.components import wire
from rarr.components import Components, close_all
from rarr.errors import InputError
from rarr.evals.benchmarks.bench import Bench, Options, Pairs, Part, ScoreTable
from rarr.evals.metrics.retrieval import RankedQuery, accuracy, all_correct, confusion
from rarr.evals.metrics.statistics import Measured
from rarr.evals.rows import Row, Text, read_all
from rarr.evals.run_folder import FinishedLine
from rarr.records import Passage
from rarr.retrievers.corpus.file_listing import scan
from rarr.retrievers.extract.extracted_document import MEGABYTE, UnreadableError
from rarr.retrievers.extract.files import extract
from rarr.settings import Settings

EXAMPLE = '{"id": "a1", "name": "Apollo", "popularity": 90, "documents": ["apollo.md"], ...}'
LEAST_GAP = 0.1
"""The least gap (p1 - p2) / mean(p1, p2) between the head and the next entity."""
OPENING = 350
"""Words of a document in which a value must stand."""
DEPTH = 20
"""Documents that a search returns for a question."""
_GENERAL = ("What is the $property of $entity?",)


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
    """A property of an entity, and the documents that state a value of it."""

    entity: Entity
    property: str
    gold: tuple[str, ...]


class NameQuestion(NamedTuple):
    """A question about the `subject`, one of the `members` of the `name`, head first.

    The documents `gold` answer it.
    """

    id: str
    name: str
    members: tuple[Entity, ...]
    subject: Entity
    text: str
    gold: tuple[str, ...]


class NamesLine(FinishedLine):
    """The documents for a question, best first: `searched` by the search alone, `ranked` by the reranker."""

    searched: tuple[str, ...] = ()
    ranked: tuple[str, ...] = ()


def names(data: Path, settings: Settings, options: Options) -> Bench:
    """Reads a list of entities whose documents are the corpus of the settings.

    Of the names, the first `limit` are used. Raises `InputError` for entities without a shared name, and
    without a corpus. A failed search raises `RarrError`, since scores of some questions would be of other
    sets.
    """
    if settings.corpus is None:
        raise InputError("no corpus: give --corpus PATH, the documents of the entities")
    entities = read_all(data, Entity, EXAMPLE)
    sets = name_sets(entities, corpus_texts(settings.corpus, settings.max_file_mb))
    every, chosen = ([asked for each in some for asked in each] for some in (sets, sets[: options.limit]))
    if not every:
        raise InputError(f"{data} has no name that things share, with a property that the corpus states")
    counts = {"names": len(sets[: options.limit]), "questions": len(chosen)}
    parts = {"run": Part(every, NamesLine, lambda: _Search(settings, entities), chosen)}
    return Bench("names", "Things that share a name", counts, parts, tables)


def name_sets(entities: Sequence[Entity], texts: Mapping[str, str]) -> list[list[NameQuestion]]:
    """Makes the questions of each name that several entities share.

    `texts` holds the documents by the names that the entities give them. Same arguments, same sets, in any
    order of the entities.
    """
    sets = [(name, members, _stated_properties(members, texts)) for name, members in _shared_names(entities)]
    return [
        [_question(name, members, each) for each in stated]
        for name, members, stated in sets
        if _is_kept(members, stated)
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
                found.append(StatedProperty(member, name, gold))
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


def _question(name: str, members: Sequence[Entity], stated: StatedProperty) -> NameQuestion:
    random = Random(f"0/{stated.entity.id}/{stated.property}")
    template = Template(random.choice(_templates().get(stated.property, _GENERAL)))
    text = template.substitute(entity=name, property=stated.property)
    return NameQuestion(
        id=f"{name}/{stated.entity.id}/{stated.property}",
        name=name,
        members=tuple(members),
        subject=stated.entity,
        text=text[0].upper() + text[1:],
        gold=stated.gold,
    )


@cache
def _templates() -> Mapping[str, Sequence[str]]:
    """Reads the questions for properties, with $entity."""
    text = files(__package__).joinpath("name_templates.json").read_text(encoding="utf-8")
    found: Mapping[str, Sequence[str]] = json.loads(text)
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


class _Search:
    """Searches for questions, and reranks what it finds."""

    def __init__(self, settings: Settings, entities: Sequence[Entity]) -> None:
        self._components: Components = wire(settings.model_copy(update={"trace": False}))
        self._documents = sorted({name for entity in entities for name in entity.documents})

    async def line(self, asked: NameQuestion) -> NamesLine:
        """Searches for a question. A failed search raises."""
        passages = await self._components.retriever.retrieve(asked.text, DEPTH)
        scores = await self._components.reranker.score(asked.text, passages) if passages else []
        order = sorted(zip(scores, passages, strict=True), key=lambda pair: -pair[0])
        ranked = [passage for _, passage in order]
        return NamesLine(id=asked.id, searched=self._names(passages), ranked=self._names(ranked))

    async def aclose(self) -> None:
        """Closes models and sources in the running event loop."""
        await close_all((*self._components.models, *self._components.opened))

    def _names(self, passages: Sequence[Passage]) -> tuple[str, ...]:
        sources = dict.fromkeys(passage.source for passage in passages)
        return tuple(document_of(source, self._documents) for source in sources)


def tables(parts: Mapping[str, Pairs]) -> Iterator[ScoreTable]:
    """Scores the order of the search, with and without the reranker."""
    [pairs] = parts.values()
    yield ScoreTable(
        title="questions: the first document is right",
        rows={
            "search alone": search_scores([_ranked(asked, line.searched) for asked, line in pairs]),
            "with reranker": search_scores([_ranked(asked, line.ranked) for asked, line in pairs]),
        },
    )


def _ranked(asked: NameQuestion, ranking: tuple[str, ...]) -> RankedQuery:
    own = frozenset(asked.subject.documents)
    every = frozenset(name for member in asked.members for name in member.documents)
    is_head = asked.subject.id == asked.members[0].id
    return RankedQuery(asked.name, is_head, frozenset(asked.gold), every - own, ranking)


def search_scores(queries: Sequence[RankedQuery]) -> dict[str, Measured]:
    """Computes the scores of all, of heads and of tails."""
    heads = [query for query in queries if query.is_head]
    tails = [query for query in queries if not query.is_head]
    return {
        "all": accuracy(queries),
        "heads": accuracy(heads),
        "tails": accuracy(tails),
        "among 5": accuracy(queries, k=5),
        "all of a name": all_correct(queries),
        "confused heads": confusion(heads),
        "confused tails": confusion(tails),
    }

"""Tests whether a search tells apart the things that share a name (AmbER sets).

Chen et al. 2021; Chen 2023, chapter 4. A list of entities becomes sets: questions that exactly one of the
entities of a name can answer. A set without a clear head is left out; a property that two of its entities
have makes no question; a value must stand in the opening of a document.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import groupby
from pathlib import Path
from random import Random
from statistics import fmean
from string import Template
from typing import Annotated, Any, NamedTuple

from pydantic import BeforeValidator, Field

from rarr.agent.wiring.components import wire
from rarr.errors import InputError
from rarr.evals.benchmarks.bench import Bench, Options, Part, Tables, shipped
from rarr.evals.metrics import Measured, bootstrap, share
from rarr.evals.rows import Row, Text, listed, read_rows
from rarr.evals.run_folder import FinishedLine, Pairs, Worker
from rarr.records import Passage
from rarr.retrievers.corpus.corpus import scan
from rarr.retrievers.extract.documents import UnreadableError
from rarr.retrievers.extract.files import extract
from rarr.settings import Settings

EXAMPLE = '{"id": "a1", "name": "Apollo", "popularity": 90, "documents": ["apollo.md"], ...}'
LEAST_GAP = 0.1  # (p1 - p2) / mean(p1, p2) of the popularity of the head and the next entity
OPENING = 350  # words of a document in which a value must stand
DEPTH = 20  # documents that a search returns for a question
TEMPLATES = "name_templates.json"  # the questions for properties, with $entity


def _writings(given: Any) -> Any:
    written = [[it["text"], *it.get("aliases", ())] if isinstance(it, dict) else [it] for it in listed(given)]
    return [writing for writings in written for writing in writings]


Writings = Annotated[tuple[Text, ...], BeforeValidator(_writings)]


class Entity(Row):
    """A thing with a name. `popularity` is in any unit, such as page views a month.

    The `documents` about it are named as the corpus names them: the path of a file in the folder, with "#3"
    for its third record, or the address that a record gives itself. Values may be objects with "aliases".
    """

    name: Text
    aliases: tuple[str, ...] = ()
    properties: dict[str, Writings] = Field(default_factory=dict)
    popularity: float = Field(ge=0)
    documents: tuple[str, ...] = Field(min_length=1)


class NameQuestion(NamedTuple):
    """A question, answered by the documents `gold`, about the `subject`: one of the `members`, head first."""

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
    """Reads entities whose documents are the corpus of the settings; uses the first `limit` names."""
    if settings.corpus is None:
        raise InputError("no corpus: give --corpus PATH, the documents of the entities")
    entities = read_rows(data, Entity, EXAMPLE)
    sets = name_sets(entities, openings(settings.corpus))
    every, chosen = ([asked for each in some for asked in each] for some in (sets, sets[: options.limit]))
    if not every:
        raise InputError(f"{data} has no name that things share, with a property that the corpus states")
    counts = {"names": len(sets[: options.limit]), "questions": len(chosen)}
    parts = {"run": Part(every, NamesLine, partial(_searcher, settings, entities), chosen)}
    return Bench("names", "Things that share a name", counts, parts, tables)


def name_sets(entities: Sequence[Entity], texts: Mapping[str, str]) -> list[list[NameQuestion]]:
    """Makes the questions of each name that several entities share, in whatever order they come.

    `texts` are the openings of the documents, by the names that the entities give them.
    """
    groups, writings = defaultdict[str, dict[str, Entity]](dict), dict[str, str]()
    for entity in sorted(entities, key=lambda entity: (-entity.popularity, entity.id)):
        for name in (entity.name, *entity.aliases):
            groups[name.casefold()][entity.id] = entity
            writings.setdefault(name.casefold(), name)
    sets, seen = list[list[NameQuestion]](), set[frozenset[str]]()
    for key in sorted(groups):
        members, ids = tuple(groups[key].values()), frozenset(groups[key])
        if len(members) == 1 or ids in seen:
            continue
        seen.add(ids)
        questions = list(_questions(writings[key], members, texts))
        first, second = members[0].popularity, members[1].popularity
        has_head = first > 0 and (first - second) / ((first + second) / 2) >= LEAST_GAP
        subjects = {question.subject.id for question in questions}
        if has_head and members[0].id in subjects and len(subjects) > 1:
            sets.append(questions)
    return sets


def _questions(name: str, members: tuple[Entity, ...], texts: Mapping[str, str]) -> Iterator[NameQuestion]:
    templates = shipped(TEMPLATES)
    owners = Counter(property_ for member in members for property_ in member.properties)
    for member in members:
        for property_, values in sorted(member.properties.items()):
            stated = [" ".join(value.split()).casefold() for value in values]
            gold = tuple(it for it in member.documents if any(each in texts.get(it, "") for each in stated))
            if owners[property_] == 1 and gold:
                worded = templates.get(property_, ["What is the $property of $entity?"])
                template = Template(Random(f"0/{member.id}/{property_}").choice(worded))
                text = template.substitute(entity=name, property=property_)
                id_ = f"{name}/{member.id}/{property_}"
                yield NameQuestion(id_, name, members, member, text[0].upper() + text[1:], gold)


def openings(path: Path) -> dict[str, str]:
    """Reads the openings of a corpus's documents by the names that entities give them, in lower case."""
    texts = dict[str, str]()
    for file in scan(path.expanduser())[0]:
        with suppress(UnreadableError):  # `rarr doctor` reports it
            for document in extract(file.path, lambda problem: None):
                item = f"#{document.item}" if document.item else ""
                opening = " ".join(document.text.split()[:OPENING]).casefold()
                texts[document.source or f"{file.name}{item}"] = opening
    if not texts:
        raise InputError(f"corpus {str(path)!r} holds no document that can be read: see rarr index")
    return texts


def _searcher(settings: Settings, entities: Sequence[Entity]) -> Worker:
    made = wire(settings.model_copy(update={"trace": False}))
    ends = {name: name if name[0] == "#" else f"/{name}" for entity in entities for name in entity.documents}

    def document_of(source: str) -> str:
        """Returns the longest name that fits, since a folder may hold a file of the same name."""
        fitting = (name for name, end in ends.items() if source == name or source.endswith(end))
        return max(fitting, key=len, default=source)

    def found(passages: Sequence[Passage]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(document_of(passage.source) for passage in passages))

    async def line(asked: NameQuestion) -> NamesLine:
        passages = await made.retriever.retrieve(asked.text, DEPTH)
        scores = await made.reranker.score(asked.text, passages) if passages else []
        order = sorted(zip(scores, passages, strict=True), key=lambda pair: -pair[0])
        ranked = found([passage for _, passage in order])
        return NamesLine(id=asked.id, searched=found(passages), ranked=ranked)

    return Worker(line, (*made.models, *made.opened))


def tables(parts: Mapping[str, Pairs]) -> Tables:
    """Scores the search, with and without the reranker. Names with a failed search are left out."""
    failed = {asked.name for asked, line in parts["run"] if line.error}
    done = [(asked, line) for asked, line in parts["run"] if asked.name not in failed]
    found = {"search alone": [(asked, line.searched) for asked, line in done]}
    found["with reranker"] = [(asked, line.ranked) for asked, line in done]
    rows = {name: search_scores(ranked) for name, ranked in found.items()}
    return {"questions: the first document is right": rows}


Ranked = tuple[NameQuestion, tuple[str, ...]]  # a question with the documents of a search, best first


def search_scores(ranked: Sequence[Ranked]) -> dict[str, Measured]:
    """Computes the shares of questions whose first document answers them.

    `all of a name`: the share of sets of which all questions are right. Confused: a document about another
    entity of the set stands above the right one; a document that was not found is below all.
    """
    heads = [pair for pair in ranked if pair[0].subject.id == pair[0].members[0].id]
    tails = [pair for pair in ranked if pair[0].subject.id != pair[0].members[0].id]
    return {
        "all": _share_over_sets(ranked, _is_right),
        "heads": _share_over_sets(heads, _is_right),
        "tails": _share_over_sets(tails, _is_right),
        "all of a name": share([all(hits) for hits in _sets(ranked, _is_right)]),
        "confused heads": _share_over_sets(heads, _is_confused),
        "confused tails": _share_over_sets(tails, _is_confused),
    }


def _is_right(pair: Ranked) -> bool:
    return not set(pair[0].gold).isdisjoint(pair[1][:1])


def _is_confused(pair: Ranked) -> bool:
    asked, ranking = pair
    rivals = {name for it in asked.members for name in it.documents} - set(asked.subject.documents)
    places = [ranking.index(document) for document in asked.gold if document in ranking]
    return not rivals.isdisjoint(ranking[: min(places, default=len(ranking))])


def _sets(ranked: Sequence[Ranked], holds: Callable[[Ranked], bool]) -> list[list[bool]]:
    by_name = sorted(ranked, key=lambda pair: pair[0].name)
    return [list(map(holds, group)) for _, group in groupby(by_name, key=lambda pair: pair[0].name)]


def _share_over_sets(ranked: Sequence[Ranked], holds: Callable[[Ranked], bool]) -> Measured:
    """Computes a share of questions; its interval draws whole sets, whose questions depend on each other."""
    measured = bootstrap(_sets(ranked, holds), lambda drawn: fmean([it for hits in drawn for it in hits]))
    return measured.model_copy(update={"n": len(ranked)})

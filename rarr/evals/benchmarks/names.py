"""Measures whether a search finds the right entity among entities with the same name (AmbER sets).

Chen et al. 2021; Chen 2023, chapter 4. Entities with the same name form a set. The most popular entity is the
head, and the others are tails. A question asks for a property that only one entity of the set has. A document
about this entity must state the value in its first words. Sets without a clear head are left out.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain, groupby
from pathlib import Path
from random import Random
from statistics import fmean
from string import Template
from typing import NamedTuple

from pydantic import Field

from rarr.agent.wiring.components import wire
from rarr.errors import InputError
from rarr.evals.benchmarks.bench import Bench, BenchOptions, Part, Tables, read_package_json
from rarr.evals.metrics import Measurement, bootstrap, share
from rarr.evals.rows import Row, Text, Variants, read_rows
from rarr.evals.run_folder import FinishedLine, Pairs, Worker
from rarr.records import Passage
from rarr.retrievers.corpus.corpus import scan
from rarr.retrievers.extract.documents import UnreadableError
from rarr.retrievers.extract.files import extract
from rarr.settings import Settings

EXAMPLE = '{"id": "a1", "name": "Apollo", "popularity": 90, "documents": ["apollo.md"], ...}'
LEAST_GAP_OF_HEAD = 0.1  # (p1 - p2) / mean(p1, p2): the popularity of the head and of the next entity
OPENING_WORDS = 350  # the first words of a document, in which the value must stand
SEARCH_DEPTH = 20  # the largest number of documents that a search returns for a question
TEMPLATES = "name_templates.json"  # questions by property, with the variable $entity


class Entity(Row):
    """A thing with a name, such as a person or a river.

    `documents` names the documents about the entity. The name of a document is its address, or its path in
    the corpus if it has no address. "#3" after the path means the third record of the file.
    """

    name: Text
    aliases: tuple[str, ...] = ()
    properties: dict[str, Variants] = Field(default_factory=dict)  # values by property
    popularity: float = Field(ge=0)  # in any unit, such as page views in a month
    documents: tuple[str, ...] = Field(min_length=1)


class NameQuestion(NamedTuple):
    """A question about one of several entities that have the same name."""

    id: str
    name: str
    members: tuple[Entity, ...]  # all entities with this name, the most popular first
    subject: Entity  # the entity that the question is about
    text: str
    gold: tuple[str, ...]  # the names of the documents with the answer


class NamesLine(FinishedLine):
    """The names of the documents that a search found for a question."""

    searched: tuple[str, ...] = ()  # in the order of the search
    ranked: tuple[str, ...] = ()  # in the order of the reranker


def names_bench(data: Path, settings: Settings, options: BenchOptions) -> Bench:
    """Makes the benchmark of entities with equal names. Raises `InputError` if no name gives questions."""
    if settings.corpus is None:
        raise InputError("the corpus is missing: give --corpus PATH, the documents of the entities")
    entities = read_rows(data, Entity, EXAMPLE)
    sets = question_sets(entities, document_openings(settings.corpus))
    every, chosen = ([asked for each in some for asked in each] for some in (sets, sets[: options.limit]))
    if not every:
        raise InputError(f"{data} has no shared name: give entities of one name, whose values the corpus has")
    counts = {"names": len(sets[: options.limit]), "questions": len(chosen)}
    parts = {"run": Part(every, NamesLine, partial(_searching_worker, settings, entities), chosen)}
    return Bench("names", "Things that share a name", counts, parts, search_tables)


def question_sets(entities: Sequence[Entity], texts: Mapping[str, str]) -> list[list[NameQuestion]]:
    """Returns a list of questions for each name that several entities share.

    Leaves out names without questions about both a clearly most popular entity and another entity. `texts`
    maps document names (see `Entity.documents`) to the first words of the documents.
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
        questions = list(_questions_of(writings[key], members, texts))
        first, second = members[0].popularity, members[1].popularity
        has_head = first > 0 and (first - second) / ((first + second) / 2) >= LEAST_GAP_OF_HEAD
        subjects = {question.subject.id for question in questions}
        if has_head and members[0].id in subjects and len(subjects) > 1:
            sets.append(questions)
    return sets


def _questions_of(name: str, members: tuple[Entity, ...], texts: Mapping[str, str]) -> Iterator[NameQuestion]:
    templates = read_package_json(TEMPLATES)
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


def document_openings(path: Path) -> dict[str, str]:
    """Maps document names to first words, in lower case. Raises `InputError` if no document can be read."""
    texts = dict[str, str]()
    for file in scan(path.expanduser())[0]:
        with suppress(UnreadableError):  # `rarr doctor` reports unreadable files
            for document in extract(file.path, lambda problem: None):
                item = f"#{document.item}" if document.item else ""
                opening = " ".join(document.text.split()[:OPENING_WORDS]).casefold()
                texts[document.source or f"{file.name}{item}"] = opening
    if not texts:
        raise InputError(f"corpus {str(path)!r} has no readable document: see rarr index")
    return texts


def _searching_worker(settings: Settings, entities: Sequence[Entity]) -> Worker:
    made = wire(settings.model_copy(update={"trace": False}))
    ends = {name: name if name[0] == "#" else f"/{name}" for entity in entities for name in entity.documents}

    def document_of(source: str) -> str:
        """Returns the longest document name that ends `source`: "a/b.md" ends with "b.md" too."""
        fitting = (name for name, end in ends.items() if source == name or source.endswith(end))
        return max(fitting, key=len, default=source)

    def found(passages: Sequence[Passage]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(document_of(passage.source) for passage in passages))

    async def make_line(asked: NameQuestion) -> NamesLine:
        passages = await made.retriever.retrieve(asked.text, SEARCH_DEPTH)
        scores = await made.reranker.score(asked.text, passages) if passages else []
        order = sorted(zip(scores, passages, strict=True), key=lambda pair: -pair[0])
        ranked = found([passage for _, passage in order])
        return NamesLine(id=asked.id, searched=found(passages), ranked=ranked)

    return Worker(make_line, (*made.models, *made.opened))


def search_tables(parts: Mapping[str, Pairs]) -> Tables:
    """Makes a table with a row for the search alone, and a row for the search with the reranker."""
    # If a question failed, all questions about its name are left out.
    failed = {asked.name for asked, line in parts["run"] if line.error}
    done = [(asked, line) for asked, line in parts["run"] if asked.name not in failed]
    found = {"search alone": [(asked, line.searched) for asked, line in done]}
    found["with reranker"] = [(asked, line.ranked) for asked, line in done]
    rows = {name: search_scores(ranked) for name, ranked in found.items()}
    return {"questions: the first document is right": rows}


Ranking = tuple[NameQuestion, tuple[str, ...]]  # a question, and the names of the documents found, best first


def search_scores(ranked: Sequence[Ranking]) -> dict[str, Measurement]:
    """Computes how often the first document is right: for all questions, for heads, and for tails.

    A head is the most popular entity of a name, a tail any other. `all of a name`: the share of names with
    all questions right. `confused`: the share with another entity of the name before the right document.
    """
    heads = [pair for pair in ranked if pair[0].subject.id == pair[0].members[0].id]
    tails = [pair for pair in ranked if pair[0].subject.id != pair[0].members[0].id]
    return {
        "all": _share_of_questions(ranked, _is_first_right),
        "heads": _share_of_questions(heads, _is_first_right),
        "tails": _share_of_questions(tails, _is_first_right),
        "all of a name": share([all(hits) for hits in _hits_by_name(ranked, _is_first_right)]),
        "confused heads": _share_of_questions(heads, _is_rival_first),
        "confused tails": _share_of_questions(tails, _is_rival_first),
    }


def _is_first_right(pair: Ranking) -> bool:
    return not set(pair[0].gold).isdisjoint(pair[1][:1])


def _is_rival_first(pair: Ranking) -> bool:
    asked, ranking = pair
    rivals = {name for it in asked.members for name in it.documents} - set(asked.subject.documents)
    places = [ranking.index(document) for document in asked.gold if document in ranking]
    return not rivals.isdisjoint(ranking[: min(places, default=len(ranking))])


def _hits_by_name(ranked: Sequence[Ranking], holds: Callable[[Ranking], bool]) -> list[list[bool]]:
    by_name = sorted(ranked, key=lambda pair: pair[0].name)
    return [list(map(holds, group)) for _, group in groupby(by_name, key=lambda pair: pair[0].name)]


def _share_of_questions(ranked: Sequence[Ranking], holds: Callable[[Ranking], bool]) -> Measurement:
    """Computes how often `holds` is true. Samples for the interval draw names, with all their questions."""
    measured = bootstrap(_hits_by_name(ranked, holds), lambda drawn: fmean(chain(*drawn)))
    return measured.model_copy(update={"n": len(ranked)})

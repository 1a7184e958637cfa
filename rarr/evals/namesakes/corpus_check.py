"""Checks a corpus for names that several documents share, and how often its search mixes them up."""

from collections.abc import Sequence
from pathlib import Path

from rarr.agent.wiring.resources import Resources
from rarr.agent.wiring.search_and_reranking import reranker, retriever
from rarr.errors import InputError
from rarr.evals.metrics import RankedQuery
from rarr.evals.metrics.retrieval import is_accurate, is_confused, rivals_above
from rarr.evals.namesakes.corpus_documents import corpus_documents
from rarr.evals.namesakes.corpus_entities import corpus_entities, other_entities, shared_names
from rarr.evals.namesakes.records import TASKS, CorpusDocument, NameSet, Task
from rarr.evals.namesakes.search_scores import ComparedSearch, asked_queries
from rarr.evals.namesakes.set_generation import name_sets
from rarr.records import Record
from rarr.retrievers.corpus.index_building import Progress
from rarr.settings import Settings
from rarr.tools.concurrency.background_loop import run

ASKED: tuple[Task, ...] = ("qa",)


class NamedDocument(Record):
    """A document with a shared name."""

    name: str
    title: str


class MixedUpQuery(Record):
    """A query for which documents of other things of the name stand `above` those that are `right`."""

    query: str
    right: tuple[str, ...]
    above: tuple[str, ...]


class CheckedName(Record):
    """A name that several documents share.

    `queries` were asked about their things. For `right` of them the first document is the right one, and for
    `mixed_up` of them, which are `mix_ups`, a document of another thing of the name stands above it.
    """

    name: str
    documents: tuple[NamedDocument, ...]
    queries: int = 0
    right: int = 0
    mixed_up: int = 0
    mix_ups: tuple[MixedUpQuery, ...] = ()


class NamesCheck(Record):
    """The result: the number of documents, and the shared names, those first that are mixed up most."""

    documents: int
    names: tuple[CheckedName, ...]


def corpus_sets(
    path: Path, settings: Settings, *, tasks: Sequence[Task] = TASKS, seed: int = 0
) -> list[NameSet]:
    """Makes sets of the names that documents of the corpus share. Raises `InputError` if nothing is read."""
    return _sets(corpus_documents(path, settings.max_file_mb), tasks, seed=seed)


def _sets(
    documents: Sequence[CorpusDocument], tasks: Sequence[Task], *, seed: int = 0, every_name: bool = False
) -> list[NameSet]:
    texts = {document.name: document.text for document in documents}
    others = other_entities(documents)
    return name_sets(
        corpus_entities(documents), texts, others=others, every_name=every_name, tasks=tasks, seed=seed
    )


def check_names(settings: Settings, on_query: Progress = lambda done, total: None) -> NamesCheck:
    """Lists the shared names of the corpus of the settings, and asks its search and reranker about them.

    `on_query` is called with the number of asked queries and of all.
    Raises `InputError` without a corpus, and `RarrError` where it cannot be searched.
    """
    if settings.corpus is None:
        raise InputError("no corpus to check: give --corpus PATH, or set corpus in rarr.toml")
    documents = corpus_documents(settings.corpus, settings.max_file_mb)
    shared = shared_names(documents)
    sets = _sets(documents, ASKED, every_name=True)
    ranked = _ranked(sets, settings, on_query) if sets else []
    names = [
        _checked(name.name, name.documents, [query for query in ranked if _is_about(query, name.documents)])
        for name in shared
    ]
    names.sort(key=lambda name: (-name.mixed_up, -name.queries, name.name))
    return NamesCheck(documents=len(documents), names=tuple(names))


def _ranked(sets: Sequence[NameSet], settings: Settings, on_query: Progress) -> list[RankedQuery]:
    opened, asked = Resources(settings), asked_queries(sets, ASKED)

    async def ranked(search: ComparedSearch) -> list[RankedQuery]:
        queries = list[RankedQuery]()
        for each in asked:
            queries.append(each.ranked((await search.rankings(each.query))[""]))
            on_query(len(queries), len(asked))
        return queries

    try:
        corpus = retriever(settings.model_copy(update={"search": "corpus"}), opened)
        return run(ranked(ComparedSearch(corpus, {"": reranker(settings, opened)}, sets)))
    finally:
        run(opened.aclose())


def _is_about(query: RankedQuery, documents: Sequence[CorpusDocument]) -> bool:
    return (query.gold | query.rivals) <= {document.name for document in documents}


def _checked(name: str, documents: Sequence[CorpusDocument], queries: Sequence[RankedQuery]) -> CheckedName:
    return CheckedName(
        name=name,
        documents=tuple(NamedDocument(name=each.name, title=each.title) for each in documents),
        queries=len(queries),
        right=sum(map(is_accurate, queries)),
        mixed_up=sum(map(is_confused, queries)),
        mix_ups=tuple(
            MixedUpQuery(query=query.text, right=tuple(sorted(query.gold)), above=tuple(rivals_above(query)))
            for query in queries
            if is_confused(query)
        ),
    )

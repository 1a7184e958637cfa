"""Tests whether a search, and a revision, tells apart the things that share a name (AmbER sets).

Chen et al. 2021; Chen 2023, chapter 4. Each false claim is revised twice: with the corpus without the pages
of its subject, where any change is an error, and with the whole corpus.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from rarr.agent.revise import Reviser
from rarr.agent.wiring.components import wire
from rarr.components import Components, Retriever, close_all
from rarr.errors import InputError, RarrError
from rarr.evals.benchmarks.bench import Bench, Options, Pairs, Part, ScoreTable
from rarr.evals.benchmarks.name_sets import Entity, NameTrial, corpus_texts, document_of, name_sets
from rarr.evals.metrics.retrieval import RankedQuery, accuracy, all_correct, confusion
from rarr.evals.metrics.statistics import Measured, share
from rarr.evals.rows import read_all
from rarr.evals.run_folder import FinishedLine
from rarr.records import Passage, Revision
from rarr.settings import Settings
from rarr.tools.concurrency import in_thread
from rarr.tools.text.wording import nothing_checked

EXAMPLE = '{"id": "a1", "name": "Apollo", "popularity": 90, "documents": ["apollo.md"], ...}'
DEPTH = 20
"""Documents that a search returns for a question."""


class NamesLine(FinishedLine):
    """The documents for a question, best first, or what became of a claim.

    `searched` is the order of the search, and `ranked` that of the reranker. `correct`: the revised text is
    the true claim, or (`suggested`) it is after a suggested edit. `from_namesake`: an edit, accepted or
    suggested, has its value from a page that is not of the subject.
    """

    searched: tuple[str, ...] = ()
    ranked: tuple[str, ...] = ()
    revised: str = ""
    changed: bool = False
    correct: bool = False
    suggested: bool = False
    from_namesake: bool = False


def names(data: Path, settings: Settings, options: Options) -> Bench:
    """Reads a list of entities whose documents are the corpus of the settings.

    Of the names, the first `limit` are used. Raises `InputError` for entities without a shared name, and
    without a corpus. A failed search raises `RarrError`, since scores of some queries would be of other sets.
    """
    if settings.corpus is None:
        raise InputError("no corpus: give --corpus PATH, the documents of the entities")
    entities = read_all(data, Entity, EXAMPLE)
    sets = name_sets(entities, corpus_texts(settings.corpus, settings.max_file_mb))
    every, chosen = ([trial for each in some for trial in each] for some in (sets, sets[: options.limit]))
    if not every:
        raise InputError(f"{data} has no name that things share, with a property that the corpus states")
    claims = sum(trial.pages is not None for trial in chosen)
    counts = {
        "names": len(sets[: options.limit]),
        "questions": len(chosen) - claims,
        "claims": claims,
    }
    parts = {"run": Part(every, NamesLine, lambda: _NamesWorker(settings, entities), chosen)}
    return Bench("names", "Things that share a name", counts, parts, tables)


class WithoutDocuments:
    """A retriever that leaves the named documents out of what another retriever finds."""

    def __init__(self, search: Retriever, documents: Collection[str]) -> None:
        self._search, self._documents = search, sorted(documents)

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Returns passages of the `k` best documents that are not left out."""
        passages = await self._search.retrieve(query, k + len(self._documents))
        kept = [each for each in passages if document_of(each.source, self._documents) not in self._documents]
        best = [*dict.fromkeys(passage.source for passage in kept)][:k]
        return [passage for passage in kept if passage.source in best]


class _NamesWorker:
    """Searches for questions and revises claims with the same components."""

    def __init__(self, settings: Settings, entities: Sequence[Entity]) -> None:
        self._components: Components = wire(settings.model_copy(update={"trace": False}))
        self._documents = sorted({name for entity in entities for name in entity.documents})

    async def line(self, trial: NameTrial) -> NamesLine:
        """Works on a trial. A failed revision is an error of its line, and a failed search raises."""
        components = self._components
        if trial.pages is None:
            return await self._searched(trial)
        if trial.pages == "namesakes":
            search = WithoutDocuments(components.retriever, trial.subject.documents)
            components = replace(components, retriever=search)
        try:
            reviser = await in_thread(lambda: Reviser(components=components))
            return claim_line(trial, await reviser.arevise(trial.text))
        except RarrError as error:
            return NamesLine(id=trial.id, error=str(error))

    async def aclose(self) -> None:
        """Closes models and sources in the running event loop."""
        await close_all((*self._components.models, *self._components.opened))

    async def _searched(self, trial: NameTrial) -> NamesLine:
        passages = await self._components.retriever.retrieve(trial.text, DEPTH)
        scores = await self._components.reranker.score(trial.text, passages) if passages else []
        order = sorted(zip(scores, passages, strict=True), key=lambda pair: -pair[0])
        ranked = [passage for _, passage in order]
        return NamesLine(id=trial.id, searched=self._names(passages), ranked=self._names(ranked))

    def _names(self, passages: Sequence[Passage]) -> tuple[str, ...]:
        sources = dict.fromkeys(passage.source for passage in passages)
        return tuple(document_of(source, self._documents) for source in sources)


def claim_line(trial: NameTrial, revision: Revision) -> NamesLine:
    """Compares the revision of a claim with the true claim, and its edits with the subject's pages."""
    if why := nothing_checked(revision):
        return NamesLine(id=trial.id, error=f"nothing could be checked: {why}")
    own, sources = trial.subject.documents, {each.id: each.source for each in revision.evidence}
    right = [trial.text.replace(trial.value, answer) for answer in trial.answers]
    proposed = [edit for edit in revision.edits if edit.state in ("accepted", "suggested")]
    return NamesLine(
        id=trial.id,
        revised=revision.text,
        changed=revision.changed,
        correct=revision.text in right,
        suggested=any(
            revision.accept(edit.id).text in right for edit in proposed if edit.state == "suggested"
        ),
        from_namesake=any(
            document_of(sources.get(edit.evidence_id, ""), own) not in own for edit in proposed
        ),
    )


def tables(parts: Mapping[str, Pairs]) -> Iterator[ScoreTable]:
    """Scores the order of the search, with and without the reranker, and the revisions of false claims."""
    [pairs] = parts.values()
    questions = [pair for pair in pairs if not pair[0].pages]
    yield ScoreTable(
        title="questions: the first document is right",
        rows={
            "search alone": search_scores([_ranked(trial, line.searched) for trial, line in questions]),
            "with reranker": search_scores([_ranked(trial, line.ranked) for trial, line in questions]),
        },
    )
    groups: dict[str, Callable[[NameTrial], bool]] = {
        "namesakes' pages alone": lambda trial: trial.pages == "namesakes",
        "all pages": lambda trial: trial.pages == "all",
        "all pages, heads": lambda trial: trial.pages == "all" and trial.is_head,
        "all pages, tails": lambda trial: trial.pages == "all" and not trial.is_head,
    }
    if len(questions) < len(pairs):
        rows = {
            name: editing_scores([line for trial, line in pairs if holds(trial)])
            for name, holds in groups.items()
        }
        yield ScoreTable(title="false claims", rows=rows)


def _ranked(trial: NameTrial, ranking: tuple[str, ...]) -> RankedQuery:
    own = frozenset(trial.subject.documents)
    every = frozenset(name for member in trial.members for name in member.documents)
    return RankedQuery(trial.name, trial.is_head, frozenset(trial.gold), every - own, ranking)


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


def editing_scores(lines: Sequence[NamesLine]) -> dict[str, Measured]:
    """Computes the shares of false claims by what became of them."""
    hits: dict[str, Callable[[NamesLine], bool]] = {
        "changed": lambda line: line.changed,
        "corrected": lambda line: line.correct,
        "or rightly suggested": lambda line: line.correct or line.suggested,
        "from a namesake": lambda line: line.from_namesake,
    }
    return {name: share([None if line.error else hit(line) for line in lines]) for name, hit in hits.items()}

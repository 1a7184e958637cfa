"""Tests whether a search, and a revision, tells apart the things that share a name (AmbER sets).

Chen et al. 2021; Chen 2023, chapter 4. Each false claim is revised twice: with the corpus without the pages
of its subject, where any change is an error, and with the whole corpus.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from rarr.agent.revise import Reviser
from rarr.agent.wiring.components import wire
from rarr.components import Components, Retriever, close_all
from rarr.errors import InputError, RarrError
from rarr.evals import run_folder
from rarr.evals.benchmarks.name_sets import (
    Entity,
    NameQuery,
    NameSet,
    corpus_texts,
    document_of,
    name_sets,
)  # fmt: skip
from rarr.evals.benchmarks.report import BenchmarkReport, Options, ScoreTable, benchmark_folder, digest
from rarr.evals.metrics.retrieval import RankedQuery, accuracy, all_correct, confusion
from rarr.evals.metrics.statistics import Measured, share
from rarr.evals.rows import read_all
from rarr.evals.run_fingerprint import corpora
from rarr.evals.run_folder import FinishedLine, run_rows
from rarr.records import Passage, Revision
from rarr.retrievers.corpus.index_building import Progress
from rarr.settings import Settings
from rarr.tools.concurrency import in_thread
from rarr.tools.text.wording import nothing_checked

COMMAND = "rarr bench names"
EXAMPLE = '{"id": "a1", "name": "Apollo", "popularity": 90, "documents": ["apollo.md"], ...}'
DEPTH = 20
"""Documents that a search returns for a question."""
Pages = Literal["namesakes", "all"]
"""The corpus without the pages of the claim's subject, or the whole corpus."""


class NameTrial(NamedTuple):
    """A question to search for, or a false claim to revise beside some `pages`.

    `text` names the subject alone, or with its kind if `with_kind`.
    """

    name_set: NameSet
    query: NameQuery
    text: str
    with_kind: bool = False
    pages: Pages | None = None

    @property
    def id(self) -> str:
        """An id of its own among all trials."""
        return f"{self.query.id}/{self.with_kind:d}/{self.pages or 'search'}"

    @property
    def documents(self) -> tuple[str, ...]:
        """The documents of the subject."""
        return self.name_set.member(self.query.entity_id).documents

    @property
    def is_head(self) -> bool:
        """Is the subject the most popular thing of its name?"""
        return self.name_set.is_head(self.query.entity_id)


class NamesLine(FinishedLine):
    """A line of `predictions.jsonl`: the documents for a question, best first, or what became of a claim.

    `searched` is the order of the search, and `ranked` that of the reranker. `correct`: the revised text is
    the true claim, or (`suggested`) it is after a suggested edit. `from_namesake`: an edit, accepted or
    suggested, has its value from a page that is not of the subject.
    """

    searched: tuple[str, ...] = ()
    ranked: tuple[str, ...] = ()
    revised: str = ""
    status: str = ""
    changed: bool = False
    correct: bool = False
    suggested: bool = False
    from_namesake: bool = False


def bench_names(
    data: str | Path,
    out: str | Path,
    *,
    settings: Settings | None = None,
    edits: bool = True,
    options: Options | None = None,
    on_row: Progress | None = None,
) -> BenchmarkReport:
    """Measures how well search, reranker and revision of the settings tell namesakes apart.

    `data` is a list of entities (`rarr.evals.benchmarks.name_sets.Entity`) whose documents are the corpus of
    the settings; with `edits`, false claims are revised too. `limit`: use only the first names. The same call
    continues an interrupted run. Raises `InputError` for entities without a shared name, without a corpus, or
    if `out` holds another run, and `RarrError` if the search fails: scores of some queries would be of other
    sets.
    """
    settings, options, path = settings or Settings(), options or Options(), Path(out)
    if settings.corpus is None:
        raise InputError("no corpus: give --corpus PATH, the documents of the entities")
    sets = name_sets(
        read_all(Path(data), Entity, EXAMPLE), corpus_texts(settings.corpus, settings.max_file_mb)
    )
    every, chosen = trials(sets), trials(sets[: options.limit], edits=edits)
    if not every:
        raise InputError(f"{data} has no name that things share, with a property that the corpus states")
    with benchmark_folder(path, COMMAND, digest(str(sets)), settings) as inputs:
        inputs["corpora"] = corpora([settings.corpus], settings.max_file_mb)
        lines: list[NamesLine] = run_rows(
            every, path / "run", NamesLine, inputs, lambda: _NamesWorker(settings, sets),
            chosen=chosen, jobs=options.jobs, on_row=on_row,
        )  # fmt: skip
        pairs = list(zip(chosen, lines, strict=True))
        claims = [pair for pair in pairs if pair[0].pages]
        report = BenchmarkReport(
            benchmark="Things that share a name",
            counts={
                "names": len(sets[: options.limit]),
                "questions": len(pairs) - len(claims),
                "claims": len(claims),
            },
            tables=(search_table([pair for pair in pairs if not pair[0].pages]), *editing_tables(claims)),
            errors=tuple(f"{trial.text!r}: {line.error}" for trial, line in claims if line.error),
            failed=("the reviser",) if claims and all(line.error for _, line in claims) else (),
        )
        run_folder.finish(path, report)
    return report


def trials(sets: Sequence[NameSet], *, edits: bool = True) -> list[NameTrial]:
    """Lists the questions of sets, and the false claims with either choice of pages and of naming."""
    made = list[NameTrial]()
    for each in sets:
        for query in each.queries:
            if query.task == "question":
                made.append(NameTrial(each, query, query.text))
            elif edits:
                texts = {False: query.text, True: query.text_with_kind}
                made += [
                    NameTrial(each, query, text, with_kind, pages)
                    for with_kind, text in texts.items()
                    if text
                    for pages in get_args(Pages)
                ]
    return made


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

    def __init__(self, settings: Settings, sets: Sequence[NameSet]) -> None:
        self._components: Components = wire(settings.model_copy(update={"trace": False}))
        members = (member for each in sets for member in each.members)
        self._documents = sorted({name for member in members for name in member.documents})

    async def line(self, trial: NameTrial) -> NamesLine:
        """Works on a trial. A failed revision is an error of its line, and a failed search raises."""
        if trial.pages is None:
            return await self._searched(trial)
        components = self._components
        if trial.pages == "namesakes":
            search = WithoutDocuments(components.retriever, trial.documents)
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
        return NamesLine(
            id=trial.id,
            searched=self._names(passages),
            ranked=self._names([passage for _, passage in order]),
        )

    def _names(self, passages: Sequence[Passage]) -> tuple[str, ...]:
        sources = dict.fromkeys(passage.source for passage in passages)
        return tuple(document_of(source, self._documents) for source in sources)


def claim_line(trial: NameTrial, revision: Revision) -> NamesLine:
    """Compares the revision of a claim with the true claim, and its edits with the subject's pages."""
    query, sources = trial.query, {evidence.id: evidence.source for evidence in revision.evidence}
    if why := nothing_checked(revision):
        return NamesLine(id=trial.id, error=f"nothing could be checked: {why}")
    right = [trial.text.replace(query.value, answer) for answer in query.answers]
    proposed = [edit for edit in revision.edits if edit.state in ("accepted", "suggested")]
    suggestions = [edit.id for edit in revision.edits if edit.state == "suggested"]
    return NamesLine(
        id=trial.id,
        revised=revision.text,
        status=", ".join(sorted({sentence.status for sentence in revision.report.sentences})),
        changed=revision.changed,
        correct=revision.text in right,
        suggested=any(revision.accept(each).text in right for each in suggestions),
        from_namesake=any(
            document_of(sources.get(edit.evidence_id, ""), trial.documents) not in trial.documents
            for edit in proposed
        ),
    )


def search_table(pairs: Sequence[tuple[NameTrial, NamesLine]]) -> ScoreTable:
    """Scores the order of the search alone, and that of the reranker behind it."""
    rows = {
        name: [_ranked(trial, getattr(line, field)) for trial, line in pairs]
        for name, field in (("search alone", "searched"), ("with reranker", "ranked"))
    }
    return ScoreTable(
        title="questions: the first document is right",
        rows={name: search_scores(queries) for name, queries in rows.items()},
    )


def _ranked(trial: NameTrial, ranking: tuple[str, ...]) -> RankedQuery:
    own = frozenset(trial.documents)
    every = frozenset(name for member in trial.name_set.members for name in member.documents)
    return RankedQuery(trial.name_set.id, trial.is_head, frozenset(trial.query.gold), every - own, ranking)


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


def editing_tables(claims: Sequence[tuple[NameTrial, NamesLine]]) -> list[ScoreTable]:
    """Computes the shares of false claims for each choice of pages: of all, heads, tails, and each naming."""
    if not claims:
        return []
    rows = dict[str, dict[str, Measured]]()
    for pages, label in (("namesakes", "namesakes' pages alone"), ("all", "all pages")):
        group = [pair for pair in claims if pair[0].pages == pages]
        rows[label] = _editing(group)
        if pages == "all":
            for kind, holds in (("heads", True), ("tails", False)):
                rows[f"{label}, {kind}"] = _editing([pair for pair in group if pair[0].is_head == holds])
            for kind, holds in (("name alone", False), ("with kind", True)):
                rows[f"{label}, {kind}"] = _editing([pair for pair in group if pair[0].with_kind == holds])
    return [ScoreTable(title="false claims", rows=rows)]


def _editing(claims: Sequence[tuple[NameTrial, NamesLine]]) -> dict[str, Measured]:
    def hits(*names: str) -> Measured:
        return share(
            [None if line.error else any(getattr(line, name) for name in names) for _, line in claims]
        )

    return {
        "changed": hits("changed"),
        "corrected": hits("correct"),
        "or rightly suggested": hits("correct", "suggested"),
        "from a namesake": hits("from_namesake"),
    }

"""Makes training data by noising (PURR, Chen et al. 2023): query, evidence, a text, errors in it."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from rarr.agent.runs import budget_of, usage_of
from rarr.agent.wiring.components import ComponentMaker
from rarr.agent.wiring.sources import opening, reranker, retriever
from rarr.backends.prompted.noising import PromptedNoiser
from rarr.components import close_all
from rarr.errors import BudgetError, InputError, RarrError, SettingsError
from rarr.nodes.rerank import same_place
from rarr.records import Evidence, Passage, Record, Usage
from rarr.retrievers.corpus.index_building import Progress
from rarr.settings import Settings
from rarr.tools.concurrency import run, together, work
from rarr.tools.guard.injection import suspicion
from rarr.tools.models.run_budget import METER, Meter, meter
from rarr.tools.storage.files import Appending, locked
from rarr.tools.text.blocks_and_sentences import Span, sentences
from rarr.tools.text.wording import by_reason
from rarr.training.rows import (
    Dropped,
    Mistake,
    Reason,
    SentenceScore,
    TrainingRow,
    corrupted,
    dropped,
    dropped_beside,
    fitting,
    kinds_for,
    mend,
    read_seeds,
    rows,
)

RELEVANT = 0.6
"""The least relevance of a passage in E+. The default reranker gives it for most words of the query."""
MOST_RELEVANT = 4
"""The most passages of E+ (Chen et al. 2023, section 3)."""
MOST_OTHERS = 8
"""The most passages of E-."""
_WRITING = "noise"  # the name, beside those of nodes, for which a language model is chosen


class Split(NamedTuple):
    """E+ (`relevant`) and E- (`others`), best first. `suspicious` counts passages that address a model."""

    relevant: list[Evidence]
    others: list[Evidence]
    suspicious: int


def split(passages: Sequence[Passage], scores: Sequence[float]) -> Split:
    """Splits passages by score: at least `RELEVANT` is E+, less is E-, with at most 4 and 8 passages.

    Overlapping passages of a source count once. Suspicious passages are in neither, nor are relevant passages
    beyond the limit, since they may support the text.
    """
    ranked = sorted(
        zip(scores, passages, strict=True),
        key=lambda pair: (-pair[0], pair[1].source, pair[1].start, pair[1].text),
    )
    kept: list[tuple[float, Passage]] = []
    suspicious = 0
    for score, passage in ranked:
        if any(same_place(passage, other) for _, other in kept):
            continue
        if suspicion(f"{passage.title}\n{passage.text}"):
            suspicious += 1
            continue
        kept.append((score, passage))
    relevant = [pair for pair in kept if pair[0] >= RELEVANT][:MOST_RELEVANT]
    others = [pair for pair in kept if pair[0] < RELEVANT][:MOST_OTHERS]
    evidence = [
        Evidence(**passage.model_dump(), id=f"e{number}", query_id="query", relevance=score)
        for number, (score, passage) in enumerate([*relevant, *others], start=1)
    ]
    return Split(evidence[: len(relevant)], evidence[len(relevant) :], suspicious)


class SupportedSentence(NamedTuple):
    """A sentence with the passage that supports it best; `support` from 0 to 1, None if it was not judged."""

    span: Span
    evidence_id: str
    support: float | None


def of_place(supports: Sequence[SupportedSentence], place: Span) -> float | None:
    """Returns the least support of the sentences that overlap `place`; None if one is not judged, or none."""
    scores = [sentence.support for sentence in supports if sentence.span.overlaps(place)]
    judged = [score for score in scores if score is not None]
    return min(judged) if judged and len(judged) == len(scores) else None


def moved(place: Span, edits: Sequence[Mistake]) -> Span:
    """Computes where a sentence stands after the errors `edits`. Each error lies within one sentence."""
    grown = [(edit.start, len(edit.wrong) - len(edit.right)) for edit in edits]
    before = sum(by for start, by in grown if start < place.start)
    within = sum(by for start, by in grown if place.start <= start < place.end)
    return Span(place.start + before, place.end + before + within)


class Noiser:
    """Makes rows of queries by the components that the settings name.

    Raises `RarrError`, before any cost, if one cannot be made.
    """

    def __init__(self, settings: Settings, on_index: Progress | None = None) -> None:
        self.settings = settings
        with opening(settings) as opened:
            judging = {node: name for node, name in settings.models.items() if node == "attribute"}
            parts = ComponentMaker(settings, {_WRITING: settings.model} | judging, opened)
            if _WRITING not in parts.named:
                raise SettingsError(
                    f"{settings.model!r} cannot write summaries:"
                    " set model to a language model, such as vllm:NAME"
                )
            self._writer = PromptedNoiser(parts.models[settings.model], parts.prompts)
            self._verifier = parts.verifier()
            self._verified_by = str(judging.get("attribute", "embedded"))
            self._reranker = reranker(settings, opened)
            self._retriever = retriever(settings, opened, on_index)  # last: indexing may take long
            self._opened = (*parts.models.all, *opened)
        self.warnings = by_reason(getattr(self._retriever, "skipped", ()))  # as in a revision

    async def aclose(self) -> None:
        """Closes the components, with their files and connections."""
        await close_all(self._opened)

    async def row(self, query: str, passages: Split) -> TrainingRow | Dropped:
        """Makes the row of a query, or the reason why it has none.

        In a row every sentence is judged, and each with an error is less supported than without it. Raises
        `RarrError` if something failed or a budget is spent: that tells nothing about the query.
        """

        def without(reason: Reason, summary: str = "", changed: str = "") -> Dropped:
            return Dropped(query=query, reason=reason, summary=summary, corrupted=changed)

        if not passages.relevant:
            return without("no_evidence")
        with meter().step("summarize"):
            summary = await self._writer.summarize(query, passages.relevant)
        if not summary:
            return without("no_summary")
        before = await self._judged(summary, query, passages.relevant)
        supports = [sentence.support for sentence in before if sentence.support is not None]
        if not before or len(supports) < len(before):
            return without("unjudged", summary)
        if min(supports) < self.settings.support_threshold:
            return without("unattributable", summary)
        with meter().step("corrupt"):
            errors = await self._writer.corrupt(summary, kinds_for(query))
        edits = fitting(summary, [sentence.span for sentence in before], errors)
        if not edits:
            return without("no_error", summary)
        changed = corrupted(summary, edits)
        after = await self._judged(changed, query, passages.relevant)
        scores = list[SentenceScore]()
        for (span, evidence_id, _), support in zip(before, supports, strict=True):
            wrong = of_place(after, moved(span, edits))
            if wrong is None:
                return without("unjudged", summary, changed)
            if wrong >= support and any(span.start <= edit.start < span.end for edit in edits):
                return without("undetected", summary, changed)
            scores.append(
                SentenceScore(
                    start=span.start, end=span.end, evidence_id=evidence_id, support=support, corrupted=wrong
                )
            )
        return TrainingRow(
            query=query,
            summary=summary,
            corrupted=changed,
            edits=edits,
            relevant=tuple(passages.relevant),
            others=tuple(passages.others),
            scores=tuple(scores),
            model=self._writer.name,
            verifier=self._verified_by,
            prompts=self._writer.hashes,
        )

    async def searched(self, query: str) -> Split:
        """Searches for a query and splits the passages."""
        with meter().step("retrieve"):
            async with meter().in_time():
                passages = await self._retriever.retrieve(query, self.settings.documents_per_query)
        with meter().step("rerank"):
            async with meter().in_time():
                scores = await self._reranker.score(query, passages) if passages else []
        return split(passages, scores)

    async def _judged(self, text: str, query: str, evidence: Sequence[Evidence]) -> list[SupportedSentence]:
        """Judges each sentence of `text`, which answers `query`, by its best passage."""
        spans, verifier = list(await work(sentences, text)), self._verifier
        with meter().step("attribute"):
            supports = await together(*(verifier.support(text, query, spans, each) for each in evidence))
        result = []
        for span, of_span in zip(spans, zip(*supports, strict=True), strict=True):
            scored = [
                (score, passage.id)
                for score, passage in zip(of_span, evidence, strict=True)
                if score is not None
            ]
            best, name = max(scored, key=lambda pair: pair[0], default=(None, ""))
            result.append(SupportedSentence(span, name, best))
        return result


class Failed(Record):
    """A query whose row failed, as by a lost connection. The next run tries it again."""

    query: str
    error: str


class NoisingReport(Record):
    """The report of a run: the `rows` of the file, the `new` ones, and why other queries have none.

    `left` queries were not started, because the limit `limit` was reached. `suspicious` passages were left
    out in this run, because they address a language model.
    """

    rows: int
    new: int
    dropped: dict[Reason, int]
    failed: tuple[Failed, ...] = ()
    left: int = 0
    limit: str = ""
    suspicious: int = 0
    warnings: tuple[str, ...] = ()
    usage: Usage = Usage()


def make_data(
    seeds: str | Path,
    out: str | Path,
    *,
    settings: Settings | None = None,
    jobs: int = 4,
    on_query: Progress | None = None,
    on_index: Progress | None = None,
) -> NoisingReport:
    """Makes a row of each query of the file `seeds`, `jobs` at once, and adds it to the file `out`.

    A query that has a row, or was dropped, is not repeated. `on_query` is called with the number of finished
    queries and of all queries, `on_index` with the same numbers for a corpus's files. Raises `RarrError`
    before anything is spent: for a file without a query, a missing model, or an `out` that is in use or holds
    other lines.
    """
    if jobs < 1:
        raise InputError("jobs is a number of queries: give at least 1")
    path, queries = Path(out), read_seeds(Path(seeds))
    claimed = f"{path} is in use by another rarr train data: wait for it, or give another file"
    with locked(path.with_name(f".{path.name}.lock"), claimed):
        mend(path)
        before = [row.query for row in rows(path)]
        unmade = {query.query: query.reason for query in dropped(path)}
        done = {*before, *unmade}
        todo = [query for query in queries if query not in done]
        noiser = Noiser(settings or Settings(), on_index)
        try:
            say, count = on_query or (lambda done, total: None), len(queries)
            task = _NoisingTask(noiser, path, todo, lambda made: say(count - len(todo) + made, count))
            if todo:
                run(task.all(jobs))
        finally:
            run(noiser.aclose())
    unmade |= task.unmade
    return NoisingReport(
        rows=len(before) + task.made,
        new=task.made,
        dropped=dict(Counter(reason for query, reason in unmade.items() if query in set(queries))),
        failed=tuple(task.failed),
        left=len(todo) - task.finished,
        limit=task.limit,
        suspicious=task.suspicious,
        warnings=tuple(task.warnings),
        usage=task.usage,
    )


class _NoisingTask:
    """Works through the queries `todo`, writes the rows and counts the results."""

    def __init__(self, noiser: Noiser, path: Path, todo: list[str], on_query: Callable[[int], None]) -> None:
        self._noiser, self._path, self._todo, self._on_query = noiser, path, iter(todo), on_query
        self.made, self.suspicious, self.limit, self.usage = 0, 0, "", Usage()
        self.unmade: dict[str, Reason] = {}
        self.failed: list[Failed] = []
        self.warnings = [*noiser.warnings]

    @property
    def finished(self) -> int:
        """Counts the queries that have a row, a reason or a failure."""
        return self.made + len(self.unmade) + len(self.failed)

    async def all(self, jobs: int) -> None:
        """Makes the rows of all queries, `jobs` at once, until the budget is spent."""
        meter = Meter(budget_of(self._noiser.settings))
        token = METER.set(meter)
        try:
            with Appending(self._path) as made, Appending(dropped_beside(self._path)) as unmade:
                await together(*(self._some(made, unmade) for _ in range(jobs)))
        finally:
            METER.reset(token)
            self.usage = usage_of(meter)
            self.warnings += [notice.message for notice in meter.warnings]

    async def _some(self, made: Appending, unmade: Appending) -> None:
        for query in self._todo:  # all workers take from one iterator
            try:
                passages = await self._noiser.searched(query)
                item = await self._noiser.row(query, passages)
            except BudgetError as error:
                self.limit = str(error)
            except RarrError as error:
                self.failed.append(Failed(query=query, error=str(error)))
            else:
                self.suspicious += passages.suspicious
                if isinstance(item, Dropped):
                    await asyncio.to_thread(unmade.add, item.line())
                    self.unmade[query] = item.reason
                else:
                    await asyncio.to_thread(made.add, item.line())
                    self.made += 1
            if self.limit:
                return
            self._on_query(self.finished)

"""Makes training data by noising (PURR, Chen et al. 2023): query, evidence, a text, errors in it."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rarr.agent.runs import budget_of, usage_of
from rarr.agent.wiring.components import ComponentMaker
from rarr.agent.wiring.sources import opening, reranker, retriever
from rarr.backends.prompted.noising import PromptedNoiser
from rarr.components import close_all
from rarr.errors import SettingsError
from rarr.evals import run_folder
from rarr.nodes.rerank import same_place
from rarr.records import Evidence, Passage, Record, Usage
from rarr.retrievers.corpus.index_building import Progress
from rarr.settings import Settings
from rarr.tools.concurrency import together, work
from rarr.tools.guard.injection import suspicion
from rarr.tools.models.run_budget import METER, Meter, meter
from rarr.tools.text.blocks_and_sentences import Span, sentences
from rarr.tools.text.wording import by_reason
from rarr.training.rows import (
    Mistake,
    NoisedLine,
    Reason,
    SentenceScore,
    TrainingRow,
    corrupted,
    fitting,
    kinds_for,
    read_queries,
)

RELEVANT = 0.6
"""The least relevance of a passage in E+. The default reranker gives it for most words of the query."""
MOST_RELEVANT = 4
"""The most passages of E+ (Chen et al. 2023, section 3)."""
MOST_OTHERS = 8
"""The most passages of E-."""
_WRITING = "noise"  # the name, beside those of nodes, for which a language model is chosen


class Query(NamedTuple):
    """A query to make a row of."""

    id: str


class Split(NamedTuple):
    """E+ (`relevant`) and E- (`others`), best first."""

    relevant: tuple[Evidence, ...]
    others: tuple[Evidence, ...]


def split(passages: Sequence[Passage], scores: Sequence[float]) -> Split:
    """Splits passages by score: at least `RELEVANT` is E+, less is E-, with at most 4 and 8 passages.

    Overlapping passages of a source count once. Passages that address a model are in neither, nor are
    relevant passages beyond the limit, since they may support the text.
    """
    pairs = zip(scores, passages, strict=True)
    kept: list[tuple[float, Passage]] = []
    for score, passage in sorted(pairs, key=lambda it: (-it[0], it[1].source, it[1].start, it[1].text)):
        doubled = any(same_place(passage, other) for _, other in kept)
        if not doubled and not suspicion(f"{passage.title}\n{passage.text}"):
            kept.append((score, passage))
    relevant = [pair for pair in kept if pair[0] >= RELEVANT][:MOST_RELEVANT]
    others = [pair for pair in kept if pair[0] < RELEVANT][:MOST_OTHERS]
    evidence = tuple(
        Evidence(**passage.model_dump(), id=f"e{number}", query_id="query", relevance=score)
        for number, (score, passage) in enumerate([*relevant, *others], start=1)
    )
    return Split(evidence[: len(relevant)], evidence[len(relevant) :])


def moved(place: Span, edits: Sequence[Mistake]) -> Span:
    """Computes where a sentence stands after the errors `edits`. Each error lies within one sentence."""
    grown = [(edit.start, len(edit.wrong) - len(edit.right)) for edit in edits]
    before = sum(by for start, by in grown if start < place.start)
    within = sum(by for start, by in grown if place.start <= start < place.end)
    return Span(place.start + before, place.end + before + within)


class Noiser:
    """Makes rows of queries by the components that the settings name, within one budget.

    Raises `RarrError`, before any cost, if one cannot be made.
    """

    def __init__(self, settings: Settings, on_index: Progress | None = None) -> None:
        self._settings, self.spent = settings, Meter(budget_of(settings))
        with opening(settings) as opened:
            judging = {node: name for node, name in settings.models.items() if node == "attribute"}
            parts = ComponentMaker(settings, {_WRITING: settings.model} | judging)
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

    async def line(self, query: Query) -> NoisedLine:
        """Makes the row of a query, or gives the reason why it has none.

        In a row every sentence is judged, and each with an error is less supported than without it. Raises
        `RarrError` if something failed or the budget is spent: that tells nothing about the query.
        """
        METER.set(self.spent)
        passages = await self._searched(query.id)

        def without(reason: Reason, summary: str = "", changed: str = "") -> NoisedLine:
            return NoisedLine(id=query.id, reason=reason, summary=summary, corrupted=changed)

        if not passages.relevant:
            return without("no_evidence")
        with meter().step("summarize"):
            summary = await self._writer.summarize(query.id, passages.relevant)
        if not summary:
            return without("no_summary")
        spans = list(await work(sentences, summary))
        before = await self._judged(summary, query.id, spans, passages.relevant)
        if not before or any(support is None for support, _ in before):
            return without("unjudged", summary)
        if min(support or 0.0 for support, _ in before) < self._settings.support_threshold:
            return without("unattributable", summary)
        with meter().step("corrupt"):
            errors = await self._writer.corrupt(summary, kinds_for(query.id))
        edits = fitting(summary, spans, errors)
        if not edits:
            return without("no_error", summary)
        changed = corrupted(summary, edits)
        moved_spans = [moved(span, edits) for span in spans]
        after = await self._judged(changed, query.id, moved_spans, passages.relevant)
        scores = [
            SentenceScore(start=span.start, end=span.end, evidence_id=name, support=right, corrupted=wrong)
            for span, (right, name), (wrong, _) in zip(spans, before, after, strict=True)
            if right is not None and wrong is not None
        ]
        if len(scores) < len(spans):
            return without("unjudged", summary, changed)
        for it in scores:
            if it.corrupted >= it.support and any(it.start <= edit.start < it.end for edit in edits):
                return without("undetected", summary, changed)
        row = TrainingRow(
            query=query.id,
            summary=summary,
            corrupted=changed,
            edits=edits,
            relevant=passages.relevant,
            others=passages.others,
            scores=tuple(scores),
            model=self._writer.name,
            verifier=self._verified_by,
            prompts=self._writer.hashes,
        )
        return NoisedLine(id=query.id, row=row)

    async def _searched(self, query: str) -> Split:
        with meter().step("retrieve"):
            async with meter().in_time():
                passages = await self._retriever.retrieve(query, self._settings.documents_per_query)
        with meter().step("rerank"):
            async with meter().in_time():
                scores = await self._reranker.score(query, passages) if passages else []
        return split(passages, scores)

    async def _judged(
        self, text: str, query: str, spans: Sequence[Span], evidence: Sequence[Evidence]
    ) -> list[tuple[float | None, str]]:
        """Judges each sentence of `text`, which answers `query`: its support, and by which passage."""
        with meter().step("attribute"):
            judging = (self._verifier.support(text, query, spans, passage) for passage in evidence)
            supports = await together(*judging)
        names = [passage.id for passage in evidence]
        pairs = [list(zip(scores, names, strict=True)) for scores in zip(*supports, strict=True)]
        return [max(found, key=lambda it: -1.0 if it[0] is None else it[0]) for found in pairs]


class NoisingReport(Record):
    """The report of a run: its `rows`, why other queries have none, and the failed ones with their errors."""

    rows: int
    dropped: dict[Reason, int]
    failed: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    usage: Usage = Usage()


def make_data(
    queries: str | Path,
    out: str | Path,
    *,
    settings: Settings | None = None,
    jobs: int = 4,
    on_query: Progress | None = None,
    on_index: Progress | None = None,
) -> NoisingReport:
    """Makes a row of each query of the file `queries`, `jobs` at once, in the folder `out`.

    A query that has a row, or a reason for none, is not repeated by the next call, which may have other
    settings; one that failed is. `on_query` is called with the number of finished queries and of all queries,
    `on_index` with the same numbers for a corpus's files. Raises `RarrError` before anything is spent: for a
    file without a query, a missing model, or an `out` that is in use or holds another run.
    """
    every, noisers = [Query(query) for query in read_queries(Path(queries))], list[Noiser]()

    def noising() -> Noiser:
        noisers.append(Noiser(settings or Settings(), on_index))
        return noisers[0]

    inputs = run_folder.inputs("rarr train data", every, {})
    lines: list[NoisedLine] = run_folder.run_rows(
        every, Path(out), NoisedLine, inputs, noising, chosen=every, jobs=jobs, on_row=on_query
    )
    spent = noisers[0].spent
    report = NoisingReport(
        rows=sum(line.row is not None for line in lines),
        dropped=dict(Counter(line.reason for line in lines if line.reason)),
        failed=tuple(f"{line.id!r} failed: {line.error}" for line in lines if line.error),
        warnings=(*noisers[0].warnings, *(notice.message for notice in spent.warnings)),
        usage=usage_of(spent),
    )
    run_folder.finish(Path(out), report)
    return report

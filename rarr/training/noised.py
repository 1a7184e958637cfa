"""Makes training data by noising (PURR, Chen et al. 2023): query, evidence, a text, errors in it."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from rarr.agent.final_revision import budget_of, usage_of
from rarr.agent.wiring.components import ComponentMaker
from rarr.agent.wiring.resources import Resources, opening
from rarr.agent.wiring.search_and_reranking import reranker, retriever
from rarr.backends.prompted.noising import PromptedNoiser
from rarr.components import Closes, Reranker, Retriever, Verifier, close_all
from rarr.errors import BudgetError, InputError, RarrError, SettingsError
from rarr.nodes.rerank import same_place
from rarr.records import Evidence, Passage, Record, Usage
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


class Split(NamedTuple):
    """E+ (`relevant`) and E- (`others`), best first. `suspicious` counts passages that address a model."""

    relevant: list[Evidence]
    others: list[Evidence]
    suspicious: int


def split(passages: Sequence[Passage], scores: Sequence[float], threshold: float) -> Split:
    """Splits passages by score: at least `threshold` is E+, less is E-, with at most 4 and 8 passages.

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
    relevant = [pair for pair in kept if pair[0] >= threshold][:MOST_RELEVANT]
    others = [pair for pair in kept if pair[0] < threshold][:MOST_OTHERS]
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


async def judged(
    verifier: Verifier, text: str, query: str, evidence: Sequence[Evidence]
) -> list[SupportedSentence]:
    """Judges each sentence of `text`, which answers `query`, by its best passage of `evidence`.

    Raises the errors of the verifier.
    """
    spans = list(await work(sentences, text))
    supports = await together(*(verifier.support(text, query, spans, passage) for passage in evidence))
    result = []
    for span, of_span in zip(spans, zip(*supports, strict=True), strict=True):
        scored = [
            (score, passage.id) for score, passage in zip(of_span, evidence, strict=True) if score is not None
        ]
        best, name = max(scored, key=lambda pair: pair[0], default=(None, ""))
        result.append(SupportedSentence(span, name, best))
    return result


def of_place(supports: Sequence[SupportedSentence], place: Span) -> float | None:
    """Returns the least support of the sentences that overlap `place`; None if one is not judged, or none."""
    scores = [sentence.support for sentence in supports if sentence.span.overlaps(place)]
    judged_scores = [score for score in scores if score is not None]
    return min(judged_scores) if judged_scores and len(judged_scores) == len(scores) else None


def moved(place: Span, edits: Sequence[Mistake]) -> Span:
    """Computes where a sentence stands after the errors `edits`. Each error lies within one sentence."""
    grown = [(edit.start, len(edit.wrong) - len(edit.right)) for edit in edits]
    before = sum(by for start, by in grown if start < place.start)
    within = sum(by for start, by in grown if place.start <= start < place.end)
    return Span(place.start + before, place.end + before + within)


_WRITING = "noise"  # the name, beside those of nodes, for which a language model is chosen


@dataclass(frozen=True)
class Noising:
    """Everything that one run of noising uses. `opened` has to be closed at the end."""

    settings: Settings
    retriever: Retriever
    reranker: Reranker
    verifier: Verifier
    noiser: PromptedNoiser
    verified_by: str
    opened: tuple[Closes, ...] = ()

    async def aclose(self) -> None:
        """Closes the components in `opened`, with their files and connections."""
        await close_all(self.opened)


def wire_noising(settings: Settings, on_index: Callable[[int, int], None] | None = None) -> Noising:
    """Makes the components that `settings` name. Raises `RarrError`, before any cost, if it cannot."""
    with opening(settings) as opened:
        return _made_with(settings, opened, on_index)


def _made_with(settings: Settings, opened: Resources, on_index: Callable[[int, int], None] | None) -> Noising:
    judging = {node: name for node, name in settings.models.items() if node == "attribute"}
    parts = ComponentMaker(settings, {_WRITING: settings.model} | judging, opened)
    if _WRITING not in parts.named:
        raise SettingsError(
            f"{settings.model!r} cannot write summaries: set model to a language model, such as vllm:NAME"
        )
    return Noising(
        settings=settings,
        verifier=parts.verifier(),
        noiser=PromptedNoiser(parts.models[settings.model], parts.prompts),
        verified_by=str(judging.get("attribute", "embedded")),
        reranker=reranker(settings, opened),
        retriever=retriever(settings, opened, on_index),  # last, since indexing a corpus may take long
        opened=(*parts.models.all, *opened),
    )


async def noised(query: str, parts: Noising, threshold: float) -> tuple[TrainingRow | Dropped, Split]:
    """Makes the row of a query, or the reason why it has none. Also returns the split of its search.

    Raises `RarrError` if something failed or a budget is spent: that tells nothing about the query.
    """
    passages = await _searched(query, parts, threshold)
    return await _written(query, passages, parts), passages


async def _searched(query: str, parts: Noising, threshold: float) -> Split:
    with meter().step("retrieve"):
        async with meter().in_time():
            passages = await parts.retriever.retrieve(query, parts.settings.documents_per_query)
    with meter().step("rerank"):
        async with meter().in_time():
            scores = await parts.reranker.score(query, passages) if passages else []
    return split(passages, scores, threshold)


async def _written(query: str, passages: Split, parts: Noising) -> TrainingRow | Dropped:
    if not passages.relevant:
        return Dropped(query=query, reason="no_evidence")
    with meter().step("summarize"):
        summary = await parts.noiser.summarize(query, passages.relevant)
    if not summary:
        return Dropped(query=query, reason="no_summary")
    with meter().step("attribute"):
        before = await judged(parts.verifier, summary, query, passages.relevant)
    supports = [sentence.support for sentence in before]
    if not before or None in supports:
        return Dropped(query=query, reason="unjudged", summary=summary)
    if min(score for score in supports if score is not None) < parts.settings.support_threshold:
        return Dropped(query=query, reason="unattributable", summary=summary)
    with meter().step("corrupt"):
        errors = await parts.noiser.corrupt(summary, kinds_for(query))
    edits = fitting(summary, [sentence.span for sentence in before], errors)
    if not edits:
        return Dropped(query=query, reason="no_error", summary=summary)
    return await _judged(query, summary, edits, before, passages, parts)


async def _judged(
    query: str,
    summary: str,
    edits: tuple[Mistake, ...],
    before: Sequence[SupportedSentence],
    passages: Split,
    parts: Noising,
) -> TrainingRow | Dropped:
    """Makes the row if every sentence is judged, and each with an error is less supported than without it.

    Otherwise returns the query as dropped, with the reason.
    """
    changed = corrupted(summary, edits)
    with meter().step("attribute"):
        after = await judged(parts.verifier, changed, query, passages.relevant)
    scores = []
    for sentence in before:
        support = of_place(after, moved(sentence.span, edits))
        if support is None or sentence.support is None:
            return Dropped(query=query, reason="unjudged", summary=summary, corrupted=changed)
        has_error = any(sentence.span.start <= edit.start < sentence.span.end for edit in edits)
        if has_error and support >= sentence.support:
            return Dropped(query=query, reason="undetected", summary=summary, corrupted=changed)
        scores.append(
            SentenceScore(
                start=sentence.span.start,
                end=sentence.span.end,
                evidence_id=sentence.evidence_id,
                support=sentence.support,
                corrupted=support,
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
        model=parts.noiser.name,
        verifier=parts.verified_by,
        prompts=parts.noiser.hashes,
    )


Progress = Callable[[int, int], None]


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
    parts: Noising | None = None,
    relevance: float = RELEVANT,
    jobs: int = 4,
    on_query: Progress | None = None,
    on_index: Progress | None = None,
) -> NoisingReport:
    """Makes a row of each query of the file `seeds`, `jobs` at once, and adds it to the file `out`.

    Passages of at least `relevance` are evidence to write from. A query that has a row, or was dropped, is
    not repeated. Give either `parts` or `settings`. `on_query` is called with the number of finished queries
    and of all queries, `on_index` with the same numbers for a corpus's files. Raises `RarrError` before
    anything is spent: for a file without a query, a missing model, or an `out` that is in use or holds other
    lines.
    """
    if jobs < 1 or not 0 <= relevance <= 1:
        raise InputError("jobs must be at least 1, and relevance must lie between 0 and 1")
    path, queries = Path(out), read_seeds(Path(seeds))
    claimed = f"{path} is in use by another rarr train data: wait for it, or give another file"
    with locked(path.with_name(f".{path.name}.lock"), claimed):
        mend(path)
        before = [row.query for row in rows(path)]
        unmade = {query.query: query.reason for query in dropped(path)}
        done = {*before, *unmade}
        todo = [query for query in queries if query not in done]
        with _wired(settings or Settings(), parts, on_index) as wired:
            work = _NoisingTask(wired, path, relevance, todo)
            say = on_query or (lambda done, total: None)
            work.on_query = lambda made: say(len(queries) - len(todo) + made, len(queries))
            if todo:
                run(work.all(jobs))
        unmade |= work.unmade
    reasons = Counter(reason for query, reason in unmade.items() if query in set(queries))
    return NoisingReport(
        rows=len(before) + work.made,
        new=work.made,
        dropped=dict(reasons),
        failed=tuple(work.failed),
        left=len(todo) - work.made - len(work.unmade) - len(work.failed),
        limit=work.limit,
        suspicious=work.suspicious,
        warnings=tuple(work.warnings),
        usage=work.usage,
    )


@contextmanager
def _wired(settings: Settings, parts: Noising | None, on_index: Progress | None) -> Iterator[Noising]:
    """Yields the given parts, or makes them from the settings and closes them after the block."""
    if parts is not None:
        yield parts
        return
    made = wire_noising(settings, on_index)
    try:
        yield made
    finally:
        run(made.aclose())


class _NoisingTask:
    """Works through the queries `todo`, writes the rows and counts the results."""

    def __init__(self, parts: Noising, path: Path, threshold: float, todo: list[str]) -> None:
        self._parts, self._path, self._threshold = parts, path, threshold
        self._todo = iter(todo)
        self.on_query: Callable[[int], None] = lambda made: None
        self.made, self.suspicious, self.limit = 0, 0, ""
        self.unmade: dict[str, Reason] = {}
        self.failed: list[Failed] = []
        skipped = getattr(parts.retriever, "skipped", ())  # as in a revision
        self.warnings = by_reason(skipped)
        self.usage = Usage()

    async def all(self, jobs: int) -> None:
        """Makes the rows of all queries, `jobs` at once, until the budget is spent."""
        meter = Meter(budget_of(self._parts.settings))
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
                item, split = await noised(query, self._parts, self._threshold)
            except BudgetError as error:
                self.limit = str(error)
            except RarrError as error:
                self.failed.append(Failed(query=query, error=str(error)))
            else:
                self.suspicious += split.suspicious
                if isinstance(item, Dropped):
                    await asyncio.to_thread(unmade.add, item.line())
                    self.unmade[query] = item.reason
                else:
                    await asyncio.to_thread(made.add, item.line())
                    self.made += 1
            if self.limit:
                return
            self.on_query(self.made + len(self.unmade) + len(self.failed))

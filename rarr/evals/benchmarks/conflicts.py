"""Tests whether a reviser follows the passage in front of it, or repeats what its model remembers.

Longpre et al. 2021; Chen 2023, chapter 5. In the passage of a question, the answer is replaced: by the answer
of another row of the same type (`corpus`), or by another form of the same answer (`alias`: no conflict, which
tests stability). The reviser gets the sentence with the old answer, and the changed passage alone.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, get_args

from rarr.agent.revise import Reviser
from rarr.agent.wiring.components import wire
from rarr.components import Components, close_all
from rarr.errors import InputError, RarrError
from rarr.evals import run_folder
from rarr.evals.benchmarks.report import (
    BenchmarkReport,
    Options,
    ScoreTable,
    benchmark_folder,
    sampled,
)  # fmt: skip
from rarr.evals.benchmarks.substitution import (
    POLICIES,
    Conflict,
    Policy,
    QuestionRow,
    conflicts_of,
    contains,
)  # fmt: skip
from rarr.evals.evaluation import RowRetriever
from rarr.evals.metrics.statistics import Measured, share
from rarr.evals.rows import RowEvidence, read_rows
from rarr.evals.run_fingerprint import described
from rarr.evals.run_folder import FinishedLine, run_rows
from rarr.records import Passage, Revision
from rarr.retrievers.corpus.index_building import Progress
from rarr.settings import Settings
from rarr.tools.concurrency import in_thread

COMMAND = "rarr bench conflicts"
Bucket = Literal["memory", "evidence", "other"]
"""What a reviser did with a changed passage: it kept the old answer, took the new one, or did neither."""
_EXAMPLE = '{"question": "...", "answers": ["..."], "passage": "..."} for each question'


class ReactionLine(FinishedLine):
    """A line of `predictions.jsonl`: what the reviser did with one conflict, or why that is not known.

    `right`: it got the unchanged passage right. Where it did not, nothing more was asked.
    """

    right: bool | None = None
    bucket: Bucket | None = None
    text: str | None = None


def bench_conflicts(
    data: str | Path,
    out: str | Path,
    *,
    settings: Settings | None = None,
    policies: Sequence[Policy] = POLICIES,
    options: Options | None = None,
    on_row: Progress | None = None,
) -> BenchmarkReport:
    """Makes conflicts of the questions in the file `data`, at most `limit` of each policy; reports to `out`.

    The same call continues an interrupted run. Raises `RarrError` before anything is spent, for data without
    a question or a conflict, or a model that cannot be used.
    """
    settings, options, path = settings or Settings(), options or Options(), Path(out)
    if unknown := [name for name in policies if name not in POLICIES]:
        raise InputError(f"policy {unknown[0]!r} is unknown: give some of {', '.join(POLICIES)}")
    source = read_rows(Path(data), QuestionRow, _EXAMPLE)
    every, left_out = conflicts_of(source.rows, policies)
    by_policy = ([each for each in sampled(every) if each.policy == policy] for policy in policies)
    conflicts = [each for group in by_policy for each in group[: options.limit]]
    if not conflicts:
        reasons = "; ".join(f"{reason}: {count}" for reason, count in left_out.items())
        raise InputError(f"{data} gives no conflict ({reasons}): give rows whose passage states the answer")
    with benchmark_folder(path, COMMAND, source.digest, settings, policies=list(policies)) as inputs:
        lines: list[ReactionLine] = run_rows(
            every, path / "run", ReactionLine, inputs, lambda: _ConflictReviser(settings),
            chosen=conflicts, jobs=options.jobs, on_row=on_row,
        )  # fmt: skip
        judged = list(zip(conflicts, lines, strict=True))
        report = BenchmarkReport(
            benchmark="Conflicting knowledge",
            counts={"questions": len(source.rows), "conflicts": len(conflicts)},
            settings=described(settings),
            tables=(ScoreTable(title="by policy and type of the answer", rows=_groups(judged)),),
            errors=tuple(f"{line.id}: {line.error}" for line in lines if line.error),
            failed=("the reviser",) if all(line.error for line in lines) else (),
            unreadable=tuple(source.unreadable),
            left_out=left_out,
        )
        run_folder.finish(path, report)
    return report


class _NoSource:
    """A retriever that is never asked: each conflict has a source of its own."""

    offline = True

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        return []


class _ConflictReviser:
    """Revises claims with a passage as the only source. An unchanged passage is read only once a question."""

    def __init__(self, settings: Settings) -> None:
        self._components: Components = wire(settings.model_copy(update={"search": _NoSource()}))
        self._right: dict[str, asyncio.Task[bool]] = {}

    async def line(self, conflict: Conflict) -> ReactionLine:
        """Puts one conflict to the reviser; the line has an error if that failed. Only a defect raises."""
        key = f"{conflict.question}\n{conflict.passage}"
        if key not in self._right:
            self._right[key] = asyncio.create_task(self._is_right(conflict))
        try:
            if not await asyncio.shield(self._right[key]):
                return ReactionLine(id=conflict.id, right=False)
            revision = await self._revised(conflict, conflict.changed)
        except RarrError as error:
            return ReactionLine(id=conflict.id, error=str(error))
        return ReactionLine(id=conflict.id, right=True, bucket=bucket(revision, conflict), text=revision.text)

    async def aclose(self) -> None:
        """Closes models and sources in the running event loop."""
        await close_all((*self._components.models, *self._components.opened))

    async def _is_right(self, conflict: Conflict) -> bool:
        """Does it get the unchanged passage right? Otherwise the changed one shows nothing."""
        revision = await self._revised(conflict, conflict.passage)
        statuses = {sentence.status for sentence in revision.report.sentences}
        return not revision.changed and "contradicted" not in statuses

    async def _revised(self, conflict: Conflict, passage: str) -> Revision:
        source = RowRetriever([RowEvidence(text=passage, title=conflict.title)], self._components.settings)
        components = replace(self._components, retriever=source)
        reviser = await in_thread(lambda: Reviser(components=components))
        return await reviser.arevise(conflict.claim, conflict.question)


def bucket(revision: Revision, conflict: Conflict) -> Bucket:
    """Sorts the revision of the claim with the old answer, by a reviser that had the changed passage alone.

    It follows the passage if it writes or suggests the new answer, or calls the claim contradicted. It keeps
    the old answer if it calls the unchanged claim supported. For an alias, it must leave the claim alone.
    """
    statuses = {sentence.status for sentence in revision.report.sentences}
    proposed = [edit.new for edit in revision.edits if edit.state == "suggested"]
    if conflict.policy == "alias":
        return "other" if revision.changed or proposed or "contradicted" in statuses else "evidence"
    if any(contains(text, conflict.new) for text in (revision.text, *proposed)) or "contradicted" in statuses:
        return "evidence"
    return "memory" if not revision.changed and statuses == {"supported"} else "other"


def _groups(judged: Sequence[tuple[Conflict, ReactionLine]]) -> dict[str, dict[str, Measured]]:
    groups: dict[str, list[tuple[Conflict, ReactionLine]]] = {}
    for conflict, line in judged:
        for name in (conflict.policy, f"{conflict.policy}, {conflict.type}"):
            groups.setdefault(name, []).append((conflict, line))
    return {name: reactions([line for _, line in groups[name]], name) for name in sorted(groups)}


def reactions(lines: Sequence[ReactionLine], name: str) -> dict[str, Measured]:
    """Computes the memorisation ratio and the shares of reactions, over the conflicts that were judged.

    The ratio is that of memory among memory and evidence (Longpre et al. 2021; Chen 2023, section 5.3); an
    alias has none, since both are right. `right before` is over all conflicts, and the other shares over
    those that were right with the unchanged passage.
    """
    right = [line.right if not line.error else None for line in lines]
    counts = Counter(line.bucket for line in lines if line.bucket)
    decided = [True] * counts["memory"] + [False] * counts["evidence"]
    shares = {
        each: share([line.bucket == each for line in lines if line.bucket]) for each in get_args(Bucket)
    }
    ratio = Measured() if name.startswith("alias") else share(decided)
    return {"memorisation ratio": ratio, **shares, "right before": share(right)}

"""Verifies the claims of a file: every claim once, even if the process is interrupted in between.

The measures of three classes are those of AttrScore (Yue et al. 2023, section 5), the others those of AutoAIS
against people (Malaviya et al. 2023, table 6). Intervals are 95%, by bootstrap over claims.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from pydantic import Field

from rarr.agent.inputs import required_text
from rarr.agent.verify import TOGETHER, ClaimVerifier, verifier_of
from rarr.errors import RarrError
from rarr.evals import run_folder
from rarr.evals.metrics import Measured, bootstrap_each, classification, detection, roc_auc
from rarr.evals.rows import ATTRIBUTION_CLASSES, ClaimRow, read_rows
from rarr.evals.run_folder import FinishedLine, Pairs, Worker
from rarr.records import AttributionClass, Record
from rarr.records.verification import Verification
from rarr.retrievers.corpus.index_building import Progress
from rarr.settings import Settings
from rarr.tools.text.wording import is_failure

RESAMPLES = 1000


class VerifiedLine(FinishedLine):
    """A line of `predictions.jsonl`: the verification of the row with this id, or why it has none."""

    verification: Verification | None = None

    @property
    def label(self) -> AttributionClass | None:
        """The label of the claim; None if it has none."""
        return self.verification.label if self.verification else None

    @property
    def probability(self) -> float | None:
        """The probability that the claim is attributable, from 0 to 1; None if the verifier gives none."""
        return self.verification.probability if self.verification else None

    @property
    def is_judged(self) -> bool:
        """Has the claim a label?"""
        return self.label is not None


class VerifiedRow(Record):
    """A claim of the data with the label and probability of the verifier, and the judgement of people."""

    id: str
    label: AttributionClass | None = None
    probability: float | None = None
    gold: AttributionClass | None = None
    supported: bool | None = None
    error: str = ""


class ClaimScores(Record):
    """The scores of a verifier: `three_way`, their table `confusion[gold][label]`, and `two_way`."""

    three_way: dict[str, Measured] = Field(default_factory=dict)
    confusion: dict[str, dict[str, int]] = Field(default_factory=dict)
    two_way: dict[str, Measured] = Field(default_factory=dict)


class VerificationReport(Record):
    """The report of verified claims. `scores` is None if people judged no claim.

    `settings` are those that differ from the defaults, and `reader` names who read: a language model, a judge
    or `embedded`.
    """

    data: str
    settings: dict[str, str] = Field(default_factory=dict)
    reader: str = ""
    scores: ClaimScores | None = None
    rows: tuple[VerifiedRow, ...] = ()


def verify_claims(
    data: str | Path,
    out: str | Path,
    *,
    settings: Settings | None = None,
    jobs: int = 4,
    limit: int | None = None,
    on_row: Progress | None = None,
) -> VerificationReport:
    """Verifies the claims of the file `data` (see `rarr.evals.rows.ClaimRow`), `jobs` at once.

    Folder, options and errors are those of `evaluate`. Scores are over the claims that people labelled.
    """
    claims = read_rows(Path(data), ClaimRow, '{"claim": "...", "evidence": "..."}')
    description = run_folder.described(settings := settings or Settings())
    chosen, verifiers = run_folder.first(claims, limit), list[ClaimVerifier]()
    labelled = any(row.supported is not None for row in chosen)

    def worker() -> Worker:
        verifiers.append(verifier_of(settings, measuring=labelled))
        return row_verifier(verifiers[0], chosen, jobs)

    lines: list[VerifiedLine] = run_folder.run_rows(
        claims, Path(out), VerifiedLine, run_folder.inputs("rarr verify", claims, description), worker,
        chosen=chosen, jobs=jobs * TOGETHER, on_row=on_row,
    )  # fmt: skip
    pairs = list(zip(chosen, lines, strict=True))
    report = VerificationReport(
        data=str(data),
        settings=description,
        reader=verifiers[0].reader,
        scores=claim_scores(pairs) if labelled else None,
        rows=tuple(
            VerifiedRow(
                id=row.id, label=line.label, probability=line.probability,
                gold=row.label, supported=row.supported, error=line.error,
            )
            for row, line in pairs
        ),
    )  # fmt: skip
    run_folder.finish(Path(out), report)
    return report


def row_verifier(verifier: ClaimVerifier, rows: Sequence[ClaimRow], jobs: int) -> Worker:
    """Verifies rows, those with the same evidence and question in one request, and `jobs` requests at once.

    A runner that gives it `TOGETHER` times as many rows fills them.
    """
    alike, most = defaultdict[str, list[ClaimRow]](list), TOGETHER if verifier.reads_together else 1
    for row in rows:
        alike[row.model_dump_json(include={"evidence", "question"})].append(row)
    groups = [its[at : at + most] for its in alike.values() for at in range(0, len(its), most)]
    group_of = {row.id: group for group in groups for row in group}
    places, reading = asyncio.Semaphore(jobs), dict[str, asyncio.Task[dict[str, VerifiedLine]]]()

    async def read(group: Sequence[ClaimRow]) -> dict[str, VerifiedLine]:
        try:
            async with places:
                passages = [piece.given for piece in group[0].evidence]
                claims = [required_text(each.claim, "claim") for each in group]
                made = await verifier.averify_together(claims, passages, group[0].question)
        except RarrError as error:
            return {each.id: VerifiedLine(id=each.id, error=str(error)) for each in group}
        return {each.id: _line(each.id, it) for each, it in zip(group, made, strict=True)}

    async def line(row: ClaimRow) -> VerifiedLine:
        group = group_of[row.id]
        if (first := group[0].id) not in reading:
            reading[first] = asyncio.create_task(read(group))
        return (await reading[first])[row.id]

    return Worker(line, [verifier])


def _line(row_id: str, verification: Verification) -> VerifiedLine:
    """Makes the line of a claim. A claim that has no label because of a failure is an error."""
    failures = (notice.message for notice in verification.warnings if is_failure(notice))
    if verification.label is None and (why := next(failures, "")):
        return VerifiedLine(id=row_id, error=why)
    return VerifiedLine(id=row_id, verification=verification)


def claim_scores(pairs: Pairs) -> ClaimScores:
    """Computes the scores of all claims that people judged; measures without a claim are left out.

    `three_way` are the measures of `classification`; a claim without a label counts as wrong, unless its
    judgement failed. `two_way` are those of `attributable` against all else, with `auc` where the verifier
    gives a probability. `unjudged` of a measure counts the claims that it leaves out.
    """
    gold = sum(row.label is not None for row, _ in pairs)
    classed = [(line.label, row.label) for row, line in pairs if row.label is not None and not line.error]
    decided = [(line, row.supported) for row, line in pairs if row.supported is not None]
    labelled = [(line.label == "attributable", supported) for line, supported in decided if line.is_judged]
    likely = [(it.probability, supported) for it, supported in decided if it.probability is not None]
    counts, each, classes = (
        Counter(classed),
        partial(bootstrap_each, resamples=RESAMPLES),
        ATTRIBUTION_CLASSES,
    )
    confusion = {name: {label: counts[label, name] for label in classes} for name in classes}
    return ClaimScores(
        three_way=each(classed, partial(classification, classes=classes), unjudged=gold - len(classed)),
        confusion=confusion if classed else {},
        two_way=each(labelled, detection, unjudged=len(decided) - len(labelled))
        | each(likely, lambda drawn: {"auc": roc_auc(drawn)}, unjudged=len(decided) - len(likely)),
    )

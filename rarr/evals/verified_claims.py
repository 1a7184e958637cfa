"""Verifies the claims of a file: every claim once, even if the process is interrupted in between.

The measures of three classes are those of AttrScore (Yue et al. 2023, section 5), the others those of AutoAIS
against people (Malaviya et al. 2023, table 6). Intervals are 95%, by bootstrap over claims.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from pydantic import Field

from rarr.agent.inputs import required_text
from rarr.agent.verify import TOGETHER, alike, verifier_of
from rarr.errors import RarrError
from rarr.evals import run_folder
from rarr.evals.metrics import Measured, bootstrap_each, classification, detection, roc_auc
from rarr.evals.rows import ATTRIBUTION_CLASSES, ClaimRow, read_rows
from rarr.evals.run_folder import FinishedLine
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
    """The scores of a verifier.

    `three_way` are the measures of `classification`; a claim without a label counts as wrong, unless its
    judgement failed. `confusion` is their table: `confusion[gold][label]`. `two_way` are those of
    `attributable` against all else, with `auc` where the verifier gives a probability. `unjudged` of a
    measure counts the claims that it leaves out.
    """

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
    chosen = run_folder.first(claims, limit)
    verifying = cache(lambda: RowVerifier(settings, chosen, jobs))
    verified: list[VerifiedRow] = run_folder.run_rows(
        claims, Path(out), VerifiedLine, run_folder.inputs("rarr verify", claims, description), verifying,
        chosen=chosen, jobs=jobs * TOGETHER, on_row=on_row, result_of=verified_row,
    )  # fmt: skip
    report = VerificationReport(
        data=str(data),
        settings=description,
        reader=verifying().reader,
        scores=claim_scores(verified) if any(row.supported is not None for row in verified) else None,
        rows=tuple(verified),
    )
    run_folder.finish(Path(out), report)
    return report


class RowVerifier:
    """Verifies rows, those with the same evidence and question in one request.

    At most `jobs` requests run at once. A runner that gives it `TOGETHER` times as many rows fills them.
    """

    def __init__(self, settings: Settings, rows: Sequence[ClaimRow], jobs: int) -> None:
        self._verifier = verifier_of(settings, measuring=any(row.supported is not None for row in rows))
        self._places = asyncio.Semaphore(jobs)
        self.reader, self.aclose = self._verifier.reader, self._verifier.aclose
        keys = [(row.model_dump_json(include={"evidence", "question"}),) for row in rows]
        groups = alike(keys, TOGETHER if self._verifier.reads_together else 1)
        self._group = {rows[n].id: [rows[n] for n in group] for group in groups for n in group}
        self._reading: dict[str, asyncio.Task[dict[str, VerifiedLine]]] = {}

    async def line(self, row: ClaimRow) -> VerifiedLine:
        """Verifies a row; the line has an error if that failed. Only a defect of the program raises."""
        group = self._group[row.id]
        first = group[0].id
        if first not in self._reading:
            self._reading[first] = asyncio.create_task(self._read(group))
        return (await self._reading[first])[row.id]

    async def _read(self, group: Sequence[ClaimRow]) -> dict[str, VerifiedLine]:
        try:
            async with self._places:
                passages = [piece.given for piece in group[0].evidence]
                claims = [required_text(each.claim, "claim") for each in group]
                made = await self._verifier.averify_together(claims, passages, group[0].question)
        except RarrError as error:
            return {each.id: VerifiedLine(id=each.id, error=str(error)) for each in group}
        return {each.id: _line(each.id, it) for each, it in zip(group, made, strict=True)}


def _line(row_id: str, verification: Verification) -> VerifiedLine:
    """Makes the line of a claim. A claim that has no label because of a failure is an error."""
    failures = (notice.message for notice in verification.warnings if is_failure(notice))
    if verification.label is None and (why := next(failures, "")):
        return VerifiedLine(id=row_id, error=why)
    return VerifiedLine(id=row_id, verification=verification)


def verified_row(row: ClaimRow, line: VerifiedLine) -> VerifiedRow:
    """Joins a claim and its verification."""
    probability = line.verification.probability if line.verification else None
    judged: dict[str, Any] = {"label": line.label, "probability": probability, "error": line.error}
    return VerifiedRow(id=row.id, gold=row.label, supported=row.supported, **judged)


def claim_scores(claims: Sequence[VerifiedRow]) -> ClaimScores:
    """Computes the scores of all claims that people judged; measures without a claim are left out."""
    gold = sum(it.gold is not None for it in claims)
    classed = [(it.label, it.gold) for it in claims if it.gold is not None and not it.error]
    decided = [(it.label, it.probability, it.supported) for it in claims if it.supported is not None]
    labelled = [(label == "attributable", supported) for label, _, supported in decided if label is not None]
    likely = [(probability, supported) for _, probability, supported in decided if probability is not None]
    pairs, each = Counter(classed), partial(bootstrap_each, resamples=RESAMPLES)
    classes = ATTRIBUTION_CLASSES
    of_classes = partial(classification, classes=classes)
    confusion = {name: {label: pairs[label, name] for label in classes} for name in classes}
    return ClaimScores(
        three_way=each(classed, of_classes, unjudged=gold - len(classed)),
        confusion=confusion if classed else {},
        two_way=each(labelled, detection, unjudged=len(decided) - len(labelled))
        | each(likely, lambda drawn: {"auc": roc_auc(drawn)}, unjudged=len(decided) - len(likely)),
    )

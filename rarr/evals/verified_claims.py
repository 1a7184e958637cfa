"""Verifies the claims of a file: every claim once, even if the process is interrupted in between.

The measures of three classes are those of AttrScore (Yue et al. 2023, section 5), the others those of AutoAIS
against people (Malaviya et al. 2023, table 6). Intervals are 95%, by bootstrap over claims.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Self

from pydantic import Field

from rarr.agent.inputs import required_text
from rarr.agent.verify import TOGETHER, ClaimVerifier, alike, given_passages, verifier_of
from rarr.errors import RarrError
from rarr.evals import run_folder
from rarr.evals.metrics.classification import classification, detection, roc_auc
from rarr.evals.metrics.statistics import Measured, bootstrap_each
from rarr.evals.rows import ClaimRow, Unreadable, read_rows
from rarr.evals.run_fingerprint import described, run_inputs
from rarr.evals.run_folder import FinishedLine
from rarr.records import AttributionClass, Record
from rarr.records.verification import Verification
from rarr.retrievers.corpus.index_building import Progress
from rarr.settings import Settings
from rarr.tools.text.wording import is_failure

RESAMPLES = 1000
_EXAMPLE = '{"claim": "...", "evidence": "..."} for each claim'


class VerifiedLine(FinishedLine):
    """A line of `predictions.jsonl`: the verification of the row with this id, or why it has none."""

    verification: Verification | None = None

    @property
    def is_judged(self) -> bool:
        """Has the claim a label?"""
        return self.verification is not None and self.verification.label is not None


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

    `three_way` are the measures of the classes: `accuracy`, in which a claim without a label counts as wrong
    unless its judgement failed; over the claims with a label, `micro_f1`, `macro_f1` and precision, recall
    and F1 by class. `confusion` is their table: `confusion[gold][label]`. `two_way` are those of
    `attributable` against all else: `precision`, `recall`, `f1`, `accuracy`, `balanced_accuracy`, and `auc`
    where the verifier gives a probability. `unjudged` of a measure counts the claims that it leaves out.
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
    unreadable: tuple[Unreadable, ...] = ()


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

    `out` becomes a folder with `predictions.jsonl`, a line for each claim, and `report.json`. The same call
    continues an interrupted run. `limit`: verify only the first claims. `on_row` is called with the number of
    finished claims and of all. Scores are computed over the claims that people labelled.

    Raises `RarrError` before anything is spent: for data without a claim, a missing model, or an `out` that
    is in use or holds another run. A claim whose judgement failed is an error in the report; the next call
    repeats it.
    """
    source, settings = read_rows(Path(data), ClaimRow, _EXAMPLE), settings or Settings()
    description = described(settings)
    made_with = run_inputs(source.digest, description | {"command": "rarr verify"})
    chosen, verifiers = run_folder.first(source.rows, limit), list[RowVerifier]()

    def verifying() -> RowVerifier:
        verifiers.append(RowVerifier.of(settings, chosen, jobs))
        return verifiers[0]

    verified: list[VerifiedRow] = run_folder.run_rows(
        source.rows, Path(out), VerifiedLine, made_with, verifying,
        chosen=chosen, jobs=jobs * TOGETHER, on_row=on_row, result_of=verified_row,
    )  # fmt: skip
    report = VerificationReport(
        data=str(data),
        settings=description,
        reader=verifiers[0].reader,
        scores=claim_scores(verified) if any(row.supported is not None for row in verified) else None,
        rows=tuple(verified),
        unreadable=tuple(source.unreadable),
    )
    run_folder.finish(Path(out), report)
    return report


class RowVerifier:
    """Verifies rows with one verifier, those with the same evidence and question in one request.

    At most `jobs` requests run at once. A runner that gives it `TOGETHER` times as many rows fills them.
    """

    def __init__(self, verifier: ClaimVerifier, rows: Sequence[ClaimRow], jobs: int) -> None:
        self._verifier, self._places, self.reader = verifier, asyncio.Semaphore(jobs), verifier.reader
        keys = [(row.model_dump_json(include={"evidence", "question"}),) for row in rows]
        groups = alike(keys, TOGETHER if verifier.reads_together else 1)
        self._group = {rows[n].id: [rows[n] for n in group] for group in groups for n in group}
        self._reading: dict[str, asyncio.Task[dict[str, VerifiedLine]]] = {}
        self.aclose = verifier.aclose

    @classmethod
    def of(cls, settings: Settings, rows: Sequence[ClaimRow], jobs: int) -> Self:
        """Makes the verifier that the settings name. Raises `SettingsError` if it cannot be used."""
        return cls(verifier_of(settings), rows, jobs)

    async def line(self, row: ClaimRow) -> VerifiedLine:
        """Verifies a row; the line has an error if that failed. Only a defect of the program raises."""
        group = self._group[row.id]
        first = group[0].id
        if first not in self._reading:
            self._reading[first] = asyncio.create_task(self._read(group))
        return (await self._reading[first])[row.id]

    async def _read(self, group: Sequence[ClaimRow]) -> dict[str, VerifiedLine]:
        row = group[0]
        try:
            async with self._places:
                passages = given_passages([piece.given for piece in row.evidence])
                claims = [required_text(each.claim, "claim") for each in group]
                made = await self._verifier.averify_together(claims, passages, row.question)
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
    known = VerifiedRow(id=row.id, gold=row.label, supported=row.supported, error=line.error)
    if (made := line.verification) is None:
        return known
    return known.model_copy(update={"label": made.label, "probability": made.probability})


def claim_scores(claims: Sequence[VerifiedRow], *, resamples: int = RESAMPLES) -> ClaimScores:
    """Computes the scores of all claims that people judged; measures without a claim are left out."""
    classed = [claim for claim in claims if claim.gold is not None]
    decided = [claim for claim in claims if claim.supported is not None]

    def each(
        of: Sequence[VerifiedRow],
        used: Callable[[VerifiedRow], bool],
        statistics: Callable[[Sequence[VerifiedRow]], Mapping[str, float | None]],
    ) -> dict[str, Measured]:
        rows = [claim for claim in of if used(claim)]
        return bootstrap_each(rows, statistics, unjudged=len(of) - len(rows), resamples=resamples)

    def has_label(claim: VerifiedRow) -> bool:
        return claim.label is not None

    whole = classification([claim.label for claim in classed], [claim.gold for claim in classed])
    return ClaimScores(
        three_way=each(classed, lambda claim: not claim.error, _accuracy)
        | each(classed, has_label, _of_classes),
        confusion=whole.confusion if classed else {},
        two_way=each(decided, has_label, detected)
        | each(decided, lambda claim: claim.probability is not None, _of_probabilities),
    )


def _accuracy(drawn: Sequence[VerifiedRow]) -> dict[str, float | None]:
    return {"accuracy": sum(claim.label == claim.gold for claim in drawn) / len(drawn)}


def _of_classes(drawn: Sequence[VerifiedRow]) -> dict[str, float | None]:
    whole = classification([claim.label for claim in drawn], [claim.gold for claim in drawn])
    by_class = {
        f"{name}_{measure}": getattr(scores, measure)
        for name, scores in whole.classes.items()
        for measure in ("precision", "recall", "f1")
    }
    return {"micro_f1": whole.micro_f1, "macro_f1": whole.macro_f1, **by_class}


def detected(drawn: Sequence[VerifiedRow]) -> dict[str, float | None]:
    """Compares `attributable` with the judgement of people, for claims that have both."""
    return detection([claim.label == "attributable" for claim in drawn], [claim.supported for claim in drawn])


def _of_probabilities(drawn: Sequence[VerifiedRow]) -> dict[str, float | None]:
    return {"auc": roc_auc([claim.probability for claim in drawn], [claim.supported for claim in drawn])}

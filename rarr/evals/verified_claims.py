"""Verifies the claims of a file: every claim once, even if the process is interrupted in between."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from rarr.agent.given_evidence import given_passages
from rarr.agent.input_checks import required_text
from rarr.agent.verify import TOGETHER, ClaimVerifier, alike
from rarr.errors import InputError, RarrError
from rarr.evals import run_folder
from rarr.evals.claim_rows import ClaimRow, read_claims
from rarr.evals.claim_scores import ClaimScores, JudgedClaim, claim_scores
from rarr.evals.report_records import Unreadable
from rarr.evals.resumable_row_processing import finish_rows
from rarr.evals.rows import RowEvidence
from rarr.evals.run_fingerprint import described, run_inputs
from rarr.evals.run_folder import FinishedLine
from rarr.records import AttributionClass, Record
from rarr.records.verification import Verification
from rarr.retrievers.corpus.index_building import Progress
from rarr.settings import Settings
from rarr.tools.storage.files import write_whole, writing
from rarr.tools.text.warning_lines import is_failure


class VerifiedLine(FinishedLine):
    """A line of `predictions.jsonl`: the verification of the row with this id, or why it has none."""

    verification: Verification | None = None


class VerifiedRow(Record):
    """A claim of the data with the label and probability of the verifier, and the judgement of people."""

    id: str
    label: AttributionClass | None = None
    probability: float | None = None
    gold: AttributionClass | None = None
    supported: bool | None = None
    error: str = ""


class VerificationReport(Record):
    """The report of verified claims. `scores` is None if people judged no claim.

    `settings` are those that differ from the defaults, and `reader` names who read: a language model, a judge
    or `embedded`. `unread_keys` are keys of the data that mean nothing.
    """

    data: str
    settings: dict[str, str] = Field(default_factory=dict)
    reader: str = ""
    scores: ClaimScores | None = None
    rows: tuple[VerifiedRow, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    unread_keys: tuple[str, ...] = ()


def verify_claims(
    data: str | Path,
    out: str | Path,
    *,
    settings: Settings | None = None,
    jobs: int = 4,
    limit: int | None = None,
    on_row: Progress | None = None,
) -> VerificationReport:
    """Verifies the claims of the file `data` (see `rarr.evals.claim_rows`), `jobs` at once.

    `out` becomes a folder with `predictions.jsonl`, a line for each claim, and `report.json`. The same call
    continues an interrupted run. `limit`: verify only the first claims. `on_row` is called with the number of
    finished claims and of all. Scores are computed over the claims that people labelled.

    Raises `RarrError` before anything is spent: for data without a claim, a missing model, or an `out` that
    is in use or holds another run. A claim whose judgement failed is an error in the report; the next call
    repeats it.
    """
    if jobs < 1 or (limit is not None and limit < 1):
        raise InputError("jobs and limit are numbers of rows: give at least 1")
    source, path, settings = read_claims(Path(data)), Path(out), settings or Settings()
    description = described(settings)
    made_with = run_inputs(source.digest, description | {"command": "rarr verify"})
    with run_folder.claimed(path, made_with):
        with ClaimVerifier(settings) as verifier:
            run_folder.begin(path, made_with)
            worker = _RowVerifier(verifier, source.rows[:limit], jobs)
            rows = finish_rows(
                source.rows[:limit],
                path,
                VerifiedLine,
                of=source.rows,
                work_on=worker.verified,
                result_of=_result,
                aclose=verifier.aclose,
                jobs=worker.most,
                on_row=on_row,
            )
        report = VerificationReport(
            data=str(data),
            settings=description,
            reader=verifier.reader,
            scores=_scores(source.rows[:limit], rows),
            rows=tuple(rows),
            unreadable=tuple(source.unreadable),
            unread_keys=source.unread,
        )
        with writing(path):
            write_whole(path / run_folder.REPORT, report.model_dump_json(indent=2) + "\n")
    return report


class _RowVerifier:
    """Verifies rows with one verifier, those with the same evidence and question in one request."""

    def __init__(self, verifier: ClaimVerifier, rows: Sequence[ClaimRow], jobs: int) -> None:
        self._verifier, self._places = verifier, asyncio.Semaphore(jobs)
        keys = [(row.evidence, row.question) for row in rows]
        groups = alike(keys, TOGETHER if verifier.reads_together else 1)
        self._group = {rows[n].id: [rows[n] for n in group] for group in groups for n in group}
        self._reading: dict[str, asyncio.Task[dict[str, VerifiedLine]]] = {}
        self.most = jobs * max(map(len, groups), default=1)

    async def verified(self, row: ClaimRow) -> VerifiedLine:
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
                passages = given_passages([_facts(piece) for piece in row.evidence])
                claims = [required_text(each.claim, "claim") for each in group]
                made = await self._verifier.averify_together(claims, passages, row.question)
        except RarrError as error:
            return {each.id: VerifiedLine(id=each.id, error=str(error)) for each in group}
        return {each.id: _line(each.id, it) for each, it in zip(group, made, strict=True)}


def _line(row_id: str, verification: Verification) -> VerifiedLine:
    if why := failed_judgement(verification):
        return VerifiedLine(id=row_id, error=why)
    return VerifiedLine(id=row_id, verification=verification)


def failed_judgement(verification: Verification) -> str:
    """Returns why a claim has no label, if a failure is the reason; "" for all other verifications."""
    if verification.label is not None:
        return ""
    return next((notice.message for notice in verification.warnings if is_failure(notice)), "")


def _facts(piece: RowEvidence) -> dict[str, str]:
    return {name: text for name in ("text", "title", "source") if (text := getattr(piece, name))}


def _result(row: ClaimRow, line: VerifiedLine) -> VerifiedRow:
    verification = line.verification
    return VerifiedRow(
        id=row.id,
        label=verification.label if verification else None,
        probability=verification.probability if verification else None,
        gold=row.label,
        supported=row.supported,
        error=line.error,
    )


def _scores(rows: Sequence[ClaimRow], verified: Sequence[VerifiedRow]) -> ClaimScores | None:
    """Scores the claims that people labelled; None if there are none."""
    judged = [
        JudgedClaim(
            result.label, result.probability, row.label, row.supported,
            group="\n".join(piece.text for piece in row.evidence), failed=bool(result.error),
        )
        for row, result in zip(rows, verified, strict=True)
        if row.supported is not None
    ]  # fmt: skip
    return claim_scores(judged) if judged else None

"""Revises and scores each row of a file once, and continues an interrupted run.

The report has all rows and the measures over the rows. The templates in `page/` make it an HTML page, which
has no script and loads no other file.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import Field
from rapidfuzz.distance import Indel

from rarr.agent.revise import Reviser
from rarr.agent.wiring.components import wire
from rarr.components import NO_BASELINE, Baseline, QueryKind
from rarr.errors import InputError
from rarr.evals import run_folder
from rarr.evals.metrics import (
    REVISION_KINDS,
    Measurement,
    RevisionKind,
    answer_score,
    bootstrap_each,
    equals_reference,
    f1_ap_of_set,
    mean,
    message_if_below,
    revision_kinds,
    rouge_l,
    share,
)
from rarr.evals.rows import EvalRow, read_rows
from rarr.evals.run_folder import FinishedLine, Worker
from rarr.records import Record, Revision, Scores, Status
from rarr.retrievers.corpus.corpus import Progress
from rarr.settings import Settings
from rarr.tools.pages.html_rendering import render
from rarr.tools.text.edit_segments import Piece, merged_pieces
from rarr.tools.text.wording import is_failure, warning_lines, why_nothing_checked

STATUSES: tuple[Status, ...] = get_args(Status)
LosingStep = Literal["search", "reading", "editing"]
STEPS: tuple[LosingStep, ...] = get_args(LosingStep)


class ScoredRow(Record):
    """The result of a row. After an `error`, the row has no scores, and `text` is the original text."""

    id: str
    context: str | None = None
    original: str
    text: str  # the revised text
    reference: str | None = None  # the revision by a person
    scores: Scores = Scores()
    kinds: tuple[RevisionKind, ...] = ()  # the kinds of the revision, as PURR defines them
    statuses: tuple[Status, ...] = ()  # the statuses of the sentences
    lost_by: LosingStep | None = None  # the step that missed the reference; see `losing_step`
    edits: int = 0
    refused_edits: int = 0
    model_calls: int = 0
    seconds: float = 0.0
    failures: tuple[str, ...] = ()
    error: str = ""


class EvalReport(Record):
    """The report of an evaluation."""

    data: str
    settings: dict[str, str] = Field(default_factory=dict)  # those that differ from the defaults
    measures: dict[str, Measurement] = Field(default_factory=dict)  # by name, such as `f1_ap`
    rows: tuple[ScoredRow, ...] = ()


class Prediction(FinishedLine):
    """A line of `predictions.jsonl`: the id of a row with its revision or its error."""

    revision: Revision | None = None


def evaluate(
    data: str | Path,
    out: str | Path,
    *,
    settings: Settings | None = None,
    queries: QueryKind = "questions",
    agreement: bool = True,
    editor: str = "minimal",
    jobs: int = 4,
    limit: int | None = None,
    on_row: Progress | None = None,
    on_index: Progress | None = None,
) -> EvalReport:
    """Revises and scores the rows of the file `data` (see `rarr.evals.rows`), `jobs` rows at the same time.

    Writes `predictions.jsonl` (a line for each row without an error), `report.json` and `report.html` into
    the folder `out`. If a run stopped, the same call continues it. `limit` is the number of rows to revise
    (None: all). For a row without evidence, the `settings` name the sources. `on_row` gets two numbers: of
    finished rows, and of all rows. `on_index` gets the same two numbers of files in a corpus. `queries`,
    `agreement` and `editor` (see `rarr.components.Baseline`) choose a baseline for a comparison.

    Raises `RarrError`, before any cost, if `data` has no row, if a model is missing, or if `out` is in use or
    has another run. A row has an error if it cannot be revised, if nothing in it could be checked, or if its
    attribution could not be judged. The next call repeats the rows with an error.
    """
    baseline, path = Baseline(agreement=agreement, editor=editor), Path(out)
    if queries not in get_args(QueryKind):
        raise InputError(f"queries is {queries!r}: give one of {', '.join(get_args(QueryKind))}")
    if limit is not None and limit < 1:
        raise InputError(f"limit is {limit}: give at least 1 row")
    texts = read_rows(Path(data), EvalRow, '{"text": "..."} for each text')
    settings = settings or Settings()
    if queries != "questions":
        settings = settings.model_copy(update={"queries": queries})
    changed = {k: str(v) for k, v in baseline.changed_fields().items()}
    changed = run_folder.changed_settings(settings) | changed
    inputs = run_folder.run_inputs("rarr eval", texts, changed, run_folder.corpus_digest(settings))
    with run_folder.lock_run_folder(path, inputs):
        worker = revising_worker(settings, baseline, on_index)
        run_folder.write_inputs(path, inputs)
        rows: list[ScoredRow] = run_folder.run_rows(
            texts, path, Prediction, worker,
            chosen=texts[:limit], jobs=jobs, on_row=on_row, result_of=scored_row,
        )  # fmt: skip
        measures = measures_of_rows(rows)
        report = EvalReport(data=str(data), settings=changed, measures=measures, rows=tuple(rows))
        run_folder.write_report(path, report, render_html(report))
    return report


def revising_worker(
    settings: Settings, baseline: Baseline = NO_BASELINE, on_index: Progress | None = None
) -> Worker:
    """Returns a worker that revises rows. If a row has evidence, the worker uses only this evidence."""
    reviser = Reviser(components=wire(settings, on_index, baseline=baseline, measuring=True))

    async def make_line(row: EvalRow) -> Prediction:
        given: dict[str, Any] = {}
        if row.evidence is not None:
            given = {"sources": [piece.passage_fields for piece in row.evidence], "search": "given"}
        revision = await reviser.arevise(row.text, row.context, **given)
        if why := why_nothing_checked(revision):
            return Prediction(id=row.id, error=f"nothing could be checked: {why}")
        failures, scores = tuple(warning_lines(filter(is_failure, revision.warnings))), revision.scores
        if failures and None in (scores.attribution_before, scores.attribution_after):
            return Prediction(id=row.id, error=f"attribution could not be judged: {failures[0]}")
        return Prediction(id=row.id, revision=revision, failures=failures)

    return Worker(make_line, [reviser])


def scored_row(row: EvalRow, prediction: Prediction) -> ScoredRow:
    """Returns the result of a row. After an error, the result has the original text and no scores."""
    known: dict[str, Any] = {"id": row.id, "context": row.context, "original": row.text}
    known |= {"reference": row.revised, "error": prediction.error, "failures": prediction.failures}
    if (revision := prediction.revision) is None:
        return ScoredRow(**known, text=row.text)
    scores = revision.scores
    return ScoredRow(
        **known,
        text=revision.text,
        scores=scores,
        kinds=tuple(sorted(kind for kind, has in revision_kinds(scores).items() if has)),
        statuses=tuple(sentence.status for sentence in revision.report.sentences),
        lost_by=losing_step(revision, row.revised) if row.revised is not None else None,
        edits=sum(edit.accepted for edit in revision.edits),
        refused_edits=sum(edit.state == "refused" for edit in revision.edits),
        model_calls=revision.usage.model_calls,
        seconds=revision.usage.seconds,
    )


def losing_step(revision: Revision, reference: str) -> LosingStep | None:
    """Returns the step that failed; None if the revision equals `reference` (Chen 2023, table 7.4).

    `search`: the evidence lacks a word or value that the reference adds. Otherwise `editing`, if the run
    proposed an edit or called a sentence contradicted, and `reading` if the run did neither.
    """
    if equals_reference(revision.text, reference):
        return None
    lacking = [it.text.strip() for it in word_diff(revision.text, reference) if it.kind == "inserted"]
    found = "\n".join(f"{passage.title} {passage.text}" for passage in revision.evidence)
    if any(words not in found and answer_score(found, words) < 1 for words in lacking):
        return "search"
    is_disputed = any(sentence.status == "contradicted" for sentence in revision.report.sentences)
    return "editing" if revision.edits or is_disputed else "reading"


MEASURE_NAMES = (
    "attribution_before", "attribution", "preservation", "f1_ap", "changed", *REVISION_KINDS, "restored",
    *(f"lost_by_{step}" for step in STEPS), "untouched_when_correct", "rouge_l", *STATUSES,
)  # fmt: skip
"""The names of all measures.

`restored`, `untouched_when_correct`, `rouge_l` and `lost_by_...` need rows with a reference.
"""


def measures_of_rows(rows: Sequence[ScoredRow]) -> dict[str, Measurement]:
    """Computes all measures that apply to at least one row, by name. A row with an error counts as unjudged.

    Statuses are shares of sentences. `restored` and `lost_by_...` are shares of the texts that a person
    changed. `untouched_when_correct` is a share of the texts that a person left unchanged.
    """

    def of_texts(some: Sequence[ScoredRow], holds: Callable[[ScoredRow], bool]) -> Measurement:
        return share([None if row.error else holds(row) for row in some])

    every, kinds = [row.scores for row in rows], [revision_kinds(row.scores) for row in rows]
    compared = [row for row in rows if row.reference is not None]
    wrong = [row for row in compared if not equals_reference(row.original, row.reference or "")]
    right = [row for row in compared if equals_reference(row.original, row.reference or "")]
    found = {
        "attribution_before": mean([scores.attribution_before for scores in every]),
        "attribution": mean([scores.attribution_after for scores in every]),
        "preservation": mean([scores.preservation for scores in every]),
        "f1_ap": f1_ap_of_set([(scores.attribution_after, scores.preservation) for scores in every]),
        "changed": of_texts(rows, lambda row: row.text != row.original),
        **{kind: share([each[kind] for each in kinds]) for kind in REVISION_KINDS},
        "restored": of_texts(wrong, lambda row: equals_reference(row.text, row.reference or "")),
        **{f"lost_by_{it}": of_texts(wrong, lambda row: row.lost_by == it) for it in STEPS},  # noqa: B023  # called at once
        "untouched_when_correct": of_texts(right, lambda row: row.text == row.original),
        "rouge_l": mean([None if it.error else rouge_l(it.text, it.reference or "") for it in compared]),
    }
    return {name: it for name, it in found.items() if it != Measurement()} | _status_shares(rows)


def _status_shares(rows: Sequence[ScoredRow]) -> dict[str, Measurement]:
    counts = [Counter[str](row.statuses) for row in rows if row.statuses]

    def shares(drawn: Sequence[Counter[str]]) -> dict[str, float | None]:
        total = sum(count.total() for count in drawn)
        return {name: sum(count[name] for count in drawn) / total for name in STATUSES}

    unjudged = sum(bool(row.error) for row in rows)
    none = dict.fromkeys(STATUSES if rows else (), Measurement(unjudged=unjudged))
    return none | bootstrap_each(counts, shares, unjudged=unjudged)


def low_measure_messages(report: EvalReport, limits: Mapping[str, float]) -> list[str]:
    """Returns a message for each measure below its limit, or perhaps below because of rows with errors."""
    errors = sum(bool(row.error) for row in report.rows)
    phrases = []
    for name, limit in limits.items():
        found = report.measures.get(name, Measurement())
        doubt = f"{name} may be under its limit {limit:g}: rows with an error ({errors}) are not judged"
        phrases.append(message_if_below(name, found.value, limit) or doubt * bool(errors and found.unjudged))
    return [*filter(None, phrases)]


LONGEST_SHOWN = 20_000  # the most characters of a text that the page compares and shows
# A word is a number with its separators, a punctuation mark, or letters. In Chinese and Japanese, each
# character is a word; else a changed character would mark a whole clause. A word includes the space after it.
_TOKEN = re.compile(r"(?:\d+(?:[.,:]\d+)+|[぀-ヿ㐀-䶿一-鿿]|[^\W぀-ヿ㐀-䶿一-鿿]+|[^\w\s])\s*|\s+")


def render_html(report: EvalReport) -> str:
    """Returns the HTML page of a report. Write the page to a file in UTF-8."""
    measures = report.measures
    statuses = Counter(status for row in report.rows for status in row.statuses)
    return render(
        "evals/page/report.html",
        report=report,
        changed=sum(row.text != row.original for row in report.rows),
        scores={name: it for name, it in measures.items() if name not in {*REVISION_KINDS, *STATUSES}},
        kinds={kind: measures[kind] for kind in REVISION_KINDS if kind in measures},
        statuses={status: statuses[status] for status in STATUSES if statuses[status]},
        longest=LONGEST_SHOWN,
        word_diff=word_diff,
        restored=equals_reference,
    )


def word_diff(before: str, after: str) -> list[Piece]:
    """Compares two texts word by word. Returns the kept, deleted and inserted pieces of text, in order."""
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    pieces = list[Piece]()
    for op in Indel.opcodes(old, new):
        gone, come = "".join(old[op.src_start : op.src_end]), "".join(new[op.dest_start : op.dest_end])
        same = op.tag == "equal"
        pieces += [Piece("kept", gone)] if same else [Piece("deleted", gone), Piece("inserted", come)]
    return list(merged_pieces(pieces))

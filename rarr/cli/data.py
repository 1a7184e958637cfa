"""The commands on whole files: `rarr index`, `batch`, `eval` and `label`."""

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rarr.cli import options
from rarr.cli.streams import (
    complain,
    complain_of_errors,
    complain_of_lines,
    require_writable,
    save,
    waiting,
    warn,
    warn_of_each,
    write,
)
from rarr.errors import InputError
from rarr.tools.text.wording import counted

if TYPE_CHECKING:
    from rarr.batches.columns import BatchCounts, Counting
    from rarr.evals.measures import EvalReport

MOST_PROCESSES = 64


@click.command()
@click.argument("path", type=options.FILE)
@options.out("INDEX", "Folder for the index.", required=True)
@options.settings()
def index(path: Path, out: Path, chosen: dict[str, Any]) -> int:
    """Build the index of a corpus once.

    PATH is a folder or a file. The same call again reads only the files that changed.

    \b
    Examples:
      rarr index notes/ -o notes.index
    """
    from rarr.retrievers.corpus.index_building import build_index
    from rarr.settings import Settings
    from rarr.tools.text.wording import by_reason

    settings = Settings(**chosen)
    with waiting() as shown:
        report = build_index(
            path,
            out,
            window=settings.window,
            step=settings.step,
            max_file_mb=settings.max_file_mb,
            progress=shown.indexed,
        )
    for line in by_reason(report.skipped):
        warn(line)
    files = f"{report.read} read, {report.unchanged} unchanged, {report.removed} removed"
    write(
        f"documents: {report.documents}\npassages: {report.passages}\n"
        f"files: {files}, {report.unsearched} skipped\n"
    )
    if report.ignored:
        count = counted(len(report.ignored), "file")
        write(f"ignored: {count} of kinds that rarr does not read, such as {report.ignored[0]}\n")
    return 0


@click.command()
@click.argument("source", metavar="IN", type=options.FILE)
@options.out("OUT", "File for the rows, with an ending as IN.", required=True)
@click.option("--text", metavar="COLUMN", default="text", help='Column of the text; default "text".')
@click.option("--context", metavar="COLUMN", help="Column of the question that the text answers.")
@click.option("--sources", metavar="COLUMN", help="Column of passages, which are searched first.")
@click.option(
    "--mode", type=click.Choice(["revise", "cite", "check", "annotate"]), default="revise",
    help="What becomes of a text: corrections, citations, nothing, or marks.",
)  # fmt: skip
@click.option("--full", is_flag=True, help="Add rarr_revision, the whole record of each run.")
@click.option(
    "--workers", metavar="N", type=click.IntRange(0, 1024),
    help="Processes that revise; default one for each core, and 0, this one, for a language model.",
)  # fmt: skip
@click.option("--ray", metavar="ADDRESS", help="Ray cluster that revises: HOST:PORT, auto or local.")
@click.option(
    "--max-cost", metavar="X", type=click.FloatRange(0), help="Cost of all results after which no row begins."
)
@click.option("--deadline", metavar="S", type=click.FloatRange(0), help="Seconds after which no row begins.")
@options.FAIL_UNDER
@options.settings(*options.SOURCES, *options.MODELS)
@options.JSON
def batch(
    source: Path,
    out: Path,
    text: str,
    context: str | None,
    sources: str | None,
    workers: int | None,
    ray: str | None,
    max_cost: float | None,
    deadline: float | None,
    fail_under: Sequence[str],
    chosen: dict[str, Any],
    as_json: bool,
    **shape: Any,
) -> int:
    """Revise the rows of a file into another file.

    IN is .jsonl, .csv or .parquet. OUT gets the same rows with the
    columns rarr_text, rarr_changed, rarr_notice, rarr_statuses and more; rarr_error says why a row has none.
    --sources names lists of texts, or of objects with "text", "title", "url". Results are kept in OUT.batch:
    the same call continues after an interrupt, and repeats only rows with an error.

    \b
    Examples:
      rarr batch answers.jsonl -o revised.jsonl --corpus notes/
      rarr batch answers.csv -o revised.parquet --text answer --context question --corpus notes.index
      rarr batch answers.jsonl -o checked.jsonl --mode check --sources passages --fail-under supported=0.9
    """
    from rarr.batches.columns import MEASURES, Columns
    from rarr.evals.measures import limits_of
    from rarr.settings import Settings

    settings = Settings(**chosen)
    measures = limits_of(fail_under, MEASURES)
    if ray is None and (workers or 0) > MOST_PROCESSES:
        raise InputError(
            f"--workers is {workers}: give at most {MOST_PROCESSES} processes, or a cluster by --ray"
        )
    counts = _to_file(
        source,
        out,
        settings=settings,
        columns=Columns(text, context, sources),
        workers=workers,
        ray=ray,
        max_cost=max_cost,
        deadline_s=deadline,
        **shape,
    )
    if as_json:
        write(counts.model_dump_json(indent=2) + "\n")
    else:
        complain(_batch_summary(counts, out), 0)
    return _batch_outcome(counts, measures)


def _to_file(source: Path, out: Path, **work: Any) -> "BatchCounts":
    from rarr.batches.file_batch import revise_file
    from rarr.tools.concurrency import before_end

    started, interrupted = time.monotonic(), list["BatchCounts"]()

    def say_what_is_left() -> None:  # OUT looks like a finished file
        for counts in interrupted:
            if counts.left:
                rows = counted(counts.rows + counts.left, "row")
                complain(f"{counts.rows:,} of {rows} in {out}: run again to continue", 0)

    # The line about the rest is printed last, after the line of progress has ended.
    with before_end(say_what_is_left), waiting() as shown:
        report = revise_file(
            source,
            out,
            on_progress=lambda done, expected: shown.say(
                _progress(done, time.monotonic() - started, expected.left)
            ),
            on_interrupt=interrupted.append,
            **work,
        )
    warn_of_each(report.wrong_rows, all_in="the column rarr_error")
    return report.counts


def _progress(done: "Counting", seconds: float, total: int | None = None) -> str:
    """Writes how far a batch is after `seconds`; `total` is the number of rows of this run, if known."""
    from rarr.views.progress import duration

    rate = done.rows / max(seconds, 1e-9)
    parts = [f"{done.rows:,} of {counted(total, 'row')}" if total else counted(done.rows, "row")]
    parts.append(f"{rate:.2g} a second")
    if total and rate:
        parts.append(f"about {duration((total - done.rows) / rate)} left")
    parts += [f"{done.sums['changed']:,} changed", f"{done.sums['unconfirmed']:,} with open sentences"]
    if done.sums["errors"]:
        parts.append(counted(done.sums["errors"], "error"))
    if done.cost:
        parts.append(f"cost {done.cost:.4g}")
    return ", ".join(parts)


def _batch_summary(counts: "BatchCounts", out: Path) -> str:
    """Writes one line about what OUT holds."""
    parts = [f"{counts.changed:,} changed", f"{counts.unconfirmed:,} with sentences that are not supported"]
    if counts.unchecked:
        parts.append(f"{counts.unchecked:,} with nothing to check")
    if counts.model_calls:
        parts.append(counted(counts.model_calls, "model call"))
    if counts.cost:
        parts.append(f"cost {counts.cost:.4g}")
    return f"{counted(counts.rows, 'row')} in {out}: {', '.join(parts)}"


def _batch_outcome(counts: "BatchCounts", limits: Mapping[str, float]) -> int:
    """Returns the exit status of the worst problem: 3, 4, 2 or 0. Prints one line for each problem."""
    status = 0
    if counts.errors:
        which = f"{counted(counts.errors, 'row')} with an error, which the same call repeats"
        status = complain(f"{which}; the first: {counts.first_error}", 2)  # which names its own cure
    if counts.left:
        reasons = {
            "max_cost": ", since the cost has reached --max-cost: run again with a higher limit",
            "deadline": ", since --deadline has passed: run again",
        }
        why = reasons.get(counts.ended_by or "", ": run again")
        status = complain(f"{counted(counts.left, 'row')} left{why} to continue", 4)
    for name, limit in limits.items():
        value = getattr(counts, name)
        if value is None or value < limit:
            unjudged = f"{name} could not be judged, so its limit {limit:g} is not met"
            low = unjudged if value is None else f"{name} is {value:.6g}, under its limit {limit:g}"
            status = complain(low, 4)
    if counts.rows and counts.errors == counts.rows:
        status = complain("every row has an error: see rarr doctor", 3)
    return status


@click.command("eval")
@click.argument("data", required=False, type=options.FILE)
@options.out("DIR", "Folder for the results.")
@options.settings(*options.RUN)
@click.option("--queries", metavar="Q", help="Baseline: search for sentences, or for the text.")
@click.option("--agreement", type=click.Choice(["on", "off"]), help="Baseline: off edits without checks.")
@click.option("--editor", metavar="E", help="Baseline: efec, lamda, random, none or unedited.")
@options.LIMIT
@options.JOBS
@options.FAIL_UNDER
@click.option("--compare", metavar="A B", type=(options.FILE, options.FILE), help="Compare two runs.")
@options.JSON
def eval_(
    data: Path | None,
    out: Path | None,
    chosen: dict[str, Any],
    queries: str | None,
    agreement: str | None,
    editor: str | None,
    limit: int | None,
    jobs: int,
    fail_under: Sequence[str],
    compare: tuple[Path, Path] | None,
    as_json: bool,
) -> int:
    """Revise the texts of a file, and measure the revisions.

    DATA has an object a line: "text" and optionally "id", "context", "evidence" (a list of objects with
    "text", "title", "url") or "corpus" (a path beside DATA), "revised", a person's revision, and "answers",
    the right answers to the context. DIR gets predictions.jsonl, report.json and report.html. The same call
    continues an interrupted run, and repeats rows with an error.

    \b
    Examples:
      rarr eval data.jsonl -o scores --corpus notes/ --fail-under f1_ap=0.6
      rarr eval data.jsonl -o by-chance --corpus notes/ --editor random
      rarr eval --compare scores by-chance
    """
    from rarr.evals import compare as compared, evaluate
    from rarr.evals.measures import limits_of, under
    from rarr.settings import Settings
    from rarr.views.report_tables import print_of

    baseline = options.given(queries=queries, editor=editor)
    if agreement is not None:
        baseline["agreement"] = agreement == "on"
    if compare is not None:
        if data or out or limit or fail_under or chosen or baseline:
            raise InputError("--compare takes the folders of two runs alone: leave out all but --json")
        write(print_of(compared(*compare), None, as_json=as_json))
        return 0
    if data is None or out is None:
        raise InputError("DATA and -o DIR are both needed: see rarr eval --help")
    limits, settings = limits_of(fail_under), Settings(**chosen)
    with waiting() as shown:
        report = evaluate(
            data,
            out,
            settings=settings,
            **baseline,
            jobs=jobs,
            limit=limit,
            on_row=shown.rows,
            on_index=shown.indexed,
        )
    write(print_of(report, out / "report.html", as_json=as_json))
    return _eval_outcome(report, under(report, limits))


def _eval_outcome(report: "EvalReport", short: Sequence[str]) -> int:
    """Returns the exit status of the worst problem: 3, 4, 2 or 0. Prints one line for each problem."""
    left_out = complain_of_lines([(each.line, each.reason) for each in report.unreadable], report.data)
    errors = [f"row {row.id!r} has an error: {row.error}" for row in report.rows if row.error]
    failed = complain_of_errors(errors, rows=len(report.rows), noun="row")
    under_its_limit = complain("; ".join(short), 4) if short else 0
    return failed if failed == 3 else max(under_its_limit, failed, left_out)


@click.command()
@click.argument("files", metavar="DATA...", type=options.FILE, nargs=-1, required=True)
@options.out("FILE", "File for the page, or for the labels.", required=True)
@click.option("--merge", is_flag=True, help="Merge what several raters exported, instead of making a page.")
@options.JSON
def label(files: Sequence[Path], out: Path, merge: bool, as_json: bool) -> int:
    """Let people rate texts on a page; merge their ratings.

    The page needs no server and no network. It asks whether each text can be understood, whether the
    evidence supports it, and whether a revision keeps the intent. DATA has an item a line: "claim" (or
    "text") and "evidence", or "original" and "revised"; optionally "id" and "question". Each rater downloads
    a file. --merge measures how far the raters agree, and writes the "label" of the majority and the "votes"
    of each item, for rarr verify.

    \b
    Examples:
      rarr label data.jsonl -o page.html
      rarr label --merge ratings-Ada.json ratings-Ben.json -o labels.jsonl
    """
    require_writable(out, files)
    if merge:
        return _merge(files, out, as_json=as_json)
    if len(files) > 1:
        raise InputError("a page has the rows of one DATA: to merge what raters exported, add --merge")
    if as_json:
        raise InputError("--json shows the agreement of raters: add --merge, or leave it out")
    from rarr.evals.rating import digest_of, read_items
    from rarr.views.html.label import label_page

    items = read_items(files[0])
    save(out, [label_page(items)])
    write(f"{out}: {counted(len(items), 'item')} to rate, data {digest_of(items)[:8]}\n")
    return 0


def _merge(files: Sequence[Path], out: Path, *, as_json: bool) -> int:
    from rarr.evals.rating import labelled_rows, merged, read_exports
    from rarr.views.report_tables import print_of

    exports = read_exports(files)
    ratings = merged(exports)
    save(out, (f"{json.dumps(row, ensure_ascii=False)}\n" for row in labelled_rows(exports)))
    for rater, count in ratings.rated.items():
        if count < ratings.items:
            warn(f"{rater} rated {count} of {counted(ratings.items, 'item')}: the others have fewer votes")
    if alone := ratings.labels_of_one_rater:
        warn(f'{out} has {counted(alone, "label")} of one rater alone (see "label_of"): agreement needs two')
    write(print_of(ratings, None, as_json=as_json) + ("" if as_json else f"labels: {out}\n"))
    return 0

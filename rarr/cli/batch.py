"""`rarr batch`: revises the rows of a file into another file."""

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rarr.cli import batch_options, graph_options, options
from rarr.cli.streams import complain, warn, warn_of_each, write
from rarr.errors import InputError
from rarr.tools.concurrency import before_end
from rarr.tools.text.plurals_and_articles import counted
from rarr.views.terminal.remaining_time import duration

if TYPE_CHECKING:
    from rarr.batches.columns import BatchCounts, Columns, Counting, Limit
    from rarr.settings import Settings

_WHY_LEFT: "Mapping[Limit | None, str]" = {
    "max_cost": ", since the cost has reached --max-cost: run again with a higher limit",
    "deadline": ", since --deadline has passed: run again",
    None: ": run again",
}


def batch(
    source: batch_options.Source,
    out: batch_options.Out,
    text: batch_options.TextColumn = "text",
    context: batch_options.ContextColumn = None,
    sources: batch_options.SourcesColumn = None,
    mode: batch_options.Mode = "revise",
    full: batch_options.Full = False,
    workers: batch_options.Workers = None,
    ray: batch_options.Ray = None,
    max_cost: batch_options.MaxBatchCost = None,
    deadline: batch_options.BatchDeadline = None,
    fail_under: batch_options.FailUnder = None,
    estimate: batch_options.EstimateBatch = False,
    corpus: options.Corpus = None,
    graph: graph_options.Graph = None,
    search: options.Search = None,
    offline: options.Offline = False,
    refresh: options.Refresh = False,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    prompts: options.Prompts = None,
    preset: options.Preset = None,
    as_json: options.Json = False,
) -> int:
    """Revise the rows of a file: their columns, and those of the result, become the rows of OUT.

    IN has a text in each row, and may have what the text answers (--context) and passages of its own
    (--sources: a list of texts, or of objects with "text", "title", "url"). OUT gets the same rows with the
    columns rarr_text, rarr_changed, rarr_notice, rarr_statuses and more; rarr_error says why a row has none.
    Results are kept in OUT.batch: the same call continues after an interrupt, and does not repeat rows that
    are done; rows with an error are repeated. Exit status: 0 done; 2 the call is wrong, or a row has an
    error; 3 every row has an error; 4 rows are left because of a limit, or a measure is under its limit.

    \b
    Examples:
      rarr batch answers.jsonl -o revised.jsonl --corpus notes/
      rarr batch answers.csv -o revised.parquet --text answer --context question --corpus notes.index
      rarr batch answers.jsonl -o checked.jsonl --mode check --sources passages --fail-under supported=0.9
    """
    from rarr.batches.columns import MEASURES, Columns
    from rarr.evals.quality_gate import limits_of
    from rarr.settings import Settings

    settings = Settings(
        **options.given(
            corpus=corpus,
            graph=graph,
            search=search,
            offline=offline,
            refresh=refresh,
            model=model,
            base_url=base_url,
            prompts=prompts,
            preset=preset,
        )
    )
    measures = limits_of(fail_under or [], MEASURES)
    if ray is None and (workers or 0) > batch_options.MOST_PROCESSES:
        most = batch_options.MOST_PROCESSES
        raise InputError(f"--workers is {workers}: give at most {most} processes, or a cluster by --ray")
    columns = Columns(text, context, sources)
    if estimate:
        write(_estimated(Path(source), settings, columns, as_json=as_json))
        return 0
    counts = _to_file(
        Path(source),
        Path(out),
        settings=settings,
        columns=columns,
        mode=mode,
        full=full,
        workers=workers,
        ray=ray,
        max_cost=max_cost,
        deadline_s=deadline,
    )
    if as_json:
        write(counts.model_dump_json(indent=2) + "\n")
    else:
        complain(_summary(counts, out), 0)
    return _outcome(counts, measures)


def _estimated(source: Path, settings: "Settings", columns: "Columns", *, as_json: bool) -> str:
    from rarr.batches.batch_estimate import estimate_batch

    about = estimate_batch(source, settings, columns)
    if as_json:
        return about.model_dump_json(indent=2) + "\n"
    parts = [f"{counted(about.rows, 'row')}, {about.words:,} words, by a sample of {about.sample}"]
    if about.model_calls:
        tokens = f"{counted(about.input_tokens, 'token')} in, {about.output_tokens:,} out"
        parts.append(f"{counted(about.model_calls, 'model call')}, {tokens}")
        parts += [f"cost {about.cost:.4g}"] if about.cost else []
    return ", ".join(parts) + "\n"


def _to_file(
    source: Path, out: Path, *, max_cost: float | None, deadline_s: float | None, **options: Any
) -> "BatchCounts":
    from rarr.batches.file_batch import BatchLimits, revise_file
    from rarr.views.terminal.progress_line import Waiting

    progress, interrupted = BatchProgress(), list["BatchCounts"]()
    with (
        before_end(lambda: _tell_of_the_rest(interrupted, out)),  # is called last, after the line of progress
        Waiting(watched=sys.stderr.isatty()) as waiting,
    ):
        report = revise_file(
            source,
            out,
            limits=BatchLimits(max_cost, deadline_s),
            on_progress=lambda done, expected: waiting.say(progress.line(done, expected.left)),
            on_interrupt=interrupted.append,
            **options,
        )
    warn_of_each(report.wrong_rows, all_in="the column rarr_error")
    for note in report.notes:
        warn(note)
    return report.counts


def _tell_of_the_rest(interrupted: Sequence["BatchCounts"], out: Path) -> None:
    """Prints how many rows OUT has, which looks like a finished file."""
    for counts in interrupted:
        if counts.left:
            rows = counted(counts.rows + counts.left, "row")
            complain(f"{counts.rows:,} of {rows} in {out}: run again to continue", 0)


class BatchProgress:
    """Tells how far a batch is: rows, rate, time left, and counts."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now, self._started = now, now()

    def line(self, done: "Counting", total: int | None = None) -> str:
        """Writes one line; `total` is the number of rows of this run, if it is known."""
        seconds = max(self._now() - self._started, 1e-9)
        parts = [f"{done.rows:,} of {counted(total, 'row')}" if total else counted(done.rows, "row")]
        parts.append(f"{done.rows / seconds:.2g} a second")
        if total:
            parts.append(f"about {duration(seconds / done.rows * (total - done.rows))} left")
        parts += [f"{done.sums['changed']:,} changed", f"{done.sums['unconfirmed']:,} with open sentences"]
        if done.sums["errors"]:
            parts.append(counted(done.sums["errors"], "error"))
        if done.cost:
            parts.append(f"cost {done.cost:.4g}")
        return ", ".join(parts)


def _summary(counts: "BatchCounts", out: str) -> str:
    """Writes one line about what OUT holds."""
    parts = [f"{counts.changed:,} changed", f"{counts.unconfirmed:,} with sentences that are not supported"]
    if counts.unchecked:
        parts.append(f"{counts.unchecked:,} with nothing to check")
    if counts.model_calls or counts.saved_calls:
        parts.append(f"{counted(counts.model_calls, 'model call')}, {counts.saved_calls:,} saved")
    if counts.saved_searches:
        parts.append(f"{counted(counts.saved_searches, 'search')} saved")
    if counts.cost:
        parts.append(f"cost {counts.cost:.4g}")
    return f"{counted(counts.rows, 'row')} in {out}: {', '.join(parts)}"


def _outcome(counts: "BatchCounts", limits: Mapping[str, float]) -> int:
    """Returns the exit status of the worst problem: 3, 4, 2 or 0. Prints one line for each problem."""
    status = 0
    if counts.errors:
        which = f"{counted(counts.errors, 'row')} with an error, which the same call repeats"
        status = complain(f"{which}; the first: {counts.first_error}", 2)  # which names its own cure
    if counts.left:
        status = complain(f"{counted(counts.left, 'row')} left{_WHY_LEFT[counts.ended_by]} to continue", 4)
    for name, limit in limits.items():
        value = getattr(counts, name)
        if value is None or value < limit:
            judged = "not judged" if value is None else f"{value:.6g}"
            status = complain(f"{name} is {judged}, under its limit {limit:g}", 4)
    if counts.rows and counts.errors == counts.rows:
        status = complain("every row has an error: see rarr doctor", 3)
    return status

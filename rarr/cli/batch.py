"""`rarr batch`: revises the rows of a file into another file."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rarr.cli import options
from rarr.cli.streams import complain, waiting, write_estimate, write_result
from rarr.tools.text.wording import counted

if TYPE_CHECKING:
    from rarr.batches.results import BatchCounts
    from rarr.settings import Settings


@click.command()
@click.argument("source", metavar="IN", type=options.FILE)
@options.out("OUT", "File for the rows, with an ending as IN.", required=True)
@options.one("--text", "COLUMN", 'Column of the text; default "text".', default="text")
@options.one("--context", "COLUMN", "Column of the question that the text answers.")
@options.one("--sources", "COLUMN", "Column of passages, which are searched first.")
@options.choice(
    "--mode", "revise cite check annotate", "Make corrections, put in citations, change nothing, or mark."
)
@options.flag("--full", "Add rarr_revision, the whole record of each run.")
@options.one(
    "--workers", "N",
    "Processes that revise; default one for each core, and 0, this one, for a language model.",
    type=click.IntRange(0, 1024),
)  # fmt: skip
@options.one("--ray", "ADDRESS", "Ray cluster that revises: HOST:PORT, auto or local.")
@options.one("--max-cost", "X", "Cost of all results after which no row begins.", type=click.FloatRange(0))
@options.FAIL_UNDER
@options.settings(*options.SOURCES, *options.MODELS)
@options.ESTIMATE
@options.JSON
def batch(
    source: Path, out: Path, text: str, context: str | None, sources: str | None,
    fail_under: Sequence[str], settings: "Settings", estimate: bool, **work: Any,
) -> int:  # fmt: skip
    """Revise the rows of a file into another file.

    IN is .jsonl, .csv or .parquet. OUT gets the same rows with the
    columns rarr_text, rarr_changed, rarr_notice, rarr_statuses and more; rarr_error says why a row has none.
    --sources names lists of texts, or of objects with "text", "title", "url". Results are kept in OUT.batch:
    the same call continues after an interrupt, and repeats only rows with an error.

    \b
    Examples:
      rarr batch answers.jsonl -o revised.jsonl --corpus notes/
      rarr batch answers.jsonl -o checked.jsonl --mode check --sources passages --fail-under supported=0.9
    """
    from rarr import Reviser
    from rarr.agent.cost_estimate import added
    from rarr.batches.file_batch import revise_file
    from rarr.batches.results import MEASURES, Columns
    from rarr.batches.rows import input_rows
    from rarr.evals.report import limits_of

    columns, measures = Columns(text, context, sources), limits_of(fail_under, MEASURES)
    if estimate:
        rows = map(columns.row_or_problem, input_rows(source))
        with Reviser(settings) as reviser:
            every = [reviser.estimate(it.text, it.context) for it in rows if not isinstance(it, str)]
        return write_estimate(added(every))

    def say_what_is_left(counts: "BatchCounts") -> None:  # OUT looks like a finished file
        if counts.left:
            shown.stop()
            rows = counted(counts.rows + counts.left, "row")
            complain(f"{counts.rows:,} of {rows} in {out}: run again to continue", 0)

    with waiting() as shown:
        told: dict[str, Any] = {"on_interrupt": say_what_is_left, "on_progress": shown.rows}
        counts = revise_file(source, out, columns=columns, settings=settings, **told, **work)
    changed, cost = f"{counts.changed:,} changed", f", cost {counts.cost:.4g}" if counts.cost else ""
    doubtful = f"{counts.unconfirmed:,} with sentences that are not supported{cost}"
    if options.as_json():
        write_result(counts, str)
    else:
        complain(f"{counted(counts.rows, 'row')} in {out}: {changed}, {doubtful}", 0)
    return _outcome(counts, measures)


def _outcome(counts: "BatchCounts", limits: Mapping[str, float]) -> int:
    """Returns the exit status of the worst problem: 3, 4, 2 or 0. Prints one line for each problem."""
    from rarr.evals.report import below

    status = 0
    if counts.errors:
        which = f"{counted(counts.errors, 'row')} with an error, which the same call repeats"
        status = complain(f"{which}; the first: {counts.first_error}", 2)  # which names its own cure
    if counts.left:
        why = "since the cost has reached --max-cost: run again with a higher limit to continue"
        status = complain(f"{counted(counts.left, 'row')} left, {why}", 4)
    for phrase in (below(name, getattr(counts, name), limit) for name, limit in limits.items()):
        status = complain(phrase, 4) if phrase else status
    if counts.rows and counts.errors == counts.rows:
        status = complain("every row has an error: see rarr doctor", 3)
    return status

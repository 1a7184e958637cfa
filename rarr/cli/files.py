"""The commands on whole files: `rarr index`, `batch`, `eval`, `label`, `bench` and `train`."""

import json
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rarr.cli import options, streams
from rarr.errors import InputError, SetupError
from rarr.tools.text.wording import counted, lines_by_reason

if TYPE_CHECKING:
    from rarr.batches.results import BatchCounts
    from rarr.settings import Settings

_MODE: dict[str, Any] = {"type": click.Choice(["revise", "cite", "check", "annotate"]), "default": "revise"}
_WORKERS = click.IntRange(0, 1024)


@click.command()
@click.argument("path", type=options.FILE)
@options.out_option("INDEX", "Folder for the index.", required=True)
@options.setting_options()
def index(path: Path, out: Path, settings: "Settings") -> int:
    """Build the index of a corpus once.

    PATH is a folder or a file. The same call again reads only the files that changed.

    \b
    Examples:
      rarr index notes/ -o notes.index
    """
    from rarr.retrievers.corpus.corpus import build_index

    with streams.show_progress() as line:
        report = build_index(path, out, window=settings.window, progress=line.show_files)
    streams.warn(*lines_by_reason([*report.skipped, *report.notes]))
    return streams.write_tables(report._asdict())


@click.command()
@click.argument("source", metavar="IN", type=options.FILE)
@options.out_option("OUT", "File for the rows: .jsonl, .csv or .parquet.", required=True)
@options.option("--text", "COLUMN", 'Column of the text; default "text".', default="text")
@options.option("--context", "COLUMN", "Column of the question that the text answers.")
@options.option("--sources", "COLUMN", "Column of passages, which are searched first.")
@options.option("--mode", "", "Correct, put in citations, change nothing, or mark.", **_MODE)
@click.option("--full", is_flag=True, help="Add rarr_revision, the whole record of each run.")
@options.option("--workers", "N", "Processes; default one a core, 0 with a model.", type=_WORKERS)
@options.option("--ray", "ADDRESS", "Ray cluster that revises: HOST:PORT, auto or local.")
@options.option("--max-cost", "X", "Cost of all results after which no row begins.", type=click.FloatRange(0))
@options.FAIL_UNDER
@options.ESTIMATE
@options.setting_options(*options.SOURCE_SETTINGS, *options.MODEL_SETTINGS)
@options.JSON
def batch(
    source: Path, out: Path, text: str, context: str | None, sources: str | None,
    fail_under: Sequence[str], settings: "Settings", estimate: bool, **work: Any,
) -> int:  # fmt: skip
    """Revise the rows of a file into another file.

    IN is .jsonl, .csv or .parquet. OUT gets its rows with the columns rarr_text, rarr_changed, rarr_notice,
    rarr_statuses and more; rarr_error says why a row has no result. --sources names lists of texts, or of
    objects with "text", "title", "url". The same call continues after an interrupt, and repeats failed rows.

    \b
    Examples:
      rarr batch answers.jsonl -o revised.jsonl --corpus notes/
      rarr batch answers.jsonl -o checked.jsonl --mode check --sources passages --fail-under supported=0.9
    """
    from rarr.batches.file_batch import revise_file
    from rarr.batches.results import MEASURES, Columns

    columns, measures = Columns(text, context, sources), options.parse_limits(fail_under, MEASURES)
    if estimate:  # a batch of worker processes does not need the pipeline here
        from rarr import ModelUsage, Reviser
        from rarr.batches.rows import input_rows

        rows = (it for it in map(columns.row_or_problem, input_rows(source)) if not isinstance(it, str))
        with Reviser(settings) as reviser:
            every = (reviser.estimate(it.text, it.context) for it in rows)
            return streams.write_tables(sum(every, start=ModelUsage()))

    def report_rows_left(counts: "BatchCounts") -> None:  # after an interrupt, OUT looks finished
        if counts.left:
            line.stop()
            rows = counted(counts.rows + counts.left, "row")
            streams.complain(f"{counts.rows:,} of {rows} in {out}: run again to continue", 0)

    with streams.show_progress() as line:
        told: dict[str, Any] = {"on_interrupt": report_rows_left, "on_progress": line.show_rows}
        counts = revise_file(source, out, columns=columns, settings=settings, **told, **work)
    changed, cost = f"{counts.changed:,} changed", f", cost {counts.cost:.4g}" if counts.cost else ""
    doubtful = f"{counts.unconfirmed:,} with sentences that are not supported, {counts.errors:,} failed{cost}"
    if options.wants_json():
        streams.write_result(counts, str)
    else:
        streams.complain(f"{counted(counts.rows, 'row')} in {out}: {changed}, {doubtful}", 0)
    return _batch_status(counts, measures)


def _batch_status(counts: "BatchCounts", limits: Mapping[str, float]) -> int:
    from rarr.evals.metrics import message_if_below

    status = 0
    if counts.errors:
        which = f"{counted(counts.errors, 'row')} with an error, which the same call repeats"
        status = streams.complain(f"{which}; the first: {counts.first_error}", 2)  # it names its own cure
    if counts.left:
        why = "since the cost has reached --max-cost: run again with a higher limit to continue"
        status = streams.complain(f"{counted(counts.left, 'row')} left, {why}", 4)
    for phrase in (message_if_below(name, getattr(counts, name), limit) for name, limit in limits.items()):
        status = streams.complain(phrase, 4) if phrase else status
    if counts.unread and "supported" in limits:
        why = f"a failure kept {counted(counts.unread, 'sentence')} from being judged"
        status = streams.complain(f"supported may be under its limit {limits['supported']:g}: {why}", 4)
    if counts.failed and counts.errors == counts.rows:
        status = streams.complain("every row has an error: see rarr doctor", 3)
    return status


@click.command("eval")
@click.argument("data", type=options.FILE)
@options.out_option("DIR", "Folder for the results.", required=True)
@options.setting_options(*options.RUN_SETTINGS)
@options.option("--queries", "Q", "Baseline: search for sentences, or for the text.")
@click.option("--agreement", type=click.Choice(["on", "off"]), help="Baseline: off edits without checks.")
@options.option("--editor", "E", "Baseline: efec, lamda, none, unedited or purr:FOLDER.")
@options.LIMIT
@options.JOBS
@options.FAIL_UNDER
@options.JSON
def evaluate_file(
    data: Path, out: Path, settings: "Settings", agreement: str | None, fail_under: Sequence[str], **how: Any
) -> int:
    """Revise the texts of a file, and measure the revisions.

    DATA has an object a line: "text" and optionally "id", "context", "evidence" (a list of objects with
    "text", "title", "url") and "revised", a person's revision. DIR gets predictions.jsonl, report.json and
    report.html. The same call continues an interrupted run, and repeats rows with an error.

    \b
    Examples:
      rarr eval data.jsonl -o scores --corpus notes/ --fail-under f1_ap=0.6
    """
    from rarr.evals.evaluation import MEASURE_NAMES, evaluate, low_measure_messages

    limits = options.parse_limits(fail_under, MEASURE_NAMES)
    how = options.given_options(**how) | {"agreement": agreement != "off"}
    with streams.show_progress() as line:
        how |= {"on_row": line.show_rows, "on_index": line.show_files}
        report = evaluate(data, out, settings=settings, **how)
    streams.write_tables(report, out / "report.html")
    streams.warn(*lines_by_reason((f"row {row.id!r}", why) for row in report.rows for why in row.failures))
    errors = [f"row {row.id!r} has an error: {row.error}" for row in report.rows if row.error]
    failed = streams.complain_of_errors(errors, "row", all_failed=len(errors) >= len(report.rows))
    if failed != 3 and (short := low_measure_messages(report, limits)):
        return streams.complain("; ".join(short), 4)
    return failed


@click.command()
@click.argument("files", metavar="DATA...", type=options.FILE, nargs=-1, required=True)
@options.out_option("FILE", "File for the page, or for the labels.", required=True)
@click.option("--merge", is_flag=True, help="Merge what several raters exported, instead of making a page.")
@options.JSON
def label(files: Sequence[Path], out: Path, merge: bool) -> int:
    """Let people rate texts on a page; merge their ratings.

    The page asks whether each text can be understood, whether the evidence supports it, and whether a
    revision keeps the intent. DATA has an item a line: "claim" and "evidence", or "original" and "revised";
    optionally "id" and "question". Each rater downloads a file. --merge measures how far they agree, and
    writes the "label" of the majority and the "votes" of each item, for rarr verify.

    \b
    Examples:
      rarr label data.jsonl -o page.html
      rarr label --merge ratings-Ada.json ratings-Ben.json -o labels.jsonl
    """
    from rarr.evals.rating import items_digest, labelled_rows, merge_ratings, read_exports, read_items
    from rarr.views.pages import label_page

    streams.require_not_an_input(out, files)
    if merge:
        exports = read_exports(files)
        ratings = merge_ratings(exports)
        streams.save_file(out, (f"{json.dumps(row, ensure_ascii=False)}\n" for row in labelled_rows(exports)))
        return streams.write_tables(ratings, out, "labels")
    if len(files) > 1 or options.wants_json():
        raise InputError("several files and --json belong to merging: add --merge, or give one DATA")
    items = read_items(files[0])
    streams.save_file(out, [label_page(items)])
    streams.write(f"{out}: {counted(len(items), 'item')} to rate, data {items_digest(items)[:8]}\n")
    return 0


BENCHES = {
    **dict.fromkeys(("attrscore", "expertqa"), ("claims", "DATA")),
    **{name: (name, "DATA") for name in ("rarr", "answers", "names")},
    "conflicts": ("answers", "DATA"),
    "kalma": ("citations", "DATA"),
    "wikigen": ("citations", "EVENTS", "DOCS"),
}
"""The benchmarks: for each name, a module in `rarr.evals.benchmarks`, and the paths that the user gives."""


@click.command()
@click.argument("name", type=click.Choice([*BENCHES]), metavar="NAME")
@click.argument("data", type=options.FILE, nargs=-1, required=True)
@options.out_option("DIR", "Folder for the run and its report.", required=True)
@click.option("--judge", "--system", "judges", metavar="J", multiple=True, help="To measure; repeatable.")
@options.LIMIT
@options.JOBS
@options.JSON
@options.setting_options("corpus", "search", "model", "base_url")
def bench(name: str, data: Sequence[Path], out: Path, settings: "Settings", **rows: Any) -> int:
    """Measure judges, readers, searches and writers as papers do.

    --limit draws a sample, always the same. The same call continues an interrupted run. Reports print
    published figures beside the measured ones. By NAME, the lines of DATA are:

    \b
    rarr       {"text"} or {"question"}, maybe "context", "evidence", "revised";
               systems are default, rarr, efec, lamda, unedited, and "rarr without
               gate", "rarr by text", "rarr by sentences", "rarr without wikipedia"
    attrscore  as for rarr verify: judges beside people's labels
    expertqa   a folder with dev/attribution: claims that experts labelled
    kalma      questions of BioKaLMA with a graph: citations of answers
    wikigen    EVENTS, and DOCS with pages: citations of articles
    answers    {"question", "answer", "references", "score"}, scores from 0 to 1
    names      {"id", "name", "aliases", "properties", "popularity", "documents"}:
               does a search tell namesakes apart?
    conflicts  {"question", "answers", "passage"}: passage or memory?

    \b
    Examples:
      rarr bench expertqa data/ -o expertqa --judge nli:NAME
    """
    from rarr.evals.benchmarks.bench import BenchOptions, run_bench

    module, *wanted = BENCHES[name]
    if len(data) != len(wanted):
        raise InputError(f"{name} reads {counted(len(wanted), 'path')}: give {' and '.join(wanted)}")
    make = vars(import_module(f"rarr.evals.benchmarks.{module}"))[f"{name}_bench"]
    asked = BenchOptions(**rows)
    with streams.show_progress() as line:
        report = run_bench(make(*data, settings, asked), out, settings, asked, line.show_rows)
    streams.write_tables(report, out)
    streams.warn(*lines_by_reason(report.failures))
    if report.failed:
        cure = f"{report.errors[0]}: see rarr doctor" if report.errors else "give another --judge"
        return streams.complain(f"{', '.join(report.failed)}: nothing could be judged: {cure}", 3)
    return streams.complain_of_errors(report.errors, "row", all_failed=False)


@click.group(no_args_is_help=False)
def train() -> None:
    """Adapt the embedded editor to your documents (PURR)."""


@train.command("data")
@click.argument("queries", type=options.FILE)
@options.out_option("DIR", "Folder for the rows.", required=True)
@options.setting_options(*options.RUN_SETTINGS)
@options.JOBS
def train_data(queries: Path, out: Path, settings: "Settings", jobs: int) -> int:
    """Make training data: texts that your documents support, and the same texts with errors.

    QUERIES has one query in each line. A language model writes a short text about the query from passages,
    and then puts errors into the text. The two texts become a row if the passages support the text, and
    support it less with the errors. predictions.jsonl in DIR says why a query has no row. The same call
    again continues, and repeats failed queries.

    \b
    Examples:
      rarr train data queries.txt -o rows --corpus notes/ --model vllm:Qwen/Qwen3-8B --set max_calls=500
    """
    from rarr.training.noising import make_training_data
    from rarr.training.rows import REASONS

    with streams.show_progress() as line:
        more: dict[str, Any] = {"on_query": line.show_rows, "on_index": line.show_files, "jobs": jobs}
        report = make_training_data(queries, out, settings=settings, **more)
    spent = {name: getattr(report.usage, name) for name in ("model_calls", "input_tokens", "output_tokens")}
    dropped = {REASONS[reason]: count for reason, count in report.dropped.items()}
    tables = {"rows": report.rows} | spent | {"cost": report.usage.cost, "dropped": dropped}
    streams.write_tables(tables, out, "rows")
    streams.warn(*report.warnings)
    return streams.complain_of_errors(report.failed, "query", all_failed=not (report.rows or report.dropped))


@train.command("editor")
@click.argument("rows", metavar="DATA", type=options.FILE)
@options.out_option("FOLDER", "Folder for the weights.", required=True)
@options.option("--steps", "N", "Steps; default three passes over DATA.", type=options.COUNT)
@options.option("--seed", "N", "Seed of the random numbers; default 1.", type=int, default=1)
@click.option("--from", "start", metavar="WEIGHTS", type=options.FILE, help="Weights to start from.")
def train_editor(rows: Path, out: Path, start: Path | None, **numbers: Any) -> int:
    """Fine-tune the weights that find and correct errors on DATA, and write them to FOLDER.

    A quarter of the rows is held out, by document. The setting "weights" names FOLDER. The same call
    continues an interrupted run. Needs pip install 'rarr[train]'.

    \b
    Examples:
      rarr train editor rows -o weights
    """
    from rarr.backends.encoder.model_files import checked_manifest

    checked_manifest(start)
    return _run_training("fine_tuning", "fine_tune", rows, out, start=start, **numbers)


@train.command("purr")
@click.argument("rows", metavar="DATA", type=options.FILE)
@options.out_option("FOLDER", "Folder for the editor.", required=True)
@options.option("--base", "T5", "T5 to train: a folder, or a name of the hub.", default="google-t5/t5-large")
@options.option("--epochs", "N", "Passes over DATA, at most; default 10.", type=options.COUNT, default=10)
@options.option("--rate", "R", "Learning rate; default 1e-4.", type=float, default=1e-4)
@options.option("--seed", "N", "Seed of the random numbers; default 1.", type=int, default=1)
def train_purr(rows: Path, out: Path, base: str, **numbers: Any) -> int:
    """Train PURR's editor on DATA: a T5 that corrects a text by all of its evidence at once.

    Training stops when the loss on the rows that are held out has not fallen for two epochs. The same call
    continues an interrupted run. "rarr eval --editor purr:FOLDER" uses it. Needs pip install 'rarr[train]'.

    \b
    Examples:
      rarr train purr rows -o editor --base google-t5/t5-base
    """
    return _run_training("fusion", "train_fusion", rows, out, base=base, **numbers)


def _run_training(module: str, function: str, rows: Path, out: Path, **options_: Any) -> int:
    from rarr.training.rows import read_training_rows

    read_training_rows(rows)  # a wrong call fails before the user installs gigabytes of packages
    try:
        training = import_module(f"rarr.training.{module}")
    except ImportError as error:
        why = f"training needs packages ({error.name} is missing)"
        raise SetupError(f"{why}: pip install 'rarr[train]'") from None
    with streams.show_progress():
        report = getattr(training, function)(rows, out, **options_)
    return streams.write_tables(report, out, "weights")

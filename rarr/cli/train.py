"""`rarr train data` makes training data by noising, and `editor` fine-tunes the encoder on it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rarr.cli import options
from rarr.cli.streams import complain, waiting, warn, warn_of_each, write
from rarr.errors import SetupError
from rarr.tools.text.wording import counted

if TYPE_CHECKING:
    from rarr.training.noising import NoisingReport


@click.group()
def train() -> None:
    """Adapt the embedded editor to your documents (PURR)."""


@train.command()
@click.argument("queries", type=options.FILE)
@options.out("DATA", "File of JSON lines to which rows are added.", required=True)
@options.settings(*options.RUN)
@options.JOBS
def data(queries: Path, out: Path, chosen: dict[str, Any], jobs: int) -> int:
    """Make training data: texts that your documents support, and the same texts with errors.

    QUERIES has a query a line. Each is searched. A language model writes a short
    text from at most four relevant passages, and puts errors into it. A row is kept if the verifier finds the
    text supported, and less supported with its errors. The other queries, each with the reason, go into a
    file beside DATA. The same call again works on the rest.

    \b
    Examples:
      rarr train data queries.txt -o rows.jsonl --corpus notes/ --model vllm:Qwen/Qwen3-8B --set max_calls=500
    """
    from rarr.settings import Settings
    from rarr.training.noising import make_data

    settings = Settings(**chosen)
    with waiting() as shown:
        report = make_data(
            queries,
            out,
            settings=settings,
            jobs=jobs,
            on_query=shown.rows,
            on_index=shown.indexed,
        )
    write(_shown(report, out))
    return _outcome(report)


def _shown(report: "NoisingReport", out: Path) -> str:
    from rarr.training.rows import REASONS, dropped_beside

    lines = [f"rows: {report.rows} in {out}, {report.new} of them new"]
    if report.dropped:
        lines.append(f"dropped: {counted(sum(report.dropped.values()), 'query')}, in {dropped_beside(out)}")
        lines += [f"  {count}: {REASONS[reason]}" for reason, count in sorted(report.dropped.items())]
    if report.suspicious:
        lines.append(f"passages that address a language model, left out: {report.suspicious}")
    spent = report.usage
    cost = "" if spent.cost is None else f", cost {spent.cost:.4f}"
    tokens = f"{counted(spent.input_tokens, 'token')} in, {spent.output_tokens:,} out"
    lines.append(
        f"spent: {counted(spent.model_calls, 'model call')}, {tokens}{cost}, {spent.seconds:.1f} seconds"
    )
    return "\n".join(lines) + "\n"


def _outcome(report: "NoisingReport") -> int:
    for message in report.warnings:
        warn(message)
    if report.limit:
        warn(f"{report.limit}: the same call works on the rest, {counted(report.left, 'query')}")
    if not report.failed:
        return 0
    warn_of_each([f"{failure.query!r} failed: {failure.error}" for failure in report.failed])
    if not report.rows and not report.dropped:
        return complain(f"no query could be done: {report.failed[0].error}: see rarr doctor", 3)
    failed = counted(len(report.failed), "query")
    return complain(f"{failed} failed: correct the cause, and run again to repeat them", 2)


@train.command()
@click.argument("rows", metavar="DATA", type=options.FILE)
@options.out("FOLDER", "Folder for the weights.", required=True)
@click.option("--steps", metavar="N", type=click.IntRange(1), help="Steps; default three passes over DATA.")
@click.option("--seed", metavar="N", type=int, default=1, help="Seed of the random numbers; default 1.")
@click.option("--from", "start", metavar="WEIGHTS", type=options.FILE, help="Weights to start from.")
def editor(rows: Path, out: Path, steps: int | None, seed: int, start: Path | None) -> int:
    """Fine-tune the weights that find and correct errors on DATA, and write them to FOLDER.

    A quarter of the rows is held out, by document. The setting "weights" names FOLDER. The same call
    continues an interrupted run. Needs pip install 'rarr[train]'.

    \b
    Examples:
      rarr train editor rows.jsonl -o weights
    """
    from rarr.backends.encoder.model_files import checked_manifest
    from rarr.training.rows import enough

    try:
        from rarr.training.fine_tuning import fine_tune
    except ImportError as error:
        enough(rows)  # checks the call before anybody installs gigabytes for it
        checked_manifest(start)
        raise SetupError(
            f"rarr train editor cannot run ({error.name} is missing): pip install 'rarr[train]'"
        ) from error
    with waiting() as shown:
        report = fine_tune(
            rows, out, steps=steps, seed=seed, start=start,
            on_step=lambda done, total: shown.say(f"step {done} of {total}"),
        )  # fmt: skip
    examples = ", ".join(f"{name} {count}" for name, count in report.examples.items())
    losses = ", ".join(
        f"{name} {report.before[name]:.3f} to {after:.3f}" for name, after in report.after.items()
    )
    sure = "none is sure enough" if report.sure is None else f"from probability {report.sure:.2f} on"
    write(
        f"rows: {report.rows}, {report.held_out} of them held out\nexamples: {examples}\n"
        f"steps: {report.steps}\nloss on the held-out rows: {losses}\n"
        f"corrections: {sure}\nweights: {out}, after {report.seconds:.0f} seconds\n"
    )
    return 0

"""`rarr train data` makes training data by noising, and `editor` fine-tunes the encoder on it."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from rarr.cli import graph_options, options
from rarr.cli.streams import complain, warn, write
from rarr.errors import SetupError
from rarr.tools.text.plurals_and_articles import counted

if TYPE_CHECKING:
    from rarr.training.noising.resumable_noising import NoisingReport

train = typer.Typer(rich_markup_mode=None, help="Adapt the embedded editor to your documents.")
_NAMED = 5  # queries that are named on standard error


@train.command()
def data(
    queries: options.Seeds,
    out: options.Rows,
    corpus: options.Corpus = None,
    graph: graph_options.Graph = None,
    search: options.Search = None,
    offline: options.Offline = False,
    refresh: options.Refresh = False,
    model: options.Writer = None,
    base_url: options.BaseUrl = None,
    prompts: options.Prompts = None,
    preset: options.Preset = None,
    max_calls: options.MaxCalls = None,
    max_cost: options.MaxCost = None,
    deadline: options.Deadline = None,
    relevance: options.Relevance = None,
    jobs: options.QueryJobs = 4,
) -> int:
    """Make training data: texts that your documents support, and the same texts with errors.

    Each query is searched. A language model writes a short text from at most four relevant passages, and puts
    errors into it. A row is kept if the verifier finds the text supported, and less supported with its
    errors. The other queries, each with the reason, go into a file beside DATA. The same call again works on
    the rest. Prices for --max-cost, and settings without an option, come from rarr.toml. Exit status: 0 done,
    even if a limit was reached; 2 the call is wrong, or a query failed; 3 all failed.

    \b
    Examples:
      rarr train data queries.txt -o rows.jsonl --corpus notes/ --model vllm:Qwen/Qwen3-8B
      rarr train data queries.txt -o rows.jsonl --corpus notes/ --model vllm:Qwen/Qwen3-8B --max-calls 500
    """
    given = options.given(
        corpus=corpus,
        graph=graph,
        search=search,
        offline=offline,
        refresh=refresh,
        model=model,
        base_url=base_url,
        prompts=prompts,
        preset=preset,
        max_calls=max_calls,
        max_cost=max_cost,
        deadline_s=deadline,
    )
    report = _made(queries, out, given, relevance, jobs)
    write(_shown(report, out))
    return _outcome(report)


def _made(
    queries: Path, out: Path, chosen: dict[str, Any], relevance: float | None, jobs: int
) -> "NoisingReport":
    from rarr.settings import Settings
    from rarr.training.noising.relevant_and_other_passages import RELEVANT
    from rarr.training.noising.resumable_noising import make_data
    from rarr.views.terminal.progress_line import Waiting

    with Waiting(watched=sys.stderr.isatty()) as waiting:
        return make_data(
            queries,
            out,
            settings=Settings(**chosen),
            relevance=RELEVANT if relevance is None else relevance,
            jobs=jobs,
            on_query=waiting.rows,
            on_index=waiting.indexed,
        )


def _shown(report: "NoisingReport", out: Path) -> str:
    from rarr.training.noising.row_files import REASONS, dropped_beside

    lines = [f"rows: {report.rows} in {out}, {report.new} of them new"]
    if report.dropped:
        lines.append(f"dropped: {counted(sum(report.dropped.values()), 'query')}, in {dropped_beside(out)}")
        lines += [f"  {count}: {REASONS[reason]}" for reason, count in sorted(report.dropped.items())]
    if report.suspicious:
        lines.append(f"passages that address a language model, left out: {report.suspicious}")
    spent = report.usage
    cost = "" if spent.cost is None else f", cost {spent.cost:.4f}"
    lines.append(
        f"spent: {counted(spent.model_calls, 'model call')}, {counted(spent.input_tokens, 'token')} in,"
        f" {spent.output_tokens:,} out{cost}, {spent.seconds:.1f} seconds"
    )
    return "\n".join(lines) + "\n"


def _outcome(report: "NoisingReport") -> int:
    for message in report.warnings:
        warn(message)
    if report.limit:
        warn(f"{report.limit}: the same call works on the rest, {counted(report.left, 'query')}")
    if not report.failed:
        return 0
    for failure in report.failed[:_NAMED]:
        warn(f"{failure.query!r} failed: {failure.error}")
    if not report.rows and not report.dropped:
        return complain(f"no query could be done: {report.failed[0].error}: see rarr doctor", 3)
    return complain(
        f"{counted(len(report.failed), 'query')} failed: correct the cause, and run again to repeat them",
        2,
    )


@train.command()
def editor(
    rows: options.TrainingRows,
    out: options.Weights,
    steps: options.Steps = None,
    seed: options.Seed = 1,
    start: options.From = None,
) -> int:
    """Fine-tune the weights that find and correct errors on DATA, and write them to FOLDER.

    About a quarter of the rows is held out, by document. The loss on it is shown before and after, and so is
    the probability from which on a correction is made: nine of ten are right there. The setting "weights"
    names FOLDER. The same call continues an interrupted run. Needs pip install 'rarr[train]'. It takes
    minutes on a processor, less on a GPU.

    \b
    Examples:
      rarr train editor rows.jsonl -o weights
      rarr train editor rows.jsonl -o weights --steps 500 --seed 7 --from other-weights
    """
    from rarr.backends.encoder.model_files import checked_manifest
    from rarr.training.noising.row_files import enough
    from rarr.views.terminal.progress_line import Waiting

    try:
        from rarr.training.fine_tuning import Backend, fine_tune

        backend = Backend.of_the_package()
    except ImportError as error:
        enough(rows)  # checks the call before anybody installs gigabytes for it
        checked_manifest(start)
        raise SetupError(
            f"rarr train editor cannot run ({error.name} is missing): pip install 'rarr[train]'"
        ) from error
    with Waiting(watched=sys.stderr.isatty()) as waiting:
        report = fine_tune(
            rows,
            out,
            steps=steps,
            seed=seed,
            start=start,
            backend=backend,
            on_step=lambda done, total: waiting.say(f"step {done} of {total}"),
        )
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

"""`rarr bench`: runs a benchmark of the literature on data that the caller has, and prints its report."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rarr.cli import options
from rarr.cli.streams import complain, waiting, warn_of_each, write
from rarr.errors import BudgetError, ModelError, RetrievalError
from rarr.tools.text.wording import counted

if TYPE_CHECKING:
    from rarr.evals.benchmarks.report import BenchmarkReport

_DATA: options.Option = click.argument("data", type=options.FILE)
_DIR = options.out("DIR", "Folder for the run and its report.", required=True)
_JUDGE: options.Option = click.option(
    "--judge", metavar="M", multiple=True, help="A judge: embedded, nli:NAME, or a model; repeatable."
)


@click.group()
def bench() -> None:
    """Measure judges, readers, searches and writers as papers do.

    The rows have a fixed random order, so that --limit draws a sample. The same call continues an interrupted
    run. Reports print published figures beside the measured ones.
    """


def _run(
    benchmark: Callable[..., "BenchmarkReport"],
    *paths: Path,
    chosen: dict[str, Any],
    as_json: bool,
    judge: Sequence[str] = (),
    limit: int | None = None,
    jobs: int = 4,
    **more: Any,
) -> int:
    """Runs a benchmark, and prints its report and a line for each row with an error."""
    from rarr.evals.benchmarks.report import Options
    from rarr.settings import Settings
    from rarr.views.report_tables import print_of

    asked = Options(judges=tuple(judge), limit=limit, jobs=jobs)
    try:
        with waiting() as shown:
            report = benchmark(*paths, settings=Settings(**chosen), options=asked, on_row=shown.rows, **more)
    except (ModelError, BudgetError, RetrievalError) as error:
        return complain(f"{error}: see rarr doctor, and run again", 3)
    write(print_of(report, paths[-1], as_json=as_json))
    warn_of_each(report.errors)
    if report.failed:
        cure = "see rarr doctor" if report.errors else "it has no label for any of them: give another --judge"
        return complain(f"{', '.join(report.failed)}: nothing could be judged: {cure}", 3)
    if not report.errors:
        return 0
    cure = "correct the cause, and run again, which repeats these rows"
    return complain(f"{counted(len(report.errors), 'row')} with an error, not judged: {cure}", 2)


def _judging(command: Any) -> Any:
    """Adds the arguments and options that all benchmarks of judges take."""
    settings = options.settings(options.BASE_URL)
    for option in (options.JSON, options.JOBS, options.LIMIT, _JUDGE, settings, _DIR, _DATA):
        command = option(command)
    return command


@bench.command()
@_judging
def attrscore(data: Path, out: Path, **call: Any) -> int:
    """Judge claims made from questions with answers, as AttrScore does.

    Each answer of QuoteSum (dev/retrieval in DATA) with its passage becomes four claims: as it is (A), with
    another answer of the same kind in the claim (B) or in the passage (C), and beside another passage (D).
    """
    from rarr.evals.benchmarks.attrscore import bench_attrscore

    return _run(bench_attrscore, data, out, **call)


@bench.command()
@_judging
def expertqa(data: Path, out: Path, **call: Any) -> int:
    """Judge claims of six systems that experts labelled, as ExpertQA does.

    Reads dev/attribution in DATA. Prints AutoAIS and the agreement with the experts by system and field.
    """
    from rarr.evals.benchmarks.expertqa import bench_expertqa

    return _run(bench_expertqa, data, out, **call)


@bench.command()
@_judging
def factscore(data: Path, out: Path, **call: Any) -> int:
    """Split claims into atomic facts and judge each fact, as FActScore does.

    Reads the claims of Factcheck-GPT (dev/attribution in DATA). A judge that is no language model judges
    whole sentences. A claim is called factual if half of its facts are supported.
    """
    from rarr.evals.benchmarks.factscore import bench_factscore

    return _run(bench_factscore, data, out, **call)


@bench.command()
@_DATA
@_DIR
@options.settings(options.MODEL, options.BASE_URL)
@click.option("--limit", metavar="N", type=click.IntRange(1), default=100, help="Questions of each kind.")
@options.JOBS
@options.JSON
def kalma(data: Path, out: Path, **call: Any) -> int:
    """Answer questions over graphs and measure the citations, as KaLMA does.

    Reads the questions of BioKaLMA that have a graph (dev/kg in DATA), and evolves as many over these graphs,
    whose minimum knowledge is known.
    """
    from rarr.evals.benchmarks.kalma import bench_kalma

    return _run(bench_kalma, data, out, **call)


@bench.command()
@click.argument("events", type=options.FILE)
@click.argument("docs", type=options.FILE)
@_DIR
@options.settings(options.MODEL, options.BASE_URL)
@click.option("--system", metavar="S", multiple=True, help="rr, prr or extractive, the default; repeatable.")
@options.LIMIT
@options.JOBS
@options.JSON
def wikigen(events: Path, docs: Path, out: Path, system: Sequence[str], **call: Any) -> int:
    """Write articles about EVENTS from the pages in DOCS, and score their citations, as WikiGenBench does.

    Both are JSON lines. rr writes in one call, prr plans, extractive needs no language model.
    """
    from rarr.evals.benchmarks.wikigen import bench_wikigen

    return _run(bench_wikigen, events, docs, out, **call, **options.given(systems=tuple(system) or None))


@bench.command()
@click.argument("rated", type=options.FILE)
@_DIR
@options.settings(options.MODEL, options.BASE_URL)
@options.LIMIT
@options.JOBS
@options.JSON
def answers(rated: Path, out: Path, **call: Any) -> int:
    """Measure how well scores of answers agree with people's ratings (MOCHA, EVOUNA).

    RATED has lines {"question", "answer", "references", "score"}; a score is 0 to 1, or true or false.
    """
    from rarr.evals.benchmarks.answers import bench_answers

    return _run(bench_answers, rated, out, **call)


@bench.command()
@click.argument("things", type=options.FILE)
@_DIR
@options.settings(options.CORPUS, options.MODEL, options.BASE_URL)
@options.LIMIT
@options.JOBS
@options.JSON
def names(things: Path, out: Path, **call: Any) -> int:
    """Measure whether a search and a revision tell apart THINGS that share a name (AmbER sets).

    THINGS are JSON lines: "id", "name", "aliases", "types", "properties" (values by name), "popularity", and
    "documents" as the corpus names them. Each false claim is revised without the pages of its subject, where
    any change is an error, and with the whole corpus.
    """
    from rarr.evals.benchmarks.names import bench_names

    return _run(bench_names, things, out, **call)


@bench.command()
@click.argument("questions", type=options.FILE)
@_DIR
@options.settings(options.MODEL, options.BASE_URL)
@click.option("--policy", metavar="P", multiple=True, help="corpus or alias; default both.")
@options.LIMIT
@options.JOBS
@options.JSON
def conflicts(questions: Path, out: Path, policy: Sequence[str], **call: Any) -> int:
    """Measure whether a model follows its evidence or its memory (Longpre et al. 2021).

    QUESTIONS has lines {"question", "answers", "passage"}, maybe "title". The answer in each passage is
    replaced: by that of another row of the same type (corpus), or by another form of the same answer (alias:
    no conflict). The sentence with the old answer is revised by the changed passage. Prints the memorisation
    ratio: memory of memory and evidence.
    """
    from rarr.evals.benchmarks.conflicts import bench_conflicts

    return _run(bench_conflicts, questions, out, **call, **options.given(policies=tuple(policy) or None))

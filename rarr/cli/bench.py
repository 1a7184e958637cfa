"""`rarr bench`: runs a benchmark of the literature on data that the caller has, and prints its report."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from rarr.cli import options
from rarr.cli.streams import complain, complain_of_errors, waiting, write
from rarr.errors import BudgetError, InputError, ModelError, RetrievalError

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


def _settings(chosen: dict[str, Any], **more: Any) -> Any:
    from rarr.settings import Settings

    return Settings(**chosen, **options.given(**more))


def _run(benchmark: Callable[..., Any], *data: Any, out: Path | None, as_json: bool, **given: Any) -> int:
    """Prints its report. Returns the exit status: 3 if nothing was judged, 2 if not all."""
    from rarr.views.report_tables import print_of

    try:
        with waiting() as shown:
            where = () if out is None else (out,)
            report = benchmark(*data, *where, **given, on_row=shown.rows)
    except (ModelError, BudgetError, RetrievalError) as error:
        return complain(f"{error}: see rarr doctor, and run again", 3)
    write(print_of(report, out, as_json=as_json))
    return max(_outcome(name, part) for name, part in _parts(report))


def _parts(report: Any) -> list[tuple[str, Any]]:
    """Lists what may have errors: the judges or the systems of a report by name, or the whole report."""
    groups = getattr(report, "judges", None) or getattr(report, "systems", None) or {"": report}
    return list(groups.items())


def _outcome(name: str, part: Any) -> int:
    prefix = f"{name}: " if name else ""
    errors = [f"{prefix}{error}" for error in getattr(part, "errors", ())]
    rows = next(
        (getattr(part, each) for each in ("claims", "conflicts", "articles") if hasattr(part, each)), None
    )
    if status := complain_of_errors(errors, rows=rows, noun="row"):
        return status
    if rows and getattr(part, "unjudged", 0) == rows:
        return complain(f"{prefix}no claim could be judged: give another --judge", 3)
    return 0


def _judging(command: Any) -> Any:
    """Adds the arguments and options that all benchmarks of judges take."""
    settings = options.settings(options.BASE_URL)
    for option in (options.JSON, options.JOBS, options.LIMIT, options.WORDING, _JUDGE, settings, _DIR, _DATA):
        command = option(command)
    return command


def _judged(
    benchmark: Callable[..., Any],
    data: Path,
    chosen: dict[str, Any],
    wording: str | None,
    out: Path,
    as_json: bool,
    judge: Sequence[str],
    **rows: Any,
) -> int:
    from rarr.evals.literature.benchmark_judging import JudgingOptions

    settings, judging = _settings(chosen, judge_wording=wording), JudgingOptions(judges=tuple(judge), **rows)
    return _run(benchmark, data, out=out, as_json=as_json, settings=settings, options=judging)


@bench.command()
@_judging
def attrscore(**call: Any) -> int:
    """Judge claims made from questions with answers, as AttrScore does.

    Each answer of QuoteSum (dev/retrieval in DATA) with its passage becomes four claims: as it is (A), with
    another answer of the same kind in the claim (B) or in the passage (C), and beside another passage (D).
    """
    from rarr.evals.literature.attrscore_benchmark import bench_attrscore

    return _judged(bench_attrscore, **call)


@bench.command()
@_judging
def expertqa(**call: Any) -> int:
    """Judge claims of six systems that experts labelled, as ExpertQA does.

    Reads dev/attribution in DATA. Prints AutoAIS and the agreement with the experts by system and field.
    """
    from rarr.evals.literature.expertqa_benchmark import bench_expertqa

    return _judged(bench_expertqa, **call)


@bench.command()
@_judging
def factscore(**call: Any) -> int:
    """Split claims into atomic facts and judge each fact, as FActScore does.

    Reads the claims of Factcheck-GPT (dev/attribution in DATA). A judge that is no language model judges
    whole sentences. A claim is called factual if half of its facts are supported.
    """
    from rarr.evals.literature.factscore_benchmark import bench_factscore

    return _judged(bench_factscore, **call)


@bench.command()
@_DATA
@_DIR
@options.settings(options.MODEL, options.BASE_URL)
@click.option("--limit", metavar="N", type=click.IntRange(1), default=100, help="Questions of each kind.")
@options.JSON
def kalma(data: Path, out: Path, chosen: dict[str, Any], limit: int, as_json: bool) -> int:
    """Answer questions over graphs and measure the citations, as KaLMA does.

    Reads the questions of BioKaLMA that have a graph (dev/kg in DATA), and evolves as many over these graphs,
    whose minimum knowledge is known.
    """
    from rarr.evals.literature.kalma_benchmark import bench_kalma

    settings = _settings(chosen)
    return _run(bench_kalma, data, out=out, as_json=as_json, settings=settings, limit=limit)


@bench.command()
@click.argument("events", type=options.FILE)
@click.argument("docs", type=options.FILE)
@_DIR
@options.settings(options.MODEL, options.BASE_URL)
@click.option("--system", metavar="S", default="extractive", help="rr, prr or extractive, with commas.")
@click.option("--reranker", metavar="R", default="overlap", help="overlap, bm25, random, ..., with commas.")
@click.option("--given-outline", is_flag=True, help="Take the headings of the articles by people.")
@options.LIMIT
@options.JOBS
@options.JSON
def wikigen(
    events: Path,
    docs: Path,
    chosen: dict[str, Any],
    out: Path,
    as_json: bool,
    system: str,
    reranker: str,
    **rows: Any,
) -> int:
    """Write articles about EVENTS from the pages in DOCS, and score their citations, as WikiGenBench does.

    Both are JSON lines. rr writes in one call, prr plans, extractive needs no language model.
    """
    from rarr.evals.literature.wikigen_benchmark import WikigenOptions, bench_wikigen

    writing = WikigenOptions(systems=_names(system), rerankers=_names(reranker), **rows)
    settings = _settings(chosen)
    return _run(bench_wikigen, events, docs, out=out, as_json=as_json, settings=settings, options=writing)


@bench.command()
@click.argument("rated", type=options.FILE)
@options.out("DIR", "Folder for the run and its report.")
@options.settings(options.MODEL, options.BASE_URL)
@click.option("--examples", metavar="F", type=options.FILE, help="Rated answers that the model is shown.")
@options.LIMIT
@options.JOBS
@options.JSON
def answers(
    rated: Path, chosen: dict[str, Any], out: Path | None, as_json: bool, examples: Path | None, **rows: Any
) -> int:
    """Measure how well scores of answers agree with people's ratings (MOCHA, EVOUNA).

    RATED has lines {"question", "answer", "references", "score"}; a score is 0 to 1, or true or false.
    """
    from rarr.evals.answer_benchmark import bench_answers
    from rarr.evals.rated_answers import rated_answers

    shown = rated_answers(examples) if examples else ()
    settings = _settings(chosen)
    return _run(bench_answers, rated, out=out, as_json=as_json, settings=settings, examples=shown, **rows)


@bench.command()
@click.argument("things", type=options.FILE)
@_DIR
@options.settings(options.CORPUS, options.SEARCH, options.MODEL, options.BASE_URL)
@click.option("--reranker", metavar="R", multiple=True, help="overlap, embedded, ...; repeatable.")
@options.LIMIT
@options.JOBS
@options.JSON
def names(
    things: Path,
    chosen: dict[str, Any],
    out: Path,
    as_json: bool,
    reranker: Sequence[str],
    **rows: Any,
) -> int:
    """Measure whether a search and a revision tell apart THINGS that share a name (AmbER sets).

    THINGS are JSON lines: "id", "name", "aliases", "types", "properties" (values by name), "popularity", and
    "documents" as the corpus names them. Each false claim is revised without the pages of its subject, where
    any change is an error, and with the whole corpus.
    """
    from rarr.evals.namesakes.benchmark import bench_names
    from rarr.evals.namesakes.corpus_documents import corpus_documents
    from rarr.evals.namesakes.names_worker import NamesOptions
    from rarr.evals.namesakes.records import TASKS, read_entities
    from rarr.evals.namesakes.set_generation import name_sets

    settings = _settings(chosen)
    if settings.corpus is None:
        raise InputError("no corpus: give --corpus PATH, the documents of the things")
    texts = {each.name: each.text for each in corpus_documents(settings.corpus, settings.max_file_mb)}
    sets = name_sets(read_entities(things), texts, tasks=TASKS, seed=0)
    if not sets:
        raise InputError(
            "no name makes a set: two things of a name need different properties that their openings state,"
            " and different popularity"
        )
    rerankers = tuple(reranker or NamesOptions().rerankers)
    measured = NamesOptions(rerankers=rerankers, tasks=TASKS, **rows)
    return _run(bench_names, sets, out=out, as_json=as_json, settings=settings, options=measured)


@bench.command()
@click.argument("questions", type=options.FILE)
@_DIR
@options.settings(options.MODEL, options.BASE_URL)
@click.option("--policy", metavar="P", default="corpus,alias,type-swap,popularity", help="With commas.")
@options.choice("--as", "reviser reader", "The model's task.", name="role")
@options.LIMIT
@options.JOBS
@options.JSON
def conflicts(
    questions: Path, chosen: dict[str, Any], out: Path, as_json: bool, policy: str, **rows: Any
) -> int:
    """Measure whether a model follows its evidence or its memory (Longpre et al. 2021).

    QUESTIONS has lines {"question", "answers", "passage"}, maybe "title", or is ConflictQA. The answer in
    each passage is replaced: by that of another row of the same type (corpus), by another form of the same
    answer (alias: no conflict), by one of another type (type-swap), or by one of each of five bins of
    popularity. Prints the memorisation ratio: memory of memory and evidence.
    """
    from rarr.evals.conflicts.conflict_benchmark import ConflictOptions, bench_conflicts
    from rarr.evals.conflicts.policies import POLICIES

    policies = tuple(dict.fromkeys(_names(policy)))
    if unknown := [name for name in policies if name not in POLICIES]:
        raise InputError(f"--policy names {unknown[0]!r}: give some of {', '.join(POLICIES)}")
    asked = ConflictOptions(policies=policies, seed=1, **rows)
    settings = _settings(chosen)
    return _run(bench_conflicts, questions, out=out, as_json=as_json, settings=settings, options=asked)


def _names(given: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in given.split(",") if name.strip())

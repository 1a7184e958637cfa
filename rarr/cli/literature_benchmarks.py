"""`rarr bench`: runs the benchmarks of AttrScore, ExpertQA and FActScore on data that a folder holds."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import typer

from rarr.cli import options
from rarr.cli.conflicts import conflicts
from rarr.cli.streams import complain, warn_of_each, write_report
from rarr.tools.text.plurals_and_articles import counted

if TYPE_CHECKING:
    from rarr.evals.literature.benchmark_judging import JudgingOptions
    from rarr.retrievers.corpus.index_building import Progress
    from rarr.settings import Settings

bench = typer.Typer(rich_markup_mode=None, help="Measure judges, searches and readers, as papers do.")
bench.command()(conflicts)


@bench.command()
def attrscore(
    data: options.BenchmarkFolder,
    out: options.BenchmarkOut,
    judge: options.Judges = None,
    base_url: options.BaseUrl = None,
    max_calls: options.MaxCalls = None,
    limit: options.ClaimLimit = None,
    jobs: options.ClaimJobs = 4,
    as_json: options.Json = False,
) -> int:
    """Judge claims that are made from questions with answers, as AttrScore does.

    Each answer of QuoteSum (dev/retrieval in DATA) with its passage becomes four claims: as it is (A,
    attributable); with another answer of the same kind in the claim (B) or in the passage (C), both
    contradictory; and beside another passage, which BM25 finds (D, extrapolatory). Prints accuracy, F1 by
    class, micro and macro F1, beside the published figures. The claims have a fixed random order, so --limit
    draws a sample. If the run was interrupted, the same call continues it. Exit status: 0 done; 2 the call or
    DATA is wrong, or a claim has an error; 3 a judge could judge none.

    \b
    Examples:
      rarr bench attrscore data/ -o scores --limit 100
      rarr bench attrscore data/ -o scores --judge embedded --judge vllm:Qwen/Qwen3-8B
    """
    from rarr.evals.literature.attrscore_benchmark import bench_attrscore
    from rarr.views.terminal.literature_tables import attrscore_text

    settings, chosen = _settings(base_url, max_calls), _chosen(judge, limit, jobs)
    return _done(_run(bench_attrscore, data, out, settings, chosen), attrscore_text, out, as_json=as_json)


@bench.command()
def expertqa(
    data: options.BenchmarkFolder,
    out: options.BenchmarkOut,
    judge: options.Judges = None,
    base_url: options.BaseUrl = None,
    max_calls: options.MaxCalls = None,
    limit: options.ClaimLimit = None,
    jobs: options.ClaimJobs = 4,
    as_json: options.Json = False,
) -> int:
    """Judge claims of six systems that experts labelled, as ExpertQA does.

    Reads the claims of ExpertQA (dev/attribution in DATA). The passages of a claim are joined to one. Prints
    the AutoAIS and the agreement with the experts by system and field, beside the published figures; how far
    the probabilities can be relied on (AUC, and a threshold that is chosen on one half); and how well claims
    worth a citation are told. The claims have a fixed random order, so --limit draws a sample. If the run was
    interrupted, the same call continues it. Exit status: 0 done; 2 the call or DATA is wrong, or a claim has
    an error; 3 a judge could judge none.

    \b
    Examples:
      rarr bench expertqa data/ -o scores
      rarr bench expertqa data/ -o scores --judge nli:google/t5_xxl_true_nli_mixture --jobs 1
    """
    from rarr.evals.literature.expertqa_benchmark import bench_expertqa
    from rarr.views.terminal.literature_tables import expertqa_text

    settings, chosen = _settings(base_url, max_calls), _chosen(judge, limit, jobs)
    return _done(_run(bench_expertqa, data, out, settings, chosen), expertqa_text, out, as_json=as_json)


@bench.command()
def factscore(
    data: options.BenchmarkFolder,
    out: options.BenchmarkOut,
    judge: options.Judges = None,
    base_url: options.BaseUrl = None,
    max_calls: options.MaxCalls = None,
    limit: options.ClaimLimit = None,
    jobs: options.ClaimJobs = 4,
    as_json: options.Json = False,
) -> int:
    """Split claims into atomic facts and judge each fact, as FActScore does.

    Reads the claims of Factcheck-GPT with their passages (dev/attribution in DATA). A language model that
    judges also splits; another judge judges whole sentences. The score of a claim is the share of its facts
    that the passages support; from 0.5 on it is called factual. The score of a text is the share of its
    facts. Prints F1 of true and of false claims, beside the published figures, and the mean score of a text,
    beside that by people and the share of the facts of all texts. The claims have a fixed random order, so
    --limit draws a sample. If the run was interrupted, the same call continues it. Exit status: 0 done; 2 the
    call or DATA is wrong, or a claim has an error; 3 a judge could judge none.

    \b
    Examples:
      rarr bench factscore data/ -o scores
      rarr bench factscore data/ -o scores --judge vllm:Qwen/Qwen3-8B --limit 100
    """
    from rarr.evals.literature.factscore_benchmark import bench_factscore
    from rarr.views.terminal.literature_tables import factscore_text

    settings, chosen = _settings(base_url, max_calls), _chosen(judge, limit, jobs)
    return _done(_run(bench_factscore, data, out, settings, chosen), factscore_text, out, as_json=as_json)


def _settings(base_url: str | None, max_calls: int | None) -> "Settings":
    from rarr.settings import Settings

    return Settings(**options.given(base_url=base_url, max_calls=max_calls))


def _chosen(judges: Sequence[str] | None, limit: int | None, jobs: int) -> "JudgingOptions":
    from rarr.evals.literature.benchmark_judging import JudgingOptions

    return JudgingOptions(judges=tuple(judges or ()), limit=limit, jobs=jobs)


class _Benchmark(Protocol):
    def __call__(
        self,
        data: Path,
        out: Path,
        *,
        settings: "Settings",
        options: "JudgingOptions",
        on_row: "Progress",
    ) -> Any: ...


def _run(benchmark: _Benchmark, data: Path, out: Path, settings: "Settings", chosen: "JudgingOptions") -> Any:
    from rarr.views.terminal.progress_line import Waiting

    with Waiting(watched=sys.stderr.isatty()) as waiting:
        return benchmark(
            data,
            out,
            settings=settings,
            options=chosen,
            on_row=waiting.rows,
        )


def _done(report: Any, text: Any, out: Path, *, as_json: bool) -> int:
    """Prints the report, and a line for each claim with an error. Returns the exit status."""
    write_report(report, text(report), out, as_json=as_json)
    errors = [(judge, error) for judge, each in report.judges.items() for error in each.errors]
    warn_of_each([f"{judge}: {error}" for judge, error in errors])
    if without := [judge for judge, each in report.judges.items() if each.unjudged == each.claims]:
        failed = any(report.judges[judge].errors for judge in without)
        cure = "see rarr doctor" if failed else "it has no label for any of them: give another --judge"
        return complain(f"{', '.join(without)}: no claim could be judged: {cure}", 3)
    if not errors:
        return 0
    cure = "correct the cause, and run again, which repeats these claims"
    return complain(f"{counted(len(errors), 'claim')} with an error, not judged and not scored: {cure}", 2)

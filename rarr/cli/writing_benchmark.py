"""`rarr bench wikigen`: writes articles about the events of WikiGenBench, and scores their citations."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rarr.cli import options, write_options
from rarr.cli.streams import complain, complain_of_errors, warn_of_each, write_report

if TYPE_CHECKING:
    from rarr.evals.literature.wikigen_benchmark import WikigenReport

Events = Annotated[
    Path, typer.Argument(metavar="EVENTS", help="Events with their articles: JSON lines, also .gz.")
]
EventDocuments = Annotated[
    Path, typer.Argument(metavar="DOCS", help="Pages about the events: JSON lines, also .gz.")
]
Systems = Annotated[
    str, typer.Option("--system", metavar="S", help="rr, prr or extractive; several with commas.")
]
Rerankers = Annotated[
    str,
    typer.Option(
        "--reranker", metavar="R", help="overlap, embedded, bm25, random, ...; several with commas."
    ),
]
GivenOutline = Annotated[
    bool, typer.Option("--given-outline", help="Take the headings of the articles by people.")
]
EventLimit = Annotated[
    int | None, typer.Option("--limit", metavar="N", min=1, help="Write only about the first N events.")
]
EventJobs = Annotated[int, typer.Option("--jobs", metavar="N", min=1, help="Articles to write at once.")]


def wikigen(
    events: Events,
    docs: EventDocuments,
    out: options.BenchmarkOut,
    system: Systems = "extractive",
    reranker: Rerankers = "overlap",
    chunks: write_options.Chunks = None,
    given_outline: GivenOutline = False,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    max_calls: options.MaxCalls = None,
    limit: EventLimit = None,
    jobs: EventJobs = 1,
    as_json: options.Json = False,
) -> int:
    """Write articles from web pages, and score their citations, as WikiGenBench does.

    An article about each event of EVENTS is written from its pages in DOCS, without those of Wikipedia: by
    rr (one call), prr (planned) or extractive (no language model). Prints citation recall, precision and
    rate, as written and after the check, judged by the verifier of the run; and ROUGE-L and METEOR against
    the article by people, beside the published figures. The events have a fixed random order, so --limit
    draws a sample. If the run was interrupted, the same call continues it. Exit status: 0 done; 2 the call or
    the data are wrong, or an article has an error; 3 a system could write none.

    \b
    Examples:
      rarr bench wikigen events.jsonl docs.jsonl -o scores --limit 10
      rarr bench wikigen events.jsonl docs.jsonl -o scores --system rr,prr --model vllm:Qwen/Qwen3-8B
      rarr bench wikigen events.jsonl docs.jsonl -o scores --reranker overlap,embedded,bm25,random
    """
    from rarr.evals.literature.wikigen_benchmark import WikigenOptions, bench_wikigen
    from rarr.settings import Settings
    from rarr.views.terminal.progress_line import Waiting

    settings = Settings(**options.given(model=model, base_url=base_url, max_calls=max_calls, chunks=chunks))
    chosen = WikigenOptions(
        systems=_names(system),
        rerankers=_names(reranker),
        given_outline=given_outline,
        limit=limit,
        jobs=jobs,
    )
    with Waiting(watched=sys.stderr.isatty()) as waiting:
        report = bench_wikigen(
            events,
            docs,
            out,
            settings=settings,
            options=chosen,
            on_row=waiting.rows,
        )
    return _done(report, out, as_json=as_json)


def _names(given: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in given.split(",") if name.strip())


def _done(report: "WikigenReport", out: Path, *, as_json: bool) -> int:
    """Prints the report, and a line for each article with an error. Returns the exit status."""
    from rarr.views.terminal.writing_tables import wikigen_text

    write_report(report, wikigen_text(report), out, as_json=as_json)
    errors = [f"{name}: {error}" for name, each in report.systems.items() for error in each.errors]
    if failed := [name for name, each in report.systems.items() if 0 < each.articles == len(each.errors)]:
        warn_of_each(errors)
        return complain(f"{'; '.join(failed)}: no article could be written: see rarr doctor", 3)
    return complain_of_errors(errors, rows="article")

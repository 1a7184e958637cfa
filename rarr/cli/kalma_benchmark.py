"""`rarr bench kalma`: measures the citations of answers over graphs."""

import sys
from typing import Annotated

import typer

from rarr.cli import graph_options, options
from rarr.cli.streams import complain, complain_of_errors, write_report
from rarr.errors import BudgetError, ModelError, RetrievalError

Questions = Annotated[
    int, typer.Option("--limit", metavar="N", min=1, help="Questions of each kind, at most.")
]


def kalma(
    data: options.BenchmarkFolder,
    out: options.BenchmarkOut,
    model: graph_options.AnsweringModel = None,
    base_url: options.BaseUrl = None,
    max_calls: options.MaxCalls = None,
    limit: Questions = 100,
    as_json: options.Json = False,
) -> int:
    """Answer questions over graphs and measure the citations, as KaLMA does.

    Reads the questions of BioKaLMA that have a graph (dev/kg in DATA), and evolves as many over these graphs,
    whose minimum knowledge is known. Prints the share of citations that are correct and aligned, precision,
    recall and F1 against the minimum knowledge (micro, macro, and with graphs that were retrieved wrongly),
    and how often [NA] tells 1 to 3 removed triples, beside the published figures. If the run was interrupted,
    the same call continues it. Exit status: 0 done; 2 the call or DATA is wrong, or a question has an error;
    3 the model could not be asked.

    \b
    Examples:
      rarr bench kalma data/ -o scores
      rarr bench kalma data/ -o scores --model vllm:Qwen/Qwen3-8B --limit 20
    """
    from rarr.evals.literature.kalma_benchmark import bench_kalma
    from rarr.settings import Settings
    from rarr.views.terminal.kalma_table import kalma_text
    from rarr.views.terminal.progress_line import Waiting

    settings = Settings(**options.given(model=model, base_url=base_url, max_calls=max_calls))
    try:
        with Waiting(watched=sys.stderr.isatty()) as waiting:
            report = bench_kalma(
                data,
                out,
                settings=settings,
                limit=limit,
                on_row=waiting.rows,
            )
    except (ModelError, BudgetError, RetrievalError) as error:
        return complain(f"the questions could not be answered: {error}: see rarr doctor, and run again", 3)
    write_report(report, kalma_text(report), out, as_json=as_json)
    return complain_of_errors(report.errors, rows="question")

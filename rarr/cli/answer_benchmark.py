"""`rarr bench answers`: compares the score of answers with people's ratings."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rarr.cli import options
from rarr.cli.streams import complain, write
from rarr.errors import BudgetError, ModelError

if TYPE_CHECKING:
    from rarr.evals.answer_benchmark import AnswersReport
    from rarr.evals.metrics import Measured

Rated = Annotated[
    Path,
    typer.Argument(
        metavar="RATED", help='JSON lines: {"answer", "references", "score"}, "question"; or EVOUNA.'
    ),
]
Out = Annotated[
    Path | None, typer.Option("--out", "-o", metavar="DIR", help="Folder for the run and its report.")
]
Limit = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="At most N answers, in an order that their ids decide.")
]
Examples = Annotated[
    Path | None,
    typer.Option(metavar="F", help='Rated answers for a language model: lines with "score", 0 to 1.'),
]
Jobs = Annotated[int, typer.Option(metavar="N", min=1, help="Answers to score at once.")]


def answers(
    data: Rated,
    out: Out = None,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    examples: Examples = None,
    limit: Limit = None,
    jobs: Jobs = 4,
    as_json: options.Json = False,
) -> int:
    """Measure how well scores of answers agree with people's ratings.

    "score" is a person's rating of the answer: 0 to 1, or true and false. Prints Pearson's r and the AUC,
    with 95% intervals, of the share of the values and words of a right answer, of token F1, exact match, and
    ROUGE-L (extra eval); with --model, of a language model that scores on five levels. Its rated examples
    must not be in RATED. With -o, the same call continues an interrupted run. Exit status: 0 done; 2 the call
    or a line is wrong; 3 the model fails.

    \b
    Examples:
      rarr bench answers rated.jsonl
      rarr bench answers evouna.jsonl.gz --limit 500
      rarr bench answers rated.jsonl --model vllm:Qwen/Qwen3-8B --examples few.jsonl
    """
    from rarr.evals.answer_benchmark import bench_answers
    from rarr.evals.rated_answers import rated_answers
    from rarr.settings import Settings
    from rarr.views.terminal.progress_line import Waiting
    from rarr.views.terminal.revision import as_json as json_of

    settings = Settings(**options.given(model=model, base_url=base_url))
    shown = rated_answers(examples) if examples else ()
    try:
        with Waiting(watched=sys.stderr.isatty()) as waiting:
            report = bench_answers(
                data,
                out,
                settings=settings,
                examples=shown,
                limit=limit,
                jobs=jobs,
                on_row=waiting.rows,
            )
    except (ModelError, BudgetError) as error:
        return complain(str(error), 3)
    write(json_of(report) if as_json else _text(report))
    return 0


def _text(report: "AnswersReport") -> str:
    width = max(map(len, report.scores))
    lines = [f"{report.answers} answers, {report.right} right by people", ""]
    lines.append(f"{'score':<{width}}  {'Pearson r':<22}  AUC")
    for name, found in report.scores.items():
        lines.append(f"{name:<{width}}  {_shown(found.r):<22}  {_shown(found.auc)}")
    return "\n".join(lines) + "\n"


def _shown(measure: "Measured") -> str:
    if measure.value is None:
        return "-"
    return f"{measure.value:.3f} [{measure.low:.3f}, {measure.high:.3f}]"

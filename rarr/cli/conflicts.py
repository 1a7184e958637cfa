"""`rarr bench conflicts`: puts passages that contradict what a model remembers to the model."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from rarr.cli import options
from rarr.cli.streams import complain_of_errors, write_report
from rarr.errors import InputError

if TYPE_CHECKING:
    from rarr.evals.conflicts.conflict_benchmark import ConflictOptions
    from rarr.evals.conflicts.conflict_report import ConflictReport
    from rarr.settings import Settings

Questions = Annotated[
    Path,
    typer.Argument(
        metavar="QA", help='JSON lines: {"question", "answers", "passage"}, maybe "title"; or ConflictQA.'
    ),
]
Out = Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder for the run and its report.")]
Policies = Annotated[
    str, typer.Option("--policy", metavar="P", help="Substitutions, with commas between them.")
]
Roles = Annotated[Literal["reader", "reviser"], typer.Option("--as", help="What the model is asked to do.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Another seed draws other substitutes.")]
Limit = Annotated[
    int | None, typer.Option("--limit", metavar="N", min=1, help="At most N conflicts of each policy.")
]


def conflicts(
    data: Questions,
    out: Out,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    policy: Policies = "corpus,alias,type-swap,popularity",
    role: Roles = "reviser",
    seed: Seed = 1,
    limit: Limit = None,
    jobs: options.ClaimJobs = 4,
    as_json: options.Json = False,
) -> int:
    """Measure whether a model follows its evidence or its memory.

    In the passage of each question, the answer is replaced by another: by an answer of another row of the
    same type (corpus), by another form of the same answer (alias: no conflict), by an answer of another type
    (type-swap), or by one of each of five bins of popularity, if rows have "popularity". A reader answers the
    question; a reviser gets the sentence with the old answer and the changed passage. A row of ConflictQA has
    two opposite statements, each with its evidence: the first is revised by the evidence of the other
    (given). Rows that are wrong with the unchanged passage are left out, and counted. Prints the
    memorisation ratio: memory of memory and evidence. If the run was interrupted, the same call continues it.
    Exit status: 0 done; 2 the call or QA is wrong, or a conflict has an error; 3 no conflict could be judged.

    \b
    Examples:
      rarr bench conflicts questions.jsonl -o embedded --limit 50
      rarr bench conflicts conflictqa.jsonl.gz -o given --limit 200
      rarr bench conflicts questions.jsonl -o reads --as reader --model vllm:Qwen/Qwen3-8B
    """
    from rarr.evals.conflicts.conflict_benchmark import ConflictOptions
    from rarr.evals.conflicts.policies import POLICIES, Policy
    from rarr.settings import Settings

    policies = tuple(dict.fromkeys(name.strip() for name in policy.split(",")))
    if unknown := [name for name in policies if name not in POLICIES]:
        raise InputError(f"--policy names {unknown[0]!r}: give some of {', '.join(POLICIES)}")
    settings = Settings(**options.given(model=model, base_url=base_url))
    chosen = ConflictOptions(
        role=role, policies=cast(tuple[Policy, ...], policies), seed=seed, limit=limit, jobs=jobs
    )
    report = _run(data, out, settings, chosen)
    return _done(report, out, as_json=as_json)


def _run(data: Path, out: Path, settings: "Settings", chosen: "ConflictOptions") -> "ConflictReport":
    from rarr.evals.conflicts.conflict_benchmark import bench_conflicts
    from rarr.views.terminal.progress_line import Waiting

    with Waiting(watched=sys.stderr.isatty()) as waiting:
        return bench_conflicts(
            data,
            out,
            settings=settings,
            options=chosen,
            on_row=waiting.rows,
        )


def _done(report: "ConflictReport", out: Path, *, as_json: bool) -> int:
    from rarr.views.terminal.conflict_tables import conflicts_text

    write_report(report, conflicts_text(report), out, as_json=as_json)
    return complain_of_errors(report.errors, of=report.conflicts, rows="conflict")

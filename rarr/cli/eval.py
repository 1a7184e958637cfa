"""`rarr eval`: reads data, and writes predictions, scores and a report into a folder.

It also compares two runs.
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rarr.cli import graph_options, options
from rarr.cli.streams import complain, warn_of_each, write
from rarr.errors import InputError
from rarr.tools.text.plurals_and_articles import counted

if TYPE_CHECKING:
    from rarr.evals.report_records import EvalReport


def eval_(
    data: options.Data = None,
    out: options.Scores = None,
    corpus: options.Corpus = None,
    graph: graph_options.Graph = None,
    search: options.Search = None,
    offline: options.Offline = False,
    refresh: options.Refresh = False,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    prompts: options.Prompts = None,
    preset: options.Preset = None,
    max_calls: options.MaxCalls = None,
    deadline: options.Deadline = None,
    queries: options.Queries = None,
    agreement: options.Agreement = None,
    editor: options.EvalEditor = None,
    jobs: options.Jobs = 4,
    limit: options.Limit = None,
    fail_under: options.FailUnder = None,
    compare: options.Compare = None,
    as_json: options.Json = False,
) -> int:
    """Revise the texts of a file, and measure the revisions.

    DATA has one object a line: "text" and optionally "id", "context", "evidence" (a list of objects with
    "text", "title", "url") or "corpus" (a path beside DATA), "revised", a person's revision, and "answers",
    the right answers to the context: does the text still give one? DIR gets
    predictions.jsonl, report.json and report.html. If the run was interrupted, the same call continues it,
    and repeats rows with an error. --queries, --agreement and --editor choose a baseline to compare with.
    Settings without an option come from rarr.toml or from variables such as RARR_ROUNDS=1. Exit status: 0
    done; 2 the call or a line of DATA is wrong, or a row has an error; 3 every row has an error; 4 a measure
    is under its limit, or may be, since rows have an error.

    \b
    Examples:
      rarr eval data.jsonl -o scores --corpus notes/
      rarr eval data.jsonl -o strict --corpus notes/ --preset fast --fail-under f1_ap=0.6
      rarr eval data.jsonl -o few --corpus notes/ --limit 1 --json
      rarr eval data.jsonl -o by-chance --corpus notes/ --editor random
      rarr eval --compare scores strict
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
        deadline_s=deadline,
    )
    baseline: dict[str, Any] = options.given(queries=queries, editor=editor)
    if agreement is not None:
        baseline["agreement"] = agreement == "on"
    if compare is not None:
        _require_nothing_else(data, out, limit, fail_under, *given, *baseline)
        return _compare(*compare, as_json=as_json)
    if data is None or out is None:
        raise InputError("DATA and -o DIR are both needed: see rarr eval --help")
    from rarr.evals.quality_gate import limits_of, under

    limits = limits_of(fail_under or [])
    report = _evaluated(data, out, given, baseline, jobs, limit)
    write(_shown(report, out, as_json=as_json))
    return _outcome(report, under(report, limits))


def _require_nothing_else(*given: object) -> None:
    if any(argument is not None for argument in given):
        raise InputError(
            "--compare takes only the folders of two runs: leave out DATA and all options but --json"
        )


def _evaluated(
    data: Path, out: Path, chosen: dict[str, Any], baseline: dict[str, Any], jobs: int, limit: int | None
) -> "EvalReport":
    from rarr.evals import evaluate
    from rarr.settings import Settings
    from rarr.views.terminal.progress_line import Waiting

    with Waiting(watched=sys.stderr.isatty()) as waiting:
        return evaluate(
            data,
            out,
            settings=Settings(**chosen),
            **baseline,
            jobs=jobs,
            limit=limit,
            on_row=waiting.rows,
            on_index=waiting.indexed,
        )


def _shown(report: "EvalReport", out: Path, *, as_json: bool) -> str:
    from rarr.views.terminal.evaluation_tables import scores_table
    from rarr.views.terminal.revision import as_json as json_of

    if as_json:
        return json_of(report)
    return f"{scores_table(report)}report: {out / 'report.html'}\n"


def _outcome(report: "EvalReport", short: list[str]) -> int:
    """Returns the exit status of the worst problem: 3, 4, 2 or 0. Prints one line for each problem."""
    status = 0
    if left_out := report.unreadable:
        warn_of_each([f"line {line.line} of {report.data} was left out: {line.reason}" for line in left_out])
        lines = counted(len(left_out), "line")
        status = complain(f"{lines} of {report.data} left out: correct the data, and run with another -o", 2)
    if errors := [row for row in report.rows if row.error]:
        warn_of_each([f"row {row.id!r} has an error: {row.error}" for row in errors])
        cure = "correct the cause, and run again, which repeats these rows"
        status = complain(f"{counted(len(errors), 'row')} with an error: {cure}", 2)
    if short:
        status = complain("; ".join(short), 4)
    if len(errors) == len(report.rows):
        status = complain(f"no row could be judged: {errors[0].error}: see rarr doctor", 3)
    return status


def _compare(a: Path, b: Path, *, as_json: bool) -> int:
    from rarr.evals import compare
    from rarr.views.terminal.evaluation_tables import comparison_table
    from rarr.views.terminal.revision import as_json as json_of

    compared = compare(a, b)
    write(json_of(compared) if as_json else comparison_table(compared))
    return 0

"""Declares the arguments and options of the commands, each with its help."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from rarr.agent.wiring.web_sources import SOURCES
from rarr.tools.models.chat import MODEL_NAMES


def given(**options: Any) -> dict[str, Any]:
    """Returns the options that a call gave. Options without a value, and flags that are off, are left out."""
    return {
        name: value for name, value in options.items() if not (value is None or value is False or value == [])
    }


def _presets() -> list[str]:
    from rarr.settings.presets import PRESETS

    return list(PRESETS)


Text = Annotated[str | None, typer.Argument(metavar="TEXT", help="The text, or - for standard input.")]
File = Annotated[Path | None, typer.Option(metavar="F", help="Read the text from this file.")]
Context = Annotated[
    str | None, typer.Option(metavar="C", help="The question or earlier turns that the text answers.")
]
Corpus = Annotated[str | None, typer.Option(metavar="PATH", help="Folder, file or built index to search.")]
Search = Annotated[
    str | None,
    typer.Option(metavar="S", help=f"{', '.join(SOURCES[:-1])} or {SOURCES[-1]}; several with commas."),
]
IncludeDomain = Annotated[
    list[str] | None, typer.Option(metavar="D", help="Use only web sources of this domain; repeatable.")
]
ExcludeDomain = Annotated[
    list[str] | None, typer.Option(metavar="D", help="Use no web sources of this domain; repeatable.")
]
PublishedAfter = Annotated[
    str | None,
    typer.Option(metavar="T", help="Web sources from this time on: 2020, 2020-01-31, 2020-01-31T12:00Z."),
]
PublishedBefore = Annotated[
    str | None, typer.Option(metavar="T", help="Web sources from before this time, in the same forms.")
]
Offline = Annotated[bool, typer.Option("--offline", help="Search only the cache and the corpus.")]
Unasked = Annotated[bool, typer.Option("--offline", help="Do not check whether web sources answer.")]
Refresh = Annotated[bool, typer.Option("--refresh", help="Search again instead of using the cache.")]
Model = Annotated[
    str | None,
    typer.Option(
        metavar="M",
        help=f"The model that asks, checks and edits: embedded, {MODEL_NAMES}, ...",
    ),
]
AskedModel = Annotated[
    str | None, typer.Option("--model", metavar="M", help="Check that this language model can be reached.")
]
BaseUrl = Annotated[
    str | None, typer.Option(metavar="URL", help="Address of an OpenAI-compatible server, such as vLLM.")
]
Prompts = Annotated[str | None, typer.Option(metavar="DIR", help="Folder with prompts of your own.")]
Preset = Annotated[
    str | None,
    typer.Option(metavar="P", help="Settings by name: default, paper, fast.", autocompletion=_presets),
]
MaxCalls = Annotated[
    int | None, typer.Option(metavar="N", help="Requests to language models in one run, at most.")
]
MaxCost = Annotated[
    float | None,
    typer.Option(
        metavar="X", help="Cost of one run, at most, about, in the unit of the prices of endpoints."
    ),
]
Deadline = Annotated[float | None, typer.Option(metavar="S", help="Seconds for one run.")]
Estimate = Annotated[
    bool, typer.Option("--estimate", help="Estimate the cost of the run and revise nothing.")
]
Accept = Annotated[
    Literal["suggested"] | None,
    typer.Option(help="suggested: also apply the edits that are likely right but not sure enough."),
]
CitedFile = Annotated[
    str, typer.Argument(metavar="FILE", help="The file of the text, or - for standard input.")
]
Style = Annotated[
    Literal["numbered", "footnotes", "json"],
    typer.Option(help="Marks [1] and a list, [^1] and Markdown footnotes, or [1] and a block of JSON."),
]
Place = Annotated[
    Literal["sentence", "part"],
    typer.Option(help="Put marks behind the sentence, or behind the words that the source supports."),
]
MarkUnsupported = Annotated[
    bool,
    typer.Option(
        "--mark-unsupported", help="Mark sentences that evidence does not support: [citation needed]."
    ),
]

CheckedFiles = Annotated[
    list[str], typer.Argument(metavar="FILE...", help="Files, folders, or patterns such as 'docs/**/*.md'.")
]
FailOn = Annotated[
    list[str] | None,
    typer.Option(
        metavar="S",
        help="contradicted (always), unconfirmed or no_evidence: a sentence with it fails; repeatable.",
    ),
]
CheckFormat = Annotated[
    Literal["text", "github", "sarif", "json"],
    typer.Option("--format", help="A table, annotations of GitHub workflows, SARIF 2.1.0, or JSON."),
]
CheckOut = Annotated[
    Path | None, typer.Option("--out", "-o", metavar="FILE", help="File for the result, in its format.")
]
DocumentJobs = Annotated[int, typer.Option("--jobs", metavar="N", min=1, help="Files to check at once.")]

Transport = Annotated[
    Literal["stdio", "http"], typer.Option(help="Standard input and output, or streamable HTTP.")
]
Host = Annotated[str | None, typer.Option(metavar="H", help="Address to listen at; default 127.0.0.1.")]
Port = Annotated[
    int | None, typer.Option(metavar="N", min=0, max=65535, help="Port to listen at; default 8765, 0: any.")
]

Json = Annotated[bool, typer.Option("--json", help="Print only JSON.")]
Diff = Annotated[bool, typer.Option("--diff", help="Print only a unified diff.")]

Documents = Annotated[Path, typer.Argument(metavar="PATH", help="Folder or file to index.")]
Index = Annotated[Path, typer.Option("--out", "-o", metavar="INDEX", help="Folder for the index.")]

Data = Annotated[
    Path | None, typer.Argument(metavar="DATA", help="Texts to revise: JSON lines, also packed as .gz.")
]
Scores = Annotated[Path | None, typer.Option("--out", "-o", metavar="DIR", help="Folder for the results.")]
Jobs = Annotated[int, typer.Option(metavar="N", min=1, help="Texts to revise at once.")]
Limit = Annotated[int | None, typer.Option(metavar="N", min=1, help="Revise only the first N texts.")]
FailUnder = Annotated[
    list[str] | None,
    typer.Option(metavar="M=X", help="Exit with status 4 if measure M is under X; repeatable."),
]
Queries = Annotated[
    str | None,
    typer.Option(metavar="Q", help="Baseline: search for sentences, or for the text, instead of questions."),
]
Agreement = Annotated[
    Literal["on", "off"] | None,
    typer.Option(help="Baseline: off edits without asking whether the evidence disagrees."),
]
EvalEditor = Annotated[
    str | None,
    typer.Option(
        metavar="E", help="Baseline: efec, lamda, random, none or unedited instead of minimal edits."
    ),
]
Compare = Annotated[
    tuple[Path, Path] | None,
    typer.Option(metavar="A B", help="Only compare the runs in two folders, row by row."),
]

Seeds = Annotated[
    Path, typer.Argument(metavar="QUERIES", help='Queries, one a line, or JSON lines with "query".')
]
Rows = Annotated[
    Path, typer.Option("--out", "-o", metavar="DATA", help="File of JSON lines to which rows are added.")
]
Writer = Annotated[
    str | None,
    typer.Option(metavar="M", help=f"The model that writes: {MODEL_NAMES}, ...; not embedded."),
]
Relevance = Annotated[
    float | None,
    typer.Option(metavar="R", min=0, max=1, help="Use passages of at least this relevance; default 0.6."),
]
QueryJobs = Annotated[int, typer.Option(metavar="N", min=1, help="Queries to work on at once.")]
TrainingRows = Annotated[Path, typer.Argument(metavar="DATA", help="Rows of rarr train data.")]
Weights = Annotated[Path, typer.Option("--out", "-o", metavar="FOLDER", help="Folder for the weights.")]
Steps = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="Steps; without it, three passes over the data.")
]
Seed = Annotated[int, typer.Option(metavar="N", help="Seed of the random numbers.")]
From = Annotated[
    Path | None, typer.Option("--from", metavar="WEIGHTS", help="Folder of weights to start from.")
]

ClaimOrData = Annotated[
    str, typer.Argument(metavar="CLAIM|DATA", help="A claim, - for standard input, or with -o a file.")
]
Against = Annotated[
    list[Path] | None,
    typer.Option(metavar="FILE", help="A text or document to verify the claim against; repeatable."),
]
AskedQuestion = Annotated[str | None, typer.Option(metavar="Q", help="The question that the claim answers.")]
Verified = Annotated[
    Path | None, typer.Option("--out", "-o", metavar="DIR", help="Folder for the verified claims of DATA.")
]
Judge = Annotated[
    str | None,
    typer.Option(metavar="M", help=f"Ask this judge instead: nli:NAME, {MODEL_NAMES}, ..."),
]
ClaimJobs = Annotated[int, typer.Option("--jobs", metavar="N", min=1, help="Claims to verify at once.")]
ClaimLimit = Annotated[
    int | None, typer.Option("--limit", metavar="N", min=1, help="Verify only the first N claims.")
]

BenchmarkFolder = Annotated[
    Path,
    typer.Argument(metavar="DATA", help="Folder with the data sets, in folders such as dev/attribution."),
]
BenchmarkOut = Annotated[
    Path, typer.Option("--out", "-o", metavar="DIR", help="Folder for the judged claims and the report.")
]
Judges = Annotated[
    list[str] | None,
    typer.Option(
        "--judge",
        metavar="M",
        help=f"A judge; repeatable: embedded, nli:NAME, {MODEL_NAMES}, ...",
    ),
]

RatedFiles = Annotated[
    list[Path],
    typer.Argument(metavar="DATA", help="Rows to rate: JSON lines, also .gz. With --merge: the exports."),
]
Rated = Annotated[
    Path, typer.Option("--out", "-o", metavar="FILE", help="File for the page, or for the labels.")
]
Merge = Annotated[
    bool, typer.Option("--merge", help="Merge what several raters exported, instead of making a page.")
]

ReplayedRun = Annotated[
    str | None, typer.Argument(metavar="RUN", help="A run by its name, last, or a file of rarr trace export.")
]
ReplayedNode = Annotated[
    str | None, typer.Option("--node", metavar="N", help="The node to run again, such as check_agreement.")
]
PromptFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Prompt for the node: a file like those in rarr/prompts.")
]
Downstream = Annotated[bool, typer.Option("--downstream", help="Continue from there to the end of the run.")]
RunSet = Annotated[
    Path | None,
    typer.Option("--set", metavar="DIR", help="Replay all traces in this folder, and count changes."),
]
Run = Annotated[
    str, typer.Argument(metavar="RUN", help="A run: its name, the beginning of the name, or last.")
]
Runs = Annotated[int, typer.Option("--limit", metavar="N", min=1, help="Runs to list, at most.")]
PrunedRuns = Annotated[
    list[str] | None, typer.Argument(metavar="[RUN]...", help="Runs to remove, regardless of limits.")
]
ShownNode = Annotated[str | None, typer.Option(metavar="N", help="Show only the calls of this node.")]
ShownVerdict = Annotated[
    str | None, typer.Option(metavar="V", help="Show only what belongs to checks with this verdict.")
]
Errors = Annotated[bool, typer.Option("--errors", help="Show only failures.")]
Full = Annotated[bool, typer.Option("--full", help="Show all prompts and answers in full.")]
Page = Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="File for the page.")]
TraceFile = Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="File for the JSON.")]
Exported = Annotated[Path, typer.Argument(metavar="FILE", help="A file of rarr trace export.")]
Days = Annotated[float | None, typer.Option(metavar="D", min=0, help="Remove runs older than D days.")]
MaxMb = Annotated[
    float | None, typer.Option(metavar="M", min=0, help="Remove the oldest until M megabytes are left.")
]
All = Annotated[bool, typer.Option("--all", help="Remove all runs.")]

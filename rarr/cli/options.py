"""The arguments and options of the commands, each with its help."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from rarr.retrievers import SOURCES


def given(**options: Any) -> dict[str, Any]:
    """The settings that a call names: a flag that is not set, like what is left out, names none."""
    return {
        name: value for name, value in options.items() if not (value is None or value is False or value == [])
    }


def _presets() -> list[str]:
    from rarr.settings.presets import PRESETS

    return list(PRESETS)


Text = Annotated[str | None, typer.Argument(metavar="TEXT", help="The text, or - for standard input.")]
File = Annotated[Path | None, typer.Option(metavar="F", help="Read the text from this file.")]
Context = Annotated[
    str | None, typer.Option(metavar="C", help="What the text answers: a question, prior turns.")
]
Corpus = Annotated[str | None, typer.Option(metavar="PATH", help="Folder, file or built index to search.")]
Search = Annotated[
    str | None,
    typer.Option(metavar="S", help=f"{', '.join(SOURCES[:-1])} or {SOURCES[-1]}; several with commas."),
]
IncludeDomain = Annotated[
    list[str] | None, typer.Option(metavar="D", help="Sources on the web of this domain alone; repeatable.")
]
ExcludeDomain = Annotated[
    list[str] | None, typer.Option(metavar="D", help="No sources on the web of this domain; repeatable.")
]
PublishedAfter = Annotated[
    str | None,
    typer.Option(metavar="T", help="Sources on the web from then on: 2020, 2020-01-31, 2020-01-31T12:00Z."),
]
PublishedBefore = Annotated[
    str | None, typer.Option(metavar="T", help="Sources on the web from before then, written alike.")
]
Offline = Annotated[bool, typer.Option("--offline", help="Search the cache and the corpus alone.")]
Unasked = Annotated[bool, typer.Option("--offline", help="Ask no source on the web whether it is there.")]
Refresh = Annotated[bool, typer.Option("--refresh", help="Search anew what is in the cache.")]
Model = Annotated[
    str | None,
    typer.Option(
        metavar="M", help="To ask, check and edit with: embedded, rules, vllm:NAME, openai:NAME, ..."
    ),
]
BaseUrl = Annotated[
    str | None, typer.Option(metavar="URL", help="Where an OpenAI-compatible server, such as vLLM, answers.")
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
        metavar="X", help="Cost of one run, about, at most, in the unit of the prices of endpoints."
    ),
]
Deadline = Annotated[float | None, typer.Option(metavar="S", help="Seconds for one run.")]
Estimate = Annotated[
    bool, typer.Option("--estimate", help="Estimate the cost of the run and revise nothing.")
]
Accept = Annotated[
    Literal["suggested"] | None,
    typer.Option(help="suggested: apply the edits as well that are likely right but not sure enough."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON alone.")]
Diff = Annotated[bool, typer.Option("--diff", help="Print a unified diff alone.")]

Documents = Annotated[Path, typer.Argument(metavar="PATH", help="Folder or file to index.")]
Index = Annotated[Path, typer.Option("--out", "-o", metavar="INDEX", help="Folder for the index.")]

Data = Annotated[
    Path | None, typer.Argument(metavar="DATA", help="Texts to revise: JSON lines, also packed as .gz.")
]
Scores = Annotated[Path | None, typer.Option("--out", "-o", metavar="DIR", help="Folder for what comes out.")]
Jobs = Annotated[int, typer.Option(metavar="N", min=1, help="Texts that are revised at once.")]
Limit = Annotated[int | None, typer.Option(metavar="N", min=1, help="Revise the first N texts alone.")]
FailUnder = Annotated[
    list[str] | None,
    typer.Option(metavar="M=X", help="Exit with status 4 where measure M is under X; may come again."),
]
Compare = Annotated[
    tuple[Path, Path] | None,
    typer.Option(metavar="A B", help="Compare the runs in two folders, row by row, and do nothing else."),
]

Seeds = Annotated[
    Path, typer.Argument(metavar="QUERIES", help='Queries, one a line, or JSON lines with "query".')
]
Rows = Annotated[Path, typer.Option("--out", "-o", metavar="DATA", help="JSON lines that rows are added to.")]
Writer = Annotated[
    str | None, typer.Option(metavar="M", help="To write with: vllm:NAME, openai:NAME, ...; not embedded.")
]
Relevance = Annotated[
    float | None,
    typer.Option(metavar="R", min=0, max=1, help="Relevance from which on a passage is written from; 0.6."),
]
QueryJobs = Annotated[int, typer.Option(metavar="N", min=1, help="Queries that are done at once.")]
TrainingRows = Annotated[Path, typer.Argument(metavar="DATA", help="Rows of rarr train data.")]
Weights = Annotated[Path, typer.Option("--out", "-o", metavar="FOLDER", help="Folder for the weights.")]
Steps = Annotated[int | None, typer.Option(metavar="N", min=1, help="Steps; else three times over the data.")]
Seed = Annotated[int, typer.Option(metavar="N", help="What chance follows from.")]
From = Annotated[
    Path | None, typer.Option("--from", metavar="WEIGHTS", help="Folder of weights to begin with.")
]

ReplayedRun = Annotated[
    str | None, typer.Argument(metavar="RUN", help="A run by its name, last, or a file of rarr trace export.")
]
ReplayedNode = Annotated[
    str | None, typer.Option("--node", metavar="N", help="The node to run again, such as check_agreement.")
]
PromptFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Its prompt: a file as those in rarr/prompts.")
]
Downstream = Annotated[
    bool, typer.Option("--downstream", help="Run on from there, to the revision that comes of it.")
]
RunSet = Annotated[
    Path | None, typer.Option("--set", metavar="DIR", help="Replay all traces in this folder, and count.")
]
Run = Annotated[str, typer.Argument(metavar="RUN", help="A run: its name, how that begins, or last.")]
Runs = Annotated[int, typer.Option("--limit", metavar="N", min=1, help="Runs to list, at most.")]
PrunedRuns = Annotated[
    list[str] | None, typer.Argument(metavar="[RUN]...", help="Runs to remove, whatever the limits.")
]
ShownNode = Annotated[str | None, typer.Option(metavar="N", help="The calls of this node alone.")]
ShownVerdict = Annotated[
    str | None, typer.Option(metavar="V", help="What belongs to checks that came to this verdict alone.")
]
Errors = Annotated[bool, typer.Option("--errors", help="What failed alone.")]
Full = Annotated[bool, typer.Option("--full", help="With prompts and answers, whole and all of them.")]
Page = Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="File for the page.")]
TraceFile = Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="File for the JSON.")]
Exported = Annotated[Path, typer.Argument(metavar="FILE", help="A file of rarr trace export.")]
Days = Annotated[float | None, typer.Option(metavar="D", min=0, help="Remove runs older than D days.")]
MaxMb = Annotated[
    float | None, typer.Option(metavar="M", min=0, help="Remove the oldest until M megabytes are left.")
]
All = Annotated[bool, typer.Option("--all", help="Remove all runs.")]

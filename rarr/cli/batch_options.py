"""Declares the arguments and options of `rarr batch`, each with its help."""

from typing import Annotated, Literal

import typer

Source = Annotated[
    str,
    typer.Argument(metavar="IN", help="File of rows: .jsonl, .csv or .parquet."),
]
Out = Annotated[
    str,
    typer.Option("--out", "-o", metavar="OUT", help="File for the rows, with such an ending."),
]
TextColumn = Annotated[str, typer.Option("--text", metavar="COLUMN", help="Column of the text.")]
ContextColumn = Annotated[
    str | None,
    typer.Option("--context", metavar="COLUMN", help="Column of the question that the text answers."),
]
SourcesColumn = Annotated[
    str | None,
    typer.Option("--sources", metavar="COLUMN", help="Column of passages, which are searched first."),
]
Mode = Annotated[
    Literal["revise", "cite", "check", "annotate"],
    typer.Option(help="What becomes of a text: corrections, citations, nothing, or marks."),
]
Full = Annotated[bool, typer.Option("--full", help="Add rarr_revision, the whole record of each run.")]
MOST_PROCESSES = 64
Workers = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=0,
        max=1024,
        help="Processes that revise; default one for each core, and 0, this one, for a language model.",
    ),
]
Ray = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Ray cluster that revises, with --workers N for N actors: HOST:PORT, auto or local.",
    ),
]
MaxBatchCost = Annotated[
    float | None,
    typer.Option(
        "--max-cost", metavar="X", min=0, help="Cost of all results of OUT from which on no row begins."
    ),
]
BatchDeadline = Annotated[
    float | None, typer.Option("--deadline", metavar="S", min=0, help="Seconds after which no row begins.")
]
EstimateBatch = Annotated[
    bool,
    typer.Option("--estimate", help="Estimate requests and cost by a sample, and write nothing."),
]
FailUnder = Annotated[
    list[str] | None,
    typer.Option(
        metavar="M=N",
        help="Fail if supported, attribution, preservation or f1_ap is under N; repeatable.",
    ),
]

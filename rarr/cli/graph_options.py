"""Declares the options of the commands that search a graph, or answer from one."""

from typing import Annotated, Literal

import typer

from rarr.tools.models.chat import MODEL_NAMES

Graph = Annotated[
    str | None,
    typer.Option(metavar="F", help="File of triples to search."),
]
Question = Annotated[str, typer.Argument(metavar="QUESTION", help="The question, or - for standard input.")]
AnsweringModel = Annotated[
    str | None,
    typer.Option("--model", metavar="M", help=f"The model that writes: embedded, {MODEL_NAMES}, ..."),
]
DraftFile = Annotated[
    str | None,
    typer.Option("--draft", metavar="F", help="Check the answer in this file, or - for standard input."),
]
AnswerForm = Annotated[
    Literal["brackets", "footnotes"],
    typer.Option("--style", help="[id, relation: value] behind a statement, or Markdown footnotes."),
]
UnsupportedStatements = Annotated[
    Literal["mark", "drop"],
    typer.Option("--unsupported", help="Mark statements that no source supports, or leave them out."),
]

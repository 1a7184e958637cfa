"""Declares the options of the commands about things that share a name, each with its help."""

from pathlib import Path
from typing import Annotated

import typer

NameSets = Annotated[
    Path,
    typer.Argument(metavar="SETS", help="Queries of `rarr bench name-sets`, or things, as JSON lines."),
]
Entities = Annotated[Path, typer.Argument(metavar="ENTITIES", help="Things, as JSON lines.")]
NamesOut = Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder for the report.")]
NameSetsOut = Annotated[Path, typer.Option("--out", "-o", metavar="SETS", help="File for the queries.")]
NameTasks = Annotated[
    list[str] | None,
    typer.Option(
        "--task",
        metavar="T",
        help="qa (questions), sf (slots, NAME [SEP] property) or fc (claims); repeatable; default all.",
    ),
]
NoEdits = Annotated[bool, typer.Option("--no-edits", help="Do not revise the false claims.")]
NameLimit = Annotated[
    int | None, typer.Option("--limit", metavar="N", min=1, help="Use only the first N names.")
]
NameSeed = Annotated[int, typer.Option("--seed", metavar="N", help="Draws other wordings and false values.")]
Rerankers = Annotated[
    list[str] | None,
    typer.Option(
        "--reranker", metavar="R", help="overlap, embedded, vllm:NAME or a cross-encoder; repeatable."
    ),
]

"""Declares the arguments and options of `rarr write`, each with its help."""

from pathlib import Path
from typing import Annotated

import typer

Topic = Annotated[str, typer.Argument(metavar="TOPIC", help="What the article is about, such as a name.")]
OutlineFile = Annotated[
    Path | None, typer.Option("--outline", metavar="FILE", help="File with the headings, one a line.")
]
Plan = Annotated[
    bool | None,
    typer.Option("--plan/--no-plan", help="Plan sections and write each alone, or write all in one call."),
]
Chunks = Annotated[
    int | None, typer.Option(metavar="N", min=1, max=50, help="Passages for each section; default 5.")
]
ArticleFile = Annotated[
    Path | None, typer.Option("--out", "-o", metavar="FILE", help="File for the article, in Markdown.")
]

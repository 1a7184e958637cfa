"""Declares the options of `rarr serve`, each with its help."""

from typing import Annotated, Literal

import typer

Upstream = Annotated[
    str | None,
    typer.Option(metavar="URL", help="OpenAI-compatible server behind, such as http://localhost:8000/v1."),
]
ServedCorpora = Annotated[
    list[str] | None,
    typer.Option(
        "--corpus",
        metavar="NAME=PATH",
        help="Corpus that callers may name; the first by default; repeatable.",
    ),
]
ServedGraph = Annotated[
    str | None,
    typer.Option(
        "--graph",
        metavar="F",
        help="File of triples, which every call searches as well.",
    ),
]
ServePort = Annotated[
    int | None, typer.Option(metavar="N", min=0, max=65535, help="Port to listen at; default 8100, 0: any.")
]
ServedMode = Annotated[
    Literal["revise", "cite", "check", "annotate", "off"] | None,
    typer.Option("--mode", help="What becomes of answers whose request does not say; default revise."),
]
AnswerDeadline = Annotated[
    float | None,
    typer.Option("--deadline", metavar="S", help="Seconds for one answer; then the original goes out."),
]
Workers = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="Processes that revise; default one for each core.")
]

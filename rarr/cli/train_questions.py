"""`rarr train questions`: makes questions over a graph, whose answers are known."""

from pathlib import Path
from typing import Annotated

import typer

from rarr.cli import options
from rarr.cli.streams import write
from rarr.tools.text.plurals_and_articles import counted

GraphFile = Annotated[
    Path, typer.Argument(metavar="GRAPH", help="File of triples: CSV, JSON lines, Turtle...")
]
QuestionFile = Annotated[
    Path, typer.Option("--out", "-o", metavar="FILE", help="File for the questions: JSON lines.")
]
QuestionCount = Annotated[
    int, typer.Option("--count", metavar="N", min=1, help="Questions to make, at most.")
]


def questions(graph: GraphFile, out: QuestionFile, count: QuestionCount = 100, seed: options.Seed = 1) -> int:
    """Make questions over a graph, with the triples that a whole answer cites.

    Each line of FILE has a general and a specific question about one entity or two, a paragraph that answers
    them, and its triples ("minimum"). They are drawn by the rarity of their relations, as KaLMA evolves
    questions, and written by templates, without a language model. The same seed makes the same questions.

    \b
    Examples:
      rarr train questions people.csv -o questions.jsonl
      rarr train questions catalogue.ttl -o questions.jsonl --count 500 --seed 7
    """
    from rarr.evals.question_evolution import evolved_questions
    from rarr.retrievers.graph.graph import Graph
    from rarr.tools.storage.atomic_files import write_lines
    from rarr.tools.storage.line_files import writing

    made = evolved_questions(Graph.open(graph).entities.store, count, seed)
    with writing(out):
        write_lines(out, [f"{each.model_dump_json()}\n".encode() for each in made])
    triples = sum(len(each.minimum) for each in made)
    write(f"{counted(len(made), 'question')} over {counted(triples, 'triple')} in {out}\n")
    return 0

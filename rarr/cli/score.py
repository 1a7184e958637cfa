"""`rarr score`: scores an answer against reference answers, or the answers of a file."""

from pathlib import Path
from typing import Annotated

import typer

from rarr.cli import options
from rarr.cli.streams import write
from rarr.errors import InputError

Answer = Annotated[
    str,
    typer.Argument(metavar="ANSWER", help="The answer, or a file of JSON lines (.jsonl)."),
]
References = Annotated[
    list[str] | None,
    typer.Option("--reference", "-r", metavar="R", help="A right answer; repeatable: the best counts."),
]
Question = Annotated[str | None, typer.Option(metavar="Q", help="The question that is answered.")]


def score(
    answer: Answer,
    reference: References = None,
    question: Question = None,
    as_json: options.Json = False,
) -> int:
    """Score how well an answer says what a right answer says, from 0 to 1.

    Another number, date or direction than that of the reference scores 0, equal words 1; a small head on the
    shipped encoder scores the rest. A line of a file is {"answer", "references", and maybe "question"}; each
    gives a line of JSON, in the same order. Exit status: 0 done; 2 the call or a line is wrong.

    \b
    Examples:
      rarr score "It took 19 days." --reference "18 days" --question "How long did it take?"
      rarr score answers.jsonl
    """
    import rarr
    from rarr.views.terminal.revision import as_json as json_of, visible

    if answer.endswith(".jsonl"):
        if reference or question:
            raise InputError("a file brings its references: leave out --reference and --question")
        from rarr.evals.scored_answers import scored_answers

        for scored in scored_answers(Path(answer)):
            write(scored.model_dump_json() + "\n")
        return 0
    if not reference:
        raise InputError("an answer is scored against a right answer: give it with --reference")
    found = rarr.score(answer, reference, question)
    text = f"{found.score:.3f}  {found.reason} (reference: {found.reference})\n"
    write(json_of(found) if as_json else visible(text))
    return 0

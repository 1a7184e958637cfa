"""`rarr score`: scores an answer against reference answers, or the answers of a file."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import rarr
from rarr.cli import options
from rarr.cli.streams import complain, write
from rarr.errors import BudgetError, InputError, ModelError

if TYPE_CHECKING:
    from rarr.records.answer_score import AnswerScore, RatedAnswer
    from rarr.settings import Settings

Answer = Annotated[
    str,
    typer.Argument(metavar="ANSWER", help="The answer, or a file of JSON lines (.jsonl)."),
]
References = Annotated[
    list[str] | None,
    typer.Option("--reference", "-r", metavar="R", help="A right answer; repeatable: the best counts."),
]
Question = Annotated[str | None, typer.Option(metavar="Q", help="The question that is answered.")]
Passage = Annotated[
    str | None, typer.Option(metavar="P", help="The passage that it is about, for a language model.")
]
Examples = Annotated[
    Path | None,
    typer.Option(metavar="F", help='Rated answers for a language model: lines with "score", 0 to 1.'),
]


def score(
    answer: Answer,
    reference: References = None,
    question: Question = None,
    passage: Passage = None,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    examples: Examples = None,
    as_json: options.Json = False,
) -> int:
    """Score how well an answer says what a right answer says, from 0 to 1.

    Rules come first: another number, date or direction than that of the reference, a denial of it, or
    exchanged roles score 0; two values joined by "or" 0.25; equal words 1. A small head on the shipped
    encoder scores the rest: a right paraphrase in other words may score near 0. With --model, a language
    model scores it on five levels; it also reads the passage and rated examples of yours.

    A line of a file is {"answer", "references", and maybe "question", "passage"}; each gives a line of JSON,
    in the same order. Exit status: 0 done; 2 the call or a line is wrong; 3 the model fails.

    \b
    Examples:
      rarr score "It took 19 days." --reference "18 days" --question "How long did it take?"
      rarr score answers.jsonl
      rarr score answers.jsonl --model vllm:Qwen/Qwen3-8B --examples rated.jsonl
    """
    settings, shown = scoring(model, base_url, examples)
    if not answer.endswith(".jsonl") and not reference:
        raise InputError("an answer is scored against a right answer: give it with --reference")
    if answer.endswith(".jsonl") and (reference or question or passage):
        raise InputError("a file brings its references: leave out --reference, --question and --passage")
    try:
        if answer.endswith(".jsonl"):
            _write_scores(Path(answer), settings, shown)
        else:
            found = rarr.score(answer, reference or (), question, passage, settings=settings, examples=shown)
            _write_score(found, as_json=as_json)
    except (ModelError, BudgetError) as error:
        return complain(str(error), 3)
    return 0


def _write_scores(file: Path, settings: "Settings", shown: "Sequence[RatedAnswer]") -> None:
    from rarr.evals.scored_answers import scored_answers

    for scored in scored_answers(file, settings, shown):
        write(scored.model_dump_json() + "\n")


def _write_score(found: "AnswerScore", *, as_json: bool) -> None:
    from rarr.views.terminal.revision import as_json as json_of, visible

    text = f"{found.score:.3f}  {found.reason} (reference: {found.reference})\n"
    write(json_of(found) if as_json else visible(text))


def scoring(
    model: str | None, base_url: str | None, examples: Path | None
) -> "tuple[Settings, Sequence[RatedAnswer]]":
    """Returns the settings of the scorer, and the rated answers to show it."""
    from rarr.evals.scored_answers import rated_answers
    from rarr.settings import Settings

    settings = Settings(**options.given(model=model, base_url=base_url))
    return settings, rated_answers(examples) if examples else ()

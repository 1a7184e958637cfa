"""Declares a statement before it stands in an answer, and builds the answer of the statements."""

from collections.abc import Sequence
from typing import NamedTuple

from rarr.agent.answering.answer_sources import GivenSource
from rarr.records import Notice, Status, Usage
from rarr.records.answers import Answer, AnswerSource, CitedTriple, Statement, Unsupported


class Draft(NamedTuple):
    """A statement with the numbers of its sources; `refused`: why citations of a model were taken away.

    `unjudged`: a source could not be judged. `is_gap`: it tells what the sources do not answer.
    """

    text: str
    citations: tuple[int, ...] = ()
    needs_support: bool = False
    refused: tuple[str, ...] = ()
    unjudged: bool = False
    is_gap: bool = False

    @property
    def status(self) -> Status:
        """Returns the status of the statement, as that of a sentence of a revision."""
        if self.is_gap:
            return "no_evidence"
        if self.needs_support:
            return "unjudged" if self.unjudged else "unconfirmed"
        return "supported" if self.citations else "unjudged"


def gap_draft(text: str) -> Draft:
    """Makes the statement that tells what the sources do not answer."""
    return Draft(text, needs_support=True, is_gap=True)


def built_answer(
    question: str,
    drafts: Sequence[Draft],
    sources: Sequence[GivenSource],
    unsupported: Unsupported,
    usage: Usage,
    warnings: Sequence[Notice],
) -> Answer:
    """Joins the statements to a text, and numbers the cited sources anew, in the order of the text.

    With `drop`, a statement that needs support and has no source is left out.
    """
    lost = [draft for draft in drafts if draft.needs_support and not draft.citations]
    kept = [draft for draft in drafts if unsupported == "mark" or draft not in lost]
    order = list(dict.fromkeys(number for draft in kept for number in draft.citations))
    numbers = {number: new for new, number in enumerate(order, start=1)}
    statements, position = list[Statement](), 0
    for draft in kept:
        statements.append(
            Statement(
                text=draft.text,
                start=position,
                end=position + len(draft.text),
                status=draft.status,
                citations=tuple(sorted(numbers[number] for number in draft.citations)),
                needs_support=draft.needs_support,
                refused=draft.refused,
            )
        )
        position += len(draft.text) + 1
    by_number = {source.number: source for source in sources}
    return Answer(
        question=question,
        text=" ".join(draft.text for draft in kept),
        statements=tuple(statements),
        sources=tuple(_source(numbers[number], by_number[number]) for number in order),
        dropped=tuple(draft.text for draft in lost) if unsupported == "drop" else (),
        usage=usage,
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _source(number: int, source: GivenSource) -> AnswerSource:
    triple = source.triple
    cited = triple and CitedTriple(
        subject_id=triple.subject_id,
        subject=triple.subject,
        relation=triple.relation,
        value_id=triple.object_id,
        value=triple.object,
    )
    return AnswerSource(number=number, passage=source.passage, triple=cited)

"""Makes the answer of a run from its last state: its statements, its sources and the research."""

from collections.abc import Sequence
from typing import NamedTuple

from rarr.agent.answering.question_sources import sources_of
from rarr.agent.final_revision import revision_of
from rarr.records import Report, Revision, Sentence
from rarr.records.answers import Answer, AnswerSource, Statement, StatementDraft, Unsupported
from rarr.state import State, usable
from rarr.tools.models.run_budget import Meter


class FinishedAnswer(NamedTuple):
    """An answer, and the research that its trace keeps: its text with the status of each statement."""

    answer: Answer
    research: Revision


def finished_answer(run_id: str, state: State, meter: Meter, unsupported: Unsupported) -> FinishedAnswer:
    """Builds the answer of a run that is done.

    With `drop`, a statement that needs support and has no source is left out. The research keeps it.
    """
    sources = sources_of(state)
    drafts = state.get("statements", [])
    whole = _answer(run_id, state, drafts, sources)
    research = _research(run_id, state, whole, drafts, sources, meter)
    lost = [draft for draft in drafts if draft.needs_support and not draft.citations]
    kept = drafts if unsupported == "mark" else [draft for draft in drafts if draft not in lost]
    answer = whole if len(kept) == len(drafts) else _answer(run_id, state, kept, sources)
    dropped = tuple(draft.text for draft in lost) if unsupported == "drop" else ()
    told = {"usage": research.usage, "warnings": research.warnings, "dropped": dropped}
    return FinishedAnswer(answer.model_copy(update=told), research)


def _answer(
    run_id: str, state: State, drafts: Sequence[StatementDraft], sources: Sequence[AnswerSource]
) -> Answer:
    """Joins the statements to a text, and numbers the cited sources anew, in the order of the text."""
    order = list(dict.fromkeys(number for draft in drafts for number in draft.citations))
    numbers = {number: new for new, number in enumerate(order, start=1)}
    by_number = {source.number: source for source in sources}
    statements, position = list[Statement](), 0
    for draft in drafts:
        written = draft.citations if draft.written is None else draft.written
        statements.append(
            Statement(
                text=draft.text,
                start=position,
                end=position + len(draft.text),
                status=draft.status,
                citations=tuple(sorted(numbers[number] for number in draft.citations)),
                needs_support=draft.needs_support,
                refused=draft.refused,
                written=len(written),
                existing=sum(number in by_number for number in written),
            )
        )
        position += len(draft.text) + 1
    return Answer(
        question=state["original"],
        text=" ".join(draft.text for draft in drafts),
        statements=tuple(statements),
        sources=tuple(by_number[number].model_copy(update={"number": numbers[number]}) for number in order),
        run_id=run_id,
    )


def _research(
    run_id: str,
    state: State,
    answer: Answer,
    drafts: Sequence[StatementDraft],
    sources: Sequence[AnswerSource],
    meter: Meter,
) -> Revision:
    """Makes the revision of the answer, which has no edits; triples have no evidence in it."""
    ids = {(each.source, each.start, each.end): each.id for each in usable(state)}
    places = {each.number: (each.passage.source, each.passage.start, each.passage.end) for each in sources}
    sentences = tuple(
        Sentence(
            text=statement.text,
            start=statement.start,
            end=statement.end,
            status=statement.status,
            evidence_ids=tuple(ids[places[n]] for n in draft.citations if places[n] in ids),
        )
        for statement, draft in zip(answer.statements, drafts, strict=True)
    )
    text = {"original": answer.text, "text": answer.text, "report": Report(sentences=sentences)}
    whole: State = {**state, **text}  # type: ignore[typeddict-item]  # mypy does not join the two
    return revision_of(run_id, whole, meter)

"""Makes the text to send out, by the mode: revised, cited, annotated or unchanged."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rarr.agent.citing.citation_planning import planned_citations
from rarr.agent.postprocessing.annotated_text import annotated
from rarr.agent.postprocessing.summary import doubtful, summary
from rarr.records import Revision
from rarr.records.citations import Cited
from rarr.records.postprocessing import AnswerCitation, Postprocessed, PostprocessMode
from rarr.tools.concurrency import work
from rarr.tools.text.citation_marks import source_list_places

if TYPE_CHECKING:
    from rarr.agent.revise import Reviser


async def results(
    reviser: "Reviser", answer: str, context: str | None, mode: PostprocessMode, run_id: str | None
) -> Postprocessed:
    """Runs `reviser`, which edits only in the mode `revise`, and makes the result of the mode."""
    if mode == "cite":
        return _cited(await reviser.acite(answer, context, run_id=run_id))
    revision = await reviser.arevise(answer, context, run_id=run_id)
    return await work(_result, revision, context, mode)


def _cited(cited: Cited) -> Postprocessed:
    outcome, notice = summary(cited.research, cited)
    text = cited.original if outcome == "failed" else cited.text
    return Postprocessed(
        text=text,
        original=cited.original,
        changed=text != cited.original,
        mode="cite",
        outcome=outcome,
        notice=notice,
        revision=cited.research,
        citations=tuple(
            AnswerCitation(
                start=citation.start,
                end=citation.end,
                source=citation.passage.source,
                title=citation.passage.title,
                evidence_id=citation.passage.id,
            )
            for citation in cited.citations
            if text == cited.text
        ),
        existing=cited.existing,
    )


def _result(revision: Revision, context: str | None, mode: PostprocessMode) -> Postprocessed:
    outcome, notice = summary(revision)
    failed = outcome == "failed"
    text = revision.original if failed else revision.text
    citations = [] if failed else _citations(revision)
    marked = annotated(text, doubtful(revision) if mode == "annotate" and not failed else [])
    return Postprocessed(
        text=marked.text,
        original=revision.original,
        changed=marked.text != revision.original,
        mode=mode,
        outcome=outcome,
        notice=notice,
        revision=revision,
        citations=tuple(
            citation.model_copy(update=marked.moved(citation.start, citation.end)._asdict())
            for citation in citations
        ),
        marks=marked.marks,
    )


def _citations(revision: Revision) -> Sequence[AnswerCitation]:
    """Returns a citation for each supported sentence of which one passage confirms every part.

    The citations stand beside the text, and put no mark into it.
    """
    return [
        AnswerCitation(
            start=planned.sentence.start,
            end=planned.sentence.end,
            source=planned.passage.source,
            title=planned.passage.title,
            evidence_id=planned.passage.id,
        )
        for planned in planned_citations(revision, "sentence", source_list_places(revision.text))
    ]

"""Cites the text of a revision that is made already, without asking or searching anything."""

from rarr.agent.citing.citation_insertion import cited_text
from rarr.agent.citing.citation_planning import planned_citations
from rarr.records import Revision
from rarr.records.citations import Cited
from rarr.tools.text.citation_marks import citation_marks, highest_number, source_list_places


def cited_revision(revision: Revision, context: str | None = None) -> Cited:
    """Puts a numbered citation behind each supported sentence of the revised text, as `cite` does.

    `original` of the result is the revised text. Citations that it had are kept, and not checked.
    """
    text = revision.text
    research = revision.model_copy(update={"original": text, "edits": (), "changed": False})
    return cited_text(
        research,
        planned_citations(revision, "sentence", source_list_places(text)),
        (),
        (),
        style="numbered",
        first_number=highest_number(text, citation_marks(text)) + 1,
        numbers={},
    )

"""Writes the results of the tools as texts for a model."""

from rarr.records import Revision
from rarr.records.citations import Cited
from rarr.records.evidence_search_result import FoundEvidence
from rarr.records.postprocessing import Postprocessed
from rarr.records.verification import Verification
from rarr.tools.text.wording import grouped
from rarr.views.revision_text import render, verification_text
from rarr.views.shown_text import one_line


def short(revision: Revision) -> Revision:
    """Leaves out what a caller rarely needs: queries, checks, and passages that nothing refers to.

    Passages that seem to speak to a language model are among them: the caller is one.
    """
    used = {*revision.report.evidence_ids, *(edit.evidence_id for edit in revision.edits)}
    for sentence in revision.report.sentences:
        used |= {*sentence.evidence_ids, *(part.evidence_id for part in sentence.parts)}
    kept = tuple(each for each in revision.evidence if each.id in used and not each.suspicious)
    return revision.model_copy(update={"queries": (), "checks": (), "evidence": kept})


def revised_lines(result: Postprocessed) -> str:
    """Writes the notice, the text, its changes and its sentences."""
    assert result.revision is not None
    return f"{result.notice}\n\n{render(result.revision, terminal=False)}"


def cited_lines(cited: Cited) -> str:
    """Writes the cited text, and behind it the citations that are wrong."""
    wrong = [
        f"wrong citation: {one_line(check.text)} ({check.state.replace('_', ' ')})"
        for check in cited.existing
        if check.state in ("not_supported", "source_not_found")
    ]
    warnings = [f"warning: {one_line(line)}" for line in grouped(cited.research.warnings)]
    return "\n".join([cited.text.rstrip("\n"), "", *wrong, *warnings, ""])


def verified_lines(verification: Verification) -> str:
    """Writes the label, the deciding sentence, the words of the claim, and the warnings."""
    warnings = [f"warning: {one_line(line)}\n" for line in grouped(verification.warnings)]
    return verification_text(verification) + "".join(warnings)


def evidence_lines(found: FoundEvidence) -> str:
    """Writes the passages with their sources, best first, and the warnings."""
    lines = []
    for number, passage in enumerate(found.evidence, start=1):
        title = f"{one_line(passage.title)}, " if passage.title else ""
        head = f"[{number}] {title}{one_line(passage.source)}, relevance {passage.relevance:.2f}"
        lines += [head, passage.text, ""]
    lines += [f"warning: {one_line(line)}" for line in grouped(found.warnings)]
    return "\n".join(lines or ["The sources of this server hold nothing about it."]) + "\n"

"""Checks documents with one `Reviser`, and lists doubtful sentences (findings) with lines and columns."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from rarr.agent.postprocess import classified_sentences
from rarr.agent.revise import Reviser
from rarr.ledger.block_joining import NOTHING_TO_CHECK
from rarr.records import NOT_JUDGED, Notice, Revision
from rarr.records.postprocessing import (
    CheckedDocument,
    DocumentChecks,
    DocumentOutcome,
    DoubtfulPart,
    FailOn,
    Finding,
    Outcome,
    Postprocessed,
    SourceQuote,
)
from rarr.tools.concurrency import together, work
from rarr.tools.text.wording import HARMLESS_CODES, warning_lines

_DOCUMENT_OUTCOMES: dict[Outcome, DocumentOutcome] = {
    "finished": "judged",
    "partial": "partly_judged",
    "nothing_to_check": "nothing_to_check",
}
# The codes of warnings that a part of the text was not read well.
_UNREAD_CODES = ("html_not_checked", "table_not_checked", "reader_unreliable")
_COMMON_CODES = ("file_skipped", "corpus_not_searched", "server_not_used", *HARMLESS_CODES)
"""The codes of warnings about the sources or the settings. They are given once for all documents."""


class DocumentFile(NamedTuple):
    """A file to check: its name and its text. If the file could not be read, `unreadable` tells why."""

    file: str
    text: str = ""
    unreadable: str = ""


async def check_documents(
    reviser: Reviser,
    documents: Sequence[DocumentFile],
    fail_on: Sequence[FailOn],
    *,
    jobs: int,
    on_done: Callable[[], None] = lambda: None,
) -> DocumentChecks:
    """Checks the documents, `jobs` documents at the same time. The results have the order of `documents`.

    Sentences with a status in `fail_on` count as failures. Contradicted sentences always count as failures.
    Calls `on_done` after each document.
    """
    statuses: tuple[FailOn, ...] = tuple(dict.fromkeys(("contradicted", *fail_on)))
    turns, common = asyncio.Semaphore(jobs), list[Notice]()

    async def check_document(document: DocumentFile) -> CheckedDocument:
        if document.unreadable:
            made = CheckedDocument(file=document.file, outcome="not_judged", notice=document.unreadable)
        elif not document.text.strip():
            why = "nothing to check: the file is empty"
            made = CheckedDocument(file=document.file, outcome="nothing_to_check", notice=why)
        else:
            async with turns:
                result = await reviser.apostprocess(document.text, mode="check")
            warnings = result.revision.warnings if result.revision else ()
            common.extend(notice for notice in warnings if notice.code in _COMMON_CODES)
            made = await work(_checked_document, document.file, result, statuses)
        on_done()
        return made

    found = await together(*map(check_document, documents))
    return DocumentChecks(
        fail_on=statuses,
        failing=sum(len(result.failing_findings) for result in found),
        unjudged=sum(result.has_unjudged_text for result in found),
        documents=tuple(found),
        warnings=tuple(warning_lines(dict.fromkeys(common))),
    )


def _checked_document(name: str, result: Postprocessed, fail_on: Sequence[FailOn]) -> CheckedDocument:
    outcome, notice = _DOCUMENT_OUTCOMES.get(result.outcome, "not_judged"), result.notice
    if (revision := result.revision) is None:
        return CheckedDocument(file=name, outcome=outcome, notice=notice)
    # The notice says already that there is nothing to check.
    own = [it for it in revision.warnings if it.code not in (NOTHING_TO_CHECK.code, *_COMMON_CODES)]
    unread, warnings = warning_lines(it for it in own if it.code in _UNREAD_CODES), tuple(warning_lines(own))
    is_unjudged = any(kind == "not judged" for kind, _ in classified_sentences(revision))
    if result.outcome != "failed" and (unread or is_unjudged):
        judged = {it.status for it in revision.report.sentences} - NOT_JUDGED
        outcome = "partly_judged" if judged else "not_judged"
        notice += f" ({[*unread, *warnings, 'see the warnings'][0]})"
    found = tuple(_doubtful_findings(revision, fail_on))
    return CheckedDocument(file=name, outcome=outcome, notice=notice, findings=found, warnings=warnings)


def _doubtful_findings(revision: Revision, failing_statuses: Sequence[str]) -> Iterator[Finding]:
    """Yields a finding for each doubtful sentence. A finding fails if the status is in `failing_statuses`."""
    text, by_id = revision.original, {passage.id: passage for passage in revision.evidence}
    for kind, it in classified_sentences(revision):
        if kind not in ("contradicted", "not confirmed", "not judged"):
            continue
        quotes = sorted(it.quotes, key=lambda quote: quote.side != "against")[:3]  # enough to decide
        own = [part for part in it.parts if part.state != "confirmed"]
        yield Finding(
            **it.model_dump(include={"status", "text", "start", "end"}),
            fails=it.status in failing_statuses,
            line=text.count("\n", 0, it.start) + 1,
            column=it.start - text.rfind("\n", 0, it.start),
            end_line=text.count("\n", 0, it.end) + 1,
            end_column=it.end - text.rfind("\n", 0, it.end),
            parts=tuple(DoubtfulPart(words=it.words(part), state=part.state, says=part.says) for part in own),
            quotes=tuple(
                SourceQuote(quote=each.text, start=each.start, end=each.end, source=of.source, title=of.title)
                for each in quotes
                for of in (by_id[each.evidence_id],)
            ),
        )

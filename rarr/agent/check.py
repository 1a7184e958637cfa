"""Checks documents with one reviser, several at once, and lists what it found with lines and columns."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rarr.agent.revise import Reviser
from rarr.agent.summary import doubtful, unjudged
from rarr.ledger.block_joining import NOTHING_TO_CHECK
from rarr.records import Evidence, Notice, Quote, Revision
from rarr.records.document_checks import (
    CheckedDocument,
    DocumentChecks,
    DocumentOutcome,
    DoubtfulPart,
    FailOn,
    Finding,
    Place,
    SourceQuote,
)
from rarr.records.postprocessing import Outcome, Postprocessed
from rarr.tools.concurrency import together, work
from rarr.tools.text.wording import grouped

_OUTCOMES: dict[Outcome, DocumentOutcome] = {
    "finished": "judged",
    "partial": "partly_judged",
    "nothing_to_check": "nothing_to_check",
    "failed": "not_judged",
    "deadline": "not_judged",
}
_UNREAD = ("table_not_checked", "reader_unreliable")
"""The codes of warnings about words of a document that nobody read, or read without missing errors."""
_OF_ALL = ("file_skipped", "corpus_not_searched", "server_not_used", "trace_failed")
"""The codes of warnings that are about the sources or the settings, and so about every document."""
_MOST_BYTES = 10_000_000  # of a source file that is read to find the line of a quote
_MOST_QUOTES = 3


@dataclass(frozen=True)
class DocumentFile:
    """A file to check: its name, and its text, or the reason why it could not be read."""

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
    """Checks the documents, `jobs` at once, and returns what was found, in their order.

    A contradicted sentence always fails; `fail_on` are further statuses. `on_done` is called after each
    document.
    """
    statuses: tuple[FailOn, ...] = tuple(dict.fromkeys(("contradicted", *fail_on)))
    turns = asyncio.Semaphore(jobs)

    async def checked(document: DocumentFile) -> tuple[CheckedDocument, Sequence[Notice]]:
        async with turns:
            result = await _checked(reviser, document, statuses)
        on_done()
        return result

    results = await together(*(checked(document) for document in documents))
    found = [result for result, _ in results]
    of_all = (notice for _, notices in results for notice in notices if notice.code in _OF_ALL)
    return DocumentChecks(
        fail_on=statuses,
        failing=sum(len(result.failing) for result in found),
        unjudged=sum(result.unjudged for result in found),
        documents=tuple(found),
        warnings=tuple(grouped(dict.fromkeys(of_all))),
    )


async def _checked(
    reviser: Reviser, document: DocumentFile, fail_on: Sequence[FailOn]
) -> tuple[CheckedDocument, Sequence[Notice]]:
    """Checks a document, and returns what was found and all warnings of the run."""
    if document.unreadable:
        return CheckedDocument(file=document.file, outcome="not_judged", notice=document.unreadable), ()
    if not document.text.strip():
        empty = "nothing to check: the file is empty"
        return CheckedDocument(file=document.file, outcome="nothing_to_check", notice=empty), ()
    result = await reviser.apostprocess(document.text, mode="check")
    warnings = result.revision.warnings if result.revision else ()
    return await work(_document, document, result, fail_on), warnings


def _document(document: DocumentFile, result: Postprocessed, fail_on: Sequence[FailOn]) -> CheckedDocument:
    outcome = _OUTCOMES[result.outcome]
    if (revision := result.revision) is None:
        return CheckedDocument(file=document.file, outcome=outcome, notice=result.notice)
    statuses = Counter(sentence.status for sentence in revision.report.sentences)
    # The notice says that there is nothing to check.
    own = [each for each in revision.warnings if each.code not in (NOTHING_TO_CHECK.code, *_OF_ALL)]
    unread = [each for each in own if each.code in _UNREAD]
    notice, warnings = result.notice, grouped(own)
    if result.outcome != "failed" and (unread or unjudged(revision)):
        all_unjudged = statuses.keys() <= {"unjudged", "retrieval_failed"}
        outcome = "not_judged" if all_unjudged else "partly_judged"
        notice += f" ({next(iter(grouped(unread) or warnings), 'see the warnings')})"
    return CheckedDocument(
        file=document.file,
        outcome=outcome,
        notice=notice,
        run_id=revision.run_id,
        statuses=statuses,
        findings=tuple(document_findings(revision, fail_on)),
        warnings=tuple(warnings),
    )


def document_findings(revision: Revision, fail_on: Sequence[str]) -> list[Finding]:
    """Returns the sentences that are contradicted, not confirmed or unjudged, in the order of the text.

    `fail_on` are the statuses by which a sentence fails. A finding has at most three of the quotes, first
    those that say otherwise.
    """
    found, text = [*doubtful(revision), *unjudged(revision)], revision.original
    by_id = {passage.id: passage for passage in revision.evidence}
    return [
        Finding(
            status=sentence.status,
            fails=sentence.status in fail_on,
            text=sentence.text,
            place=_place(text, sentence.start, sentence.end),
            parts=tuple(
                DoubtfulPart(
                    words=text[part.start : part.end],
                    state=part.state,
                    place=_place(text, part.start, part.end),
                    says=part.says,
                )
                for part in sentence.parts
                if part.state != "confirmed"
            ),
            quotes=tuple(
                _source_quote(quote, by_id[quote.evidence_id])
                for quote in sorted(sentence.quotes, key=lambda it: it.side != "against")[:_MOST_QUOTES]
            ),
        )
        for sentence in sorted(found, key=lambda sentence: sentence.start)
    ]


def _place(text: str, start: int, end: int) -> Place:
    """Returns the place with its lines and columns, which count from 1; columns are in characters."""
    return Place(
        start=start,
        end=end,
        line=_line_at(text, start),
        column=start - text.rfind("\n", 0, start),
        end_line=_line_at(text, end),
        end_column=end - text.rfind("\n", 0, end),
    )


def _line_at(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def _source_quote(quote: Quote, passage: Evidence) -> SourceQuote:
    return SourceQuote(
        quote=quote.text,
        source=passage.source,
        title=passage.title,
        start=passage.start,
        end=passage.end,
        line=_line(passage, quote),
    )


def _line(passage: Evidence, quote: Quote) -> int | None:
    """Finds the line of the quote, if the source is a file that holds the passage at its offsets."""
    try:
        file = Path(passage.source)
        if not file.is_file() or file.stat().st_size > _MOST_BYTES:
            return None
        text = file.read_bytes().decode("utf-8-sig")
    except (OSError, ValueError):  # an address, or a file of another kind
        return None
    is_same = text[passage.start : passage.end] == passage.text
    return _line_at(text, quote.start) if is_same else None

"""Checks documents with one reviser, several at once, and lists what it found with lines and columns."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rarr.agent.postprocess import classified
from rarr.agent.revise import Reviser
from rarr.ledger.block_joining import NOTHING_TO_CHECK
from rarr.records import Notice, Revision
from rarr.records.document_checks import (
    CheckedDocument,
    DocumentChecks,
    DocumentOutcome,
    DoubtfulPart,
    FailOn,
    Finding,
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
        """Checks a document, and returns what was found and all warnings of the run."""
        name, outcome, notice = document.file, "not_judged", document.unreadable
        async with turns:
            if not notice and document.text.strip():
                result = await reviser.apostprocess(document.text, mode="check")
                on_done()
                warnings = result.revision.warnings if result.revision else ()
                return await work(_document, name, result, statuses), warnings
        on_done()
        if not notice:
            outcome, notice = "nothing_to_check", "nothing to check: the file is empty"
        return CheckedDocument(file=name, outcome=outcome, notice=notice), ()

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


def _document(name: str, result: Postprocessed, fail_on: Sequence[FailOn]) -> CheckedDocument:
    outcome, notice = _OUTCOMES[result.outcome], result.notice
    if (revision := result.revision) is None:
        return CheckedDocument(file=name, outcome=outcome, notice=notice)
    statuses = {sentence.status for sentence in revision.report.sentences}
    # The notice says that there is nothing to check.
    own = [each for each in revision.warnings if each.code not in (NOTHING_TO_CHECK.code, *_OF_ALL)]
    unread, warnings = grouped(each for each in own if each.code in _UNREAD), grouped(own)
    is_unjudged = any(name == "not judged" for name, _ in classified(revision))
    if result.outcome != "failed" and (unread or is_unjudged):
        all_unjudged = statuses <= {"unjudged", "retrieval_failed"}
        outcome = "not_judged" if all_unjudged else "partly_judged"
        notice += f" ({[*unread, *warnings, 'see the warnings'][0]})"
    return CheckedDocument(
        file=name,
        outcome=outcome,
        notice=notice,
        findings=tuple(_findings(revision, fail_on)),
        warnings=tuple(warnings),
    )


def _findings(revision: Revision, fail_on: Sequence[str]) -> list[Finding]:
    """Returns the sentences that are contradicted, not confirmed or unjudged, in the order of the text.

    A finding has at most three of the quotes, first those that say otherwise.
    """
    text, by_id = revision.original, {passage.id: passage for passage in revision.evidence}
    return [
        Finding(
            status=sentence.status,
            fails=sentence.status in fail_on,
            text=sentence.text,
            start=sentence.start,
            end=sentence.end,
            line=text.count("\n", 0, sentence.start) + 1,
            column=sentence.start - text.rfind("\n", 0, sentence.start),
            end_line=text.count("\n", 0, sentence.end) + 1,
            end_column=sentence.end - text.rfind("\n", 0, sentence.end),
            parts=tuple(
                DoubtfulPart(words=text[part.start : part.end], state=part.state, says=part.says)
                for part in sentence.parts
                if part.state != "confirmed"
            ),
            quotes=tuple(
                SourceQuote(
                    quote=quote.text,
                    source=by_id[quote.evidence_id].source,
                    title=by_id[quote.evidence_id].title,
                    start=quote.start,
                    end=quote.end,
                )
                for quote in sorted(sentence.quotes, key=lambda it: it.side != "against")[:_MOST_QUOTES]
            ),
        )
        for name, sentence in classified(revision)
        if name in ("contradicted", "not confirmed", "not judged")
    ]

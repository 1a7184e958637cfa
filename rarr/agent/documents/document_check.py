"""Checks documents with one reviser, several at once."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rarr.agent.documents.findings import document_findings
from rarr.agent.revise import Reviser
from rarr.records.document_checks import CheckedDocument, DocumentChecks, DocumentOutcome, FailOn
from rarr.records.postprocessing import Outcome, Postprocessed
from rarr.tools.concurrency.together import together
from rarr.tools.concurrency.worker_threads import work
from rarr.tools.text.warning_lines import NOTHING_TO_CHECK, grouped

_OUTCOMES: dict[Outcome, DocumentOutcome] = {
    "finished": "judged",
    "partial": "partly_judged",
    "nothing_to_check": "nothing_to_check",
    "failed": "not_judged",
    "deadline": "not_judged",
}


@dataclass(frozen=True)
class Document:
    """A file to check: its name, and its text, or the reason why it could not be read."""

    file: str
    text: str = ""
    unreadable: str = ""


async def check_documents(
    reviser: Reviser,
    documents: Sequence[Document],
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

    async def checked(document: Document) -> CheckedDocument:
        async with turns:
            result = await _checked(reviser, document, statuses)
        on_done()
        return result

    results = await together(*(checked(document) for document in documents))
    return DocumentChecks(
        fail_on=statuses,
        failing=sum(len(result.failing) for result in results),
        unjudged=sum(result.unjudged for result in results),
        documents=tuple(results),
    )


async def _checked(reviser: Reviser, document: Document, fail_on: Sequence[FailOn]) -> CheckedDocument:
    if document.unreadable:
        return CheckedDocument(file=document.file, outcome="not_judged", notice=document.unreadable)
    if not document.text.strip():
        return CheckedDocument(
            file=document.file, outcome="nothing_to_check", notice="nothing to check: the file is empty"
        )
    result = await reviser.apostprocess(document.text, mode="check")
    return await work(_document, document, result, fail_on)


def _document(document: Document, result: Postprocessed, fail_on: Sequence[FailOn]) -> CheckedDocument:
    outcome = _OUTCOMES[result.outcome]
    if (revision := result.revision) is None:
        return CheckedDocument(file=document.file, outcome=outcome, notice=result.notice)
    statuses = Counter(sentence.status for sentence in revision.report.sentences)
    if result.outcome == "partial" and statuses.keys() <= {"unjudged", "retrieval_failed"}:
        outcome = "not_judged"
    # The notice says it already.
    warnings = grouped(each for each in revision.warnings if each.code != NOTHING_TO_CHECK.code)
    why = f" ({warnings[0]})" if result.outcome == "partial" and warnings else ""
    return CheckedDocument(
        file=document.file,
        outcome=outcome,
        notice=f"{result.notice}{why}",
        run_id=revision.run_id,
        statuses=statuses,
        findings=tuple(document_findings(revision, fail_on)),
        warnings=tuple(warnings),
    )

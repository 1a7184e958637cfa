"""Writes a finding in a document as lines: the words that differ or are open, and what the source says."""

from rarr.records import Status
from rarr.records.document_checks import CheckedDocument, DocumentChecks, Finding, SourceQuote
from rarr.tools.text.plurals_and_articles import counted
from rarr.views.terminal.revision import one_line

_WORDS = 80  # characters of words of a sentence or source, at most
_QUOTE = 200  # characters of a quote or a sentence, at most
_SOURCE = 300  # characters of a title or an address, at most

TITLES: dict[Status, str] = {
    "contradicted": "Contradicted by the source",
    "unconfirmed": "Not confirmed by the source",
    "no_evidence": "Nothing found about it",
    "retrieval_failed": "The source could not be searched",
    "unjudged": "It could not be judged",
}
"""A title for each status that a finding may have."""


def verdict(checks: DocumentChecks) -> str:
    """Writes one line on all files: what fails and what could not be judged, or that nothing fails."""
    parts = [part for part in (_failing(checks), _unjudged(checks)) if part]
    return "; ".join(parts) or f"nothing fails in {counted(len(checks.documents), 'file')}"


def _failing(checks: DocumentChecks) -> str:
    failing = [document for document in checks.documents if document.failing]
    if not failing:
        return ""
    statuses = {finding.status for document in failing for finding in document.failing}
    kinds = ", ".join(status.replace("_", " ") for status in checks.fail_on if status in statuses)
    verb = "fails" if checks.failing == 1 else "fail"
    return f"{counted(checks.failing, 'sentence')} in {counted(len(failing), 'file')} {verb} ({kinds})"


def _unjudged(checks: DocumentChecks) -> str:
    if not checks.unjudged:
        return ""
    first = next(document for document in checks.documents if document.unjudged)
    about = f"{one_line(first.file, _SOURCE)}: {_notice(first)}"
    if all(document.outcome == "not_judged" for document in checks.documents):
        return f"nothing could be checked ({about})"
    number = f"{checks.unjudged} of {counted(len(checks.documents), 'file')}"
    return f"{number} could not be judged, or not completely ({about})"


def finding_lines(finding: Finding) -> list[str]:
    """Writes what differs, what the sources say, what is not confirmed, and the quotes, a line each."""
    differing = [part for part in finding.parts if part.state == "differs"]
    lines = [
        f"{_quoted(part.words)} differs" + (f": the source says {_quoted(part.says)}" if part.says else "")
        for part in differing
    ]
    says = {part.says for part in differing}
    for quote in finding.quotes:
        if quote.says and quote.says not in says:
            says.add(quote.says)
            lines.append(f"the source says {_quoted(quote.says)}")
    if words := [part.words for part in finding.parts if part.state == "open"]:
        lines.append(f"not confirmed: {', '.join(map(_quoted, words))}")
    return [*lines, *map(source_line, finding.quotes)]


def finding_message(finding: Finding) -> str:
    """Writes a finding as one line, beginning with the sentence."""
    return "; ".join([f"“{one_line(finding.text, _QUOTE)}”", *finding_lines(finding)])


def source_line(quote: SourceQuote) -> str:
    """Writes a quote with its source, and the line of the source or the characters of the passage."""
    line = f":{quote.line}" if quote.line else f", characters {quote.start} to {quote.end}"
    title = f"{one_line(quote.title, _SOURCE)}, " if quote.title else ""
    return f"source: “{one_line(quote.quote, _QUOTE)}” ({title}{one_line(quote.source, _SOURCE)}{line})"


def document_line(document: CheckedDocument) -> str:
    """Writes the counts of a file's sentences, or the reason why it could not be judged."""
    prefix = {"not_judged": "could not be judged: ", "partly_judged": "not judged completely: "}
    return prefix.get(document.outcome, "") + _notice(document)


def _notice(document: CheckedDocument) -> str:
    return one_line(document.notice.removeprefix("not checked: "), 2 * _SOURCE)


def _quoted(words: str) -> str:
    return f"“{one_line(words, _WORDS)}”"

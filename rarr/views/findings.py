"""Writes the results of `rarr check` as text, as annotations of GitHub workflows, and as SARIF 2.1.0.

A finding is a sentence of a document that sources do not confirm, or that could not be judged.
SARIF: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rich.text import Text

from rarr.records import Status
from rarr.records.postprocessing import CheckedDocument, DocumentChecks, Finding, SourceQuote
from rarr.tools.text.wording import counted
from rarr.views.revision_text import Line, lines_as_text
from rarr.views.shown_text import in_quotes, one_line

_MOST_QUOTE, _MOST_SOURCE, _STATUS_WIDTH = 200, 300, 16  # characters
_TIMES_SUFFIX = re.compile(r" \(\d+ times\)$")

STATUS_TITLES: dict[Status, str] = {
    "contradicted": "Contradicted by the source",
    "unconfirmed": "Not confirmed by the source",
    "no_evidence": "Nothing found about it",
    "retrieval_failed": "The source could not be searched",
    "unjudged": "It could not be judged",
}
"""The title of each status, for the sentences that `rarr check` reports."""


def findings_text(checks: DocumentChecks, *, terminal: bool) -> str:
    """Writes the findings of each file (with status and sources), then the warnings, then the outcome."""
    lines = [line for document in checks.documents for line in _document_lines(document)]
    lines += [Line(0, Text(one_line(f"warning: {each}"), "yellow")) for each in checks.warnings]
    return lines_as_text([*lines, Line(0, Text(outcome_line(checks, why=False), "bold"))], terminal=terminal)


def _document_lines(document: CheckedDocument) -> Iterator[Line]:
    style = "bold red" if document.failing_findings or document.has_unjudged_text else "bold"
    yield Line(0, Text(one_line(document.file), style) + Text(f"  {_notice_text(document)}", "dim"))
    places = [f"{finding.line}:{finding.column}" for finding in document.findings]
    width = max(map(len, places), default=0)
    for place, finding in zip(places, document.findings, strict=True):
        status = finding.status.ljust(_STATUS_WIDTH)
        line = Text(f"{place.ljust(width)}  ") + Text(status, "red" if finding.fails else "bright_blue")
        yield Line(2, line + Text(f"  {one_line(finding.text, _MOST_QUOTE)}"))
        details = (*_difference_lines(finding), *map(_source_text, finding.quotes))
        yield from (Line(4 + width, Text(detail)) for detail in details)
    for warning in (it for it in document.warnings if _TIMES_SUFFIX.sub("", it) not in document.notice):
        yield Line(2, Text(one_line(f"warning: {warning}"), "yellow"))
    yield Line(0, Text())


def outcome_line(checks: DocumentChecks, *, why: bool = True) -> str:
    """Writes how many sentences fail and how many files are unjudged. `why` adds the first unjudged file."""
    parts, files = [], counted(len(checks.documents), "file")
    if failing := [document for document in checks.documents if document.failing_findings]:
        statuses = {finding.status for document in failing for finding in document.failing_findings}
        kinds = ", ".join(status for status in checks.fail_on if status in statuses)
        where = f"in {counted(len(failing), 'file')} {'fails' if checks.failing == 1 else 'fail'}"
        parts.append(f"{counted(checks.failing, 'sentence')} {where} ({kinds})")
    if unjudged := [document for document in checks.documents if document.has_unjudged_text]:
        about = f"{one_line(unjudged[0].file, _MOST_SOURCE)} {_notice_text(unjudged[0])}"
        none = all(document.outcome == "not_judged" for document in checks.documents)
        some = "nothing could be checked" if none else f"{len(unjudged)} of {files} could not be judged"
        parts.append(f"{some} ({about})" if why else some)
    return "; ".join(parts) or f"nothing fails in {files}"


def _difference_lines(finding: Finding) -> list[str]:
    differing = {part.says: part.words for part in finding.parts if part.state == "differs"}
    says = {it: f": the source says {in_quotes(it)}" if it else "" for it in differing}
    lines = [f"{in_quotes(words)} differs{says[it]}" for it, words in differing.items()]
    words = [part.words for part in finding.parts if part.state == "open"]
    if words and words != [finding.text]:
        lines.append(f"not confirmed: {', '.join(map(in_quotes, words))}")
    return lines


def _finding_text(finding: Finding) -> str:
    sentence = in_quotes(finding.text, _MOST_QUOTE)
    return "; ".join([sentence, *_difference_lines(finding), *map(_source_text, finding.quotes)])


def _source_text(quote: SourceQuote) -> str:
    places = [one_line(place, _MOST_SOURCE) for place in (quote.title, quote.source) if place]
    where = ", ".join([*places, f"characters {quote.start} to {quote.end}"])
    return f"source: {in_quotes(quote.quote, _MOST_QUOTE)} ({where})"


def _notice_text(document: CheckedDocument) -> str:
    prefix = {"not_judged": "could not be judged: ", "partly_judged": "not judged completely: "}
    notice = one_line(document.notice.removeprefix("not checked: "), 2 * _MOST_SOURCE)
    return prefix.get(document.outcome, "") + notice


def github_annotations(checks: DocumentChecks) -> str:
    """Writes a GitHub command for each finding and unjudged file. Errors come first: GitHub shows ten."""
    commands = [command for document in checks.documents for command in _document_commands(document)]
    commands.sort(key=lambda command: not command.startswith("::error"))
    return "".join(f"{command}\n" for command in commands)


def _document_commands(document: CheckedDocument) -> Iterator[str]:
    if document.has_unjudged_text:
        yield _command_text("error", _notice_text(document), file=document.file, title="rarr could not judge")
    for finding in document.findings:
        # GitHub accepts an end column only if the place is on a single line.
        end = {"endColumn": finding.end_column} if finding.end_line == finding.line else {}
        place = {"file": document.file, "line": finding.line, "col": finding.column, **end}
        kind = "error" if finding.fails else "notice"
        yield _command_text(kind, _finding_text(finding), **place, title=STATUS_TITLES[finding.status])


def _command_text(name: str, message: str, **properties: Any) -> str:
    line_ends: dict[str, Any] = {"%": "%25", "\r": "%0D", "\n": "%0A"}
    escapes = str.maketrans(line_ends | {":": "%3A", ",": "%2C"})
    pairs = ",".join(f"{key}={str(value).translate(escapes)}" for key, value in properties.items())
    return f"::{name} {pairs}::{message.translate(str.maketrans(line_ends))}"


def sarif_log(checks: DocumentChecks, version: str) -> dict[str, Any]:
    """Makes a SARIF log of one run. A sentence that fails becomes an error; other findings become notes.

    If a file could not be judged, the log has a tool notification, and says that the run was not successful.
    """
    rules = [{"id": status, "shortDescription": {"text": title}} for status, title in STATUS_TITLES.items()]
    told = [
        {"level": "error", "message": {"text": _notice_text(it)}, "locations": _sarif_locations(it.file)}
        for it in checks.documents
        if it.has_unjudged_text
    ]
    run = {
        "tool": {"driver": {"name": "rarr", "version": version, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": not told, "toolExecutionNotifications": told}],
        "results": [_sarif_result(it.file, finding) for it in checks.documents for finding in it.findings],
    }
    return {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}


def _sarif_result(file: str, finding: Finding) -> dict[str, Any]:
    region = {"startLine": finding.line, "startColumn": finding.column}
    region |= {"endLine": finding.end_line, "endColumn": finding.end_column}
    return {
        "ruleId": finding.status,
        "ruleIndex": [*STATUS_TITLES].index(finding.status),
        "level": "error" if finding.fails else "note",
        "message": {"text": f"{STATUS_TITLES[finding.status]}: {_finding_text(finding)}"},
        "locations": _sarif_locations(file, region=region),
    }


def _sarif_locations(file: str, **place: Any) -> list[dict[str, Any]]:
    """Makes the SARIF location of a file. The path of a file in the working folder becomes relative."""
    path = Path(file)
    if path.is_absolute() and path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    uri = path.as_uri() if path.is_absolute() else quote(path.as_posix())
    return [{"physicalLocation": {"artifactLocation": {"uri": uri}, **place}}]

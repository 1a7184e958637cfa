"""Renders checked documents for a terminal or a pipe: a table for each file, and a line on the whole."""

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from rarr.records.document_checks import CheckedDocument, DocumentChecks, Finding
from rarr.views.ci.finding_messages import document_line, finding_lines, verdict
from rarr.views.terminal.revision import Line, one_line

_SENTENCE = 200  # characters of a sentence, at most
_STATUS = 16  # columns of the status


def document_checks_text(checks: DocumentChecks, *, terminal: bool) -> str:
    """Renders the findings by file with line and column, the words, and what the source says.

    Then the warnings, and a line on whether the checks fail.
    """
    lines = [line for document in checks.documents for line in _document(document)]
    lines += [Line(0, Text(one_line(f"warning: {each}"), "yellow")) for each in checks.warnings]
    lines.append(Line(0, Text(verdict(checks), "bold")))
    console = Console(force_terminal=terminal, markup=False, highlight=False, emoji=False)
    if not terminal or console.color_system is None:
        return "".join(f"{' ' * line.indent}{line.text.plain}\n" for line in lines)
    with console.capture() as capture:
        for line in lines:
            for row in line.text.wrap(console, max(20, console.width - line.indent)) or [Text()]:
                row.rstrip()
                console.print(Text(" " * line.indent) + row, soft_wrap=True)
    return capture.get()


def _document(document: CheckedDocument) -> Iterator[Line]:
    style = "bold red" if document.failing or document.unjudged else "bold"
    yield Line(0, Text(one_line(document.file), style) + Text(f"  {document_line(document)}", "dim"))
    places = [f"{finding.place.line}:{finding.place.column}" for finding in document.findings]
    width = max(map(len, places), default=0)
    for place, finding in zip(places, document.findings, strict=True):
        yield from _finding(place.ljust(width), finding)
    for warning in document.warnings:
        yield Line(2, Text(one_line(f"warning: {warning}"), "yellow"))
    yield Line(0, Text())


def _finding(place: str, finding: Finding) -> Iterator[Line]:
    status = finding.status.replace("_", " ").ljust(_STATUS)
    line = Text(f"{place}  ") + Text(status, "red" if finding.fails else "bright_blue")
    yield Line(2, line + Text(f"  {one_line(finding.text, _SENTENCE)}"))
    for detail in finding_lines(finding):
        yield Line(2 + len(place) + 2, Text(detail, "cyan" if detail.startswith("source:") else ""))

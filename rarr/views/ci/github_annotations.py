"""Writes checked documents as the workflow commands by which GitHub shows annotations beside the lines."""

from collections.abc import Iterator

from rarr.records.document_checks import CheckedDocument, DocumentChecks, Finding
from rarr.views.ci.finding_messages import TITLES, document_line, finding_message

_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = {**_DATA, ":": "%3A", ",": "%2C"}


def github_annotations(checks: DocumentChecks) -> str:
    """Writes a command for each finding, and for each file that could not be judged; the errors come first.

    GitHub shows only the first ten errors and the first ten notices of a step.
    """
    commands = [command for document in checks.documents for command in _commands(document)]
    commands.sort(key=lambda command: not command.startswith("::error"))
    return "".join(f"{command}\n" for command in commands)


def _commands(document: CheckedDocument) -> Iterator[str]:
    if document.unjudged:
        yield _command("error", document_line(document), file=document.file, title="rarr could not judge")
    for finding in document.findings:
        yield _finding(document.file, finding)


def _finding(file: str, finding: Finding) -> str:
    place = finding.place
    # GitHub takes columns only where the first line is the last.
    end = {"endColumn": place.end_column} if place.end_line == place.line else {}
    return _command(
        "error" if finding.fails else "notice",
        finding_message(finding),
        file=file,
        line=place.line,
        col=place.column,
        **end,
        title=TITLES[finding.status],
    )


def _command(name: str, message: str, **properties: str | int) -> str:
    pairs = ",".join(f"{key}={_escaped(str(value), _PROPERTY)}" for key, value in properties.items())
    return f"::{name} {pairs}::{_escaped(message, _DATA)}"


def _escaped(text: str, table: dict[str, str]) -> str:
    return "".join(table.get(character, character) for character in text)

"""Writes checked documents as SARIF 2.1.0, which code scanning and editors read.

The format: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rarr.records.document_checks import CheckedDocument, DocumentChecks, Finding, Place, SourceQuote
from rarr.tools.pages.html_rendering import is_web
from rarr.views.ci.finding_messages import TITLES, document_line, finding_message, source_line

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_RULES = tuple(TITLES)


def sarif(checks: DocumentChecks, version: str) -> dict[str, Any]:
    """Makes a SARIF log of one run. A failing sentence is an error, every other finding a note.

    A file that could not be judged is a notification of the tool, and the run was not successful.
    """
    rules = [{"id": status, "shortDescription": {"text": title}} for status, title in TITLES.items()]
    notifications = [_notification(document) for document in checks.documents if document.unjudged]
    run = {
        "tool": {"driver": {"name": "rarr", "rules": rules} | ({"version": version} if version else {})},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {"executionSuccessful": not notifications, "toolExecutionNotifications": notifications}
        ],
        "artifacts": [{"location": _location(document.file)} for document in checks.documents],
        "results": [
            _result(document.file, finding) for document in checks.documents for finding in document.findings
        ],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _notification(document: CheckedDocument) -> dict[str, Any]:
    return {
        "level": "error",
        "message": {"text": document_line(document)},
        "locations": [{"physicalLocation": {"artifactLocation": _location(document.file)}}],
    }


def _result(file: str, finding: Finding) -> dict[str, Any]:
    place = {"artifactLocation": _location(file), "region": _region(finding.place)}
    related = [_related(number, each) for number, each in enumerate(finding.quotes) if _has_address(each)]
    return {
        "ruleId": finding.status,
        "ruleIndex": _RULES.index(finding.status),
        "level": "error" if finding.fails else "note",
        "message": {"text": f"{TITLES[finding.status]}: {finding_message(finding)}"},
        "locations": [{"physicalLocation": place}],
        "relatedLocations": related,
        "partialFingerprints": {"rarrSentence/v1": _fingerprint(file, finding.text)},
    }


def _region(place: Place) -> dict[str, int]:
    return {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
        "charOffset": place.start,
        "charLength": place.end - place.start,
    }


def _has_address(each: SourceQuote) -> bool:
    return is_web(each.source) or each.line is not None


def _related(number: int, each: SourceQuote) -> dict[str, Any]:
    address = {"uri": each.source} if is_web(each.source) else _location(each.source)
    place: dict[str, Any] = {"artifactLocation": address}
    if each.line is not None:
        place["region"] = {"startLine": each.line}
    return {"id": number, "message": {"text": source_line(each)}, "physicalLocation": place}


def _location(file: str) -> dict[str, str]:
    """Names a file relative to the working folder where it lies in it, as services expect it."""
    path = Path(file)
    if path.is_absolute():
        if not path.is_relative_to(Path.cwd()):
            return {"uri": path.as_uri()}
        path = path.relative_to(Path.cwd())
    return {"uri": quote(path.as_posix())}


def _fingerprint(file: str, sentence: str) -> str:
    """Makes an id of a finding from its file and sentence, which stays the same if its line changes."""
    return sha256(f"{file}\n{' '.join(sentence.split())}".encode()).hexdigest()

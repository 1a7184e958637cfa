"""Reads claims with evidence, and the labels of people where there are any, from a file of JSON lines."""

from pathlib import Path
from typing import Any, NamedTuple

from rarr.evals.json_lines import WrongRowError
from rarr.evals.metrics import ATTRIBUTION_CLASSES
from rarr.evals.report_records import Unreadable
from rarr.evals.rows import RowEvidence, evidence_piece, read_lines, row_id, string_of
from rarr.records import AttributionClass, Record

KEYS = ("claim", "evidence", "id", "question", "label", "supported")
"""The keys of a row that are read."""
_WRITTEN = (
    "groups", "votes", "label_of", "original", "revised", "intent", "intent_votes",
)  # fmt: skip
_EXAMPLE = '{"claim": "...", "evidence": "..."} for each claim'


class ClaimRow(Record):
    """A claim with its evidence, which may be empty. `label` and `supported` are the judgement of people.

    Both are None if nobody judged the claim; `label` is None if people only decided whether it is supported.
    """

    id: str
    claim: str
    evidence: tuple[RowEvidence, ...]
    question: str | None = None
    label: AttributionClass | None = None
    supported: bool | None = None


class ClaimData(NamedTuple):
    """The content of a data file. `digest` is the SHA-256 digest of all its bytes, unpacked.

    `unread` are the keys of rows that mean nothing here, such as a misspelled one.
    """

    rows: list[ClaimRow]
    unreadable: list[Unreadable]
    digest: str
    unread: tuple[str, ...] = ()


def read_claims(path: Path) -> ClaimData:
    """Reads the claims of a file of JSON lines, gzipped if its name ends in `.gz`.

    A row is an object with "claim" and "evidence" (a text, or a list of texts and of objects with "text" and
    optionally "title" and "source"), and optionally "id" (default: the line's number), "question", "label"
    (one of the three classes) or "supported" (true or false). Other keys are not read, and named in
    `unread`, except those that `rarr label` and `rarr bench` write. Raises `InputError` if the file, or all
    its lines, cannot be read.
    """
    unread = dict[str, None]()

    def row(value: dict[str, Any], number: int) -> ClaimRow:
        unread.update(dict.fromkeys(key for key in value if key not in KEYS and key not in _WRITTEN))
        return _row(value, number)

    return ClaimData(*read_lines(path, row, _EXAMPLE), tuple(unread))


def _row(value: dict[str, Any], number: int) -> ClaimRow:
    claim = string_of(value, "claim", "it", filled=True)
    if claim is None:
        raise WrongRowError('it has no "claim"')
    label = _label(string_of(value, "label", "it"))
    return ClaimRow(
        id=row_id(value, number),
        claim=claim,
        evidence=_evidence(value.get("evidence")),
        question=string_of(value, "question", "it", filled=True),
        label=label,
        supported=_supported(value.get("supported"), label),
    )


def _label(given: str | None) -> AttributionClass | None:
    if given is None:
        return None
    if (label := given.strip().lower()) not in ATTRIBUTION_CLASSES:
        raise WrongRowError(f'its "label" is {given!r}: give {", ".join(ATTRIBUTION_CLASSES)}')
    return label


def _supported(given: object, label: AttributionClass | None) -> bool | None:
    if given is not None and not isinstance(given, bool):
        raise WrongRowError('it has a "supported" that is neither true nor false')
    if label is None:
        return given
    supported = label == "attributable"
    if given is not None and given is not supported:
        raise WrongRowError(
            f'its "label" is {label!r}, but its "supported" is {str(given).lower()}: keep one'
        )
    return supported


def _evidence(given: object) -> tuple[RowEvidence, ...]:
    if given is None:
        raise WrongRowError('it has no "evidence": give a text, or a list of passages, which may be empty')
    if isinstance(given, str):
        given = [given]
    if not isinstance(given, list):
        raise WrongRowError('its "evidence" is neither a text nor a list of passages')
    return tuple(
        evidence_piece({"text": piece} if isinstance(piece, str) else piece, f"evidence {number}")
        for number, piece in enumerate(given, start=1)
    )

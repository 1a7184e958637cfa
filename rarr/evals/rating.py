"""Rating by people: the items and questions of a page, what raters exported, and their labels."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import model_validator

from rarr.errors import InputError
from rarr.evals.metrics import Measured, rater_agreement
from rarr.evals.rows import RatedPassage, Row, Text, listed, read_rows
from rarr.records import Record
from rarr.valid_unicode import valid

FORMAT: Literal["rarr-ratings-1"] = "rarr-ratings-1"
NOT_UNDERSTANDABLE = "not_understandable"
"""The vote about attribution of a rater who cannot understand the text. It is never a label."""
_SHAPES = '{"claim": "...", "evidence": "..."} or {"original": "...", "revised": "..."}'


class RatingQuestion(NamedTuple):
    """A question. `answers` maps values to words, in the scale's order; `keys` has a key for each."""

    name: str
    text: str
    answers: Mapping[str, str]
    keys: str
    ordinal: bool = False


_UNDERSTOOD = {"yes": "Yes, it can be understood", "no": "No, it cannot be understood"}
_CLASSES = {
    "attributable": "Yes, all of it",
    "extrapolatory": "Not all: something is not in the evidence",
    "contradictory": "No: the evidence says otherwise",
}
_LEVELS = {
    "similar": "Similar intent",
    "somewhat_similar": "Somewhat similar intent",
    "different": "Different intent",
}
QUESTIONS = UNDERSTANDABLE, ATTRIBUTION, INTENT = (
    RatingQuestion("understandable", "Can you understand what the text says?", _UNDERSTOOD, "yn"),
    RatingQuestion("attribution", "Does the evidence support all that the text says?", _CLASSES, "123"),
    RatingQuestion("intent", "Does the revision have the intent of the original?", _LEVELS, "smd", True),
)
"""Both steps of AIS (Rashkin et al. 2023), and the levels of intent of RARR (Gao et al. 2023).

A text that a rater cannot understand gets no attribution. "Not attributable" has two answers, so that labels
have the classes of AttrScore. In judging intent, details that were corrected do not matter.
"""


class RatingItem(Row):
    """One item to rate: a claim, or a revision, with evidence; an original with its revision; or both.

    Labels of the data are left out, so that raters do not see them.
    """

    claim: Text | None = None
    evidence: tuple[RatedPassage, ...] = ()
    question: str | None = None
    original: Text | None = None
    revised: Text | None = None

    @model_validator(mode="before")
    @classmethod
    def _can_be_rated(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        evidence = listed(given.get("evidence", ()))
        original, revised = given.get("original"), given.get("revised")
        compared = {"original": original, "revised": revised} if original and revised else {}
        claim = given.get("claim", given.get("text", compared.get("revised"))) if evidence else None
        if claim is None and not compared:
            raise ValueError("it has nothing to rate")
        question = given.get("question", given.get("context")) or None
        return {"id": given.get("id"), "claim": claim, "evidence": evidence, "question": question} | compared


def read_items(path: Path) -> list[RatingItem]:
    """Reads the items of a file of JSON lines, gzipped if its name ends in `.gz`.

    A line has "claim" (or "text") with "evidence", or "original" with "revised", or both; optionally "id"
    (default: the line's number) and "question" (or "context"). Evidence without a claim is about "revised".
    Raises `InputError` for a file that cannot be read, and for the first line that has nothing to rate.
    """
    return read_rows(path, RatingItem, _SHAPES)


def digest_of(items: Sequence[RatingItem]) -> str:
    """Makes the SHA-256 digest of items, by which exports of the same data are known."""
    values = [item.model_dump(mode="json") for item in items]
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


class RatingExport(Record):
    """What one rater exported: the items with their digest, and the answers by item and question."""

    format: Literal["rarr-ratings-1"]
    rater: str
    digest: str
    items: tuple[RatingItem, ...]
    answers: Mapping[str, Mapping[str, str]]


def questions_about(item: RatingItem, answers: Mapping[str, str]) -> list[RatingQuestion]:
    """The questions about an item, in their order: without attribution if it cannot be understood."""
    understood = answers.get(UNDERSTANDABLE.name) == "yes"
    about_claim = [UNDERSTANDABLE, ATTRIBUTION] if understood else [UNDERSTANDABLE]
    return about_claim * (item.claim is not None) + [INTENT] * (item.original is not None)


def read_exports(paths: Sequence[Path]) -> list[RatingExport]:
    """Reads the exports of several raters about the same data.

    Raises `InputError` for a file that is no export or was changed, for exports of different data, and for
    a rater with two exports.
    """
    exports: dict[str, RatingExport] = {}
    for path in paths:
        export = _export(path)
        name = " ".join(export.rater.split()).casefold()
        is_other = any(export.digest != each.digest for each in exports.values())
        if is_other or name in exports:
            why = "other data than the others" if is_other else f"{export.rater!r} a second time"
            raise InputError(f"{path} has ratings of {why}: give one export of the same page for each rater")
        exports[name] = export
    return list(exports.values())


def _export(path: Path) -> RatingExport:
    cure = "give a file that a page of rarr label exported, unchanged"
    try:
        export = RatingExport.model_validate(valid(json.loads(path.read_bytes())))
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}): {cure}") from None
    except (ValueError, RecursionError):
        raise InputError(f"{path} is no export of ratings: {cure}") from None
    if not export.rater.strip():
        raise InputError(f"{path} has no name of a rater: enter it on the page, and export again")
    if export.digest != digest_of(export.items):
        raise InputError(f"{path} holds other items than its page had: {cure}")
    items = {item.id: item for item in export.items}
    for name, answers in export.answers.items():
        asked = questions_about(items[name], answers) if name in items else []
        offered = {(question.name, value) for question in asked for value in question.answers}
        for question, value in answers.items() - offered:
            given = f"the answer {value!r} to {question!r} about {name!r}"
            raise InputError(f"{path} has {given}, which its page does not offer: {cure}")
    return export


class MergedRatings(Record):
    """The agreement of the raters by question, and the labels ("null": no majority)."""

    raters: tuple[str, ...]
    items: int
    agreement: Mapping[str, Mapping[str, Measured]]
    labels: Mapping[str, int]


def merged(exports: Sequence[RatingExport]) -> MergedRatings:
    """Measures the agreement on each question that was asked, and counts the labels."""
    items, agreement = exports[0].items, dict[str, Mapping[str, Measured]]()
    for question in QUESTIONS:
        values = [_values(exports, item, question) for item in items]
        if any(values):
            agreement[question.name] = rater_agreement(values, list(question.answers), question.ordinal)
    labels = Counter(str(row["label"] or "null") for row in labelled_rows(exports) if "label" in row)
    return MergedRatings(
        raters=tuple(export.rater for export in exports),
        items=len(items),
        agreement=agreement,
        labels={name: labels[name] for name in [*ATTRIBUTION.answers, "null"]},
    )


def labelled_rows(exports: Sequence[RatingExport]) -> Iterator[dict[str, Any]]:
    """Yields each item with the answers of more than half of the votes, or None, and with the votes."""
    for item in exports[0].items:
        row = item.model_dump(mode="json", exclude_defaults=True)
        if item.claim is not None:
            unclear = _values(exports, item, UNDERSTANDABLE).count("no")
            votes = Counter(_values(exports, item, ATTRIBUTION) + [NOT_UNDERSTANDABLE] * unclear)
            label = _majority(votes)
            row |= {"label": None if label == NOT_UNDERSTANDABLE else label, "votes": dict(votes)}
        if item.original is not None:
            levels = Counter(_values(exports, item, INTENT))
            row |= {"intent": _majority(levels), "intent_votes": dict(levels)}
        yield row


def _values(exports: Sequence[RatingExport], item: RatingItem, question: RatingQuestion) -> list[str]:
    answers = [export.answers.get(item.id, {}) for export in exports]
    return [given[question.name] for given in answers if question.name in given]


def _majority(votes: Counter[str]) -> str | None:
    return next((name for name, count in votes.items() if 2 * count > votes.total()), None)

"""Ratings by people: the items to rate, the questions about them, the exports of raters, and the labels."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import model_validator

from rarr.errors import InputError
from rarr.evals.metrics import Measurement, rater_agreement
from rarr.evals.rows import RatedPassage, Row, Text, as_list, read_rows
from rarr.evals.run_folder import digest
from rarr.records import Record
from rarr.valid_unicode import valid

FORMAT: Literal["rarr-ratings-1"] = "rarr-ratings-1"
NOT_UNDERSTANDABLE = "not_understandable"
"""The vote of a rater who cannot understand the text. This vote never becomes a label."""
_EXAMPLES = '{"claim": "...", "evidence": "..."} or {"original": "...", "revised": "..."}'


class RatingQuestion(NamedTuple):
    """A question to raters, with its possible answers."""

    name: str
    text: str
    answers: Mapping[str, str]  # the stored values of the answers, with the words on the page
    keys: str  # a key of the keyboard for each answer
    ordinal: bool = False  # whether the answers have an order


_YES_NO = {"yes": "Yes, it can be understood", "no": "No, it cannot be understood"}
_CLASS_ANSWERS = {
    "attributable": "Yes, all of it",
    "extrapolatory": "Not all: something is not in the evidence",
    "contradictory": "No: the evidence says otherwise",
}
_INTENTS = {
    "similar": "Similar intent",
    "somewhat_similar": "Somewhat similar intent",
    "different": "Different intent",
}
QUESTIONS = UNDERSTANDABLE, ATTRIBUTION, INTENT = (
    RatingQuestion("understandable", "Can you understand what the text says?", _YES_NO, "yn"),
    RatingQuestion("attribution", "Does the evidence support all that the text says?", _CLASS_ANSWERS, "123"),
    RatingQuestion("intent", "Does the revision have the intent of the original?", _INTENTS, "smd", True),
)
"""The two steps of AIS (Rashkin et al. 2023), and the levels of intent of RARR (Gao et al. 2023).

A rater who cannot understand a text does not judge its attribution. "Not attributable" is divided into the
two classes of AttrScore. Corrected details do not count as a change of intent.
"""


class RatingItem(Row):
    """What people rate: a claim (or a revision) with evidence, or an original with its revision, or both.

    The item has no labels of the data, so that raters cannot see them.
    """

    claim: Text | None = None
    evidence: tuple[RatedPassage, ...] = ()
    question: str | None = None
    original: Text | None = None
    revised: Text | None = None

    @model_validator(mode="before")
    @classmethod
    def _choose_fields(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        evidence = as_list(given.get("evidence", ()))
        original, revised = given.get("original"), given.get("revised")
        compared = {"original": original, "revised": revised} if original and revised else {}
        claim = given.get("claim", given.get("text", compared.get("revised"))) if evidence else None
        if claim is None and not compared:
            raise ValueError("it has nothing to rate")
        question = given.get("question", given.get("context")) or None
        return {"id": given.get("id"), "claim": claim, "evidence": evidence, "question": question} | compared


def read_items(path: Path) -> list[RatingItem]:
    """Reads the items to rate from a file of JSON lines. A file whose name ends in `.gz` is gzipped.

    A line has "claim" (or "text") with "evidence", or "original" with "revised", or both. "id" (default: the
    number of the line) and "question" (or "context") are optional. With evidence, but no claim,
    "revised" is the claim. Raises `InputError` if the file cannot be read, or a line has nothing to rate.
    """
    return read_rows(path, RatingItem, _EXAMPLES)


def items_digest(items: Sequence[RatingItem]) -> str:
    """Returns the SHA-256 digest of the items. Exports of the same items have the same digest."""
    return digest(json.dumps([item.model_dump(mode="json") for item in items], sort_keys=True).encode())


class RatingExport(Record):
    """The file that the page of one rater exports: the items and the answers of the rater."""

    format: Literal["rarr-ratings-1"]
    rater: str
    digest: str  # the digest of the items
    items: tuple[RatingItem, ...]
    answers: Mapping[str, Mapping[str, str]]  # by the id of the item, then by the name of the question


def questions_about(item: RatingItem, answers: Mapping[str, str]) -> list[RatingQuestion]:
    """Returns the questions about an item. Asks ATTRIBUTION only after a "yes" to UNDERSTANDABLE."""
    understood = answers.get(UNDERSTANDABLE.name) == "yes"
    about_claim = [UNDERSTANDABLE, ATTRIBUTION] if understood else [UNDERSTANDABLE]
    return about_claim * (item.claim is not None) + [INTENT] * (item.original is not None)


def read_exports(paths: Sequence[Path]) -> list[RatingExport]:
    """Reads the exports of several raters of the same items.

    Raises `InputError` if a file is wrong or was changed, if items differ, or for two files of one rater.
    """
    exports: dict[str, RatingExport] = {}
    for path in paths:
        export = _read_export(path)
        name = " ".join(export.rater.split()).casefold()
        is_other = any(export.digest != each.digest for each in exports.values())
        if is_other or name in exports:
            why = "different data" if is_other else f"{export.rater!r} a second time"
            raise InputError(f"{path} has ratings of {why}: give one export of the same page for each rater")
        exports[name] = export
    return list(exports.values())


def _read_export(path: Path) -> RatingExport:
    cure = "give a file that a page of rarr label exported, unchanged"
    try:
        export = RatingExport.model_validate(valid(json.loads(path.read_bytes())))
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}): {cure}") from None
    except (ValueError, RecursionError):
        raise InputError(f"{path} is no export of ratings: {cure}") from None
    if not export.rater.strip():
        raise InputError(f"{path} has no name of a rater: enter it on the page, and export again")
    if export.digest != items_digest(export.items):
        raise InputError(f"{path} does not have the items of its page: {cure}")
    items = {item.id: item for item in export.items}
    for name, answers in export.answers.items():
        asked = questions_about(items[name], answers) if name in items else []
        offered = {(question.name, value) for question in asked for value in question.answers}
        for question, value in answers.items() - offered:
            given = f"the answer {value!r} to {question!r} about {name!r}"
            raise InputError(f"{path} has {given}, which the page does not offer: {cure}")
    return export


class MergedRatings(Record):
    """The agreement of raters, and the labels that the majority of raters gave."""

    raters: tuple[str, ...]
    items: int
    agreement: Mapping[str, Mapping[str, Measurement]]  # `alpha` and `percent` by question
    labels: Mapping[str, int]  # the number of items with each label; "null": no majority


def merge_ratings(exports: Sequence[RatingExport]) -> MergedRatings:
    """Measures how far raters agree on each question. Counts the items by the label that most raters gave."""
    items, agreement = exports[0].items, dict[str, Mapping[str, Measurement]]()
    for question in QUESTIONS:
        values = [_answers_to(exports, item, question) for item in items]
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
    """Yields each item as a dict, with votes and the answer of more than half of the raters (or None)."""
    for item in exports[0].items:
        row = item.model_dump(mode="json", exclude_defaults=True)
        if item.claim is not None:
            unclear = _answers_to(exports, item, UNDERSTANDABLE).count("no")
            votes = Counter(_answers_to(exports, item, ATTRIBUTION) + [NOT_UNDERSTANDABLE] * unclear)
            label = _majority(votes)
            row |= {"label": None if label == NOT_UNDERSTANDABLE else label, "votes": dict(votes)}
        if item.original is not None:
            levels = Counter(_answers_to(exports, item, INTENT))
            row |= {"intent": _majority(levels), "intent_votes": dict(levels)}
        yield row


def _answers_to(exports: Sequence[RatingExport], item: RatingItem, question: RatingQuestion) -> list[str]:
    answers = [export.answers.get(item.id, {}) for export in exports]
    return [given[question.name] for given in answers if question.name in given]


def _majority(votes: Counter[str]) -> str | None:
    return next((name for name, count in votes.items() if 2 * count > votes.total()), None)

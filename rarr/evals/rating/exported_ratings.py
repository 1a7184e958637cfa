"""Reads the ratings that raters exported from a page, and refuses what does not fit together."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from rarr.errors import InputError
from rarr.evals.rating.item_reading import RatingItem, digest_of
from rarr.evals.rating.questions import ATTRIBUTION, INTENT, QUESTIONS, UNDERSTANDABLE, RatingQuestion
from rarr.records import Record
from rarr.valid_unicode import valid

FORMAT: Literal["rarr-ratings-1"] = "rarr-ratings-1"

_CURE = "give a file that a page of rarr label exported"


class RatingExport(Record):
    """What one rater exported: the items, and the answers by the item's id and the question's name.

    `digest` is that of the items, so that ratings of other data are told apart.
    """

    format: Literal["rarr-ratings-1"]
    rater: str
    digest: str
    items: tuple[RatingItem, ...]
    answers: Mapping[str, Mapping[str, str]]


def questions_about(item: RatingItem, answers: Mapping[str, str]) -> list[RatingQuestion]:
    """The questions about an item, in their order: without attribution if it cannot be understood."""
    questions: list[RatingQuestion] = []
    if item.claim is not None:
        understood = answers.get(UNDERSTANDABLE.name) == "yes"
        questions += [UNDERSTANDABLE, ATTRIBUTION] if understood else [UNDERSTANDABLE]
    if item.original is not None:
        questions.append(INTENT)
    return questions


def is_rated(item: RatingItem, answers: Mapping[str, str]) -> bool:
    """Has the rater answered every question about the item?"""
    return all(question.name in answers for question in questions_about(item, answers))


def read_exports(paths: Sequence[Path]) -> list[RatingExport]:
    """Reads the exports of several raters about the same data.

    Raises `InputError` for a file that is no export or was changed, for exports of different data, and for
    a rater with two exports.
    """
    exports: list[RatingExport] = []
    places: dict[str, Path] = {}
    for path in paths:
        export = _export(path)
        if exports and export.digest != exports[0].digest:
            raise InputError(
                f"{path} has ratings of other data than {paths[0]}: merge exports of the same page"
            )
        name = " ".join(export.rater.split()).casefold()
        if name in places:
            raise InputError(
                f"{path} and {places[name]} are both of the rater {export.rater!r}: give one of them"
            )
        places[name] = path
        exports.append(export)
    return exports


def _export(path: Path) -> RatingExport:
    try:
        export = RatingExport.model_validate(valid(json.loads(path.read_bytes())))
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}): {_CURE}") from None
    except ValidationError:
        raise InputError(f"{path} is no export of ratings: {_CURE}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON ({error}): {_CURE}") from None
    if not export.rater.strip():
        raise InputError(f"{path} has no name of a rater: enter it on the page, and export again")
    if export.digest != digest_of(export.items):
        raise InputError(f"{path} holds other items than its page had: export from the page again")
    _require_fitting_answers(path, export)
    return export


def _require_fitting_answers(path: Path, export: RatingExport) -> None:
    items = {item.id: item for item in export.items}
    for name, answers in export.answers.items():
        if name not in items:
            raise InputError(f"{path} has an answer about {name!r}, which is no item: export again")
        asked = {question.name for question in questions_about(items[name], answers)}
        scales = {question.name: question.answers for question in QUESTIONS if question.name in asked}
        for question, value in answers.items():
            if value not in scales.get(question, ()):
                raise InputError(
                    f"{path} has the answer {value!r} to {question!r} about {name!r}, which the page does"
                    " not offer: export again"
                )

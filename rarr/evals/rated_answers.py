"""Reads answers that people rated from a file of JSON lines."""

from pathlib import Path
from typing import Any, NamedTuple

from rarr.backends.prompted.answers import RatedAnswer
from rarr.errors import InputError
from rarr.evals.json_lines import WrongRowError
from rarr.evals.rows import read_lines, row_id, string_of
from rarr.records import Record

RATED = '{"answer": "...", "references": ["..."], "score": 0.5} for each answer'
"""An example of a line with the rating of a person."""


class AnswerRow(Record):
    """An answer with its references; with the question, its passage and a person's rating where given.

    `rating` is from 0 (wrong) to 1 (the same as a reference).
    """

    id: str
    answer: str
    references: tuple[str, ...]
    question: str | None = None
    passage: str | None = None
    rating: float | None = None


def judged_rows(path: Path) -> list[AnswerRow]:
    """Reads answers that people rated, in lines of their own or in lines of EVOUNA.

    A line of EVOUNA has a question, "references", and "candidates": the answers of several systems, each with
    "correct" (Wang et al. 2023). Questions that their people call improper are left out. Raises `InputError`
    for a wrong line, or an answer without a rating.
    """
    lines, unreadable, _ = read_lines(path, _judged_line, RATED)
    if unreadable:
        raise InputError(f"{path}, line {unreadable[0].line}: {unreadable[0].reason}: correct it")
    rows = [row for line in lines for row in line.answers]
    if missing := next((row.id for row in rows if row.rating is None), None):
        raise InputError(f'{path}, row {missing} has no "score": give a person\'s rating, from 0 to 1')
    return rows


def rated_answers(path: Path) -> list[RatedAnswer]:
    """Reads answers that people rated: rows with a "score". Raises `InputError` for a row without."""
    rated = list[RatedAnswer]()
    for row in judged_rows(path):
        given = row.model_dump(exclude={"id", "rating"})
        rated.append(RatedAnswer(**given, score=row.rating or 0.0))
    return rated


class _JudgedLine(NamedTuple):
    """A line with its rated answers; those of one question are one line."""

    id: str
    answers: tuple[AnswerRow, ...]


def _judged_line(value: dict[str, Any], number: int) -> _JudgedLine:
    if "candidates" not in value:
        row = _row(value, number)
        return _JudgedLine(row.id, (row,))
    name, candidates = row_id(value, number), value["candidates"]
    if not isinstance(candidates, list) or not all(isinstance(each, dict) for each in candidates):
        raise WrongRowError('its "candidates" is no list of objects')
    references = value.get("references")
    if isinstance(references, list):
        references = [each for each in references if each != ""]  # one line of the data has empty ones
    shared = {"references": references, "question": value.get("question")}
    judged = (
        []
        if value.get("improper")
        else [each for each in candidates if str(each.get("answer") or "").strip()]
    )
    return _JudgedLine(
        name,
        tuple(
            _row(
                {"answer": each["answer"], "score": each.get("correct"), "id": f"{name}/{place}", **shared},
                number,
            )
            for place, each in enumerate(judged, start=1)
            if each.get("correct") is not None
        ),
    )


def _row(value: dict[str, Any], number: int) -> AnswerRow:
    answer, references = string_of(value, "answer", "it", filled=True), value.get("references")
    if answer is None:
        raise WrongRowError('it has no "answer"')
    texts = [references] if isinstance(references, str) else references
    if texts == []:
        raise WrongRowError('its "references" is an empty list: give at least one text')
    if not isinstance(texts, list) or not all(isinstance(t, str) and t.strip() for t in texts):
        raise WrongRowError('its "references" is no list of texts')
    return AnswerRow(
        id=row_id(value, number),
        answer=answer,
        references=tuple(texts),
        question=string_of(value, "question", "it", filled=True),
        passage=string_of(value, "passage", "it", filled=True),
        rating=_rating(value.get("score")),
    )


def _rating(given: object) -> float | None:
    if given is not None and (not isinstance(given, int | float) or not 0 <= given <= 1):
        raise WrongRowError('its "score" is no number from 0 to 1, and not true or false')
    return None if given is None else float(given)

"""Reads questions with their answers and a passage that states one of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from rarr.evals.json_lines import WrongRowError
from rarr.evals.report_records import Unreadable
from rarr.evals.rows import read_lines, row_id, string_of
from rarr.records import Record

AnswerType = Literal["person", "organization", "location", "date", "number"]
_EXAMPLE = '{"question": "...", "answers": ["..."], "passage": "..."} for each question'


class QuestionRow(Record):
    """A question, the variants of its answer, and a passage that states the answer.

    `type`: the type of the answer; None if it is to be found from the answer. `popularity`: any measure of
    how well known the answer is, such as page views; None if it is not known.
    """

    id: str
    question: str
    answers: tuple[str, ...]
    passage: str
    title: str = ""
    type: AnswerType | None = None
    popularity: float | None = None


class QuestionData(NamedTuple):
    """The content of a data file. `digest` is the SHA-256 digest of all its bytes, unpacked."""

    rows: list[QuestionRow]
    unreadable: list[Unreadable]
    digest: str


def read_questions(path: Path) -> QuestionData:
    """Reads the questions of a file of JSON lines, gzipped if its name ends in `.gz`.

    A row is an object with "question", "answers" (texts, or objects with "text"), "passage", and optionally
    "id" (default: the line's number), "title", "type" and "popularity". Other keys are not read. Raises
    `InputError` if the file, or all its lines, cannot be read.
    """
    return QuestionData(*read_lines(path, _row, _EXAMPLE))


def _row(value: dict[str, Any], number: int) -> QuestionRow:
    texts = {key: string_of(value, key, "it", filled=True) for key in ("question", "passage")}
    for key, text in texts.items():
        if text is None:
            raise WrongRowError(f'it has no "{key}"')
    return QuestionRow(
        id=row_id(value, number),
        question=texts["question"] or "",
        passage=texts["passage"] or "",
        title=string_of(value, "title", "it") or "",
        answers=_answers(value.get("answers")),
        type=_type(string_of(value, "type", "it")),
        popularity=_popularity(value.get("popularity")),
    )


def _answers(given: object) -> tuple[str, ...]:
    pieces: Sequence[object] = given if isinstance(given, list) else []
    texts = [piece.get("text") if isinstance(piece, dict) else piece for piece in pieces]
    answers = dict.fromkeys(text.strip() for text in texts if isinstance(text, str) and text.strip())
    if not answers or not all(isinstance(text, str) for text in texts):
        raise WrongRowError('its "answers" is not a list of texts, or of objects with "text"')
    return tuple(answers)


def _type(given: str | None) -> AnswerType | None:
    for known in get_args(AnswerType):
        if given == known:
            return known  # type: ignore[no-any-return]  # get_args forgets the type of its literals
    if given is not None:
        raise WrongRowError(f'its "type" is {given!r}: give {", ".join(get_args(AnswerType))}')
    return None


def _popularity(given: object) -> float | None:
    if given is not None and (isinstance(given, bool) or not isinstance(given, int | float)):
        raise WrongRowError('its "popularity" is not a number')
    return given

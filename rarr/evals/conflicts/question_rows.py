"""Reads questions with answers and a passage that states one of them, and pairs of opposite statements."""

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


class StatementPair(Record):
    """A question with two opposite answers, each a sentence with a passage that supports it (ConflictQA).

    `memory` is what language models answered from memory, `counter` the opposite.
    """

    id: str
    question: str
    memory: str
    memory_passage: str
    counter: str
    counter_passage: str


class QuestionData(NamedTuple):
    """The content of a data file. `digest` is the SHA-256 digest of all its bytes, unpacked."""

    rows: list[QuestionRow | StatementPair]
    unreadable: list[Unreadable]
    digest: str


def read_questions(path: Path) -> QuestionData:
    """Reads the questions of a file of JSON lines, gzipped if its name ends in `.gz`.

    A row is an object with "question", "answers" (texts, or objects with "text"), "passage", and optionally
    "id" (default: the line's number), "title", "type" and "popularity". A row of ConflictQA has "question",
    "memory_answer", "counter_answer", and evidence for each. Other keys are not read. Raises `InputError` if
    the file, or all its lines, cannot be read.
    """
    return QuestionData(*read_lines(path, _row, _EXAMPLE))


def _row(value: dict[str, Any], number: int) -> QuestionRow | StatementPair:
    return _pair(value, number) if "memory_answer" in value else _question(value, number)


def _pair(value: dict[str, Any], number: int) -> StatementPair:
    return StatementPair(
        id=row_id(value, number),
        question=_required(value, "question"),
        memory=_required(value, "memory_answer"),
        memory_passage=_required(value, "parametric_memory_aligned_evidence"),
        counter=_required(value, "counter_answer"),
        counter_passage=_required(value, "counter_memory_aligned_evidence"),
    )


def _question(value: dict[str, Any], number: int) -> QuestionRow:
    return QuestionRow(
        id=row_id(value, number),
        question=_required(value, "question"),
        passage=_required(value, "passage"),
        title=string_of(value, "title", "it") or "",
        answers=_answers(value.get("answers")),
        type=_type(string_of(value, "type", "it")),
        popularity=_popularity(value.get("popularity")),
    )


def _required(value: dict[str, Any], key: str) -> str:
    text = string_of(value, key, "it", filled=True)
    if text is None:
        raise WrongRowError(f'it has no "{key}"')
    return text


def _answers(given: object) -> tuple[str, ...]:
    if given == []:
        raise WrongRowError('its "answers" is an empty list: give at least one text')
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

"""Scores the answers of a file of JSON lines."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rarr.agent.score import score
from rarr.errors import InputError
from rarr.evals.json_lines import WrongRowError
from rarr.evals.rows import read_lines, row_id, string_of
from rarr.records import Record
from rarr.records.answer_score import AnswerScore


class AnswerRow(Record):
    """An answer with its references, and the question if there is one."""

    id: str
    answer: str
    references: tuple[str, ...]
    question: str | None = None


class ScoredAnswer(AnswerScore):
    """The score of the row with this id."""

    id: str


def scored_answers(path: Path) -> Iterator[ScoredAnswer]:
    """Yields the score of each row of a file. Raises `InputError` at first for a wrong line."""
    rows, unreadable, _ = read_lines(path, _row, '{"answer": "...", "references": ["..."]} for each answer')
    if unreadable:
        raise InputError(f"{path}, line {unreadable[0].line}: {unreadable[0].reason}: correct it")
    for row in rows:
        found = score(row.answer, row.references, row.question)
        yield ScoredAnswer(id=row.id, **found.model_dump())


def _row(value: dict[str, Any], number: int) -> AnswerRow:
    answer, references = string_of(value, "answer", "it", filled=True), value.get("references")
    if answer is None:
        raise WrongRowError('it has no "answer"')
    texts = [references] if isinstance(references, str) else references
    if not isinstance(texts, list) or not texts or not all(isinstance(t, str) and t.strip() for t in texts):
        raise WrongRowError('its "references" is no list of texts')
    question = string_of(value, "question", "it", filled=True)
    return AnswerRow(id=row_id(value, number), answer=answer, references=tuple(texts), question=question)

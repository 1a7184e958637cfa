"""Keeps the answers of a benchmark over graphs in its folder, so that no question is answered twice.

The folder is that of `rarr.evals.run_folder`: an answer is a line of `predictions.jsonl` as soon as it is
there. The line is named by the question, the graph and the draft.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from rarr.errors import BudgetError, ModelError
from rarr.evals import run_folder
from rarr.evals.run_folder import FinishedLine
from rarr.records.answers import Answer
from rarr.tools.storage.files import Appending

_FAILURES = 3  # in a row: then the model is not there, and the run ends


class AnswerLine(FinishedLine):
    """The answer to a question over a graph, or why there is none."""

    answer: Answer | None = None


class KeptAnswers:
    """The answers of a run, those of an earlier process too. Those that failed there are asked again."""

    def __init__(self, folder: Path, appending: Appending) -> None:
        self._appending, self._failed_in_a_row = appending, 0
        lines = run_folder.finished_lines(folder, AnswerLine)
        self._answers = {line.id: line.answer for line in lines if not line.error}
        self.errors: dict[str, str] = {}
        """Why questions have no answer, by the names of their lines."""

    @classmethod
    @contextmanager
    def opened(cls, folder: Path, made_with: dict[str, Any]) -> Iterator[Self]:
        """Opens the folder for this process alone.

        Raises `InputError` if it holds other files, or a run that was not `made_with` the same.
        """
        with run_folder.claimed(folder, made_with):
            run_folder.begin(folder, made_with)
            run_folder.reopen(folder, AnswerLine)
            with Appending(folder / run_folder.PREDICTIONS) as appending:
                yield cls(folder, appending)

    def get(self, name: str) -> Answer | None:
        """Returns the answer with this name; None if it is not there yet."""
        return self._answers.get(name)

    def add(self, name: str, answer: Answer) -> None:
        """Keeps an answer."""
        self._failed_in_a_row = 0
        self._answers[name] = answer
        self._appending.add(AnswerLine(id=name, answer=answer).line())

    def failed(self, name: str, question: str, error: ModelError | BudgetError) -> None:
        """Keeps why a question has no answer. Raises the error if questions fail one after another."""
        self._failed_in_a_row += 1
        self.errors[name] = f"{question}: {error}"
        self._appending.add(AnswerLine(id=name, error=str(error)).line())
        if self._failed_in_a_row == _FAILURES:
            raise error

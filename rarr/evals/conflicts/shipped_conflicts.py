"""Asks a model twenty questions whose passage contradicts what everybody knows; the rows ship with rarr."""

import json
from collections.abc import Callable
from pathlib import Path

from rarr.evals.conflicts.buckets import Bucket
from rarr.evals.conflicts.conflict_benchmark import ConflictTest
from rarr.evals.conflicts.policies import Conflict
from rarr.evals.conflicts.replacement import contains, replaced
from rarr.evals.conflicts.roles import Role, tested
from rarr.records import Record
from rarr.settings import EMBEDDED, Settings
from rarr.tools.concurrency.background_loop import run
from rarr.tools.concurrency.together import together
from rarr.tools.text.blocks_and_sentences import sentences

FILE = Path(__file__).with_name("doctor_conflicts.jsonl")


class ShippedResult(Record):
    """What the model did with one of the twenty questions; `bucket` is None where it failed before.

    It failed if it was wrong with the true passage, or if there is an `error`.
    """

    question: str
    passage_says: str
    memory: str
    bucket: Bucket | None
    answer: str
    error: str = ""


class FollowsEvidence(Record):
    """How often a model follows a passage that contradicts its memory, in the role of reader or checker."""

    model: str
    role: Role
    results: tuple[ShippedResult, ...]

    @property
    def asked(self) -> int:
        """The number of questions that were put to the model, with an answer."""
        return sum(not each.error for each in self.results)

    @property
    def followed(self) -> int:
        """The number of questions in which the model followed the passage."""
        return sum(each.bucket == "substitute" for each in self.results)


def shipped_conflicts() -> list[Conflict]:
    """Reads the twenty questions, each with its true and its changed passage."""
    return [_conflict(json.loads(line)) for line in FILE.read_text(encoding="utf-8").splitlines()]


def follows_evidence(settings: Settings, on_question: Callable[[int], None]) -> FollowsEvidence:
    """Asks the model of the settings: a language model reads, the embedded default and the rules check.

    Calls `on_question` with the number of finished questions. Raises `RarrError` for a wrong call; a question
    that could not be asked has an error.
    """
    role: Role = "checker" if settings.model in EMBEDDED else "reader"
    model = tested(role, settings)
    conflicts, test, done = shipped_conflicts(), ConflictTest(model), list[str]()

    async def result(conflict: Conflict) -> ShippedResult:
        line = await test.line(conflict)
        done.append(conflict.id)
        on_question(len(done))
        return ShippedResult(
            question=conflict.question,
            passage_says=conflict.new,
            memory=conflict.stated,
            bucket=line.bucket,
            answer=line.answer or "",
            error=line.error,
        )

    async def results() -> list[ShippedResult]:
        try:
            return await together(*(result(conflict) for conflict in conflicts))
        finally:
            await model.aclose()

    return FollowsEvidence(model=str(settings.model), role=role, results=tuple(run(results())))


def _conflict(row: dict[str, object]) -> Conflict:
    passage, answers, new = str(row["passage"]), [*_texts(row["answers"])], str(row["new"])
    claim = next(span.of(passage) for span in sentences(passage) if contains(span.of(passage), answers[0]))
    return Conflict.model_validate(
        {
            "id": row["id"],
            "policy": "corpus",
            "type": row["type"],
            "question": row["question"],
            "old": answers,
            "stated": answers[0],
            "new": new,
            "passage": passage,
            "changed": replaced(passage, answers, new),
            "title": row["title"],
            "claim": claim,
        }
    )


def _texts(value: object) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list) else []

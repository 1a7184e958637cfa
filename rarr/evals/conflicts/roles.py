"""Puts a model to the test in two roles: it answers the question, or the whole reviser works on the claim."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Literal, NamedTuple, Protocol

from rarr.agent.revise import Reviser
from rarr.agent.wiring.components import wire
from rarr.agent.wiring.question_answerer import question_answerer
from rarr.components import Components, Retriever, close_all
from rarr.evals.conflicts.buckets import Bucket, bucket_of_answer, bucket_of_revision
from rarr.evals.conflicts.policies import Conflict
from rarr.evals.metrics import exact_match
from rarr.evals.row_retriever import RowRetriever
from rarr.evals.rows import RowEvidence
from rarr.records import Evidence, Passage, Revision
from rarr.settings import Settings
from rarr.tools.concurrency import in_thread

Role = Literal["reader", "reviser"]


class Reaction(NamedTuple):
    """What a model did with a passage: the bucket, and its answer or text."""

    bucket: Bucket
    answer: str


class Tested(Protocol):
    """A model in one role."""

    async def is_right(self, conflict: Conflict) -> bool:
        """Does it get the unchanged passage right? Otherwise the changed one shows nothing."""

    async def reaction(self, conflict: Conflict) -> Reaction:
        """What does it do with the changed passage?"""

    async def remembers(self, conflict: Conflict) -> bool | None:
        """Does it know the old answer without a passage? None if it cannot be asked."""

    async def aclose(self) -> None:
        """Closes files and connections of the running event loop."""


def tested(role: Role, settings: Settings) -> Tested:
    """Makes the model of the settings in its role. Raises `RarrError` if it cannot be made."""
    if role == "reader":
        return TestedReader(settings)
    # Each conflict brings its own passage: no source is searched, and no saved reading answers.
    return TestedReviser(wire(settings.model_copy(update={"search": _NoSource()})))


class TestedReader:
    """A language model that answers the question from the passage, and from memory."""

    def __init__(self, settings: Settings) -> None:
        self._answerer = question_answerer(settings)

    async def is_right(self, conflict: Conflict) -> bool:
        answer = await self._answerer.read(conflict.question, _evidence(conflict, conflict.passage))
        return any(exact_match(answer, each) for each in conflict.old)

    async def reaction(self, conflict: Conflict) -> Reaction:
        answer = await self._answerer.read(conflict.question, _evidence(conflict, conflict.changed))
        return Reaction(bucket_of_answer(answer, conflict.old, conflict.new), answer)

    async def remembers(self, conflict: Conflict) -> bool | None:
        answer = await self._answerer.recall(conflict.question)
        return any(exact_match(answer, each) for each in conflict.old)

    async def aclose(self) -> None:
        await self._answerer.aclose()


class TestedReviser:
    """The whole pipeline over the claim, with the passage as its only source."""

    def __init__(self, components: Components) -> None:
        self._components = components

    async def is_right(self, conflict: Conflict) -> bool:
        revision = await self._revision(conflict, conflict.passage)
        statuses = {sentence.status for sentence in revision.report.sentences}
        return not revision.changed and "contradicted" not in statuses

    async def reaction(self, conflict: Conflict) -> Reaction:
        revision = await self._revision(conflict, conflict.changed)
        return Reaction(bucket_of_revision(revision, conflict), revision.text)

    async def remembers(self, conflict: Conflict) -> bool | None:
        return None

    async def aclose(self) -> None:
        await close_all((*self._components.models, *self._components.opened))

    async def _revision(self, conflict: Conflict, passage: str) -> Revision:
        settings = self._components.settings
        piece = RowEvidence(text=passage, title=conflict.title)
        source: Retriever = RowRetriever([piece], window=settings.window, step=settings.step)
        reviser = await in_thread(lambda: Reviser(components=replace(self._components, retriever=source)))
        return await reviser.arevise(conflict.claim, conflict.question)


class _NoSource:
    """A retriever that is never asked: each conflict has a source of its own."""

    offline = True

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        return []


def _evidence(conflict: Conflict, passage: str) -> Evidence:
    return Evidence(
        id="p1",
        query_id="q1",
        text=passage,
        title=conflict.title,
        source="passage",
        start=0,
        end=len(passage),
        relevance=1.0,
        retrieved_at=datetime.now(UTC),
    )

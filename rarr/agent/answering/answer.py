"""Offers `Answerer`, which answers questions with citations, and the public calls `answer` and `aanswer`."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, get_args

from rarr.agent.answering.finished_answer import FinishedAnswer, finished_answer
from rarr.agent.answering.graph import build_answering_graph
from rarr.agent.answering.question_sources import graph_of
from rarr.agent.answering.statement_cards import draft_statements
from rarr.agent.checkpoints import Checkpointer
from rarr.agent.graph_runs import GraphRuns
from rarr.agent.input_checks import required_text
from rarr.agent.pipeline_owner import PipelineOwner, wired
from rarr.agent.run_observers import OnCall
from rarr.components import Components
from rarr.errors import InputError
from rarr.records.answers import Answer, Unsupported
from rarr.settings import Settings
from rarr.state import State
from rarr.tools.concurrency import in_thread, run, work

_PASSAGES = 8  # passages of a corpus or the web for one question


class Answerer(PipelineOwner):
    """Builds models, indexes and the graph once; answers any number of questions, also at the same time."""

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        components: Components | None = None,
        on_step: Callable[[str], None] | None = None,
        on_index: Callable[[int, int], None] | None = None,
        on_call: OnCall | None = None,
        checkpointer: Checkpointer | None = None,
    ) -> None:
        """The arguments are those of `Reviser`. Raises `RarrError` where something is missing.

        Several graphs raise `InputError`.
        """
        if components is None and settings is not None:
            # An answer is checked by cards, whatever unit of text an editor is shown.
            settings = settings.model_copy(update={"scope": "sentence"})
        made = wired(settings, components, on_index)
        graph_of(made)
        super().__init__(
            _with_more_passages(made),
            build_answering_graph,
            on_step=on_step,
            on_call=on_call,
            checkpointer=checkpointer,
        )
        self._runs = GraphRuns(self._checkpoints, on_step)

    def answer(
        self,
        question: str,
        *,
        draft: str | None = None,
        unsupported: Unsupported = "mark",
        run_id: str | None = None,
    ) -> Answer:
        """`aanswer` for callers without an event loop and for callers inside a running loop."""
        return run(self.aanswer(question, draft=draft, unsupported=unsupported, run_id=run_id))

    async def aanswer(
        self,
        question: str,
        *,
        draft: str | None = None,
        unsupported: Unsupported = "mark",
        run_id: str | None = None,
    ) -> Answer:
        """Does what `rarr.answer` does; `run_id` names the run.

        Raises `InputError` for an empty question, a draft without a statement or without a graph, and a name
        that is not allowed or already used.
        """
        _require_choice(unsupported)
        question = required_text(question, "question")
        draft = None if draft is None else required_text(draft, "draft")
        if draft is not None and graph_of(self._components) is None:
            raise InputError("a draft is checked against a graph: give graph, or see rarr cite for documents")
        if draft is not None:
            await work(draft_statements, draft)  # raises before a run begins
        run_id = await self._checkpoints.new(run_id)
        warnings = [*self._corpus_notices(), *self._untraced]
        start = State(original=question, text=question, context=draft, round=1, warnings=warnings)
        return (await self.aanswer_from(start, run_id, unsupported)).answer

    def resume(self, run_id: str, unsupported: Unsupported = "mark") -> Answer:
        """`aresume` for callers without an event loop and for callers inside a running loop."""
        return run(self.aresume(run_id, unsupported))

    async def aresume(self, run_id: str, unsupported: Unsupported = "mark") -> Answer:
        """Continues an interrupted run from its last checkpoint, as `Reviser.aresume` does.

        Raises `InputError` without a checkpointer, and for an unknown run; later as `aanswer` does.
        """
        _require_choice(unsupported)
        state, done = await self._checkpoints.begun(run_id)
        finished = await self.aanswer_from(state, run_id, unsupported, resumed=True, done=done)
        recorded = await self._traces.revision(run_id, state) if done and self._traces else None
        if recorded is None:
            return finished.answer
        told = {"usage": recorded.usage, "warnings": recorded.warnings}
        return finished.answer.model_copy(update=told)

    async def aanswer_from(
        self,
        start: State,
        run_id: str,
        unsupported: Unsupported = "mark",
        *,
        resumed: bool = False,
        done: bool = False,
    ) -> FinishedAnswer:
        """Answers the question of `start`, the first state of a run; `resumed`: from its last checkpoint.

        `done`: `start` is the last state of a finished run, and becomes an answer without asking a model.
        """
        text = f"{start['original']}\n{start['context'] or ''}"
        observed = self._observed(run_id, start, resumed=resumed, finished=done, text=text)
        async with observed as (meter, recorder):
            first = None if resumed else start
            state = start if done else await self._runs.through_graph(first, run_id, self._components)
            if recorder is None:
                return await work(finished_answer, run_id, state, meter, unsupported)
            await recorder.flush()  # a failure to write becomes a warning of the answer
            finished = await work(finished_answer, run_id, state, meter, unsupported)
            research = await recorder.finished(finished.research)
            answer = finished.answer.model_copy(update={"warnings": research.warnings})
            return FinishedAnswer(answer, research)


def answer(
    question: str, *, draft: str | None = None, unsupported: Unsupported = "mark", **settings: Any
) -> Answer:
    """Answers a question in statements, each with the triples or passages on which it rests.

    A statement that no source supports is marked as `[NA]`, or left out with `unsupported="drop"`. With a
    `draft`, an answer that somebody else wrote, its statements are checked against a graph: those that the
    graph says get its triples, citations in brackets are checked, and the others are marked.
    `settings` are the fields of `Settings`, such as `graph="people.csv"` or `corpus="notes/"`. Without a
    language model in `model`, the statements are sentences of the sources. Raises `RetrievalError` if a
    source cannot be searched, and `ModelError` or `BudgetError` if the model cannot be asked.
    """
    return run(aanswer(question, draft=draft, unsupported=unsupported, **settings))


async def aanswer(
    question: str, *, draft: str | None = None, unsupported: Unsupported = "mark", **settings: Any
) -> Answer:
    """`answer` for async callers."""
    _require_choice(unsupported)
    async with await in_thread(lambda: Answerer(Settings(**settings))) as answerer:
        return await answerer.aanswer(question, draft=draft, unsupported=unsupported)


def _require_choice(unsupported: str) -> None:
    if unsupported not in get_args(Unsupported):
        raise InputError(f"unsupported is {unsupported!r}: give mark or drop")


def _with_more_passages(components: Components) -> Components:
    """Raises the passages of a query from those of a revision, where the user does not set them."""
    settings = components.settings
    names = ("evidence_per_query", "documents_per_query")
    more = {name: _PASSAGES for name in names if name not in settings.model_fields_set}
    return replace(components, settings=settings.model_copy(update=more))

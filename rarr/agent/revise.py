"""Offers the public calls: `revise`, `arevise`, and `Reviser` for many texts."""

from collections.abc import AsyncGenerator, Callable, Sequence
from copy import copy
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

from rarr.agent.final_revision import revision_of
from rarr.agent.input_checks import replaced_notices, required_text, unread_notices, unused_settings
from rarr.agent.pipeline_owner import PipelineOwner, wired
from rarr.agent.run_observers import OnCall
from rarr.components import Components, text_of_source
from rarr.records import Estimate, Evidence, Notice, Revision
from rarr.records.citations import CitationPlace, CitationStyle, Cited
from rarr.records.postprocessing import Postprocessed, PostprocessMode
from rarr.settings import Settings
from rarr.state import State
from rarr.tools.concurrency import in_thread, run, work

if TYPE_CHECKING:
    from rarr.agent.batches import BatchItems, BatchResult
    from rarr.agent.checkpoints import Checkpointer
    from rarr.agent.citing.citation_run import CitationRun
    from rarr.agent.postprocessing.conversation import Message
    from rarr.retrievers.given_passages import Given, GivenPassages


class Reviser(PipelineOwner):
    """Builds models, indexes and the graph once; revises any number of texts, also at the same time."""

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        components: Components | None = None,
        on_step: Callable[[str], None] | None = None,
        on_index: Callable[[int, int], None] | None = None,
        on_call: OnCall | None = None,
        checkpointer: "Checkpointer | None" = None,
    ) -> None:
        """Give `settings` or `components`, not both; without either, the settings are the defaults.

        Raises `RarrError` where something is missing.

        `on_step` is called with the name of each node that has finished. `on_index` is called with the number
        of files done and the number of all files, while a corpus is indexed. `on_call` is called with each
        request to a language model.

        `checkpointer` keeps runs for `resume`. It is a LangGraph checkpointer, or a function that opens one
        as an async context manager, once for each event loop. The reviser closes what it opened.
        """
        # The graph takes a second to import; `import rarr` need not wait for it.
        from rarr.agent.graph import builder_for
        from rarr.agent.graph_runs import GraphRuns

        made = wired(settings, components, on_index)
        super().__init__(made, builder_for(made), on_step=on_step, on_call=on_call, checkpointer=checkpointer)
        self.names_sources = components is not None or self.settings.names_source
        self._unused = [] if components else unused_settings(made)
        self._researcher: Reviser | None = None  # researches for `cite`, and edits nothing
        self._making = Lock()
        self._runs, self._told = GraphRuns(self._checkpoints, on_step), on_call

    def revise(self, text: str, context: str | None = None, *, run_id: str | None = None) -> Revision:
        """`arevise` for callers without an event loop and for callers inside a running loop."""
        return run(self.arevise(text, context, run_id=run_id))

    async def arevise(self, text: str, context: str | None = None, *, run_id: str | None = None) -> Revision:
        """Researches `text` in the light of `context` (a question, earlier turns) and revises it.

        Offsets point into the revision's `original`. It is `text` as valid Unicode: each NUL and each lone
        surrogate is replaced by U+FFFD, and the two halves of a surrogate pair by one character.

        `run_id` names the run; None: a name is generated. Raises `InputError` for a text that cannot be
        revised, and for a name that is not allowed or already used. All later failures become warnings.
        """
        given, text = f"{text}{context}", required_text(text, "text")
        context = None if context is None else required_text(context, "context")
        run_id = await self._checkpoints.new(run_id)
        notices = [*self._corpus_notices(), *self._untraced, *replaced_notices(given, f"{text}{context}")]
        notices += await work(unread_notices, text)
        start = State(original=text, text=text, context=context, round=1, warnings=notices)
        return await self.arevise_from(start, run_id)

    def cite(self, text: str, context: str | None = None, **options: Any) -> Cited:
        """`acite` for callers without an event loop and for callers inside a running loop."""
        return run(self.acite(text, context, **options))

    async def acite(
        self,
        text: str,
        context: str | None = None,
        *,
        style: CitationStyle = "numbered",
        place: CitationPlace = "sentence",
        mark_unsupported: bool = False,
        run_id: str | None = None,
    ) -> Cited:
        """Researches `text` as `arevise` does, edits nothing, and puts a citation behind supported sentences.

        `style` is the form of the marks and of the list of sources, and `place` where the marks stand.
        `mark_unsupported` marks sentences with `[citation needed]` that evidence contradicts or does not
        confirm. Citations that the text has already are checked. Raises `InputError` as `arevise` does.
        """

        def wired() -> "tuple[CitationRun, Reviser]":
            from rarr.agent.citing.citation_run import CitationRun

            citing = CitationRun(style=style, place=place, mark_unsupported=mark_unsupported)
            return citing, self.unedited()

        citing, researcher = await in_thread(wired)
        research = await researcher.arevise(text, context, run_id=run_id)
        return await citing.cited(research, context, researcher._components, self._on_call)

    async def apostprocess(
        self,
        answer: str,
        question: "str | Sequence[Message] | None" = None,
        sources: "Sequence[Given] | None" = None,
        *,
        mode: PostprocessMode = "revise",
        search: Literal["given"] | None = None,
        deadline: float | None = None,
        run_id: str | None = None,
    ) -> Postprocessed:
        """Does what `rarr.postprocess` does, with the models and sources of this reviser.

        `sources` are those of this call. They are searched first, and alone with `search="given"`, or if this
        reviser's settings name neither a corpus nor a search. `run_id` names the run.
        """
        from rarr.agent.postprocessing.answer_run import AnswerRun

        call = AnswerRun(answer, question, sources, mode, search, deadline, run_id)
        return await call.in_time(lambda call: call.by(self))

    def postprocess(self, answer: str, *arguments: Any, **options: Any) -> Postprocessed:
        """`apostprocess` for callers without an event loop and for callers inside a running loop."""
        return run(self.apostprocess(answer, *arguments, **options))

    def abatch(self, rows: "BatchItems", **options: Any) -> "AsyncGenerator[BatchResult, None]":
        """Postprocesses many texts at the same time, and yields a result for each row.

        The options are those of `rarr.agent.batches.batch`: mode, search, at_once and ordered.
        """
        from rarr.agent.batches import batch

        return batch(self, rows, **options)

    def unedited(self) -> "Reviser":
        """Returns the reviser that researches as this one does and edits nothing; made at the first call.

        Raises `InputError` for components that rewrite.
        """
        from rarr.agent.citing.citation_run import without_edits

        if self._components.baseline.editor == "unedited":
            return self
        with self._making:
            if self._researcher is None:
                components = without_edits(self._components)
                self._researcher = Reviser(components=components, on_step=self._on_step, on_call=self._told)
                self._researcher._unused = self._unused
            return self._researcher

    def searching(self, given: "GivenPassages", *, alone: bool) -> "Reviser":
        """Returns a reviser for one call, which searches `given` first, and shares everything else with this.

        `alone`: it searches nothing else.
        """
        from rarr.agent.wiring.per_call_sources import searching_given

        made = copy(self)
        made._components = searching_given(self._components, given, alone=alone)
        made._researcher = None
        return made

    def resume(self, run_id: str) -> Revision:
        """`aresume` for callers without an event loop and for callers inside a running loop."""
        return run(self.aresume(run_id))

    async def aresume(self, run_id: str) -> Revision:
        """Continues an interrupted run from its last checkpoint. A finished run asks no model.

        Settings and components are those of this reviser: give those with which the run began. Answers in its
        trace are not asked for again, and count in `usage` and the budgets as before; without a trace, the
        usage starts at zero. Raises `InputError` without a checkpointer, and for an unknown run.
        """
        state, done = await self._checkpoints.begun(run_id)
        if done and self._traces and (revision := await self._traces.revision(run_id, state)):
            return revision
        return await self.arevise_from(state, run_id, resumed=True, done=done)

    async def arevise_from(
        self, start: State, run_id: str, *, resumed: bool = False, done: bool = False
    ) -> Revision:
        """Revises the text of `start`, the first state of a run; with `resumed`, the last checkpoint is used.

        `done`: `start` is the last state of a finished run, and becomes a revision without asking a model.
        """
        from rarr.agent.block_runs import block_size  # it loads the nodes, which `import rarr` need not

        size = block_size(start["original"], self._components)
        whole = f"{start.get('context') or ''}\n{start['original']}"
        observed = self._observed(run_id, start, resumed=resumed, finished=done, text=whole)
        async with observed as (meter, recorder):
            if done:
                state = start
            elif size is None:
                first = None if resumed else start
                state = await self._runs.through_graph(first, run_id, self._components)
            else:
                state = await self._runs.by_blocks(start, size, run_id, self._components, resumed=resumed)
            if recorder is None:
                return await work(revision_of, run_id, state, meter)
            await recorder.flush()  # a failure to write becomes a warning of the revision
            return await recorder.finished(await work(revision_of, run_id, state, meter))

    def estimate(self, text: str, context: str | None = None) -> Estimate:
        """Estimates the usage of `revise` for this text. Asks no model and searches nothing."""
        text = required_text(text, "text")
        context = None if context is None else required_text(context, "context")
        from rarr.agent.cost_estimate import (
            estimate,  # it loads the nodes, for which `import rarr` need not wait
        )

        return estimate(text, context, self._components)

    def source_text(self, evidence: Evidence) -> str | None:
        """Finds the text that contains `evidence` from its `start` to its `end`; None if no source has it.

        Pages come from the cache, of any age, and files of a corpus are read again.
        """
        return run(text_of_source(self._components.opened, evidence))

    async def aclose(self) -> None:
        """Closes as the base does, and the reviser that researches for `cite`."""
        await super().aclose()
        if self._researcher:
            await self._researcher.aclose()

    def _corpus_notices(self) -> list[Notice]:
        return super()._corpus_notices() + self._unused


def revise(text: str, context: str | None = None, **settings: Any) -> Revision:
    """Revises one text. `settings` are the fields of `Settings`, such as `corpus="notes/"`."""
    with Reviser(Settings(**settings)) as reviser:
        return run(reviser.arevise(text, context))


async def arevise(text: str, context: str | None = None, **settings: Any) -> Revision:
    """`revise` for async callers."""
    async with await in_thread(lambda: Reviser(Settings(**settings))) as reviser:
        return await reviser.arevise(text, context)

"""Offers `Writer`, which writes articles with citations, and the public calls `write` and `awrite`."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from rarr.agent.checkpoints import Checkpointer
from rarr.agent.graph_runs import GraphRuns
from rarr.agent.input_checks import required_text
from rarr.agent.pipeline_owner import PipelineOwner, wired
from rarr.agent.run_observers import OnCall
from rarr.agent.writing.article import article_of
from rarr.agent.writing.graph import build_writing_graph
from rarr.agent.writing.writing_components import writing_components
from rarr.components import Components
from rarr.errors import InputError
from rarr.records.articles import Article, SectionDraft
from rarr.settings import Settings
from rarr.state import State
from rarr.tools.concurrency import in_thread, run, work
from rarr.tools.models.run_budget import Meter
from rarr.tools.text.section_headings import clean_headings

Outline = str | Sequence[str]
"""The headings of an article: a list, or a text with one heading a line."""


class Writer(PipelineOwner):
    """Builds models, indexes and the graph once; writes any number of articles, also at the same time."""

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        components: Components | None = None,
        on_step: Callable[[str], None] | None = None,
        on_index: Callable[[int, int], None] | None = None,
        on_call: OnCall | None = None,
        on_section: Callable[[SectionDraft], None] | None = None,
        checkpointer: Checkpointer | None = None,
    ) -> None:
        """The arguments are those of `Reviser`. Raises `RarrError` where something is missing.

        `on_section` is called with each section when it is written. Its citations are not checked yet.
        """
        super().__init__(
            writing_components(wired(settings, components, on_index)),
            build_writing_graph,
            on_step=on_step,
            on_call=on_call,
            checkpointer=checkpointer,
        )
        self._on_section = on_section

    def write(self, topic: str, outline: Outline | None = None, *, run_id: str | None = None) -> Article:
        """`awrite` for callers without an event loop and for callers inside a running loop."""
        return run(self.awrite(topic, outline, run_id=run_id))

    async def awrite(
        self, topic: str, outline: Outline | None = None, *, run_id: str | None = None
    ) -> Article:
        """Writes an article about `topic` from the sources, with a checked citation behind each sentence.

        `outline` gives the headings of the sections; None: the sections are planned. `run_id` names the run.
        Raises `InputError` for an empty topic, an outline without a heading or with too many, and a name that
        is not allowed or already used. All later failures become warnings.
        """
        return await self._begun(topic, outline, run_id, self._on_section)

    async def asections(
        self, topic: str, outline: Outline | None = None, *, run_id: str | None = None
    ) -> AsyncIterator[SectionDraft | Article]:
        """Writes as `awrite` does, and yields each section when it is written, and the article at the end.

        The sections come in the order in which they are done, with citations that are not checked yet.
        """
        drafts: asyncio.Queue[SectionDraft] = asyncio.Queue()
        writing = asyncio.create_task(self._begun(topic, outline, run_id, drafts.put_nowait))
        try:
            while not writing.done() or not drafts.empty():
                waiting = asyncio.create_task(drafts.get())
                await asyncio.wait({waiting, writing}, return_when=asyncio.FIRST_COMPLETED)
                if waiting.done():
                    yield waiting.result()
                waiting.cancel()
            yield writing.result()
        finally:
            writing.cancel()

    async def _begun(
        self,
        topic: str,
        outline: Outline | None,
        run_id: str | None,
        on_section: Callable[[SectionDraft], None] | None,
    ) -> Article:
        topic = " ".join(required_text(topic, "topic").split())
        context = None if outline is None else self._outline(outline, topic)
        run_id = await self._checkpoints.new(run_id)
        warnings = [*self._corpus_notices(), *self._untraced]
        start = State(original=topic, text=topic, context=context, round=1, warnings=warnings)
        return await self.awrite_from(start, run_id, on_section=on_section)

    def resume(self, run_id: str) -> Article:
        """`aresume` for callers without an event loop and for callers inside a running loop."""
        return run(self.aresume(run_id))

    async def aresume(self, run_id: str) -> Article:
        """Continues an interrupted run from its last checkpoint, as `Reviser.aresume` does.

        `on_section` is called with the sections that are written now. Raises `InputError` without a
        checkpointer, and for an unknown run.
        """
        state, done = await self._checkpoints.begun(run_id)
        topic = state.get("topic", state["original"])
        context = state.get("outline", state["context"])
        start = State(original=topic, text=topic, context=context, round=1, warnings=[])
        recorded = await self._traces.revision(run_id, start) if done and self._traces else None
        if recorded is not None:
            article = await work(article_of, run_id, state, Meter())
            return article.model_copy(update={"research": recorded})
        last = state if done else None
        return await self.awrite_from(start, run_id, resumed=True, last=last, on_section=self._on_section)

    async def awrite_from(
        self,
        start: State,
        run_id: str,
        *,
        resumed: bool = False,
        last: State | None = None,
        on_section: Callable[[SectionDraft], None] | None = None,
    ) -> Article:
        """Writes the article of `start`, the first state of a run; with `resumed`, from its last checkpoint.

        `last` is the last state of a finished run, which becomes an article without asking a model.
        """

        def tell(node: str, update: State) -> None:
            for draft in update.get("drafts", {}).values() if node.startswith("write_") else ():
                if on_section is not None:
                    on_section(draft)

        runs = GraphRuns(self._checkpoints, self._on_step, tell if on_section else None)
        observed = self._observed(run_id, start, resumed=resumed, finished=last is not None)
        async with observed as (meter, recorder):
            first = None if resumed else start
            state = last or await runs.through_graph(first, run_id, self._components)
            if recorder is None:
                return await work(article_of, run_id, state, meter)
            await recorder.flush()  # a failure to write becomes a warning of the article
            article = await work(article_of, run_id, state, meter)
            research = await recorder.finished(article.research)
            return article.model_copy(update={"research": research})

    def _outline(self, outline: Outline, topic: str) -> str:
        """Returns the headings, one a line. Raises `InputError` if there is none, or too many."""
        lines = outline.splitlines() if isinstance(outline, str) else list(outline)
        if not all(isinstance(line, str) for line in lines):
            raise InputError("outline is no list of headings: give texts, such as ['History', 'Design']")
        headings = clean_headings(lines, topic)
        if not headings:
            raise InputError("the outline has no heading of a section: give one a line, such as History")
        if len(headings) > self.settings.max_sections:
            raise InputError(
                f"the outline has {len(headings)} headings, and max_sections is {self.settings.max_sections}:"
                " leave some out, or raise max_sections"
            )
        return "\n".join(headings)


def write(topic: str, outline: Outline | None = None, **settings: Any) -> Article:
    """Writes one article. `settings` are the fields of `Settings`, such as `corpus="notes/"`."""
    with Writer(Settings(**settings)) as writer:
        return run(writer.awrite(topic, outline))


async def awrite(topic: str, outline: Outline | None = None, **settings: Any) -> Article:
    """`write` for async callers."""
    async with await in_thread(lambda: Writer(Settings(**settings))) as writer:
        return await writer.awrite(topic, outline)

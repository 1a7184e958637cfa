"""Offers the base of `Reviser`, `Writer` and `Answerer`: how they open, observe their runs, and close."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from rarr.agent.final_revision import budget_of
from rarr.agent.run_observers import OnCall, listener, opened_traces
from rarr.components import Components, close_all
from rarr.errors import InputError
from rarr.records import Notice
from rarr.settings import Settings
from rarr.state import State
from rarr.tools.concurrency import Closable
from rarr.tools.models.run_budget import METER, Meter
from rarr.tools.text.wording import by_reason, kind_of

if TYPE_CHECKING:
    from rarr.agent.checkpoints import Checkpointer
    from rarr.traces.recorder import RunRecorder


def wired(
    settings: Settings | None,
    components: Components | None,
    on_index: Callable[[int, int], None] | None,
) -> Components:
    """Returns the components, or those that the settings name. Raises `InputError` if both are given."""
    if settings is not None and not isinstance(settings, Settings):
        raise InputError(f"settings is {kind_of(settings)}: give Settings(corpus=...)")
    if settings is not None and components is not None:
        raise InputError("settings and components are both given: components bring their own settings")
    # The wiring takes a second to import; `import rarr` need not wait for it.
    from rarr.agent.wiring.components import wire

    return components or wire(settings or Settings(), on_index)


class PipelineOwner(Closable):
    """Owns the components, the checkpoints and the traces of any number of runs of one graph."""

    def __init__(
        self,
        components: Components,
        build: Callable[[Any], Any],
        *,
        on_step: Callable[[str], None] | None,
        on_call: OnCall | None,
        checkpointer: "Checkpointer | None",
    ) -> None:
        """`build` builds the graph for a checkpointer. Raises `RarrError` where something is missing."""
        from rarr.agent.checkpoints import Checkpoints  # it loads LangGraph, as the wiring does

        self._components, self.settings = components, components.settings
        self._checkpoints = Checkpoints(checkpointer, build)
        self._on_step, self._on_call = on_step, listener(self.settings, on_call)
        self._traces, self._untraced = opened_traces(components, resumable=checkpointer is not None)

    async def aclose(self) -> None:
        """Closes files, and the connections that this event loop opened. The next use opens them again.

        A retriever object that the caller gave is not closed.
        """
        await close_all((*self._components.models, *self._components.opened, self._checkpoints))
        if self._traces:
            await self._traces.aclose()

    @asynccontextmanager
    async def _observed(
        self, run_id: str, start: State, *, resumed: bool, finished: bool, text: str = ""
    ) -> "AsyncIterator[tuple[Meter, RunRecorder | None]]":
        """Meters the run of the `async with` block, and records its trace unless the run is `finished`.

        `start` is its first state, or that from which it is `resumed`. `text` is the text that it is about.
        """
        meter = Meter(budget_of(self._components.settings), self._on_call, text=text)
        token = METER.set(meter)
        try:
            traces = None if finished else self._traces
            async with (
                traces.of(run_id, start, meter, resumed=resumed) if traces else nullcontext()
            ) as recorder:
                yield meter, recorder
        finally:
            METER.reset(token)

    def _corpus_notices(self) -> list[Notice]:
        skipped = getattr(self._components.retriever, "skipped", ())
        return [Notice(code="file_skipped", message=line, node="retrieve") for line in by_reason(skipped)]

"""Owns the runs of a graph: its components, traces and checkpoints; meters each run, makes its revision.

LangGraph's checkpointers keep runs step by step, so that a killed run can be resumed. The id of a run is the
id of its LangGraph thread. The requests of a node that was killed are sent again.
"""

import asyncio
import re
from abc import abstractmethod
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
    contextmanager,
    nullcontext,
)
from copy import copy
from dataclasses import fields, replace
from functools import wraps
from typing import Any, Generic, ParamSpec, TypeVar, cast
from uuid import uuid4

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph import START
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import StateSnapshot

from rarr.agent.graph import Graph
from rarr.agent.refusals import withheld
from rarr.agent.wiring.components import wire
from rarr.agent.wiring.sources import search_names, unused_settings
from rarr.components import Components, close_all
from rarr.errors import InputError
from rarr.ledger.scores import unjudged_report
from rarr.records import RUN_ID, ModelUsage, Notice, Record, Revision, Scores, Usage
from rarr.records.base import Controls
from rarr.settings import Settings
from rarr.state import SentenceSupport, State
from rarr.tools.concurrency import Closable, PerLoop, in_thread, require_awaited, run, work
from rarr.tools.models.run_budget import METER, Budget, Meter
from rarr.tools.text.blocks_and_sentences import Span, sentences
from rarr.tools.text.wording import kind_of, lines_by_reason
from rarr.traces.recorder import ReviserRecorder

CompiledGraph = CompiledStateGraph[State, Components, State, State]
Saver = BaseCheckpointSaver[Any]
Checkpointer = Saver | Callable[[], AbstractAsyncContextManager[Saver]]
Result = TypeVar("Result")
Outcome = TypeVar("Outcome")
Owner = TypeVar("Owner", bound=Closable)
Arguments = ParamSpec("Arguments")
Made = tuple[Revision, Callable[[Revision], Outcome]]
"""The research of a run, and what makes the outcome of it once it is recorded."""

_NO_LIMIT = 1_000_000  # steps; else the limit of a graph that calls this one would hold
_OPENING = "a function that opens one: lambda: AsyncSqliteSaver.from_conn_string('runs.sqlite')"


def synchronous(call: Callable[Arguments, Coroutine[Any, Any, Result]]) -> Callable[Arguments, Result]:
    """Makes the form of an async call for callers without an event loop, and inside a running one."""

    @wraps(call)
    def called(*arguments: Arguments.args, **options: Arguments.kwargs) -> Result:
        return run(call(*arguments, **options))

    called.__name__ = call.__name__.removeprefix("a")
    return called


@asynccontextmanager
async def built(kind: Callable[..., Owner], settings: Mapping[str, Any]) -> AsyncIterator[Owner]:
    """Builds an owner on a thread, and closes it, also if it is built after the caller was cancelled."""
    made: list[Owner] = []

    def build() -> None:
        made.append(kind(**settings))
        try:
            require_awaited()
        except CancelledError:
            made[0].close()
            raise

    try:
        await in_thread(build)
        yield made[0]
    finally:
        for owner in made:
            await owner.aclose()


@contextmanager
def using(meter: Meter) -> Iterator[Meter]:
    """Counts in `meter` what the block asks and spends."""
    token = METER.set(meter)
    try:
        yield meter
    finally:
        METER.reset(token)


class RunOwner(Closable, Generic[Outcome]):
    """Owns the components, the checkpoints and the traces of any number of runs of one graph."""

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        components: Components | None = None,
        on_step: Callable[[str], None] | None = None,
        on_index: Callable[[int, int], None] | None = None,
        checkpointer: Checkpointer | None = None,
        measuring: bool = False,
        **values: Any,
    ) -> None:
        """Give `settings`, or the fields of `Settings` as `values`, or `components`.

        Without any of them, the settings are the defaults. Raises `RarrError` where something is missing.

        `on_step` is called with the name of each node that has finished. `on_index` is called with the number
        of files done and the number of all files, while a corpus is indexed.

        `checkpointer` keeps runs for `resume`. It is a LangGraph checkpointer, or a function that opens one
        as an async context manager, once for each event loop. The owner closes what it opened.

        With `measuring`, neither the record of readers nor what was refused is read or written.
        """
        given = sum((settings is not None, components is not None, bool(values)))
        if given > 1 or not isinstance(settings, Settings | None):
            raise InputError(
                "give one of three: Settings(...) as settings, components, or fields of settings"
            )
        used = self._used(components.settings if components else settings or Settings(**values))
        is_wired = components is None
        components = components or wire(used, on_index, measuring=measuring)
        self._components = self._adapted(replace(components, settings=used))
        self.settings, self._on_step = self._components.settings, on_step
        self.names_sources = not is_wired or self.settings.names_source
        self._checkpoints = Checkpoints(checkpointer, self._graph)
        ours = (*self._components.opened, self._components.retriever, *search_names(self.settings))
        skipped = lines_by_reason(dict.fromkeys(pair for it in ours for pair in getattr(it, "skipped", ())))
        self._notices = [Notice(code="file_skipped", message=line, node="retrieve") for line in skipped]
        self._notices += unused_settings(self._components) if is_wired else []
        is_kept = checkpointer is not None
        self._traces = ReviserRecorder(self.settings, resumable=is_kept) if self.settings.trace else None

    def _used(self, settings: Settings) -> Settings:
        """Returns the settings as this graph uses them."""
        return settings

    def _adapted(self, components: Components) -> Components:
        """Returns the components as this graph uses them. Raises `RarrError` where one is missing."""
        return components

    @abstractmethod
    def _graph(self) -> Graph: ...

    async def aclose(self) -> None:
        """Closes what this event loop opened, but no retriever of the caller. The next use opens it again."""
        await close_all((*self._components.models, *self._components.opened, self._checkpoints))

    async def _new(
        self, text: str, context: str | None, run_id: str | None, notices: Sequence[Notice] = ()
    ) -> Outcome:
        """Runs the graph for a text. Warnings of the run tell of files left out, and the `notices`."""
        run_id, warnings = await self._checkpoints.new(run_id), [*self._notices, *notices]
        start = State(original=text, text=text, context=context, round=1, warnings=warnings)
        return (await self.arun(start, run_id))[0]

    async def aresume(self, run_id: str) -> Outcome:
        """Continues an interrupted run from its last checkpoint. A finished run asks no model.

        Settings and components are those of this owner: give those with which the run began. Answers in its
        trace are not asked for again, and count in `usage` and the budgets as before; without a trace, the
        usage starts at zero. Raises `InputError` without a checkpointer, and for an unknown run.
        """
        state, done = await self._checkpoints.begun(run_id)
        return (await self.arun(state, run_id, resumed=True, done=done))[0]

    resume = synchronous(aresume)

    async def arun(
        self, start: State, run_id: str, *, resumed: bool = False, done: bool = False
    ) -> tuple[Outcome, Revision]:
        """Takes a run through the graph, meters and records it. Returns its research too, as in the trace.

        `start` is the first state of the run, or the last of a run that is `resumed`. A run that is `done` is
        not walked again, and recorded only if it was killed before its trace got the revision.
        """
        traces, text = self._traces, f"{start.get('context') or ''}\n{start['original']}"
        first = self._first(start) if resumed else start
        with using(Meter(budget_of(self.settings), text=text)) as meter:
            kept = await traces.earlier_trace(run_id, first) if traces is not None and resumed else None
            recording: AbstractAsyncContextManager[Any] = nullcontext()
            if traces is not None and (not done or (kept is not None and kept.revision is None)):
                recording = traces.record_run(run_id, first, self._components.baseline, meter, kept)
            async with recording as recorder:
                state = start if done else await self._walk(first, run_id, resumed=resumed)
                if recorder is not None:
                    await recorder.flush()  # a failure to write becomes a warning of the result
                research, outcome_of = await work(self._made, run_id, state, meter)
                if recorder is not None:
                    research = await recorder.finish(research)
                elif kept is not None and kept.revision is not None:
                    research = kept.revision
                return outcome_of(research), research

    def _first(self, state: State) -> State:
        """Returns the first state of a run that has come to `state`."""
        return state

    @abstractmethod
    def _made(self, run_id: str, state: State, meter: Meter) -> Made[Outcome]:
        """Makes the research and the outcome of the last state of a run."""

    async def _walk(self, start: State, run_id: str, *, resumed: bool) -> State:
        return await self._through_graph(None if resumed else start, run_id)

    async def _through_graph(self, start: State | None, run_id: str, block: int = 0) -> State:
        """Runs the graph and returns its last state. With None, continues from the last checkpoint."""
        graph = await self._checkpoints.graph()
        call: Any = {"context": self._components, "config": self._checkpoints.config(run_id, block)}
        call["stream_mode"] = ["values", "updates"] if self._on_step else ["values"]
        state: Any = start
        async for mode, data in graph.astream(start, **call):
            if mode == "values":
                state = data
            elif self._on_step:
                for node in (it for it in data if it in graph.nodes and not it.startswith("__")):
                    self._on_step(node)
        return cast(State, state)


class Checkpoints:
    """Builds the graph with its checkpointer, and reads and writes the states of runs; None stores nothing.

    If the checkpointer is a function, it is called once for each event loop.
    """

    def __init__(self, checkpointer: Checkpointer | None, build: Callable[[], Graph]) -> None:
        """Raises `InputError` for an object that is neither a checkpointer nor a function."""
        usable = checkpointer is None or isinstance(checkpointer, BaseCheckpointSaver)
        if not usable and (hasattr(checkpointer, "__aenter__") or not callable(checkpointer)):
            what = kind_of(checkpointer)
            raise InputError(f"checkpointer is {what}: give a LangGraph checkpointer, or {_OPENING}")
        self._checkpointer, self._build = checkpointer, build
        self._ready = PerLoop(_LoopGraph, lambda ready: ready.opened.aclose())

    async def graph(self) -> CompiledGraph:
        """Returns the graph of the running event loop; `InputError` for a checkpointer of another loop."""
        ready = self._ready.get()
        async with ready.opening:
            if ready.graph is None:
                saver = self._checkpointer
                if saver is not None and not isinstance(saver, BaseCheckpointSaver):
                    saver = await ready.opened.enter_async_context(saver())
                own = getattr(saver, "loop", None)  # checkpointers of databases have a loop
                if own is not None and own is not asyncio.get_running_loop():
                    cure = f"await arevise and aresume there, or give {_OPENING}"
                    raise InputError(f"the checkpointer belongs to another event loop: {cure}")
                # None would take over the checkpointer of a graph in whose node the run is.
                ready.graph = self._build().compile(_with_records(saver) if saver else False)
        return ready.graph

    def config(self, run_id: str, block: int = 0) -> RunnableConfig:
        """Makes the LangGraph config for a run, or for one `block` of it (from 1; 0 is the whole run)."""
        name, thread = (f"rarr block {block}", f"{run_id}/{block}") if block else ("rarr", run_id)
        config = RunnableConfig(run_name=name, metadata={"run_id": run_id}, recursion_limit=_NO_LIMIT)
        return config if self._checkpointer is None else {**config, "configurable": {"thread_id": thread}}

    async def stored(self, run_id: str, block: int = 0) -> StateSnapshot | None:
        """Reads the last state of a run or block; None if it did not start, or nothing is stored."""
        if self._checkpointer is None:
            return None
        state = await (await self.graph()).aget_state(self.config(run_id, block))
        return state if "original" in state.values else None

    async def keep(self, run_id: str, state: State, *, done: bool) -> None:
        """Stores the first state of a run by blocks, or its last state if `done`."""
        if self._checkpointer is not None:
            graph, config = await self.graph(), self.config(run_id)
            # The warnings of the start are kept already.
            before = len((await graph.aget_state(config)).values["warnings"]) if done else 0
            new = {**state, "warnings": state["warnings"][before:]} | ({"lacking": []} if done else {})
            await graph.aupdate_state(config, new, as_node="evaluate" if done else START)

    async def new(self, run_id: str | None) -> str:
        """Checks the id of a new run; for None, makes one. Raises `InputError` for a wrong or used id."""
        run_id = uuid4().hex if run_id is None else run_id
        if await self.stored(_allowed(run_id)) is not None:
            raise InputError(f"run {run_id!r} was begun before: resume it, or give another run_id")
        return run_id

    async def begun(self, run_id: str) -> tuple[State, bool]:
        """Reads the last state of a run, and whether it is done; `InputError` if no such run is stored."""
        if self._checkpointer is None:
            raise InputError("no run can be resumed without checkpoints: give Reviser(checkpointer=...)")
        if (kept := await self.stored(_allowed(run_id))) is None:
            raise InputError(f"there is no checkpoint of a run {run_id!r}: revise its text with this run_id")
        # `next` lacks tasks that are done in a step that is not.
        return cast(State, kept.values), not kept.tasks

    async def aclose(self) -> None:
        """Closes the checkpointer that was opened for this event loop, but none that the caller made."""
        await self._ready.aclose()


class _LoopGraph:
    """The graph and the checkpointer of one event loop."""

    def __init__(self) -> None:
        self.opening, self.opened = asyncio.Lock(), AsyncExitStack()
        self.graph: CompiledGraph | None = None


def _allowed(run_id: object) -> str:
    if not isinstance(run_id, str) or not re.fullmatch(RUN_ID, run_id):
        names = "give up to 128 letters, digits, dots, dashes and underscores, a letter or digit first"
        raise InputError(f"run_id is {str(run_id)[:40]!r}: {names}")
    return run_id


def _record_types(*kinds: type) -> list[tuple[str, str]]:
    """Lists these classes and all that are derived of them, each as its module and its name."""
    names = [(kind.__module__, kind.__name__) for kind in kinds]
    return [*names, *(name for kind in kinds for name in _record_types(*kind.__subclasses__()))]


def _with_records(saver: Saver) -> Saver:
    """Copies the checkpointer so that it restores the package's records without warnings, if it can."""
    types = _record_types(Span, SentenceSupport, Record)
    copied = saver.with_allowlist(types)
    # A serializer that takes any type warns about each type, and `with_allowlist` does not change that.
    if copied is saver and type(saver.serde) is JsonPlusSerializer:
        copied, fallback = copy(saver), saver.serde.pickle_fallback
        copied.serde = JsonPlusSerializer(pickle_fallback=fallback, allowed_msgpack_modules=types)
    return copied


def revision_of(run_id: str, state: State, meter: Meter) -> Revision:
    """Builds the revision of a run that is done, or that stopped at a limit: each warning comes once.

    Without a report in the state, all sentences are unjudged.
    """
    text, facts = state["text"], cast(dict[str, Any], state)
    refused = withheld(run_id, state.get("edits", []))
    warnings = [*state["warnings"], *state.get("told", []), *meter.warnings, *refused]
    return Revision(
        run_id=run_id,
        original=state["original"],
        text=text,
        changed=text != state["original"],
        **{name: tuple(facts.get(name, ())) for name in ("queries", "evidence", "checks", "edits")},
        report=state.get("report") or unjudged_report(text, sentences(text)),
        scores=state.get("scores", Scores()),
        usage=usage_of(meter, state.get("controls", ())),
        warnings=tuple({notice.model_dump_json(): notice for notice in warnings}.values()),
    )


def budget_of(settings: Settings) -> Budget:
    """Takes the limits of a run from the settings."""
    return Budget(**{field.name: getattr(settings, field.name) for field in fields(Budget)})


def usage_of(meter: Meter, controls: Sequence[Controls] = ()) -> Usage:
    """Reads the usage of a run so far, in total and by node, from its meter."""
    total = meter.total.model_dump(include=set(ModelUsage.model_fields))
    seconds, counted = meter.seconds, sum(controls, start=Controls())
    return Usage(**total, seconds=seconds, by_node=dict(meter.by_node), controls=counted)

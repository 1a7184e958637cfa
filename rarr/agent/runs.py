"""Runs a graph, measures and records each run, and makes the revision, which is the result of a run.

A LangGraph checkpointer stores the state after each node, so that a killed run can be resumed. The id of a
run is also the id of its LangGraph thread. A resumed run repeats the nodes that did not finish.
"""

import asyncio
import re
from abc import abstractmethod
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
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
from rarr.agent.wiring.components import wire
from rarr.agent.wiring.sources import outdated_index_notices, sources_to_search, unused_setting_notices
from rarr.components import Components, close_all
from rarr.errors import InputError
from rarr.ledger.scores import unjudged_report
from rarr.records import RUN_ID, ModelUsage, Notice, Record, Revision, Scores, Usage
from rarr.records.base import Controls
from rarr.settings import Settings
from rarr.state import SentenceSupport, State
from rarr.tools.concurrency import Closable, PerLoop, in_thread, require_awaited, run, work
from rarr.tools.models.run_budget import Budget, Meter, using_meter
from rarr.tools.text.blocks_and_sentences import Span, sentences
from rarr.tools.text.wording import kind_of, lines_by_reason
from rarr.traces.recorder import ReviserRecorder

CompiledGraph = CompiledStateGraph[State, Components, State, State]
Saver = BaseCheckpointSaver[Any]
Checkpointer = Saver | Callable[[], AbstractAsyncContextManager[Saver]]
Result = TypeVar("Result")
Outcome = TypeVar("Outcome")
Runner = TypeVar("Runner", bound=Closable)
Arguments = ParamSpec("Arguments")
RunResult = tuple[Revision, Callable[[Revision], Outcome]]
"""The revision of a run, and the function that makes the outcome, such as an answer, from this revision."""

_MAX_STEPS = 1_000_000  # steps; by default, the limit of an outer graph would apply
_OPENER_EXAMPLE = "a function that opens one: lambda: AsyncSqliteSaver.from_conn_string('runs.sqlite')"


def synchronous(call: Callable[Arguments, Coroutine[Any, Any, Result]]) -> Callable[Arguments, Result]:
    """Makes a synchronous function from an async function, for callers with or without an event loop."""

    @wraps(call)
    def called(*arguments: Arguments.args, **options: Arguments.kwargs) -> Result:
        return run(call(*arguments, **options))

    called.__name__ = call.__name__.removeprefix("a")
    return called


@asynccontextmanager
async def opened_runner(kind: Callable[..., Runner], settings: Mapping[str, Any]) -> AsyncIterator[Runner]:
    """Builds an object such as a `Reviser` on a thread, yields it, and closes it at the end."""
    made: list[Runner] = []

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
        for runner in made:
            await runner.aclose()


class GraphRunner(Closable, Generic[Outcome]):
    """Runs one graph any number of times, with the same components. Stores checkpoints and traces."""

    _writer_nodes: Sequence[str] = ()
    """The nodes of this graph that write text. Each of them needs a language model."""

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
        """Takes `settings`, or the fields of `Settings` as `values`, or `components`.

        Without these arguments, all settings have default values. Raises `RarrError` if something is missing.

        `on_step` gets the name of each node that has finished. While a corpus is indexed, `on_index` gets the
        number of finished files and the number of all files.
        `checkpointer` stores runs for `resume`. It is a LangGraph checkpointer, or a function that returns
        an async context manager, which opens a checkpointer; each event loop calls the function once.
        With `measuring`, results of readers and answers of models are not stored, nor read from the store.
        """
        given = sum((settings is not None, components is not None, bool(values)))
        if given > 1 or not isinstance(settings, Settings | None):
            three = "Settings(...) as settings, components, or fields of settings"
            raise InputError(f"give one of three: {three}")
        used = self._adapt_settings(components.settings if components else settings or Settings(**values))
        is_wired = components is None
        components = components or wire(used, on_index, measuring=measuring, writing_nodes=self._writer_nodes)
        self._components = self._adapt_components(replace(components, settings=used))
        self.settings, self._on_step = self._components.settings, on_step
        self.names_sources = not is_wired or self.settings.names_source
        self._checkpoints = Checkpoints(checkpointer, self._build_graph)
        ours = (*self._components.opened, self._components.retriever, *sources_to_search(self.settings))
        skipped = lines_by_reason(dict.fromkeys(pair for it in ours for pair in getattr(it, "skipped", ())))
        self._notices = [Notice(code="file_skipped", message=line, node="retrieve") for line in skipped]
        self._notices += outdated_index_notices({id(it): it for it in ours}.values())
        self._notices += unused_setting_notices(self._components) if is_wired else []
        is_kept = checkpointer is not None
        self._traces = ReviserRecorder(self.settings, resumable=is_kept) if self.settings.trace else None

    def _adapt_settings(self, settings: Settings) -> Settings:
        """Returns the settings with the changes that this graph needs."""
        return settings

    def _adapt_components(self, components: Components) -> Components:
        """Returns the components as this graph needs them. Raises `RarrError` if a component is missing."""
        return components

    @abstractmethod
    def _build_graph(self) -> Graph: ...

    async def aclose(self) -> None:
        """Closes the connections of this event loop until the next run. The caller's retrievers stay open."""
        await close_all((*self._components.models, *self._components.opened, self._checkpoints))

    async def _run_new_text(
        self, text: str, context: str | None, run_id: str | None, notices: Sequence[Notice] = ()
    ) -> Outcome:
        """Runs the graph for a new text. Adds warnings about skipped files, and `notices`, to the run."""
        run_id, warnings = await self._checkpoints.new_run_id(run_id), [*self._notices, *notices]
        start = State(original=text, text=text, context=context, round=1, warnings=warnings)
        return (await self.arun(start, run_id))[0]

    async def aresume(self, run_id: str) -> Outcome:
        """Continues an interrupted run from its last checkpoint, or returns the outcome of a finished run.

        Use the settings and components with which the run began. An answer that is in the trace of the run is
        not requested again, and counts in `usage` and the budgets. Without a trace, the usage starts at zero.
        Raises `InputError` if there is no checkpointer, and for an unknown run.
        """
        state, done = await self._checkpoints.stored_run(run_id)
        return (await self.arun(state, run_id, resumed=True, done=done))[0]

    resume = synchronous(aresume)

    async def arun(
        self, start: State, run_id: str, *, resumed: bool = False, done: bool = False
    ) -> tuple[Outcome, Revision]:
        """Runs the graph, with a meter and a trace. Returns the outcome and the revision of the run.

        `start` is the first state of the run, or the last state of a `resumed` run. If the run is `done`, the
        graph does not run again, and the trace is written only if the trace has no revision.
        """
        traces, text = self._traces, f"{start.get('context') or ''}\n{start['original']}"
        first = self._first_state(start) if resumed else start
        with using_meter(Meter(budget_of(self.settings), text=text)) as meter:
            kept = await traces.earlier_trace(run_id, first) if traces is not None and resumed else None
            recording: AbstractAsyncContextManager[Any] = nullcontext()
            if traces is not None and (not done or (kept is not None and kept.revision is None)):
                recording = traces.record_run(run_id, first, self._components.baseline, meter, kept)
            async with recording as recorder:
                state = start if done else await self._run_to_end(first, run_id, resumed=resumed)
                if recorder is not None:
                    await recorder.flush()  # a failure to write becomes a warning of the result
                research, outcome_of = await work(self._make_result, run_id, state, meter)
                if recorder is not None:
                    research = await recorder.finish(research)
                elif kept is not None and kept.revision is not None:
                    research = kept.revision
                return outcome_of(research), research

    def _first_state(self, state: State) -> State:
        """Returns the first state of a run whose last state is `state`."""
        return state

    @abstractmethod
    def _make_result(self, run_id: str, state: State, meter: Meter) -> RunResult[Outcome]:
        """Returns the revision of a run with this last `state`, and a function that makes the outcome."""

    async def _run_to_end(self, start: State, run_id: str, *, resumed: bool) -> State:
        return await self._run_graph(None if resumed else start, run_id)

    async def _run_graph(self, start: State | None, run_id: str, block: int = 0) -> State:
        """Runs the graph and returns the last state. If `start` is None, continues from the checkpoint."""
        graph = await self._checkpoints.compiled_graph()
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
    """Builds the graph with its checkpointer, and reads and writes the states of runs.

    If `checkpointer` is None, nothing is stored. If it is a function, each event loop calls it once.
    """

    def __init__(self, checkpointer: Checkpointer | None, build: Callable[[], Graph]) -> None:
        """Raises `InputError` if `checkpointer` is neither None, a LangGraph checkpointer nor a function."""
        usable = checkpointer is None or isinstance(checkpointer, BaseCheckpointSaver)
        if not usable and (hasattr(checkpointer, "__aenter__") or not callable(checkpointer)):
            what = kind_of(checkpointer)
            raise InputError(f"checkpointer is {what}: give a LangGraph checkpointer, or {_OPENER_EXAMPLE}")
        self._checkpointer, self._build = checkpointer, build
        self._loop_graphs = PerLoop(_LoopGraph, lambda ready: ready.opened.aclose())
        self.aclose = self._loop_graphs.aclose  # does not close a checkpointer that the caller made

    async def compiled_graph(self) -> CompiledGraph:
        """Returns the compiled graph. Raises `InputError` if another event loop owns the checkpointer."""
        ready = self._loop_graphs.get()
        async with ready.opening:
            if ready.graph is None:
                saver = self._checkpointer
                if saver is not None and not isinstance(saver, BaseCheckpointSaver):
                    saver = await ready.opened.enter_async_context(saver())
                own = getattr(saver, "loop", None)  # checkpointers of databases have a loop
                if own is not None and own is not asyncio.get_running_loop():
                    cure = f"await arevise and aresume there, or give {_OPENER_EXAMPLE}"
                    raise InputError(f"the checkpointer belongs to another event loop: {cure}")
                # With None, LangGraph uses the checkpointer of an outer graph, whose node calls this run.
                ready.graph = self._build().compile(_with_record_types(saver) if saver else False)
        return ready.graph

    def config(self, run_id: str, block: int = 0) -> RunnableConfig:
        """Makes the LangGraph config of a run (`block` is 0), or of the block with this number."""
        name, thread = (f"rarr block {block}", f"{run_id}/{block}") if block else ("rarr", run_id)
        config = RunnableConfig(run_name=name, metadata={"run_id": run_id}, recursion_limit=_MAX_STEPS)
        return config if self._checkpointer is None else {**config, "configurable": {"thread_id": thread}}

    async def stored_state(self, run_id: str, block: int = 0) -> StateSnapshot | None:
        """Returns the last stored state of a run (`block` is 0) or of a block; None if nothing is stored."""
        if not isinstance(run_id, str) or not re.fullmatch(RUN_ID, run_id):
            names = "give up to 128 letters, digits, dots, dashes and underscores, a letter or digit first"
            what = f"{run_id[:40]!r} (length {len(run_id)})" if isinstance(run_id, str) else kind_of(run_id)
            raise InputError(f"run_id is {what}: {names}")
        if self._checkpointer is None:
            return None
        state = await (await self.compiled_graph()).aget_state(self.config(run_id, block))
        return state if "original" in state.values else None

    async def store_state(self, run_id: str, state: State, *, done: bool) -> None:
        """Stores the `state` of a run in blocks: the last state if the run is `done`, or the first state."""
        if self._checkpointer is not None:
            graph, config = await self.compiled_graph(), self.config(run_id)
            # The graph appends warnings to the stored warnings, which have those of the start.
            before = len((await graph.aget_state(config)).values["warnings"]) if done else 0
            new = {**state, "warnings": state["warnings"][before:]} | ({"lacking": []} if done else {})
            await graph.aupdate_state(config, new, as_node="evaluate" if done else START)

    async def new_run_id(self, run_id: str | None) -> str:
        """Returns `run_id`, or a random id if it is None. Raises `InputError` for a wrong or used id."""
        run_id = uuid4().hex if run_id is None else run_id
        if await self.stored_state(run_id) is not None:
            raise InputError(f"run {run_id!r} was begun before: resume it, or give another run_id")
        return run_id

    async def stored_run(self, run_id: str) -> tuple[State, bool]:
        """Returns a run's last state, and whether the run is done. Raises `InputError` for an unknown run."""
        if self._checkpointer is None:
            raise InputError("no run can be resumed without checkpoints: give Reviser(checkpointer=...)")
        if (kept := await self.stored_state(run_id)) is None:
            raise InputError(f"there is no checkpoint of a run {run_id!r}: revise its text with this run_id")
        # `next` would lack the finished tasks of an unfinished step.
        return cast(State, kept.values), not kept.tasks


class _LoopGraph:
    """The graph and the checkpointer of one event loop."""

    def __init__(self) -> None:
        self.opening, self.opened = asyncio.Lock(), AsyncExitStack()
        self.graph: CompiledGraph | None = None


def _record_types(*kinds: type) -> list[tuple[str, str]]:
    """Lists `kinds` and all their subclasses, each as a pair of module name and class name."""
    names = [(kind.__module__, kind.__name__) for kind in kinds]
    return [*names, *(name for kind in kinds for name in _record_types(*kind.__subclasses__()))]


def _with_record_types(saver: Saver) -> Saver:
    """Returns a copy of the checkpointer that reads the records of this package without a warning."""
    types = _record_types(Span, SentenceSupport, Record)
    copied = saver.with_allowlist(types)
    # A serializer that takes any type warns about each type, and `with_allowlist` does not change that.
    if copied is saver and type(saver.serde) is JsonPlusSerializer:
        copied, fallback = copy(saver), saver.serde.pickle_fallback
        copied.serde = JsonPlusSerializer(pickle_fallback=fallback, allowed_msgpack_modules=types)
    return copied


def revision_of(run_id: str, state: State, meter: Meter) -> Revision:
    """Builds the revision from the last state of a run. A repeated warning is given once.

    If the state has no report, for example because a limit ended the run, all sentences are unjudged.
    """
    text, facts = state["text"], cast(dict[str, Any], state)
    warnings = [*state["warnings"], *state.get("told", []), *meter.warnings]
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
    """Returns the limits of the settings for one run: requests, tokens, cost and time."""
    return Budget(**{field.name: getattr(settings, field.name) for field in fields(Budget)})


def usage_of(meter: Meter, controls: Sequence[Controls] = ()) -> Usage:
    """Returns the usage of a run, in total and by node. Adds up `controls`, which count planted errors."""
    total = meter.total.model_dump(include=set(ModelUsage.model_fields))
    seconds, counted = meter.seconds, sum(controls, start=Controls())
    return Usage(**total, seconds=seconds, by_node=dict(meter.by_node), controls=counted)

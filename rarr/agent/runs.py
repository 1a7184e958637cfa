"""Owns the runs of a graph: its components, traces and checkpoints; meters each run, makes its revision."""

from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import fields
from functools import wraps
from typing import Any, Generic, ParamSpec, TypeVar, cast

from rarr.agent.checkpoints import Checkpointer, Checkpoints
from rarr.agent.wiring.components import wire
from rarr.agent.wiring.sources import unused_settings
from rarr.components import Components, close_all
from rarr.errors import InputError
from rarr.records import ModelUsage, Notice, Report, Revision, Scores, Sentence, Usage
from rarr.records.usage import Controls
from rarr.settings import Settings
from rarr.state import State
from rarr.tools.concurrency import Closable, run, work
from rarr.tools.models.run_budget import METER, Budget, Meter
from rarr.tools.text.blocks_and_sentences import sentences
from rarr.tools.text.wording import by_reason, kind_of
from rarr.traces.recorder import Recording

OnStep = Callable[[str], None]
OnIndex = Callable[[int, int], None]
Result = TypeVar("Result")
Outcome = TypeVar("Outcome")
Arguments = ParamSpec("Arguments")

NODES = (
    *("find_triples", "ask_topic", "plan", "write_section", "cite"),
    *("generate_queries", "retrieve", "rerank", "check_agreement", "edit", "rewrite"),
    *("attribute", "evaluate", "write_answer", "check_statements"),
)
"""The nodes in the order of the usage, which must not depend on the block that reached a node first."""


def settings_of(
    settings: Settings | None, components: Components | None, values: Mapping[str, Any]
) -> Settings:
    """Returns the settings, or those of the `values` of their fields, or of the components.

    Raises `InputError` if more than one of them is given.
    """
    if settings is not None and not isinstance(settings, Settings):
        raise InputError(f"settings is {kind_of(settings)}: give Settings(corpus=...)")
    if components is not None and (settings is not None or values):
        raise InputError("settings and components are both given: components bring their own settings")
    if settings is not None and values:
        raise InputError(f"settings and {next(iter(values))} are both given: put it into the settings")
    return components.settings if components else settings or Settings(**values)


def synchronous(
    call: Callable[Arguments, Coroutine[Any, Any, Result]],
) -> Callable[Arguments, Result]:
    """Makes the form of an async call for callers without an event loop, and inside a running one."""

    @wraps(call)
    def called(*arguments: Arguments.args, **options: Arguments.kwargs) -> Result:
        return run(call(*arguments, **options))

    called.__name__ = call.__name__.removeprefix("a")
    return called


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
        on_step: OnStep | None = None,
        on_index: OnIndex | None = None,
        checkpointer: Checkpointer | None = None,
        **values: Any,
    ) -> None:
        """Give `settings`, or the fields of `Settings` as `values`, or `components`.

        Without any of them, the settings are the defaults. Raises `RarrError` where something is missing.

        `on_step` is called with the name of each node that has finished. `on_index` is called with the number
        of files done and the number of all files, while a corpus is indexed.

        `checkpointer` keeps runs for `resume`. It is a LangGraph checkpointer, or a function that opens one
        as an async context manager, once for each event loop. The owner closes what it opened.
        """
        used, is_wired = settings_of(settings, components, values), components is None
        components = self._adapted(components or wire(self._wired(used), on_index))
        self._components, self.settings = components, components.settings
        self.names_sources = not is_wired or self.settings.names_source
        self._checkpoints = Checkpoints(checkpointer, self._builder(components))
        self._on_step = on_step
        skipped = getattr(components.retriever, "skipped", ())
        self._notices = [
            Notice(code="file_skipped", message=line, node="retrieve") for line in by_reason(skipped)
        ]
        if is_wired:
            self._notices += unused_settings(components)
        resumable = checkpointer is not None
        self._traces = Recording(self.settings, resumable=resumable) if self.settings.trace else None

    def _wired(self, settings: Settings) -> Settings:
        """Returns the settings of which the components are made."""
        return settings

    def _adapted(self, components: Components) -> Components:
        """Returns the components as this graph uses them. Raises `RarrError` where one is missing."""
        return components

    def _builder(self, components: Components) -> Callable[[Any], Any]:
        """Returns the function that builds the graph for a checkpointer."""
        raise NotImplementedError

    async def aclose(self) -> None:
        """Closes files, and the connections that this event loop opened. The next use opens them again.

        A retriever object that the caller gave is not closed.
        """
        await close_all((*self._components.models, *self._components.opened, self._checkpoints))

    def _start(self, text: str, context: str | None, notices: Sequence[Notice] = ()) -> State:
        """Makes the first state of a run; its warnings tell of files left out and of a missing trace."""
        warnings = [*self._notices, *notices]
        return State(original=text, text=text, context=context, round=1, warnings=warnings)

    async def aresume(self, run_id: str) -> Outcome:
        """Continues an interrupted run from its last checkpoint. A finished run asks no model.

        Settings and components are those of this owner: give those with which the run began. Answers in its
        trace are not asked for again, and count in `usage` and the budgets as before; without a trace, the
        usage starts at zero. Raises `InputError` without a checkpointer, and for an unknown run.
        """
        state, done = await self._checkpoints.begun(run_id)
        first = self._first(state)
        outcome, _ = await self.arun(state if done else first, run_id, resumed=True, done=done)
        recorded = await self._traces.revision(run_id, first) if done and self._traces else None
        return outcome if recorded is None else self._with(outcome, recorded)

    resume = synchronous(aresume)

    async def arun(
        self, start: State, run_id: str, *, resumed: bool = False, done: bool = False
    ) -> tuple[Outcome, Revision]:
        """Takes a run through the graph, meters and records it.

        `start` is the first state of the run, or that from which it is `resumed`. With `done` it is the last
        state of a finished run, which is neither walked nor recorded again. Returns the research too, as the
        trace keeps it.
        """
        traces = None if done else self._traces
        text = f"{start.get('context') or ''}\n{start['original']}"
        with using(Meter(budget_of(self.settings), text=text)) as meter:
            recorded = (
                traces.of(run_id, start, self._components.baseline, meter, resumed=resumed)
                if traces
                else nullcontext()
            )
            async with recorded as recorder:
                state = start if done else await self._walk(start, run_id, resumed=resumed)
                if recorder is not None:
                    await recorder.flush()  # a failure to write becomes a warning of the result
                outcome, research = await work(self._made, run_id, state, meter)
                if recorder is not None:
                    research = await recorder.finished(research)
                return self._with(outcome, research), research

    def _first(self, state: State) -> State:
        """Returns the first state of a run that is resumed from `state`."""
        return state

    def _made(self, run_id: str, state: State, meter: Meter) -> tuple[Outcome, Revision]:
        """Makes the outcome and the research of the last state of a run."""
        raise NotImplementedError

    def _with(self, outcome: Outcome, research: Revision) -> Outcome:
        """Puts what the trace keeps of the research into the outcome."""
        raise NotImplementedError

    async def _walk(self, start: State, run_id: str, *, resumed: bool) -> State:
        """Takes a run through the graph, and returns its last state."""
        return await self._through_graph(None if resumed else start, run_id)

    async def _through_graph(self, start: State | None, run_id: str, block: int = 0) -> State:
        """Runs the graph and returns its last state. With None, continues from the last checkpoint."""
        graph = await self._checkpoints.graph()
        call: Any = {"context": self._components, "config": self._checkpoints.config(run_id, block)}
        if self._on_step is None:
            return cast(State, await graph.ainvoke(start, **call))
        state: Any = start
        async for mode, data in graph.astream(start, **call, stream_mode=["updates", "values"]):
            if mode == "values":
                state = data
                continue
            for node in data:
                if node in graph.nodes and not node.startswith("__"):
                    self._on_step(node)
        return cast(State, state)


def revision_of(run_id: str, state: State, meter: Meter) -> Revision:
    """Builds the revision of a run that is done, or that stopped at a limit.

    Without a report in the state, all sentences are unjudged. Each warning comes once: an exhausted budget
    fails every remaining question with the same one.
    """
    text = state["text"]
    told = [*state["warnings"], *state.get("told", []), *meter.warnings]
    return Revision(
        run_id=run_id,
        original=state["original"],
        text=text,
        changed=text != state["original"],
        queries=tuple(state.get("queries", ())),
        evidence=tuple(state.get("evidence", ())),
        checks=tuple(state.get("checks", ())),
        edits=tuple(state.get("edits", ())),
        report=state.get("report") or _unjudged(text),
        scores=state.get("scores", Scores()),
        usage=usage_of(meter, state.get("controls", ())),
        warnings=tuple({notice.model_dump_json(): notice for notice in told}.values()),
    )


def _unjudged(text: str) -> Report:
    return Report(
        sentences=tuple(
            Sentence(text=span.of(text), start=span.start, end=span.end, status="unjudged")
            for span in sentences(text)
        )
    )


def budget_of(settings: Settings) -> Budget:
    """Takes the limits of one run from the settings."""
    return Budget(**{field.name: getattr(settings, field.name) for field in fields(Budget)})


def usage_of(meter: Meter, controls: Sequence[Controls] = ()) -> Usage:
    """Reads the usage of a run so far, in total and by node, from its meter."""
    called = sorted(meter.by_node, key=lambda node: NODES.index(node) if node in NODES else len(NODES))
    total = meter.total.model_dump(include=set(ModelUsage.model_fields))
    return Usage(
        **total,
        seconds=meter.seconds,
        by_node={node: meter.by_node[node] for node in called},
        controls=sum(controls, start=Controls()),
    )

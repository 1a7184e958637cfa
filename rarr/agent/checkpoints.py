"""Stores runs step by step with LangGraph's checkpointers, so that a killed run can be resumed.

The id of a run is the id of its LangGraph thread. A node is done completely or not at all: the requests of a
node that was killed are sent again.
"""

import asyncio
import re
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from copy import copy
from typing import Any, cast
from uuid import uuid4

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph import START
from langgraph.types import StateSnapshot

from rarr import records
from rarr.agent.graph import Graph
from rarr.errors import InputError
from rarr.records import answers, articles, card, usage
from rarr.state import SentenceSupport, State
from rarr.tools.concurrency import PerLoop
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.wording import kind_of

Saver = BaseCheckpointSaver[Any]
Checkpointer = Saver | Callable[[], AbstractAsyncContextManager[Saver]]

_MODULES = (records, articles, answers, card, usage)
_NAMED = tuple(value for module in _MODULES for value in vars(module).values())
_TYPES = (Span, SentenceSupport, *dict.fromkeys(kind for kind in _NAMED if isinstance(kind, type)))
_RECORD_TYPES = [(kind.__module__, kind.__name__) for kind in _TYPES if kind.__module__.startswith("rarr.")]
_NAMES = "give up to 128 letters, digits, dots, dashes and underscores, a letter or digit first"
_NO_RECURSION_LIMIT = 1_000_000  # steps
_OPENING = "lambda: AsyncSqliteSaver.from_conn_string('runs.sqlite')"


class Checkpoints:
    """Builds the graph with its checkpointer, and reads and writes the states of runs.

    If the checkpointer is a function, it is called once for each event loop.
    """

    def __init__(self, checkpointer: Checkpointer | None, build: Callable[[Saver | None], Graph]) -> None:
        """Raises `InputError` for an object that is neither a checkpointer nor a function.

        With None, nothing is stored. `build` builds the graph for a checkpointer.
        """
        usable = checkpointer is None or isinstance(checkpointer, BaseCheckpointSaver)
        if not usable and (hasattr(checkpointer, "__aenter__") or not callable(checkpointer)):
            raise InputError(
                f"checkpointer is {kind_of(checkpointer)}: give a LangGraph checkpointer,"
                f" or a function that opens one: {_OPENING}"
            )
        self._checkpointer = checkpointer
        self._build = build
        self._ready = PerLoop(_Ready, lambda ready: ready.opened.aclose())

    async def graph(self) -> Graph:
        """Returns the compiled graph of the running event loop, built at the first call.

        Raises `InputError` if the checkpointer cannot be opened or belongs to another event loop.
        """
        ready = self._ready.get()
        async with ready.opening:
            if ready.graph is None:
                saver = None
                if self._checkpointer is not None:
                    saver = _with_records(await self._saver(self._checkpointer, ready.opened))
                ready.graph = self._build(saver)
        return ready.graph

    def config(self, run_id: str, block: int = 0) -> RunnableConfig:
        """Makes the LangGraph config for a run, or for one `block` of it (from 1; 0 is the whole run).

        It has a recursion limit: else the limit of a graph that calls this one would hold.
        """
        name = f"rarr block {block}" if block else "rarr"
        limit = _NO_RECURSION_LIMIT
        config = RunnableConfig(run_name=name, metadata={"run_id": run_id}, recursion_limit=limit)
        if self._checkpointer is not None:
            config["configurable"] = {"thread_id": f"{run_id}/{block}" if block else run_id}
        return config

    async def block(self, run_id: str, number: int) -> tuple[State | None, bool]:
        """Reads the last stored state of a block's run, and whether that run is done.

        (None, False) if the run of the block did not start, or without a checkpointer.
        """
        if self._checkpointer is None:
            return None, False
        kept = await (await self.graph()).aget_state(self.config(run_id, number))
        return (cast(State, kept.values), not kept.tasks) if "original" in kept.values else (None, False)

    async def keep(self, run_id: str, state: State, *, done: bool) -> None:
        """Stores the first state of a run by blocks, or its last state if `done`.

        Does nothing without a checkpointer.
        """
        if self._checkpointer is None:
            return
        graph, config = await self.graph(), self.config(run_id)
        new = {**state, "lacking": []} if done else {**state}
        if done:  # the warnings of the start are kept already
            before = (await graph.aget_state(config)).values["warnings"]
            new["warnings"] = state["warnings"][len(before) :]
        await graph.aupdate_state(config, new, as_node="evaluate" if done else START)

    async def new(self, run_id: str | None) -> str:
        """Checks and returns the id of a new run; generates one for None.

        Raises `InputError` if the id is not allowed, or if a run with this id is stored.
        """
        run_id = uuid4().hex if run_id is None else run_id
        if await self._stored_state(run_id) is not None:
            raise InputError(f"run {run_id!r} was begun before: resume it, or give another run_id")
        return run_id

    async def begun(self, run_id: str) -> tuple[State, bool]:
        """Reads the last stored state of a run, and whether the run is done.

        Raises `InputError` if no such run is stored, and without a checkpointer.
        """
        if self._checkpointer is None:
            raise InputError("no run can be resumed without checkpoints: give Reviser(checkpointer=...)")
        if (kept := await self._stored_state(run_id)) is None:
            raise InputError(f"there is no checkpoint of a run {run_id!r}: revise its text with this run_id")
        # `next` lacks tasks that are done in a step that is not.
        return cast(State, kept.values), not kept.tasks

    async def _stored_state(self, run_id: str) -> StateSnapshot | None:
        if not isinstance(run_id, str) or not re.fullmatch(records.RUN_ID, run_id):
            raise InputError(f"run_id is {str(run_id)[:40]!r}: {_NAMES}")
        if self._checkpointer is None:
            return None
        try:
            state = await (await self.graph()).aget_state(self.config(run_id))
        except NotImplementedError:
            raise InputError(f"the checkpointer has no async methods: give {_OPENING}") from None
        return state if "original" in state.values else None  # else it stopped before its first step

    async def aclose(self) -> None:
        """Closes the checkpointer that was opened for this event loop, but none that the caller made."""
        await self._ready.aclose()

    async def _saver(self, given: Checkpointer, opened: AsyncExitStack) -> Saver:
        if not isinstance(given, BaseCheckpointSaver):
            try:
                return await opened.enter_async_context(given())
            except Exception as error:  # each database has its own errors
                reason = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
                raise InputError(f"the checkpointer cannot be opened ({reason}): give {_OPENING}") from None
        own = getattr(given, "loop", None)  # checkpointers of databases have a loop
        if own is not None and own is not asyncio.get_running_loop():
            raise InputError(
                "the checkpointer belongs to another event loop: await arevise and aresume there,"
                f" or give a function that opens one: {_OPENING}"
            )
        return given


class _Ready:
    """The graph and the checkpointer of one event loop."""

    def __init__(self) -> None:
        self.opening = asyncio.Lock()
        self.opened = AsyncExitStack()
        self.graph: Graph | None = None


def _with_records(saver: Saver) -> Saver:
    """Copies the checkpointer so that it restores the package's records without warnings.

    The caller's own is not changed. If it has a serializer of its own, it may be returned as it is.

    A serializer that takes any type warns about each type, and `with_allowlist` does not change that.
    """
    copied = saver.with_allowlist(_RECORD_TYPES)
    if copied is saver and type(saver.serde) is JsonPlusSerializer:
        copied = copy(saver)
        copied.serde = JsonPlusSerializer(
            pickle_fallback=saver.serde.pickle_fallback, allowed_msgpack_modules=_RECORD_TYPES
        )
    return copied

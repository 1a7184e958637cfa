"""Runs that are kept step by step, so that one that was killed goes on: LangGraph's checkpointers.

A run is the thread of its name. A node is done whole or not at all: what one asked that was killed is asked
again.
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
from rarr.agent.graph import Graph, build_graph, pipeline
from rarr.errors import InputError
from rarr.state import State
from rarr.tools.concurrency.per_loop import PerLoop
from rarr.tools.text.document import Span
from rarr.tools.text.nouns import kind_of

Saver = BaseCheckpointSaver[Any]
Checkpointer = Saver | Callable[[], AbstractAsyncContextManager[Saver]]

_TYPES = (Span, *(one for one in vars(records).values() if isinstance(one, type)))
_KEPT = [(one.__module__, one.__name__) for one in _TYPES if one.__module__.startswith("rarr.")]
_NAMES = "give up to 128 letters, digits, dots, dashes and underscores, a letter or digit first"
_OPENING = "lambda: AsyncSqliteSaver.from_conn_string('runs.sqlite')"


class Checkpoints:
    """The graph with its checkpointer; where a function opens that, with one for each event loop."""

    def __init__(self, checkpointer: Checkpointer | None, *, rewriting: bool) -> None:
        """Raises `InputError` for what is neither a checkpointer nor a function. None: nothing is kept."""
        known = checkpointer is None or isinstance(checkpointer, BaseCheckpointSaver)
        if not known and (hasattr(checkpointer, "__aenter__") or not callable(checkpointer)):
            raise InputError(
                f"checkpointer is {kind_of(checkpointer)}: give a LangGraph checkpointer,"
                f" or a function that opens one: {_OPENING}"
            )
        self._checkpointer = checkpointer
        self._rewriting = rewriting
        self._ready = PerLoop(_Ready)

    async def graph(self) -> Graph:
        """That of the running event loop."""
        if self._checkpointer is None:
            return build_graph(rewriting=self._rewriting)
        ready = self._ready.get()
        async with ready.opening:
            if ready.graph is None:
                saver = _knowing_records(await self._saver(self._checkpointer, ready.opened))
                ready.graph = pipeline(rewriting=self._rewriting).compile(checkpointer=saver)
        return ready.graph

    def config(self, run_id: str, block: int = 0) -> RunnableConfig:
        """How LangGraph, and whoever traces it, calls the run, or that of a block of its text."""
        name = f"rarr block {block}" if block else "rarr"
        config = RunnableConfig(run_name=name, metadata={"run_id": run_id})
        if self._checkpointer is not None:
            config["configurable"] = {"thread_id": f"{run_id}/{block}" if block else run_id}
        return config

    async def block(self, run_id: str, number: int) -> tuple[State | None, bool]:
        """The last state of the run of a block, and whether it is done; None where it was not begun."""
        if self._checkpointer is None:
            return None, False
        kept = await (await self.graph()).aget_state(self.config(run_id, number))
        return (cast(State, kept.values), not kept.tasks) if "original" in kept.values else (None, False)

    async def keep(self, run_id: str, state: State, *, done: bool) -> None:
        """Keeps the state with which a run by blocks begins, or which it came to when it is `done`."""
        if self._checkpointer is None:
            return
        graph, config = await self.graph(), self.config(run_id)
        new = {**state, "lacking": []} if done else {**state}
        if done:  # what it began with is there, and is not to come twice
            before = (await graph.aget_state(config)).values["warnings"]
            new["warnings"] = state["warnings"][len(before) :]
        await graph.aupdate_state(config, new, as_node="evaluate" if done else START)

    async def new(self, run_id: str | None) -> str:
        """The name of a run that begins. Raises `InputError` where one of that name is kept."""
        run_id = uuid4().hex if run_id is None else run_id
        if await self._kept(run_id) is not None:
            raise InputError(f"run {run_id!r} was begun before: resume it, or give another run_id")
        return run_id

    async def begun(self, run_id: str) -> tuple[State, bool]:
        """The last state of a run, and whether it is done. Raises `InputError` where there is none."""
        if self._checkpointer is None:
            raise InputError("no run can be resumed without checkpoints: give Reviser(checkpointer=...)")
        if (kept := await self._kept(run_id)) is None:
            raise InputError(f"no checkpoint of a run {run_id!r}: revise its text, with this run_id")
        # `next` lacks the tasks that are done and whose step is not.
        return cast(State, kept.values), not kept.tasks

    async def _kept(self, run_id: str) -> StateSnapshot | None:
        if not isinstance(run_id, str) or not re.fullmatch(records.RUN_ID, run_id):
            raise InputError(f"run_id is {str(run_id)[:40]!r}: {_NAMES}")
        if self._checkpointer is None:
            return None
        try:
            state = await (await self.graph()).aget_state(self.config(run_id))
        except NotImplementedError:
            raise InputError(f"the checkpointer has no async methods: give {_OPENING}") from None
        return state if "original" in state.values else None  # else it was ended before its first step

    async def aclose(self) -> None:
        """Closes what was opened for this event loop."""
        if (ready := self._ready.pop()) is not None:
            await ready.opened.aclose()

    async def _saver(self, given: Checkpointer, opened: AsyncExitStack) -> Saver:
        if not isinstance(given, BaseCheckpointSaver):
            try:
                return await opened.enter_async_context(given())
            except Exception as error:  # each database has its own
                said = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
                raise InputError(f"the checkpointer cannot be opened ({said}): give {_OPENING}") from error
        own = getattr(given, "loop", None)  # those of databases have one
        if own is not None and own is not asyncio.get_running_loop():
            raise InputError(
                "the checkpointer belongs to another event loop: await arevise and aresume there,"
                f" or give a function that opens one: {_OPENING}"
            )
        return given


class _Ready:
    """What one event loop uses."""

    def __init__(self) -> None:
        self.opening = asyncio.Lock()
        self.opened = AsyncExitStack()
        self.graph: Graph | None = None


def _knowing_records(saver: Saver) -> Saver:
    """One that makes our records again, and says nothing of it; the caller's own is left as it is.

    A serializer that takes any type warns of each, and is not told otherwise by `with_allowlist`.
    """
    knowing = saver.with_allowlist(_KEPT)
    if knowing is saver and type(saver.serde) is JsonPlusSerializer:
        knowing = copy(saver)
        knowing.serde = JsonPlusSerializer(
            pickle_fallback=saver.serde.pickle_fallback, allowed_msgpack_modules=_KEPT
        )
    return knowing

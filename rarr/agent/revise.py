"""The public calls: `revise`, `arevise`, and `Reviser` for many texts."""

import asyncio
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

from rarr.agent.components import Components
from rarr.agent.settings import Settings
from rarr.agent.state import Spent, State
from rarr.errors import InputError
from rarr.records import NodeUsage, Notice, Report, Revision, Scores, Sentence, Usage
from rarr.tools.document import sentences

NODES = frozenset(
    ("generate_queries", "retrieve", "rerank", "check_agreement", "edit", "attribute", "evaluate")
)


class Reviser:
    """Builds models, indexes and the graph once; revises any number of texts, also at the same time."""

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        components: Components | None = None,
        on_step: Callable[[str], None] | None = None,
        on_index: Callable[[int, int], None] | None = None,
    ) -> None:
        """`components` are given instead of `settings`. Raises `RarrError` where something is missing.

        `on_step` is told the name of every node that has finished, and `on_index` the number of files done,
        and of all files, while a corpus is indexed.
        """
        if settings is not None and not isinstance(settings, Settings):
            raise InputError(f"settings is {type(settings).__name__}: give Settings(corpus=...)")
        if settings is not None and components is not None:
            raise InputError("settings and components are both given: components bring their own settings")
        # The graph and the wiring take a second to import; `import rarr` need not wait for them.
        from rarr.agent.graph import build_graph
        from rarr.agent.wiring import wire

        self._components = components or wire(settings or Settings(), on_index)
        self._graph = build_graph()
        self._on_step = on_step

    def revise(self, text: str, context: str | None = None) -> Revision:
        """`arevise`, for callers without an event loop and for those inside a running one alike."""
        return _run(self.arevise(text, context))

    async def arevise(self, text: str, context: str | None = None) -> Revision:
        """Researches `text` in the light of `context` (a question, prior turns) and revises it.

        Raises `InputError` for a text that cannot be revised; everything later becomes a warning.
        """
        _validate(text, "text")
        if context is not None:
            _validate(context, "context")
        started = time.perf_counter()
        state = await self._run(
            {"original": text, "text": text, "context": context, "warnings": self._corpus_notices()}
        )
        return _revision(state, time.perf_counter() - started)

    async def _run(self, start: State) -> State:
        if self._on_step is None:
            return cast(State, await self._graph.ainvoke(start, context=self._components))
        state: Any = start
        steps = self._graph.astream(
            start, context=self._components, stream_mode=["updates", "values"], subgraphs=True
        )
        async for namespace, mode, data in steps:
            if mode == "updates":
                for node in data:
                    if node in NODES:
                        self._on_step(node)
            elif not namespace:
                state = data
        return cast(State, state)

    def _corpus_notices(self) -> list[Notice]:
        skipped: Sequence[tuple[str, str]] = getattr(self._components.retriever, "skipped", ())
        return [
            Notice(code="file_skipped", message=f"{file} is not searched: {reason}", node="retrieve")
            for file, reason in skipped
        ]


def revise(text: str, context: str | None = None, **settings: Any) -> Revision:
    """Revises one text. `settings` are the fields of `Settings`, such as `corpus="notes/"`."""
    return Reviser(Settings(**settings)).revise(text, context)


async def arevise(text: str, context: str | None = None, **settings: Any) -> Revision:
    """`revise` for async callers."""
    reviser = await asyncio.to_thread(lambda: Reviser(Settings(**settings)))
    return await reviser.arevise(text, context)


def _run(coroutine: Coroutine[Any, Any, Revision]) -> Revision:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    # A notebook's loop is running and cannot be entered again: the run gets a loop of its own.
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


def _validate(text: object, name: str) -> None:
    if not isinstance(text, str):
        raise InputError(f"{name} is {type(text).__name__}, not str: decode or convert it first")
    if not text.strip():
        raise InputError(f"{name} is empty: give at least one sentence")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"{name} holds a lone surrogate at character {error.start}: decode its bytes as UTF-8"
        ) from None


def _revision(state: State, seconds: float) -> Revision:
    text = state["text"]
    unjudged = tuple(
        Sentence(text=span.of(text), start=span.start, end=span.end, status="unjudged")
        for span in sentences(text)
    )
    return Revision(
        run_id=uuid.uuid4().hex,
        original=state["original"],
        text=text,
        changed=text != state["original"],
        queries=tuple(state.get("queries", ())),
        evidence=tuple(state.get("evidence", ())),
        checks=tuple(state.get("checks", ())),
        edits=tuple(state.get("edits", ())),
        report=state.get("report", Report(sentences=unjudged)),
        scores=state.get("scores", Scores()),
        usage=_usage(state.get("spent", ()), seconds),
        warnings=tuple(state["warnings"]),
    )


def _usage(spent: Sequence[Spent], seconds: float) -> Usage:
    calls: dict[str, list[float]] = defaultdict(list)
    for one in spent:
        calls[one.node].append(one.seconds)
    by_node = {node: NodeUsage(calls=len(each), seconds=sum(each)) for node, each in calls.items()}
    return Usage(seconds=seconds, by_node=by_node)

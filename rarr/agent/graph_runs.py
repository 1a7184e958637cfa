"""Runs the graph for one text, as a whole or block by block, with checkpoints."""

from collections.abc import Callable
from typing import Any, cast

from rarr.agent.block_runs import by_blocks as revised_by_blocks
from rarr.agent.checkpoints import Checkpoints
from rarr.components import Components
from rarr.state import State


class GraphRuns:
    """Runs a graph. `on_step` is called with the name of each node that has finished.

    `on_update` is called with its name and its update of the state.
    """

    def __init__(
        self,
        checkpoints: Checkpoints,
        on_step: Callable[[str], None] | None,
        on_update: Callable[[str, State], None] | None = None,
    ) -> None:
        self._checkpoints, self._on_step, self._on_update = checkpoints, on_step, on_update

    async def by_blocks(
        self, start: State, size: int, run_id: str, components: Components, *, resumed: bool
    ) -> State:
        """Revises in blocks of about `size` characters, and returns the last state of the whole run.

        Blocks that the checkpoints hold as done are not revised again.
        """
        if not resumed:
            await self._checkpoints.keep(run_id, start, done=False)

        async def run_block(block_start: State) -> State:
            number = block_start["block"]
            state, done = await self._checkpoints.block(run_id, number)
            if state is not None and done:
                return state
            return await self.through_graph(
                block_start if state is None else None, run_id, components, number
            )

        state = await revised_by_blocks(start, size, components, run_block)
        await self._checkpoints.keep(run_id, state, done=True)
        return state

    async def through_graph(
        self, start: State | None, run_id: str, components: Components, block: int = 0
    ) -> State:
        """Runs the graph and returns its last state. With None, continues from the last checkpoint."""
        graph = await self._checkpoints.graph()
        call: Any = {"context": components, "config": self._checkpoints.config(run_id, block)}
        if self._on_step is None and self._on_update is None:
            return cast(State, await graph.ainvoke(start, **call))
        state: Any = start
        async for mode, data in graph.astream(start, **call, stream_mode=["updates", "values"]):
            if mode == "values":
                state = data
                continue
            for node, update in data.items():
                if node in graph.nodes and not node.startswith("__"):
                    self._tell(node, cast(State, update or {}))
        return cast(State, state)

    def _tell(self, node: str, update: State) -> None:
        if self._on_step is not None:
            self._on_step(node)
        if self._on_update is not None:
            self._on_update(node, update)

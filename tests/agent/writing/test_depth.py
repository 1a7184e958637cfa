"""How many calls and searches wait for one another, whatever the number of sections."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from agent.writing.mill_articles import TOPIC, MillSearch, answers, require_right, settings_of
from rarr import Writer
from rarr.records import Passage
from rarr.testing import ScriptedModel
from rarr.tools.models.chat import Answer, ChatRequest

_STUCK_S = 20.0


class Waves:
    """Counts how often work begins while none is under way; each wave waits until `sizes` has come."""

    def __init__(self, sizes: dict[str, int]) -> None:
        self.names: list[str] = []
        self._sizes, self._came, self._full = sizes, Counter[str](), dict[str, asyncio.Event]()

    async def wait(self, name: str) -> None:
        """Returns when as many as expected wait for `name`; one after another would be stuck."""
        if name not in self.names:
            self.names.append(name)
        full = self._full.setdefault(name, asyncio.Event())
        self._came[name] += 1
        assert self._came[name] <= self._sizes[name], f"{name} came again"
        if self._came[name] == self._sizes[name]:
            full.set()
        await asyncio.wait_for(full.wait(), _STUCK_S)


class WaitingModel(ScriptedModel):
    def __init__(self, waves: Waves, script: Any) -> None:
        super().__init__(script)
        self._waves = waves

    async def complete(self, ask: ChatRequest) -> Answer:
        await self._waves.wait(ask.name)
        return await super().complete(ask)


class WaitingSearch(MillSearch):
    def __init__(self, waves: Waves) -> None:
        super().__init__(0.0)
        self._waves = waves

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        await self._waves.wait("topic" if query == TOPIC else "sections")
        return await super().retrieve(query, k)


@pytest.mark.parametrize("sections", [3, 6, 10])
async def test_an_article_waits_for_three_calls_and_two_searches(sections: int) -> None:
    wrong = sections // 3
    waves = Waves(
        {"topic": 1, "outline": 1, "sections": sections, "write_section": sections, "check_agreement": 1}
    )
    settings = settings_of(WaitingModel(waves, answers(sections, wrong)), WaitingSearch(waves), trace=False)
    async with Writer(settings) as writer:
        require_right(await writer.awrite(TOPIC), sections)
    # 3L + 2S, which is at most 4L + S, since a search does not take longer than a call. The last call reads
    # the sentences that no passage supports.
    assert waves.names == ["topic", "outline", "sections", "write_section", "check_agreement"]

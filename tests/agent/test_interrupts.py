"""`revise` in an application that is interrupted: it raises at once, nothing goes on, and it works again."""

import asyncio
import os
import signal
from collections.abc import Sequence

import pytest
from component_doubles import ScriptedQueries, scripted_components

from rarr import Passage, Reviser, Trace
from rarr.testing import InMemoryRetriever
from rarr.tools import concurrency

TEXT = "The mill opened in 1973."


class Interrupts(InMemoryRetriever):
    """Interrupts this process the first time that it is asked, and answers nobody then."""

    def __init__(self) -> None:
        super().__init__(["The mill opened in 1937."])
        self.ended: list[str] = []

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        if self.ended:
            return await super().retrieve(query, k)
        try:
            await asyncio.sleep(0.05)  # until the caller waits
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(60)
        finally:
            self.ended.append(query)
        raise AssertionError("it was not interrupted")


def reviser(retriever: InMemoryRetriever) -> Reviser:
    queries = ScriptedQueries([("When did the mill open?", "1973")])
    return Reviser(components=scripted_components(query_generator=queries, retriever=retriever))


def test_interrupted_reviser_is_used_again() -> None:
    with reviser(retriever := Interrupts()) as interrupted:
        with pytest.raises(KeyboardInterrupt):
            interrupted.revise(TEXT, run_id="first")
        assert retriever.ended
        assert concurrency.run(tasks()) == 1  # this task
        again = interrupted.revise(TEXT)
    with reviser(InMemoryRetriever(["The mill opened in 1937."])) as undisturbed:
        other = undisturbed.revise(TEXT)
    assert (again.text, again.queries, again.warnings) == (other.text, other.queries, other.warnings)
    assert Trace.load("first").status == "failed"


async def tasks() -> int:
    return len(asyncio.all_tasks())

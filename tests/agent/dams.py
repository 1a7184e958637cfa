"""Sources and answers about a dam, and a source that never answers."""

import asyncio
import threading
from collections.abc import Sequence

from rarr import Reviser, Settings
from rarr.records import Passage
from rarr.testing import InMemoryRetriever

HEIGHT = "Hoover Dam is 221 metres high and 379 metres long."
YEAR = "Hoover Dam was completed in 1936."
WRONG, RIGHT = "The Hoover Dam is 212 metres high.", "The Hoover Dam is 221 metres high."
FINISHED = "It was completed in 1936."
UNKNOWN = "It belongs to the state of Nevada."
ANSWER = f"{WRONG} {FINISHED} {UNKNOWN}"


class Silent:
    """A source that never answers. `asked` and `cancelled` are set when a search began and was cancelled."""

    def __init__(self) -> None:
        self.asked, self.cancelled = threading.Event(), threading.Event()

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        self.asked.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        return []


def run_once() -> None:
    """Imports all that a run needs: a first import can take longer than the deadline of a test."""
    with Reviser(Settings(search=InMemoryRetriever([HEIGHT]), trace=False)) as reviser:
        reviser.revise(WRONG)

"""How late an event loop is while it revises, as LangGraph's server or any other application notices it.

    python -m benchmarks.loop_lag

A task asks to be woken every 2 ms and notes how late it is woken. At the same time, example texts are revised
against the example documents, with the default settings and a trace, as `langgraph dev` does it. The first
row is measured with nothing to revise. The last column is the most CPU that the thread of the loop used
between two wake-ups. It includes garbage collection, but no other threads and processes.
"""

import argparse
import asyncio
import itertools
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np

from benchmarks.report import machine, table
from rarr import Reviser, Settings

EVERY_S = 0.002
HEAD = ("revised", "seconds", "median lag, ms", "99 of 100, ms", "longest, ms", "CPU at most, ms")
EXAMPLES = Path(__file__).parent.parent / "examples"


def main() -> None:
    """Prints a row for each length, and one for several texts at once."""
    options = argparse.ArgumentParser()
    options.add_argument("--words", type=int, nargs="*", default=[150, 1000, 3000])
    print(f"{machine()}\n")
    asyncio.run(measure(options.parse_args().words))


async def measure(lengths: list[int]) -> None:
    """Measures one reviser after a first run, and prints the table."""
    with tempfile.TemporaryDirectory() as home:
        settings = Settings(corpus=EXAMPLES / "corpus", home=Path(home))
        async with await asyncio.to_thread(Reviser, settings) as reviser:
            await reviser.arevise(text_of(150))
            together = (reviser.arevise(text_of(150, first)) for first in range(4))
            rows = [
                await row("nothing", asyncio.sleep(2)),
                *[await row(f"{words} words", reviser.arevise(text_of(words))) for words in lengths],
                await row("4 times 150 words at once", asyncio.gather(*together)),
            ]
    print(table(HEAD, rows))


async def row(name: str, revising: Awaitable[object]) -> list[str]:
    """Measures the lag while `revising` is awaited; a row of the table."""
    started = time.perf_counter()
    async with heartbeat() as beats:
        await revising
    seconds = time.perf_counter() - started
    lags, spent = zip(*beats, strict=True)
    figures = [1000 * value for value in (np.median(lags), np.quantile(lags, 0.99), max(lags), max(spent))]
    return [name, f"{seconds:.1f}", *(f"{figure:.1f}" for figure in figures)]


@asynccontextmanager
async def heartbeat() -> AsyncIterator[list[tuple[float, float]]]:
    """For each wake-up, the seconds that it was late and the CPU seconds of this thread since the last."""
    beats: list[tuple[float, float]] = []

    async def beat() -> None:
        while True:
            due, before = time.perf_counter() + EVERY_S, time.thread_time()
            await asyncio.sleep(EVERY_S)
            beats.append((time.perf_counter() - due, time.thread_time() - before))

    beating = asyncio.create_task(beat())
    try:
        yield beats
    finally:
        await asyncio.sleep(2 * EVERY_S)  # so that a lag at the end counts
        beating.cancel()


def text_of(words: int, first: int = 0) -> str:
    """The example texts one after another, from number `first` on, cut at `words` words."""
    texts = [path.read_text() for path in sorted((EXAMPLES / "texts").glob("*.md"))]
    order = itertools.cycle(texts[first:] + texts[:first])
    stream = itertools.chain.from_iterable(f"{text}\n\n".split(" ") for text in order)
    return " ".join(itertools.islice(stream, words))


if __name__ == "__main__":
    main()

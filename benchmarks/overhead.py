"""What `rarr` itself costs: CPU a text with a model that takes no time, and throughput with one that does.

    python -m benchmarks.overhead

CPU: 6 queries, 2 disagreements, a model in this process, no text seen before. Throughput: a scripted server,
in a process of its own on the loopback, takes half a second for every answer; 64 requests at once are
allowed, and the ideal is a model that always has 64 to answer.
"""

import argparse
import asyncio
import gc
import resource
import statistics
import time

from benchmarks import mills
from benchmarks.harness import machine, met, parser, resident_mb, served
from rarr import Reviser, Settings
from rarr.testing import ScriptedModel

QUERIES, WRONG = 6, 2
MOST_MS, LEAST_SHARE = 15, 0.9


def main() -> None:
    """Prints all parts."""
    options = _options()
    print(f"{machine()}\n")
    milliseconds = asyncio.run(cpu(options.runs))
    middle = statistics.median(milliseconds)
    print(
        f"CPU a text ({QUERIES} queries, {WRONG} disagreements, {options.runs} texts): median {middle:.1f} ms"
        f" [{min(milliseconds):.1f} to {max(milliseconds):.1f}]; at most {MOST_MS}: {met(middle <= MOST_MS)}"
    )
    with served(mills.answer, latency=options.call) as url:
        asyncio.run(throughput(url, options))


async def cpu(runs: int) -> list[float]:
    """Milliseconds of CPU, of all threads, for each text."""
    spent = []
    async with Reviser(settings_for(ScriptedModel(mills.answer))) as reviser:
        await reviser.arevise(mills.text_of(QUERIES, WRONG))
        for number in range(1, runs + 1):
            text = mills.text_of(QUERIES, WRONG, first=QUERIES * number)
            started = time.process_time()
            revision = await reviser.arevise(text)
            spent.append(1000 * (time.process_time() - started))
            assert sum(edit.accepted for edit in revision.edits) == WRONG
    return spent


async def throughput(url: str, options: argparse.Namespace) -> None:
    """Texts a second, and the memory of this process after each tenth of the texts."""
    settings = settings_for("vllm:scripted", base_url=url, concurrency=options.concurrency)
    gate = asyncio.Semaphore(options.texts_at_once)
    calls, done = 0, 0
    memory: list[float] = []

    async with Reviser(settings) as reviser:

        async def revise_text(number: int) -> None:
            nonlocal calls, done
            async with gate:
                revision = await reviser.arevise(mills.text_of(QUERIES, WRONG, first=QUERIES * number))
            assert revision.text == mills.text_of(QUERIES, 0, first=QUERIES * number), revision.warnings
            calls += revision.usage.model_calls
            done += 1
            if done % (options.texts // 10) == 0:
                gc.collect()
                memory.append(resident_mb())

        await revise_text(options.texts)
        calls, done = 0, 0
        memory.clear()
        cpu_before, started = time.process_time(), time.perf_counter()
        await asyncio.gather(*(revise_text(number) for number in range(options.texts)))
        seconds, busy = time.perf_counter() - started, time.process_time() - cpu_before
    ideal = calls * options.call / options.concurrency
    share = ideal / seconds
    print(
        f"{options.texts} texts, {calls} calls of {options.call:g} s, {options.concurrency} at once,"
        f" {options.texts_at_once} texts at once: {seconds:.1f} s, {options.texts / seconds:.1f} texts/s,"
        f" {share:.0%} of the ideal; at least {LEAST_SHARE:.0%}: {met(share >= LEAST_SHARE)}"
    )
    print(f"CPU a text, the client's HTTP included: {1000 * busy / options.texts:.1f} ms")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    after_each_tenth = " ".join(f"{megabytes:.0f}" for megabytes in memory)
    print(f"memory in MB after each tenth: {after_each_tenth}; peak {peak:.0f}")


def settings_for(model: object, **more: object) -> Settings:
    """Makes settings whose only work is that of `rarr` and of the model."""
    return Settings(model=model, search=mills.SlowDocuments(0), **more)


def _options() -> argparse.Namespace:
    made = parser(__doc__)
    made.add_argument("--runs", type=int, default=100, help="texts that CPU is measured on")
    made.add_argument("--texts", type=int, default=1000, help="texts of the throughput part")
    made.add_argument("--texts-at-once", type=int, default=64, help="texts under way at once")
    made.add_argument("--concurrency", type=int, default=64, help="requests at once")
    made.add_argument("--call", type=float, default=0.5, help="seconds for an answer")
    return made.parse_args()


if __name__ == "__main__":
    main()

"""Measures what `rarr` itself costs: the CPU time of a text, and how many texts it revises in a second.

    python -m benchmarks.overhead

CPU: each text has 6 queries and 2 disagreements, and was not seen before; the model is in this process and
takes no time. Throughput: a scripted server in another process takes half a second for every answer. `rarr`
may send 64 requests at once. In the ideal case, the server has 64 requests to answer all the time.
"""

import asyncio
import statistics
import time

from benchmarks import mills
from benchmarks.harness import machine, make_parser, met, serve_apart
from rarr import Reviser, Settings
from rarr.testing import ScriptedModel

QUERIES, WRONG, CALL_S, AT_ONCE = 6, 2, 0.5, 64
MOST_MS, LEAST_SHARE = 15, 0.9


def main() -> None:
    made = make_parser(__doc__)
    made.add_argument("--runs", type=int, default=100, help="texts that CPU is measured on")
    made.add_argument("--texts", type=int, default=1000, help="texts of the throughput part")
    options = made.parse_args()
    print(f"{machine()}\n")
    milliseconds = asyncio.run(measure_cpu(options.runs))
    middle = statistics.median(milliseconds)
    print(
        f"CPU a text ({QUERIES} queries, {WRONG} disagreements, {options.runs} texts): median {middle:.1f} ms"
        f" [{min(milliseconds):.1f} to {max(milliseconds):.1f}]; at most {MOST_MS}: {met(middle <= MOST_MS)}"
    )
    with serve_apart(mills.respond, latency=CALL_S) as url:
        asyncio.run(print_throughput(url, options.texts))


async def measure_cpu(runs: int) -> list[float]:
    spent = []
    async with Reviser(settings_for(ScriptedModel(mills.respond))) as reviser:
        await reviser.arevise(mills.mills_text(QUERIES, WRONG))
        for number in range(1, runs + 1):
            text = mills.mills_text(QUERIES, WRONG, first=QUERIES * number)
            started = time.process_time()
            revision = await reviser.arevise(text)
            spent.append(1000 * (time.process_time() - started))
            assert sum(edit.accepted for edit in revision.edits) == WRONG
    return spent


async def print_throughput(url: str, texts: int) -> None:
    settings = settings_for("vllm:scripted", base_url=url, concurrency=AT_ONCE)
    gate = asyncio.Semaphore(AT_ONCE)

    async with Reviser(settings) as reviser:

        async def calls_of(number: int) -> int:
            async with gate:
                revision = await reviser.arevise(mills.mills_text(QUERIES, WRONG, first=QUERIES * number))
            assert revision.text == mills.mills_text(QUERIES, 0, first=QUERIES * number), revision.warnings
            return revision.usage.model_calls

        await calls_of(texts)
        cpu_before, started = time.process_time(), time.perf_counter()
        calls = sum(await asyncio.gather(*map(calls_of, range(texts))))
        seconds, busy = time.perf_counter() - started, time.process_time() - cpu_before
    share = calls * CALL_S / AT_ONCE / seconds
    print(
        f"{texts} texts, {calls} calls of {CALL_S:g} s, {AT_ONCE} texts and calls at once: {seconds:.1f} s,"
        f" {texts / seconds:.1f} texts/s, {share:.0%} of the ideal; at least {LEAST_SHARE:.0%}:"
        f" {met(share >= LEAST_SHARE)}"
    )
    print(f"CPU a text, the client's HTTP included: {1000 * busy / texts:.1f} ms")


def settings_for(model: object, **more: object) -> Settings:
    """Makes settings with a search that takes no time, so that only `rarr` and the model work."""
    return Settings(model=model, search=mills.SlowDocuments(0), **more)


if __name__ == "__main__":
    main()

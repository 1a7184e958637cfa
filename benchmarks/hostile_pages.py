"""The cost of hostile pages and answers, and of an ordinary page at the same time.

Run it with `python -m benchmarks.hostile_pages`. It makes the pages and reads each of them alone. Then it
reads eight PDFs and three pages of HTML at once, with ordinary pages in between. Last, a server answers with
a megabyte that unpacks to a thousand. Memory is the resident memory, as Linux reports it, of this process and
of the processes that read pages. The limit of a call counts only memory that its process did not have before:
each page alone gets a new process that has read an ordinary page, and "MB more" is the memory beyond that.
The exit status is 1 if a page exceeds its limit, or if a process or thread is left at the end.
"""

import asyncio
import gzip
import statistics
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.hostile_makers import HTML, ORDINARY, OTHER
from rarr.retrievers.corpus.chunking import windows
from rarr.retrievers.extract import limited_calls as processes
from rarr.retrievers.extract.extracted_document import UnreadableError
from rarr.retrievers.extract.limited_calls import PAGE, extracted
from rarr.retrievers.extract.web_page_text import extract_page
from rarr.retrievers.web.service_requests import JsonService
from rarr.tools.models.langchain_chat import langchain_chat

GRACE_S = 3.0
"""Seconds beyond its limit in which a call has to end, the start of its process included."""
ORDINARY_PAGES = 20
UNPACKED = 1_000_000_000
TOUCHED_MB = 20.0
"""Megabytes that a call may hold beyond its limit: pages that its process had reserved and not yet used."""


class Memory:
    """The most megabytes that this process, and any process that reads pages, held inside the block."""

    async def __aenter__(self) -> "Memory":
        self.own_megabytes = self.reader_megabytes = 0.0
        self.megabytes_before = max(map(_megabytes, map(str, processes.pids())), default=0.0)
        self._watching = asyncio.create_task(self._watch())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._look()
        self._watching.cancel()

    async def _watch(self) -> None:
        while True:
            self._look()
            await asyncio.sleep(0.02)

    def _look(self) -> None:
        self.own_megabytes = max(self.own_megabytes, _megabytes("self"))
        self.reader_megabytes = max(self.reader_megabytes, *map(_megabytes, map(str, processes.pids())), 0.0)


def _megabytes(pid: str) -> float:
    try:
        status = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:  # it has ended, or this is not Linux
        return 0.0
    return next((int(line.split()[1]) * 1024 / 1e6 for line in status if line.startswith("VmRSS:")), 0.0)


async def read(content: bytes, kind: str) -> str:
    """Reads a page and cuts it into passages. Returns the counts, or the reason why it cannot be read."""
    try:
        page = await extracted(extract_page, content, kind, None)
        passages = await extracted(partial(windows, window=4, step=1), page.text)
    except UnreadableError as error:
        return str(error)
    return f"{len(page.text):,} characters, {len(passages)} passages"


async def pages_over_limit() -> list[str]:
    """Reads each page alone, prints its costs, and returns the pages over the limits of their two calls."""
    over_limit = []
    print(f"{'each alone':28} {'KB':>6} {'gzip':>6} {'s':>6} {'MB own':>7} {'MB read':>8} {'MB more':>8}")
    pages = {name: (make, "text/html") for name, make in HTML.items()} | OTHER
    for name, (make, kind) in pages.items():
        content = make()
        sizes = f"{len(content) / 1000:6.0f} {len(gzip.compress(content, 6)) / 1000:6.0f}"
        processes.end_idle()
        await extracted(extract_page, ORDINARY, "text/html", None)
        async with Memory() as memory:
            started = time.perf_counter()
            outcome = await read(content, kind)
            seconds = time.perf_counter() - started
        more = memory.reader_megabytes - memory.megabytes_before
        held = f"{memory.own_megabytes:7.0f} {memory.reader_megabytes:8.0f} {more:8.0f}"
        print(f"{name:28} {sizes} {seconds:6.2f} {held} {outcome}", flush=True)
        if seconds > 2 * (PAGE.seconds + GRACE_S) or more > PAGE.megabytes + TOUCHED_MB:
            over_limit.append(name)
    return over_limit


async def ordinary_seconds(extract: Callable[..., Awaitable[object]] = extracted) -> list[float]:
    """Reads ordinary pages one after another; the seconds of each."""
    times = []
    for _ in range(ORDINARY_PAGES):
        started = time.perf_counter()
        await extract(extract_page, ORDINARY, "text/html", None)
        times.append(time.perf_counter() - started)
        await asyncio.sleep(0.1)
    return times


def _shown(times: Sequence[float]) -> str:
    middle, most = 1000 * statistics.median(times), 1000 * max(times)
    return f"{middle:.1f} ms in the middle, {most:.1f} ms at most"


async def print_ordinary_pages() -> None:
    """Prints the time of an ordinary page, alone and while hostile pages are read."""
    await extracted(extract_page, ORDINARY, "text/html", None)  # warm
    in_thread = await ordinary_seconds(asyncio.to_thread)
    print(f"\nan ordinary page of {len(ORDINARY) / 1000:.0f} KB")
    print(f"  in a thread, as it was before: {_shown(in_thread)}")
    print(f"  in a process: {_shown(await ordinary_seconds())}")
    pages = [(OTHER["PDF"][0](), "application/pdf")] * 8 + [(HTML["headings"](), "text/html")] * 3
    async with Memory() as memory:
        started = time.perf_counter()
        hostile = [asyncio.create_task(read(*page)) for page in pages]
        await asyncio.sleep(0.1)
        print(f"  in a process, behind {len(pages)} hostile pages: {_shown(await ordinary_seconds())}")
        outcomes = await asyncio.gather(*hostile)
        seconds = time.perf_counter() - started
    print(
        f"  those took {seconds:.1f} s and {memory.own_megabytes:.0f} MB here,"
        f" {memory.reader_megabytes:.0f} MB in a process:"
    )
    for outcome in sorted(set(outcomes)):
        print(f"    {outcomes.count(outcome)} times: {outcome}")


async def serve(body: bytes) -> asyncio.Server:
    """A server on this machine that answers every request with `body`."""

    async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n"
        writer.write(f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)
        writer.close()

    return await asyncio.start_server(reply, "127.0.0.1", 0)


async def print_large_answers() -> None:
    """Prints the cost of an answer that unpacks to a gigabyte, from a model and from a search."""
    packing = gzip.compress(b" " * 10_000_000, 6)
    body = packing * (UNPACKED // 10_000_000)
    print(f"\nan answer of {len(body) / 1e6:.1f} MB in gzip that holds {UNPACKED / 1e6:.0f} MB")
    server = await serve(body)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    model = langchain_chat("vllm:m", base_url=url, max_retries=0, timeout=60)
    search = JsonService("SearXNG", cures={0: "mend it"}, timeout_s=60, attempts=1)
    for name, ask in (("model", model.probe), ("search", partial(search.get, url, {}))):
        await _print_answer(name, ask)
    await model.aclose()
    await search.aclose()
    server.close()


async def _print_answer(name: str, ask: Callable[[], Awaitable[Any]]) -> None:
    async with Memory() as memory:
        before, started = _megabytes("self"), time.perf_counter()
        try:
            outcome = str(await ask())
        except Exception as error:
            outcome = str(error)
        seconds = time.perf_counter() - started
    print(f"  {name}: {seconds:.2f} s, {memory.own_megabytes - before:.0f} MB more here: {outcome}")


def left_running() -> list[str]:
    """The processes and threads that still run when no page is read any more."""
    processes.end_idle()
    end = time.monotonic() + GRACE_S
    while time.monotonic() < end and (processes.pids() or _threads()):
        time.sleep(0.01)
    return [*map(str, processes.pids()), *_threads()]


def _threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name in ("rarr-extract", "rarr-watch")]


async def main() -> int:
    most = processes.AT_ONCE
    print(f"limits of a call: {PAGE.seconds:g} s, {PAGE.megabytes} MB more than its process has")
    print(f"{most} processes at most\n")
    over_limit = await pages_over_limit()
    await print_ordinary_pages()
    await print_large_answers()
    left = await asyncio.to_thread(left_running)
    print(f"\nbeyond the limit: {', '.join(over_limit) or 'no page'}")
    print(f"left over: {', '.join(left) or 'no process and no thread'}")
    return 1 if left or over_limit else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))

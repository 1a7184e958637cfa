"""What `rarr serve` carries: many clients, a server behind that fails, and clients that leave.

    python -m benchmarks.serve_load [--clients N] [--seconds S] [--seed N]

The server behind is the scripted server, in a process of its own, and so is `rarr serve`.
"""

import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2

from benchmarks.harness import EXAMPLES, machine, met, parser, resident_mb, served, table
from rarr.testing import Failure, Request

DEADLINE_S = 2.0
PATIENCE_S = 15.0
"""Seconds after which a client leaves a request that hangs."""
ERRORS, CUTS, HANGS, LEAVES = 0.05, 0.02, 0.01, 0.02
"""The shares of requests with an error, a cut answer and no answer, and of those whose client leaves."""
LEAST_CHECKED = 20
MODES = ("off", "off", "off", "revise", "check")
WRONG, RIGHT = "212 metres", "221 metres"


class FailurePlan:
    """Fails some requests by chance: an error, a cut answer, or none."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def __call__(self, request: Request) -> Any:
        """Returns how this request fails; None if it is answered."""
        drawn = self._chance.random()
        if drawn < ERRORS:
            return Failure(500)
        if drawn < ERRORS + CUTS:
            return Failure("die")
        return Failure("hang") if drawn < ERRORS + CUTS + HANGS else None


def answer(request: Request) -> str:
    """The answer to a question: it holds the number of the question, and a wrong height."""
    return text(request.user, WRONG)


def text(question: str, height: str) -> str:
    """The text of an answer."""
    return f"This answers {question}.\n\nThe Hoover Dam is {height} high. It stands on the Colorado River."


class Seen:
    """What clients saw: what became of each request, the seconds of those with a text, and the memory."""

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self.late, self.memory = list[float](), list[float]()


async def load(server: "subprocess.Popen[str]", root: str, clients: int, seconds: float, seed: int) -> None:
    """Prints what became of the requests, how the memory grew, and what is left."""
    before, seen = _open_files(server.pid), Seen()
    end = time.perf_counter() + seconds
    watching = asyncio.create_task(_watch(server.pid, seen.memory))
    limits = httpx2.Limits(max_connections=None)
    async with httpx2.AsyncClient(base_url=f"{root}/v1", timeout=PATIENCE_S, limits=limits) as client:
        asking = (_client(client, random.Random(seed + n), n, end, seen) for n in range(clients))
        await asyncio.gather(*asking)
    watching.cancel()
    await asyncio.sleep(3)
    print(f"{clients} clients for {seconds:g} s, half of the requests streamed, deadline {DEADLINE_S:g} s\n")
    _print(seen, seconds, _open_files(server.pid) - before)


async def _client(
    client: httpx2.AsyncClient, chance: random.Random, number: int, end: float, seen: Seen
) -> None:
    count = 0
    while time.perf_counter() < end:
        count += 1
        mode, streams = chance.choice(MODES), chance.random() < 0.5
        leaves = chance.random() < LEAVES
        started = time.perf_counter()
        outcome = await _ask(client, f"question {number}.{count}", mode, streams=streams, leaves=leaves)
        seen.outcomes[outcome] += 1
        if mode != "off" and outcome in ("checked", "original"):
            seen.late.append(time.perf_counter() - started)


async def _ask(client: httpx2.AsyncClient, question: str, mode: str, *, streams: bool, leaves: bool) -> str:
    """Asks, and tells what came of it."""
    body = {
        "model": "scripted",
        "messages": [{"role": "user", "content": question}],
        "stream": streams,
        "rarr": {"mode": mode, "deadline_s": DEADLINE_S},
    }
    try:
        async with asyncio.timeout(0.1 if leaves else PATIENCE_S):
            response = await client.post("/chat/completions", json=body)
    except TimeoutError:
        return "client left" if leaves else "hang, left by its client"
    except httpx2.HTTPError:
        return "cut"
    if response.status_code != 200:
        return f"status {response.status_code}"
    content, results = _streamed(response.text) if streams else _whole(response.json())
    return _judged(question, mode, content, results)


def _judged(question: str, mode: str, content: str, results: list[dict[str, Any]]) -> str:
    """Tells whether an answer is that of its question, and whether it was checked."""
    if mode == "off":
        return "passed" if content == text(question, WRONG) else "WRONG"
    original = any(result["outcome"] in ("deadline", "failed") for result in results)
    allowed = {text(question, WRONG)} if mode == "check" else {text(question, RIGHT)}
    if original:
        allowed |= {text(question, WRONG)}
    if not results or content not in allowed:
        return "WRONG"
    return "original" if original else "checked"


def _whole(answer: dict[str, Any]) -> tuple[str, list[dict[str, Any]]]:
    return answer["choices"][0]["message"]["content"], answer.get("rarr", {}).get("results", [])


def _streamed(events: str) -> tuple[str, list[dict[str, Any]]]:
    lines = [line.removeprefix("data: ") for line in events.splitlines() if line.startswith("data: {")]
    chunks = [json.loads(line) for line in lines]
    content = "".join(choice["delta"].get("content") or "" for chunk in chunks for choice in chunk["choices"])
    return content, [result for chunk in chunks for result in chunk.get("rarr", {}).get("results", [])]


async def _watch(pid: int, memory: list[float]) -> None:
    while True:
        memory.append(sum(resident_mb(process) for process in (pid, *descendants(pid))))
        await asyncio.sleep(1)


def _print(seen: Seen, seconds: float, left: int) -> None:
    total, late = seen.outcomes.total(), seen.late
    rows = [[name, str(count), f"{count / total:.2%}"] for name, count in sorted(seen.outcomes.items())]
    rows.append(["all", str(total), f"{total / seconds:.0f} a second"])
    print(table(("outcome", "requests", "share"), rows))
    checked, wrong = seen.outcomes["checked"] / seconds, seen.outcomes["WRONG"]
    print(f"\nchecked: {checked:.0f} a second; at least {LEAST_CHECKED}: {met(checked >= LEAST_CHECKED)}")
    print(f"wrong answers: {wrong}; goal 0: {met(not wrong)}")
    kept = sum(each <= DEADLINE_S + 1 for each in late) / max(1, len(late))
    print(f"checked or original within the deadline and 1 s: {kept:.2%} of {len(late)}")
    part = max(1, len(seen.memory) // 5)
    first, last = (statistics.median(it) for it in (seen.memory[part : 2 * part], seen.memory[-part:]))
    grown = last / max(1.0, first) - 1
    print(f"memory: at first {first:.0f} MB, last {last:.0f}, {grown:+.1%}; at most 5%: {met(grown <= 0.05)}")
    print(f"files and sockets left: {left}; goal 0: {met(left <= 0)}")


def _open_files(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def descendants(pid: int) -> list[int]:
    found = []
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            below = [int(child) for child in children.read_text().split()]
        except OSError:
            continue
        found += [process for child in below for process in (child, *descendants(child))]
    return found


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--clients", type=int, default=64)
    made.add_argument("--seconds", type=float, default=300, help="how long the load takes")
    made.add_argument("--seed", type=int, default=0, help="of the failures")
    options = made.parse_args()
    print(f"{machine()}\n")
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home,
        served(answer, plan=FailurePlan(options.seed), latency=0.05) as url,
        serving(url, Path(home)) as (server, root),
    ):
        asyncio.run(load(server, root, options.clients, options.seconds, options.seed))


@contextmanager
def serving(url: str, home: Path) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """Runs `rarr serve` in a process of its own; yields it and its address."""
    corpus = f"examples={EXAMPLES / 'corpus'}"
    command = [sys.executable, "-m", "rarr", "serve", "--port", "0", "--upstream", url, "--corpus", corpus]
    environment = {**os.environ, "RARR_HOME": str(home)}
    log = home / "serve.log"
    with log.open("w") as file, subprocess.Popen(command, stderr=file, text=True, env=environment) as running:
        try:
            while "listening at" not in log.read_text():
                assert running.poll() is None, log.read_text()
                time.sleep(0.1)
            yield running, log.read_text().split()[3].removesuffix("/v1")
        finally:
            running.terminate()


if __name__ == "__main__":
    main()

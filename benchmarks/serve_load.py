"""Measures `rarr serve` under load: many clients, a model server that fails, and clients that leave.

    python -m benchmarks.serve_load [--clients N] [--seconds S] [--seed N] [--model SECONDS]

The model server is the scripted server. It and `rarr serve` each run in their own process. With --model, the
model server also reads the evidence, each answer takes so many seconds, and no answer fails. The rate of
answers through the proxy, which checks all answers, is compared with the rate of the model server alone.
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
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.sharedctypes import RawValue
from pathlib import Path
from typing import Any

import httpx2

from benchmarks.harness import EXAMPLES, machine, make_parser, met, resident_mb, serve_apart, table
from rarr.testing import Failure, Request, RuleModel

DEADLINE_S = 2.0
PATIENCE_S = 15.0
"""Seconds after which a client leaves a request that hangs."""
ERRORS, CUTS, HANGS, LEAVES = 0.05, 0.02, 0.01, 0.02
"""The shares of requests with an error, a cut answer, no answer, and a client that leaves."""
LEAST_CHECKED, LEAST_SHARE = 20, 0.9
MODES = ("off", "off", "off", "revise", "check")
WRONG, RIGHT = "212 metres", "221 metres"


def plan_failure(count: Any, chance: random.Random | None, _: Request) -> Failure | None:
    """Counts a request, and draws its failure (None: no failure). Without `chance`, there is no failure."""
    count.value += 1  # the server calls this function in one thread at a time
    drawn = chance.random() if chance else 1.0
    if drawn < ERRORS:
        return Failure(500)
    if drawn < ERRORS + CUTS:
        return Failure("die")
    return Failure("hang") if drawn < ERRORS + CUTS + HANGS else None


def respond(request: Request) -> str:
    """Answers a question with a text that has a wrong height. Answers other prompts by `RuleModel`."""
    return RuleModel()(request) if request.prompt else answer_text(request.user, WRONG)


def answer_text(question: str, height: str) -> str:
    return f"This answers {question}.\n\nThe Hoover Dam is {height} high. It stands on the Colorado River."


class ClientLog:
    """What clients saw: the outcomes of requests, the seconds of checked answers, and the server's memory."""

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self.late, self.memory = list[float](), list[float]()


async def load(server: "subprocess.Popen[str]", root: str, clients: int, seconds: float, seed: int) -> None:
    before, seen = _open_files(server.pid), ClientLog()

    async def watch() -> None:
        while True:
            seen.memory.append(sum(map(resident_mb, (server.pid, *descendants(server.pid)))))
            await asyncio.sleep(1)

    watching = asyncio.create_task(watch())
    await ask_all(root, clients, seconds, seen, seed)
    watching.cancel()
    await asyncio.sleep(3)
    print(f"{clients} clients for {seconds:g} s, half of the requests streamed, deadline {DEADLINE_S:g} s\n")
    _print_log(seen, seconds, _open_files(server.pid) - before)


async def ask_all(root: str, clients: int, seconds: float, log: ClientLog, seed: int, mode: str = "") -> None:
    """Sends requests for `seconds`. With a `mode`, every request has it, and no client leaves."""
    end, limits = time.perf_counter() + seconds, httpx2.Limits(max_connections=None)

    async def client(chance: random.Random, number: int) -> None:
        count = 0
        while (started := time.perf_counter()) < end:
            count += 1
            streams, leaves = chance.random() < 0.5, not mode and chance.random() < LEAVES
            question = f"question {number}.{count} of {seed}"
            options = {"mode": mode} if mode else {"mode": chance.choice(MODES), "deadline_s": DEADLINE_S}
            outcome = await _send_request(http, question, options, streams=streams, leaves=leaves)
            log.outcomes[outcome] += 1
            if options["mode"] != "off" and outcome in ("checked", "original"):
                log.late.append(time.perf_counter() - started)

    async with httpx2.AsyncClient(base_url=f"{root}/v1", timeout=None, limits=limits) as http:
        await asyncio.gather(*(client(random.Random(seed + n), n) for n in range(clients)))


def compare_rates(count: Any, direct: str, proxy: str, clients: int, seconds: float) -> None:
    rates = list[float]()
    for seed, (root, mode) in enumerate(((proxy, "revise"), (direct, "off"), (proxy, "revise"))):
        seen, before, started = ClientLog(), count.value, time.perf_counter()
        asyncio.run(ask_all(root, clients, seconds, seen, seed, mode))
        rates.append((count.value - before) / (time.perf_counter() - started))
    print(f"{clients} clients for {seconds:g} s each, after a warm-up: {dict(seen.outcomes)}")
    print(f"the model's server: {rates[1]:.1f} answers a second directly, {rates[2]:.1f} by the proxy")
    print(f"share at least {LEAST_SHARE:.0%}: {met(rates[2] >= LEAST_SHARE * rates[1])}")


async def _send_request(
    client: httpx2.AsyncClient, question: str, options: Mapping[str, Any], *, streams: bool, leaves: bool
) -> str:
    messages = [{"role": "user", "content": question}]
    body = {"model": "scripted", "messages": messages, "stream": streams, "rarr": options}
    try:
        async with asyncio.timeout(0.1 if leaves else PATIENCE_S * (1 if "deadline_s" in options else 4)):
            response = await client.post("/chat/completions", json=body)
    except TimeoutError:
        return "client left" if leaves else "hang, left by its client"
    except httpx2.HTTPError:
        return "cut"
    if response.status_code != 200:
        return f"status {response.status_code}"
    lines = (line.removeprefix("data: ") for line in response.text.splitlines() if line.startswith("data: {"))
    chunks = list(map(json.loads, lines if streams else [response.text]))
    said = (choice.get("message") or choice["delta"] for chunk in chunks for choice in chunk["choices"])
    results = [result for chunk in chunks for result in chunk.get("rarr", {}).get("results", [])]
    return _judge_answer(question, options["mode"], "".join(it.get("content") or "" for it in said), results)


def _judge_answer(question: str, mode: str, content: str, results: list[dict[str, Any]]) -> str:
    if mode == "off":
        return "passed" if content == answer_text(question, WRONG) else "WRONG"
    original = any(result["outcome"] in ("deadline", "failed") for result in results)
    heights = {WRONG if mode == "check" else RIGHT, *[WRONG] * original}
    allowed = {answer_text(question, height) for height in heights}
    if not results or content not in allowed:
        return "WRONG"
    return "original" if original else "checked"


def _print_log(seen: ClientLog, seconds: float, left: int) -> None:
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
        with suppress(OSError):
            below = map(int, children.read_text().split())
            found += [process for child in below for process in (child, *descendants(child))]
    return found


def main() -> None:
    made = make_parser(__doc__)
    made.add_argument("--clients", type=int, default=64)
    made.add_argument("--seconds", type=float, default=300, help="how long the load takes")
    made.add_argument("--seed", type=int, default=0, help="of the failures")
    made.add_argument("--model", type=float, metavar="SECONDS", help="a model reads: seconds of its answers")
    options = made.parse_args()
    count, chance = RawValue("i"), None if options.model else random.Random(options.seed)
    print(f"{machine()}\n")
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home,
        serve_apart(respond, plan=partial(plan_failure, count, chance), latency=options.model or 0.05) as url,
        serve_rarr(url, Path(home), reads=bool(options.model)) as (server, root),
    ):
        if options.model:
            compare_rates(count, url.removesuffix("/v1"), root, options.clients, options.seconds)
        else:
            asyncio.run(load(server, root, options.clients, options.seconds, options.seed))


@contextmanager
def serve_rarr(url: str, home: Path, *, reads: bool) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """Runs `rarr serve`. Yields its process and its address. `reads`: the model server reads the evidence."""
    corpus = str(EXAMPLES / "corpus")
    command = [sys.executable, "-m", "rarr", "serve", "--port", "0", "--upstream", url, "--corpus", corpus]
    environment = {**os.environ, "RARR_HOME": str(home)}
    environment |= {"RARR_MODEL": "vllm:scripted", "RARR_BASE_URL": url} if reads else {}
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

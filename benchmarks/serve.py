"""What `rarr serve` costs and carries: as a proxy, with embedded revising, and under load.

    python -m benchmarks.serve proxy       what the proxy adds to a request with revising off
    python -m benchmarks.serve embedded    answers of 150 words a second, and the lag of the event loop
    python -m benchmarks.serve load        64 clients, a server behind that fails, and clients that leave
    python -m benchmarks.serve first       when the first sentence of a streamed answer comes
    python -m benchmarks.serve litellm     what LiteLLM's proxy adds to a request, beside this one
    python -m benchmarks.serve failures    what callers get when something dies

The server behind is the scripted server, in a process of its own. `proxy` sends requests directly and through
`rarr serve`, one after another in turns. `embedded` runs the server in this process, where a task asks to be
woken every 2 ms and notes how late it is woken, and the clients in another.
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import numpy as np

from benchmarks.loop_lag import EXAMPLES, heartbeat, text_of
from benchmarks.report import machine, table
from benchmarks.serve_load import load, load_script
from rarr import Settings
from rarr.serve.server import serve
from rarr.testing import ScriptedServer

PARTS = ("proxy", "embedded", "load", "first", "litellm", "failures", "upstream", "clients")
GOAL_MS = (3.0, 15.0)
ASK = {"model": "scripted", "messages": [{"role": "user", "content": "How high is the Hoover Dam?"}]}


def main() -> None:
    """Prints one of the tables."""
    options = _options()
    if options.part == "upstream":
        serve_upstream(options.answer, options.seed)
    elif options.part == "clients":
        print(json.dumps(asyncio.run(clients(options.url, options.at_once, options.requests))))
    else:
        print(f"{machine()}\n")
        if options.part == "proxy":
            proxy(options.requests or 500, options.rounds)
        elif options.part in ("first", "litellm", "failures"):
            _more(options)
        elif options.part == "embedded":
            asyncio.run(embedded(options.requests or 60, options.at_once, options.rounds))
        else:
            with upstream("load", options.seed) as url, process(url, home := _home()) as (server, root):
                asyncio.run(load(server, root, options.clients, options.seconds, options.seed))
            home.cleanup()


def _more(options: argparse.Namespace) -> None:
    """Prints one of the tables of the other files, which import this one."""
    from benchmarks.serve_comparisons import beside_litellm, first_sentence
    from benchmarks.serve_failures import failures

    if options.part == "first":
        first_sentence(options.rounds)
    elif options.part == "litellm":
        beside_litellm(options.requests or 200, options.rounds)
    else:
        failures()


def proxy(requests: int, rounds: int) -> None:
    """Prints the milliseconds of a request, directly and through the proxy, by round."""
    home = _home()
    with upstream("short") as url, process(url, home, "--mode", "off", "--workers", "1") as (_, root):
        asyncio.run(_in_turns(url, f"{root}/v1", 50))
        pairs = [asyncio.run(_in_turns(url, f"{root}/v1", requests)) for _ in range(rounds)]
    home.cleanup()
    rows = []
    for name, share, goal in (("p50", 0.5, GOAL_MS[0]), ("p99", 0.99, GOAL_MS[1])):
        direct, through = ([float(np.quantile(pair[side], share)) for pair in pairs] for side in (0, 1))
        added = [after - before for before, after in zip(direct, through, strict=True)]
        met = "met" if statistics.median(added) < goal else "MISSED"
        rows.append([name, spread(direct), spread(through), spread(added), f"under {goal:g}: {met}"])
    print(f"{requests} requests of each kind, {rounds} rounds: median [least, most] of the rounds, ms\n")
    print(table(("", "directly", "through the proxy", "added", "goal"), rows))


async def _in_turns(direct: str, through: str, requests: int) -> tuple[list[float], list[float]]:
    spent: tuple[list[float], list[float]] = ([], [])
    async with httpx2.AsyncClient(timeout=30) as client:
        for _ in range(requests):
            for url, times in zip((direct, through), spent, strict=True):
                started = time.perf_counter()
                response = await client.post(f"{url}/chat/completions", json=ASK)
                times.append(1000 * (time.perf_counter() - started))
                assert response.status_code == 200
    return spent


async def embedded(requests: int, at_once: int, rounds: int) -> None:
    """Prints the answers a second and the lag of the event loop, by round."""
    home = _home()
    with upstream("long") as url:
        settings = Settings(
            serve_upstream_url=url,
            serve_port=0,
            serve_corpora={"examples": EXAMPLES / "corpus"},
            serve_deadline_s=300,
            home=Path(home.name),
        )
        ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        serving = asyncio.create_task(serve(settings, ready.set_result))
        root = await ready
        await _clients(root, at_once, 4 * (os.cpu_count() or 1))
        rates, lags, longest = list[float](), list[float](), list[float]()
        for _ in range(rounds):
            async with heartbeat() as beats:
                outcome = await _clients(root, at_once, requests)
            late = [1000 * lag for lag, _ in beats]
            rates.append(outcome["finished"] / outcome["seconds"])
            lags.append(float(np.quantile(late, 0.99)))
            longest.append(max(late))
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
    home.cleanup()
    print(f"{requests} answers of 150 words, {at_once} at once, {os.cpu_count()} workers, {rounds} rounds\n")
    rows = [
        ["answers a second", spread(rates), _goal(statistics.median(rates) >= 3, "at least 3")],
        ["lag of the event loop, p99, ms", spread(lags), _goal(statistics.median(lags) < 50, "under 50")],
        ["longest lag, ms", spread(longest), ""],
    ]
    print(table(("", "median [least, most]", "goal"), rows))


async def _clients(root: str, at_once: int, requests: int) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.serve", "clients", "--url", root]
    command += ["--at-once", str(at_once), "--requests", str(requests)]
    running = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE)
    out, _ = await running.communicate()
    outcome: dict[str, float] = json.loads(out)
    return outcome


async def clients(url: str, at_once: int, requests: int) -> dict[str, float]:
    """Sends requests, and counts those whose answer was checked."""
    gate, finished = asyncio.Semaphore(at_once), 0
    started = time.perf_counter()
    async with httpx2.AsyncClient(timeout=600) as client:

        async def ask(number: int) -> None:
            nonlocal finished
            async with gate:
                body = {**ASK, "messages": [{"role": "user", "content": f"number {number}"}]}
                response = await client.post(f"{url}/chat/completions", json=body)
            [result] = response.json()["rarr"]["results"]
            finished += result["outcome"] in ("finished", "partial")

        await asyncio.gather(*map(ask, range(requests)))
    return {"finished": finished, "seconds": time.perf_counter() - started}


def serve_upstream(answer: str, seed: int) -> None:
    """Serves until the process is ended."""
    given: dict[str, Any] = {"answers": lambda request: "The Hoover Dam is 221 metres high."}
    if answer == "long":
        given = {"answers": lambda request: text_of(150, int(request.user.split()[-1]))}
    elif answer == "wrong":
        given = {"answers": lambda request: "The Hoover Dam is 212 metres high."}
    elif answer == "ten":
        from benchmarks.serve_comparisons import TOKENS_A_SECOND, ten_sentences

        text = ten_sentences()
        given = {"answers": lambda request: text, "tokens_a_second": TOKENS_A_SECOND}
    elif answer == "load":
        given = load_script(seed)
    with ScriptedServer(**given) as server:
        print(server.url, flush=True)
        while True:
            time.sleep(1)


@contextmanager
def upstream(answer: str, seed: int = 0) -> Iterator[str]:
    """Runs the server behind in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.serve", "upstream", "--answer", answer, "--seed", str(seed)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        try:
            yield running.stdout.readline().strip()
        finally:
            running.terminate()


@contextmanager
def process(
    url: str, home: "str | tempfile.TemporaryDirectory[str]", *options: str
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Runs `rarr serve` in a process of its own."""
    corpus = f"examples={EXAMPLES / 'corpus'}"
    command = [sys.executable, "-m", "rarr", "serve", "--port", "0", "--upstream", url, "--corpus", corpus]
    folder = home if isinstance(home, str) else home.name
    environment = {**os.environ, "RARR_HOME": folder}
    log = Path(folder, "serve.log")
    with (
        log.open("w") as file,
        subprocess.Popen([*command, *options], stderr=file, text=True, env=environment) as running,
    ):
        try:
            while "listening at" not in log.read_text():
                assert running.poll() is None, log.read_text()
                time.sleep(0.1)
            yield running, log.read_text().split()[3].removesuffix("/v1")
        finally:
            running.terminate()


def spread(values: Sequence[float]) -> str:
    """The median, with the least and the most."""
    return f"{statistics.median(values):.2f} [{min(values):.2f}, {max(values):.2f}]"


def _goal(met: bool, goal: str) -> str:
    return f"{goal}: {'met' if met else 'MISSED'}"


def _home() -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory(ignore_cleanup_errors=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--requests", type=int, default=0, help="requests of a round")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of proxy and embedded")
    parser.add_argument("--at-once", type=int, default=8, help="clients of embedded")
    parser.add_argument("--clients", type=int, default=64, help="clients of load")
    parser.add_argument("--seconds", type=float, default=300, help="how long load takes")
    parser.add_argument("--seed", type=int, default=0, help="of the failures of load")
    parser.add_argument("--answer", default="short", help=argparse.SUPPRESS)
    parser.add_argument("--url", default="", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()

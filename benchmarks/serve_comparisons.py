"""Two comparisons of `python -m benchmarks.serve`: the first sentence of a stream, and LiteLLM's proxy."""

import asyncio
import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
import yaml

from benchmarks.litellm_proxy import COMMAND, KEY, MISSING, litellm_proxy
from benchmarks.loop_lag import text_of
from benchmarks.report import table
from benchmarks.serve import ASK, process, spread, upstream
from rarr.tools.text.blocks_and_sentences import split_sentences

SENTENCES, TOKENS_A_SECOND = 10, 40
Home = tempfile.TemporaryDirectory


def ten_sentences() -> str:
    """Ten sentences of the examples, in one paragraph."""
    text = " ".join(text_of(600).split())
    return text[: split_sentences(text)[SENTENCES - 1].end]


def first_sentence(rounds: int) -> None:
    """Prints the seconds until text comes, while streaming and while waiting for the whole answer."""
    first, whole = [], []
    with Home(ignore_cleanup_errors=True) as home, upstream("ten") as url, process(url, home) as (_, root):
        asyncio.run(_seconds(root, stream=False))  # the workers import what they need
        for _ in range(rounds):
            first.append(asyncio.run(_seconds(root, stream=True)))
            whole.append(asyncio.run(_seconds(root, stream=False)))
    share = statistics.median(first) / statistics.median(whole)
    print(f"{SENTENCES} sentences, {TOKENS_A_SECOND} tokens a second, revised, {rounds} rounds: seconds\n")
    rows = [["first sentence, streamed", spread(first)], ["the whole, not streamed", spread(whole)]]
    print(table(("", "median [least, most]"), rows))
    print(f"\n{share:.0%} of the time; at most 50%: {'met' if share <= 0.5 else 'MISSED'}")


async def _seconds(root: str, *, stream: bool) -> float:
    """The seconds until the first text of an answer."""
    started = time.perf_counter()
    async with (
        httpx2.AsyncClient(timeout=120) as client,
        client.stream("POST", f"{root}/v1/chat/completions", json={**ASK, "stream": stream}) as response,
    ):
        async for line in response.aiter_lines():
            if not stream or _has_text(line):
                return time.perf_counter() - started
    raise RuntimeError("the stream had no text")


def _has_text(line: str) -> bool:
    data: dict[str, Any] = json.loads(line[6:]) if line.startswith("data: {") else {}
    return any(choice["delta"].get("content") for choice in data.get("choices", ()))


def beside_litellm(requests: int, rounds: int) -> None:
    """Prints what both proxies add to a request that passes, in turns."""
    if not COMMAND.exists():
        raise SystemExit(MISSING)
    off = ("--mode", "off", "--workers", "1")
    with (
        Home(ignore_cleanup_errors=True) as home,
        upstream("short") as url,
        process(url, home, *off) as (_, root),
        litellm_proxy(_config(url), Path(home)) as other,
    ):
        urls = (url, f"{root}/v1", other)
        asyncio.run(_in_turns(urls, 30))
        runs = [asyncio.run(_in_turns(urls, requests)) for _ in range(rounds)]
    print(f"{requests} requests of each kind, {rounds} rounds: median [least, most] of the rounds, ms\n")
    names = ("directly", "rarr serve, revising off", "LiteLLM's proxy")
    rows = [
        [name, *(spread([float(np.quantile(run[at], q)) for run in runs]) for q in (0.5, 0.99))]
        for at, name in enumerate(names)
    ]
    print(table(("", "p50", "p99"), rows))
    ours, theirs = (statistics.median(np.median(run[at]) for run in runs) for at in (1, 2))
    print(f"\nours ahead: {'met' if ours < theirs else 'MISSED'}")


def _config(url: str) -> str:
    model = {"model": "openai/scripted", "api_base": url, "api_key": "none"}
    return str(yaml.safe_dump({"model_list": [{"model_name": "scripted", "litellm_params": model}]}))


async def _in_turns(urls: tuple[str, ...], requests: int) -> list[list[float]]:
    spent: list[list[float]] = [[] for _ in urls]
    async with httpx2.AsyncClient(timeout=60, headers={"Authorization": f"Bearer {KEY}"}) as client:
        for _ in range(requests):
            for url, times in zip(urls, spent, strict=True):
                started = time.perf_counter()
                response = await client.post(f"{url}/chat/completions", json=ASK)
                times.append(1000 * (time.perf_counter() - started))
                assert response.status_code == 200, response.text
    return spent

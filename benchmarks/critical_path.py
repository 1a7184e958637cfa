"""Measures how long a run with a language model waits, in requests (L) and searches (S), and what it sends.

    python -m benchmarks.critical_path [--call L] [--search S] [--runs N] [--paper]

A scripted server in another process takes L seconds for every answer. A scripted search takes S seconds. The
ways of a run: `given`: the caller gives the passages. `corpus`: each sentence is a query. `web`: the model
writes queries first. `doubt`: code doubts each edit, so the model is asked once more.

`--paper` counts the requests of the preset `paper`, and those of the published method. That method asks for
three samples of questions, a check of each query and an edit for each disagreement, one after another.
"""

import asyncio
import gc
import re
import statistics
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from benchmarks import mills
from benchmarks.harness import machine, make_parser, met, serve_apart, spread
from rarr import Passage, Reviser, Settings
from rarr.retrievers.given_passages import GivenPassages

SENTENCES = (6, 12, 24, 48, 96)
WAITS = {"given": (1, 0), "corpus": (1, 1), "web": (2, 1), "doubt": (2, 1)}
"""The number of requests and of searches that follow one another, by the way of the run."""
SLACK = 1.1
PAPER = ((3, 1), (6, 2), (12, 3), (24, 6))
"""Pairs (queries, disagreements) of the texts for the preset `paper`."""
WARM_UP_MILL = 500
"""The number of the first mill in the text of the first run, which is not measured."""
_NAME = re.compile(r"\w+ \w+ Mill(?: \d+)?")


class WayFigures(NamedTuple):
    """The seconds of all runs of one way on one text, and the requests and tokens of one run."""

    seconds: list[float]
    requests: int
    tokens_in: int
    tokens_out: int


class OwnDocuments(mills.SlowDocuments):
    """A search in documents of the user, whose query is a sentence with the sentence before it."""

    offline = True

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        return await super().retrieve(_NAME.findall(query)[-1], k)


def answer_with_doubt(request: Any) -> dict[str, Any]:
    """Answers like a good model, but copies words of the source that do not contain the new value."""
    answered = mills.respond(request)
    for card in answered.get("cards", ()):
        for edit in card.get("edits", ()) if card["q"][1:] else ():
            edit["by"] = "was built"
    return answered


async def measure(
    way: str, sentences: int, *, call_s: float, search_s: float, runs: int, wrong: int | None = None
) -> WayFigures:
    """Measures several runs of one way on one server. A first run on another text is not measured."""
    wrong = sentences // 3 if wrong is None else wrong
    text, right = mills.mills_text(sentences, wrong), mills.mills_text(sentences, 0)
    slow = mills.SlowDocuments if way in ("web", "paper") else OwnDocuments
    search: Any = slow(search_s)
    if way == "given":
        texts = [mills.mills_text(1, 0, first=number) for number in range(sentences)]
        given = [passage for text in texts for passage in await slow(0.0).retrieve(text, 1)]
        search = GivenPassages(given, window=4)
    with serve_apart(answer_with_doubt if way == "doubt" else mills.respond, call_s=call_s) as url:
        preset = "paper" if way == "paper" else "default"
        settings = Settings(
            model="vllm:scripted", base_url=url, search=search, rounds=1, trace=False, preset=preset
        )
        async with Reviser(settings) as reviser:
            await reviser.arevise(mills.mills_text(6, 2, first=WARM_UP_MILL))  # imports and connections
            gc.freeze()  # as `rarr serve` and `rarr batch` do
            seconds: list[float] = []
            for _ in range(runs):
                started = time.perf_counter()
                revision = await reviser.arevise(text)
                seconds.append(time.perf_counter() - started)
                assert revision.text == right, (way, sentences, revision.warnings)
    usage = revision.usage
    return WayFigures(seconds, usage.model_calls, usage.input_tokens, usage.output_tokens)


def main() -> None:
    made = make_parser(__doc__)
    made.add_argument("--call", type=float, default=1.0, metavar="L", help="seconds of a request")
    made.add_argument("--search", type=float, default=0.5, metavar="S", help="seconds of a search")
    made.add_argument("--runs", type=int, default=5, help="runs of each row")
    made.add_argument("--paper", action="store_true", help="the requests of the preset paper instead")
    options = made.parse_args()
    if options.paper:
        print("queries  disagreements  requests  as published  tokens in, out")
        for queries, wrong in PAPER:
            it = asyncio.run(measure("paper", queries, call_s=0.0, search_s=0.0, runs=1, wrong=wrong))
            published = 3 + queries + wrong
            print(queries, wrong, it.requests, published, f"{it.tokens_in:,}, {it.tokens_out:,}", sep="  ")
        return
    print(f"{machine()}; L = {options.call:g} s, S = {options.search:g} s, {options.runs} runs each\n")
    print("sentences  way  seconds: median [least to most]  limit  requests  tokens in, out")
    for sentences in SENTENCES:
        for way, (calls, searches) in WAITS.items():
            limit = SLACK * (calls * options.call + searches * options.search)
            given = {"call_s": options.call, "search_s": options.search, "runs": options.runs}
            it = asyncio.run(measure(way, sentences, **given))
            shown = f"{calls}L + {searches}S + 10% {met(statistics.median(it.seconds) <= limit)}"
            tokens = f"{it.tokens_in:,}, {it.tokens_out:,}"
            print(sentences, way, spread(it.seconds), shown, it.requests, tokens, sep="  ", flush=True)


if __name__ == "__main__":
    main()

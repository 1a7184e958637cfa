"""How long a run with a language model waits, in calls (L) and searches (S), and what it sends.

    python -m benchmarks.critical_path

A scripted server on the loopback takes L seconds for every answer and a scripted search S seconds; each
query finds one passage, and each disagreement is in a sentence of its own. Beside the two presets stands the
method of the reference code, one call after another, run with the same prompts: its own prompts are longer,
and what they come to is taken from a measurement of it (the last row is extrapolated from the other three).
Tokens are counted as a quarter of the bytes.
"""

import argparse
import asyncio
import statistics
import time
from collections.abc import Sequence
from os.path import commonprefix
from typing import NamedTuple

from benchmarks import mills
from benchmarks.report import machine
from rarr import Reviser, Revision, Settings
from rarr.agent.wiring.components import wire
from rarr.components import Components
from rarr.records import Check, Evidence, Query
from rarr.testing import ScriptedServer

# (queries, disagreements): prompt tokens of the reference code.
ROWS = {(3, 1): 7_900, (6, 2): 14_600, (12, 3): 27_200, (24, 6): 53_200}


class Measured(NamedTuple):
    """The figures of one method on one text."""

    seconds: list[float]
    calls: int
    tokens: int
    repeated: float  # share of the prompt tokens in a prefix that an earlier request had


def main() -> None:
    """Prints the table."""
    options = _options()
    wait = f"L = {options.call:g} s, S = {options.search:g} s, {options.runs} runs each"
    print(f"{machine()}; {wait}; median [least to most]\n")
    print(
        f"{'queries':>7} {'wrong':>5}  {'method':<10} {'seconds':<24} {'limit':<18} {'calls':>5}"
        f" {'prompt tokens':>13} {'of reference':>12} {'in a repeated prefix':>20}"
    )
    for (queries, wrong), reference in ROWS.items():
        limits = {
            "default": (2, 1, 1.1),
            "paper": (2 + 2 * wrong, 1, 1.1),
            "sequential": (3 + queries + wrong, queries, 1.0),
        }
        for method, (calls, searches, slack) in limits.items():
            limit = slack * (calls * options.call + searches * options.search)
            measured = asyncio.run(measure(method, queries, wrong, options))
            shown = f"{calls}L + {searches}S" + (" + 10%" if slack > 1 else "")
            met = "" if slack == 1 else " met" if max(measured.seconds) <= limit else " MISSED"
            print(
                f"{queries:>7} {wrong:>5}  {method:<10} {_spread(measured.seconds):<24} {shown + met:<18}"
                f" {measured.calls:>5} {measured.tokens:>13,} {measured.tokens / reference:>12.0%}"
                f" {measured.repeated:>20.0%}",
                flush=True,
            )


async def measure(method: str, queries: int, wrong: int, options: argparse.Namespace) -> Measured:
    """Measures several runs on one server, after a first run on another text; `sequential` runs once."""
    text = mills.text_of(queries, wrong)
    with ScriptedServer(mills.answer, latency=options.call) as server:
        settings = Settings(
            preset="default" if method == "default" else "paper",
            model="vllm:scripted",
            models={"attribute": "rules"},
            base_url=server.url,
            search=mills.SlowDocuments(options.search),
        )
        components = wire(settings)
        seconds = []
        async with Reviser(components=components) as reviser:
            await reviser.arevise(mills.text_of(1, 0))  # imports, connections and the server's prefix cache
            for run in range(1 if method == "sequential" else options.runs):
                before, sent = server.tokens, len(server.requests)
                started = time.perf_counter()
                if method == "sequential":
                    revised = await sequential(text, components)
                else:
                    revised = _text(await reviser.arevise(text), queries, wrong)
                seconds.append(time.perf_counter() - started)
                assert revised == mills.text_of(queries, 0), revised
                if run == 0:  # later on, the server has all of the text's prompts in its prefix cache
                    tokens = server.tokens.input - before.input
                    calls = len(server.requests) - sent
                    repeated = _repeated([request.text for request in server.requests], sent)
        return Measured(seconds, calls, tokens, repeated)


async def sequential(text: str, components: Components) -> str:
    """Revises in the order of the reference code: 3 samples, search, gate and edit, one call at a time."""
    single_sample = wire(components.settings.model_copy(update={"query_samples": 1}))
    samples = [await single_sample.query_generator.generate(text, None) for _ in range(3)]
    queries = [Query(id=f"q{i}", **question.model_dump()) for i, question in enumerate(samples[0])]
    results: list[tuple[Query, Evidence]] = []
    for query in queries:
        [passage] = await components.retriever.retrieve(query.text, 1)
        results.append(
            (query, Evidence(**passage.model_dump(), id=query.id, query_id=query.id, relevance=1.0))
        )
    for query, evidence in results:
        agreement = await components.checker.check(text, None, query, evidence)
        if agreement.verdict == "disagrees":
            check = Check(**agreement.model_dump(), query_id=query.id, evidence_id=evidence.id)
            change = await components.editor.edit(text, None, query, check, evidence)
            assert change is not None
            text = text[: change.start] + change.new + text[change.end :]
    for model in single_sample.models:
        await model.aclose()
    return text


def _repeated(texts: Sequence[str], first: int) -> float:
    """The share of the characters from text `first` on that repeat a prefix of an earlier text."""
    shared = [
        max(len(commonprefix([text, earlier])) for earlier in texts[:number] or [""])  # noqa: RUF071  # a prefix of characters is meant
        for number, text in enumerate(texts)
    ]
    return sum(shared[first:]) / sum(map(len, texts[first:]))


def _text(revision: Revision, queries: int, wrong: int) -> str:
    accepted = [edit for edit in revision.edits if edit.accepted]
    assert (len(revision.queries), len(accepted)) == (queries, wrong), revision.warnings
    return revision.text


def _spread(seconds: Sequence[float]) -> str:
    return f"{statistics.median(seconds):.2f} [{min(seconds):.2f} to {max(seconds):.2f}]"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--call", type=float, default=1.0, metavar="L", help="seconds for an answer")
    parser.add_argument("--search", type=float, default=0.5, metavar="S", help="seconds for a search")
    parser.add_argument("--runs", type=int, default=3, help="runs of each method and row")
    return parser.parse_args()


if __name__ == "__main__":
    main()

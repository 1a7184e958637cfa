"""How long the writing of an article waits, in calls (L) and searches (S), whatever the number of sections.

    python -m benchmarks.writing

A scripted server on the loopback takes L seconds for every answer and a scripted search S seconds. Each
section is about one mill. In a third of the sections, at least one, the draft has a wrong year and a wrong
citation.
"""

import argparse
import asyncio
import re
import statistics
import time
from collections.abc import Sequence
from typing import Any

from benchmarks import mills
from benchmarks.report import machine
from rarr import Article, Settings, Writer
from rarr.records import Passage
from rarr.testing import ScriptedServer

TOPIC = "Watermills of the parish"


class MillSearch(mills.SlowDocuments):
    """A search that finds the document about a mill, and for the topic those about the first three mills."""

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """One passage of each document."""
        if query != TOPIC:
            return await super().retrieve(query, k)
        found = await asyncio.gather(
            *(mills.SlowDocuments.retrieve(self, mills.mill(number), k) for number in range(3))
        )
        return [passage for passages in found for passage in passages]


def answers(sections: int, wrong: int) -> Any:
    """The answers of a model that plans `sections` sections, and writes the first `wrong` with an error."""

    def answer(request: Any) -> dict[str, Any]:
        if request.prompt == "outline":
            return {"sections": [mills.mill(number) for number in range(sections)]}
        if request.prompt != "write_section":
            return mills.answer(request)
        number = mills.number_of(re.findall(r"^Section: (.+)$", request.user, re.MULTILINE)[-1])
        mark = "[7]" if number < wrong else "[1]"
        return {"text": f"{mills.text_of(1, int(number < wrong), number)} {mark}"}

    return answer


def settings_of(model: Any, search: Any, sections: int, **more: Any) -> Settings:
    """The settings of a run: everything is asked anew."""
    return Settings(
        model=model,
        search=search,
        max_sections=sections,
        **more,
    )


def main() -> None:
    """Prints the table."""
    options = _options()
    limit = 4 * options.call + options.search
    print(f"{machine()}; L = {options.call:g} s, S = {options.search:g} s, {options.runs} runs each\n")
    print(f"{'sections':>8} {'wrong':>5} {'calls':>6}  {'seconds':<24} limit 4L + S = {limit:g} s")
    for sections in (1, 3, 6, 12):
        seconds, calls = asyncio.run(measure(sections, max(1, sections // 3), options))
        spread = f"{statistics.median(seconds):.2f} [{min(seconds):.2f} to {max(seconds):.2f}]"
        met = "met" if max(seconds) <= limit else "MISSED"
        print(f"{sections:>8} {max(1, sections // 3):>5} {calls:>6}  {spread:<24} {met}", flush=True)


async def measure(sections: int, wrong: int, options: argparse.Namespace) -> tuple[list[float], int]:
    """The seconds of several runs on one server, after a first run, and the calls of one run."""
    with ScriptedServer(answers(sections, wrong), latency=options.call) as server:
        search = MillSearch(options.search)
        settings = settings_of("vllm:scripted", search, sections, base_url=server.url)
        seconds, calls = [], 0
        async with Writer(settings) as writer:
            await writer.awrite(TOPIC)  # imports and connections
            for _ in range(options.runs):
                sent, started = len(server.requests), time.perf_counter()
                require_right(await writer.awrite(TOPIC), sections)
                seconds.append(time.perf_counter() - started)
                calls = len(server.requests) - sent
    return seconds, calls


def require_right(article: Article, sections: int) -> None:
    """Fails unless each section has the right year, and a citation of its mill."""
    for number in range(sections):
        assert mills.text_of(1, 0, number) in article.text, (article.text, article.warnings)
    assert [citation.passage.source for citation in article.citations] == [
        f"mills/{number}.md" for number in range(sections)
    ]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--call", type=float, default=1.0, metavar="L", help="seconds for an answer")
    parser.add_argument("--search", type=float, default=0.5, metavar="S", help="seconds for a search")
    parser.add_argument("--runs", type=int, default=3, help="runs of each row")
    return parser.parse_args()


if __name__ == "__main__":
    main()

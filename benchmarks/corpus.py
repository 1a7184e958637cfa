"""How fast a corpus is indexed and searched, and what that takes: python -m benchmarks.corpus [--million]"""

import asyncio
import itertools
import json
import multiprocessing
import random
import resource
import statistics
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.harness import machine, parser, spread
from rarr.retrievers.corpus.corpus import Corpus
from rarr.retrievers.corpus.index_building import build_index
from rarr.settings import Settings

QUERIES = 300
_SENTENCES = 13  # of a section, which gives 10 windows of 4
_SECTIONS = 2
_PER_DOCUMENT = _SECTIONS * (_SENTENCES - 3)
_PER_FILE = 500  # documents
_VOCABULARY = 50_000


@dataclass(frozen=True)
class Measurement:
    """One build and then `QUERIES` searches. Memory is the peak of the process that does both."""

    passages: int
    build_seconds: float
    build_rss_mb: float
    search_rss_mb: float
    disk_mb: float
    search_p50_ms: float
    search_p95_ms: float

    @property
    def passages_per_minute(self) -> float:
        return self.passages / self.build_seconds * 60


class Language:
    """Makes sentences of invented words whose frequencies fall as in a real language (Zipf)."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        letters = "abcdefghijklmnopqrstuvwxyz"
        self._words = [
            "".join(self._random.choices(letters, k=self._random.randint(3, 10))) for _ in range(_VOCABULARY)
        ]
        self._weights = list(itertools.accumulate(1 / rank for rank in range(1, _VOCABULARY + 1)))

    def words(self, count: int) -> list[str]:
        return self._random.choices(self._words, cum_weights=self._weights, k=count)

    def sentence(self) -> str:
        return " ".join(self.words(self._random.randint(12, 24))).capitalize() + "."

    def document(self) -> str:
        sections = (
            f"## {' '.join(self.words(3))}\n\n" + " ".join(self.sentence() for _ in range(_SENTENCES))
            for _ in range(_SECTIONS)
        )
        return "\n\n".join(sections)


def write_corpus(folder: Path, passages: int, language: Language) -> None:
    """Fills `folder` with JSON lines that give about `passages` passages."""
    documents = passages // _PER_DOCUMENT
    for number, start in enumerate(range(0, documents, _PER_FILE)):
        with (folder / f"{number:05}.jsonl").open("w", encoding="utf-8") as file:
            for _ in range(min(_PER_FILE, documents - start)):
                record = {"title": " ".join(language.words(3)), "text": language.document()}
                file.write(json.dumps(record) + "\n")


def index_rules() -> dict[str, Any]:
    """The setting in force that decides how a corpus is indexed."""
    return {"window": Settings().window}


def measure(passages: int, seed: int = 0) -> Measurement:
    """Builds and searches an index of about `passages` passages, in a temporary folder, in this process."""
    language = Language(seed)
    with tempfile.TemporaryDirectory() as folder:
        source, index = Path(folder, "source"), Path(folder, "index")
        source.mkdir()
        write_corpus(source, passages, language)
        start = time.perf_counter()
        report = build_index(source, index, **index_rules())
        seconds = time.perf_counter() - start
        build_rss = _peak_rss_mb()
        times = asyncio.run(_search_times(Corpus.open(index, home=Path(folder), **index_rules()), language))
        return Measurement(
            passages=report.passages,
            build_seconds=seconds,
            build_rss_mb=build_rss,
            search_rss_mb=_peak_rss_mb(),
            disk_mb=sum(file.stat().st_size for file in index.rglob("*")) / 1e6,
            search_p50_ms=statistics.median(times),
            search_p95_ms=statistics.quantiles(times, n=20)[-1],
        )


async def _search_times(corpus: Corpus, language: Language) -> list[float]:
    """Milliseconds of each of `QUERIES` searches for 10 words, as frequent as in the corpus."""
    times = []
    for _ in range(QUERIES):
        query = " ".join(language.words(10))
        start = time.perf_counter()
        await corpus.retrieve(query, 5)
        times.append((time.perf_counter() - start) * 1000)
    return times


def measure_apart(passages: int, seed: int = 0) -> Measurement:
    """Runs `measure` in a new process, so that its memory is measured alone."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(measure, passages, seed).result()


def _peak_rss_mb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak / 1e3


def main() -> None:
    """Prints a table: medians, and in brackets the least and the most of the runs."""
    made = parser(__doc__)
    made.add_argument("--million", action="store_true", help="a million passages as well, in a few minutes")
    made.add_argument("--runs", type=int, default=3)
    options = made.parse_args()
    print(f"{machine()}\n{QUERIES} queries of 10 words; medians of {options.runs} runs [least to most]")
    print(" | ".join(["passages", *_COLUMNS]))
    for passages in (10_000, 100_000, *([1_000_000] if options.million else [])):
        found = [measure_apart(passages, seed) for seed in range(options.runs)]
        cells = [spread([getattr(run, name) for run in found], digits) for name, digits in _COLUMNS.items()]
        print(" | ".join([f"{found[0].passages:>9,}", *cells]), flush=True)


_COLUMNS = {
    "build_seconds": 1,
    "passages_per_minute": 0,
    "build_rss_mb": 0,
    "search_rss_mb": 0,
    "disk_mb": 0,
    "search_p50_ms": 1,
    "search_p95_ms": 1,
}

if __name__ == "__main__":
    main()

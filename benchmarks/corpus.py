"""Measures the time and the memory of indexing and searching a corpus.

python -m benchmarks.corpus [--passages N ...] [--in-one-text] [--runs N]
"""

import asyncio
import itertools
import json
import random
import resource
import statistics
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.harness import machine, make_parser, spread, table
from rarr.retrievers.corpus.corpus import Corpus, build_index
from rarr.settings import Settings

QUERIES = 300
_SENTENCES = 13  # the sentences of a section, which give 10 windows of 4 sentences
_SECTIONS = 2
_PER_DOCUMENT = _SECTIONS * (_SENTENCES - 3)
_PER_FILE = 500  # the documents of a file
_VOCABULARY = 50_000


class Measurement(NamedTuple):
    """The figures of one build and `QUERIES` searches. Memory is the peak of the process that does both."""

    passages: float
    build_seconds: float
    peak_mb: float
    search_p50_ms: float
    search_p95_ms: float


class Language:
    """Makes sentences of invented words. Their frequencies fall as in a real language (Zipf's law)."""

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


def write_corpus(folder: Path, passages: int, language: Language, *, in_one_text: bool = False) -> None:
    """Writes files of JSON lines, or one text file, that give about `passages` passages, into `folder`."""
    documents = passages // _PER_DOCUMENT
    for number, start in enumerate(range(0, documents, _PER_FILE)):
        name = "all.md" if in_one_text else f"{number:05}.jsonl"
        with (folder / name).open("a", encoding="utf-8") as file:
            for _ in range(min(_PER_FILE, documents - start)):
                record = {"title": " ".join(language.words(3)), "text": language.document()}
                file.write(f"{record['text']}\n\n" if in_one_text else f"{json.dumps(record)}\n")


def index_rules() -> dict[str, Any]:
    """Returns the settings that decide how a corpus is indexed."""
    return {"window": Settings().window}


def measure(passages: int, seed: int, in_one_text: bool) -> Measurement:
    """Builds and searches an index of about `passages` passages in a temporary folder, in this process."""
    language = Language(seed)
    with tempfile.TemporaryDirectory() as folder:
        source, index = Path(folder, "source"), Path(folder, "index")
        source.mkdir()
        write_corpus(source, passages, language, in_one_text=in_one_text)
        start = time.perf_counter()
        report = build_index(source, index, **index_rules())
        seconds = time.perf_counter() - start
        times = asyncio.run(_search_times(Corpus.open(index, home=Path(folder), **index_rules()), language))
    peak, p95 = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3, statistics.quantiles(times, n=20)
    return Measurement(report.passages, seconds, peak, statistics.median(times), p95[-1])


async def _search_times(corpus: Corpus, language: Language) -> list[float]:
    """Returns the milliseconds of each of `QUERIES` searches. A query has 10 words of the language."""
    times = []
    for _ in range(QUERIES):
        query = " ".join(language.words(10))
        start = time.perf_counter()
        await corpus.retrieve(query, 5)
        times.append((time.perf_counter() - start) * 1000)
    return times


def main() -> None:
    made = make_parser(__doc__)
    made.add_argument("--passages", type=int, nargs="*", default=[10_000, 100_000], help="of each corpus")
    made.add_argument(
        "--in-one-text", action="store_true", help="one text file; 5,700 passages are about 1 MB"
    )
    made.add_argument("--runs", type=int, default=3)
    options = made.parse_args()
    print(f"{machine()}\n{QUERIES} queries of 10 words; medians of {options.runs} runs [least to most]\n")
    rows = []
    for passages in options.passages:
        # Each run has a new process, so that its memory is measured alone.
        with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as pool:
            found = [
                pool.submit(measure, passages, seed, options.in_one_text) for seed in range(options.runs)
            ]
            rows.append([spread(values, 1) for values in zip(*(run.result() for run in found), strict=True)])
    print(table(Measurement._fields, rows))


if __name__ == "__main__":
    main()

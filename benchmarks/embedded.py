"""How long the embedded components take, and what an index costs: python -m benchmarks.embedded [--million]

Prints one table: medians, and the least and the most of the runs. The index of the first rows holds about
10,000 passages: the examples, and documents of random words as frequent as in the examples.
"""

import argparse
import itertools
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from benchmarks.corpus import Language, Measurement, index_rules, measure_apart, write_corpus
from benchmarks.examples import CORPUS, examples
from benchmarks.report import machine
from rarr import Reviser, Settings
from rarr.retrievers.corpus.index_building import build_index
from rarr.tools.text.blocks_and_sentences import split_sentences

PASSAGES = 10_000
SENTENCES = 5  # of a text whose revision is timed
WARM_RUNS = 21
COLD_RUNS = 5
INDEX_RUNS = 3
TEXT = (
    "The Golden Gate Bridge opened to pedestrians on May 27, 1939. Its chief engineer was Charles Purcell. "
    "The Hoover Dam is 212 metres high. Marie Curie won the Nobel Prize in Chemistry in 1913. "
    "The Panama Canal is 82 kilometres long."
)
"""Five sentences about the examples, four of them with an error."""

_IMPORT = "import time; s = time.perf_counter(); from rarr import revise; print(time.perf_counter() - s)"
_REVISE = "import sys, rarr; rarr.revise(sys.argv[1], corpus=sys.argv[2])"
_INDEX_FIGURES = {
    "build_seconds": ("build", "s", 1),
    "passages_per_minute": ("build", "passages a minute", 0),
    "build_rss_mb": ("build, peak memory", "MB", 0),
    "search_rss_mb": ("build and search, peak memory", "MB", 0),
    "disk_mb": ("index on disk", "MB", 0),
    "search_p50_ms": ("search, p50", "ms", 1),
    "search_p95_ms": ("search, p95", "ms", 1),
}


class EnglishLike(Language):
    """Makes sentences of the words and numbers of the examples, with the same frequencies."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        texts = [path.read_text(encoding="utf-8") for path in sorted(CORPUS.glob("*.md"))]
        counts = Counter(re.findall(r"\w+", " ".join(texts)))
        self._words = list(counts)
        self._weights = list(itertools.accumulate(counts.values()))


def main() -> None:
    parser = argparse.ArgumentParser(description="How long the embedded components take.")
    parser.add_argument("--million", action="store_true", help="a million passages as well, in a few minutes")
    options = parser.parse_args()
    print(f"{machine()}\n")
    print("| what | unit | median | least | most | runs |\n|---|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        print_times(Path(folder))
    for passages in (10_000, 100_000, *([1_000_000] if options.million else [])):
        print_index([measure_apart(passages, seed) for seed in range(INDEX_RUNS)])


def print_times(folder: Path) -> None:
    """Prints how long imports and revisions take with an index that is already built."""
    index, passages = indexed(folder)
    reviser = Reviser(Settings(corpus=index, home=folder / "home"))
    edits = sum(edit.accepted for edit in reviser.revise(TEXT).edits)
    conditions = f"of 5 sentences ({edits} edits) against {passages:,} passages"
    _print_row(f"revise a text {conditions}, again", "s", times(lambda: reviser.revise(TEXT), WARM_RUNS), 3)
    _print_row(f"revise a new text of {SENTENCES} sentences against them", "s", times_of_new(reviser), 3)
    imports = [float(_python(_IMPORT)) for _ in range(COLD_RUNS)]
    _print_row("`from rarr import revise`", "s", imports, 2)
    _print_row("process that imports rarr", "s", times(lambda: _python(_IMPORT), COLD_RUNS), 2)
    graph = times(lambda: _python("import langgraph.graph"), COLD_RUNS)
    _print_row("process that imports langgraph alone", "s", graph, 2)
    first = times(lambda: _python(_REVISE, TEXT, str(index)), COLD_RUNS)
    _print_row("process that imports rarr and revises the same text", "s", first, 2)
    command = times(lambda: _command("revise", TEXT, "--corpus", str(index)), COLD_RUNS)
    _print_row("`rarr revise` of the same text", "s", command, 2)
    _print_row("`rarr --help`", "s", times(lambda: _command("--help"), COLD_RUNS), 2)


def print_index(runs: Sequence[Measurement]) -> None:
    """Prints the figures of `benchmarks.corpus` for one size."""
    for name, (label, unit, digits) in _INDEX_FIGURES.items():
        values = [getattr(run, name) for run in runs]
        _print_row(f"{runs[0].passages:,} passages: {label}", unit, values, digits)


def indexed(folder: Path) -> tuple[Path, int]:
    """Builds an index of the examples and random documents, about `PASSAGES` passages.

    Returns its folder and the number of passages.
    """
    source = folder / "source"
    shutil.copytree(CORPUS, source)
    write_corpus(source, PASSAGES, EnglishLike(0))
    return folder / "index", build_index(source, folder / "index", **index_rules()).passages


def times_of_new(reviser: Reviser) -> list[float]:
    """Seconds for each example of `SENTENCES` sentences. Each has another subject, so no cache helps."""
    texts = [example.text for example in examples() if len(split_sentences(example.text)) == SENTENCES]
    return [taken for text in texts for taken in times(partial(reviser.revise, text), 1)]


def times(call: Callable[[], object], runs: int) -> list[float]:
    """The seconds of each run."""
    taken = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return taken


def _python(program: str, *argv: str) -> str:
    process = subprocess.run(
        [sys.executable, "-c", program, *argv], check=True, capture_output=True, text=True
    )
    return process.stdout


def _command(*argv: str) -> None:
    _python("import sys; from rarr.cli import run; run()", *argv)


def _print_row(label: str, unit: str, values: Sequence[float], digits: int) -> None:
    figures = (statistics.median(values), min(values), max(values))
    cells = " | ".join(f"{figure:,.{digits}f}" for figure in figures)
    print(f"| {label} | {unit} | {cells} | {len(values)} |", flush=True)


if __name__ == "__main__":
    main()

"""Measures the embedded reader, warm, in a new process, and on long texts: python -m benchmarks.embedded

The index has about 10,000 passages: the examples, and documents of random words. Another process revises each
long text, so that its memory is measured alone.
"""

import json
import multiprocessing
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from benchmarks import mills
from benchmarks.corpus import Language, index_rules, write_corpus
from benchmarks.examples import CORPUS, read_examples
from benchmarks.harness import machine, spread, table
from rarr import Reviser, Settings
from rarr.retrievers.corpus.corpus import build_index
from rarr.tools.text.blocks_and_sentences import split_sentences

PASSAGES = 10_000
SENTENCES = 5  # the sentences of a text whose revision is timed
RUNS = 7
TEXT = "The Hoover Dam is 212 metres high. The Panama Canal is 82 kilometres long."
WORDS = (1_000, 5_000, 20_000)
_REVISE = "import sys, rarr; rarr.revise(sys.argv[1], corpus=sys.argv[2])"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        source, index = Path(folder, "source"), Path(folder, "index")
        shutil.copytree(CORPUS, source)
        write_corpus(source, PASSAGES, Language(0))
        build_index(source, index, **index_rules())
        reviser = Reviser(Settings(corpus=index, home=Path(folder, "home")))
        reviser.revise(TEXT)
        # Each text has another subject, so that no cache helps.
        texts = [it.text for it in read_examples() if len(split_sentences(it.text)) == SENTENCES]
        new = [seconds for text in texts for seconds in seconds_of(partial(reviser.revise, text), 1)]
        rows = [
            (f"revise a new text of {SENTENCES} sentences", new),
            ("import langgraph.graph in a new process", seconds_of(_run_program("import langgraph.graph"))),
            ("first revise in a new process", seconds_of(_run_program(_REVISE, TEXT, str(index)))),
        ]
    print(f"{machine()}; {PASSAGES:,} passages\n")
    print(
        table(("what", "seconds", "runs"), [(name, spread(took, 3), str(len(took))) for name, took in rows])
    )

    print("\nwords: seconds, peak MB, errors corrected")
    for words in WORDS:
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            seconds, megabytes, corrected = pool.submit(measure_long_text, words).result()
        print(f"{words:,}: {seconds:.1f}, {megabytes:.0f}, {corrected:.0%}", flush=True)


def measure_long_text(words: int) -> tuple[float, float, float]:
    """Revises a text about invented places. Returns seconds, peak memory in MB, share of corrected errors."""
    text, documents, planted = make_long_text(words)
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder, "corpus.jsonl")
        rows = (json.dumps({"title": title, "text": document}) for title, document in documents)
        corpus.write_text("\n".join(rows), encoding="utf-8")
        with Reviser(Settings(corpus=corpus, home=Path(folder, "home"))) as reviser:
            reviser.revise("Nothing was built in 1999.")  # builds the index
            started = time.perf_counter()
            edits = reviser.revise(text).edits
            seconds = time.perf_counter() - started
    right = sum(it.accepted and it.old.isdigit() and it.new == str(int(it.old) - 3) for it in edits)
    return seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3, right / planted


def make_long_text(words: int) -> tuple[str, list[tuple[str, str]], int]:
    """Makes a text about places, its documents (title, text), and the number of errors in the text.

    Each place has four values. Every third section has another year than its document.
    """
    chance = random.Random(0)
    sections, documents, count, planted = ["# Places of the valley"], list[tuple[str, str]](), 0, 0
    while count < words:
        name, year = mills.mill_name(len(documents)), chance.randrange(1700, 1990)
        facts = [
            f"{name} was built in {year}.",
            f"It was designed by {chance.choice(('Ada Brandt', 'Otto Lind', 'Ida Moser', 'Karl Vane'))}.",
            f"The building is {chance.randrange(10, 400)} metres tall.",
            f"Every year, {chance.randrange(1000, 90_000):,} people visit it.",
        ]
        documents.append((name, " ".join(facts)))
        if len(documents) % 3 == 1:
            facts[0], planted = f"{name} was built in {year + 3}.", planted + 1
        aside = "It stands near the river, and many people remember how it looked before the fire."
        sections += [f"## {name}", " ".join([*facts[:2], aside]), " ".join(facts[2:])]
        count += sum(len(part.split()) for part in sections[-3:])
    return "\n\n".join(sections), documents, planted


def seconds_of(call: Callable[[], object], runs: int = RUNS) -> list[float]:
    taken = []
    for _ in range(runs):
        started = time.perf_counter()
        call()
        taken.append(time.perf_counter() - started)
    return taken


def _run_program(program: str, *argv: str) -> Callable[[], object]:
    return partial(subprocess.run, [sys.executable, "-c", program, *argv], check=True, capture_output=True)


if __name__ == "__main__":
    main()

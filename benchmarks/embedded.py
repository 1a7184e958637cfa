"""How long the embedded reader takes, warm and in a new process: python -m benchmarks.embedded

The index holds about 10,000 passages: the examples, and documents of random words.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.corpus import Language, index_rules, write_corpus
from benchmarks.examples import CORPUS, examples
from benchmarks.harness import machine, spread, table
from rarr import Reviser, Settings
from rarr.retrievers.corpus.index_building import build_index
from rarr.tools.text.blocks_and_sentences import split_sentences

PASSAGES = 10_000
SENTENCES = 5  # of a text whose revision is timed
RUNS = 7
TEXT = "The Hoover Dam is 212 metres high. The Panama Canal is 82 kilometres long."
_REVISE = "import sys, rarr; rarr.revise(sys.argv[1], corpus=sys.argv[2])"
_COMMAND = "import sys; from rarr.cli import run; run()"


def main() -> None:
    """Prints a table: medians in seconds, and in brackets the least and the most."""
    with tempfile.TemporaryDirectory() as folder:
        source, index = Path(folder, "source"), Path(folder, "index")
        shutil.copytree(CORPUS, source)
        write_corpus(source, PASSAGES, Language(0))
        build_index(source, index, **index_rules())
        reviser = Reviser(Settings(corpus=index, home=Path(folder, "home")))
        reviser.revise(TEXT)
        # Each text has another subject, so that no cache helps.
        texts = [example.text for example in examples() if len(split_sentences(example.text)) == SENTENCES]
        new = [seconds for text in texts for seconds in times(partial(reviser.revise, text), 1)]
        rows = [
            (f"revise a new text of {SENTENCES} sentences", new),
            ("import langgraph.graph in a new process", times(_process("import langgraph.graph"))),
            ("first revise in a new process", times(_process(_REVISE, TEXT, str(index)))),
            ("rarr revise", times(_process(_COMMAND, "revise", TEXT, "--corpus", str(index)))),
            ("rarr --help", times(_process(_COMMAND, "--help"))),
        ]
    print(f"{machine()}; {PASSAGES:,} passages\n")
    print(
        table(("what", "seconds", "runs"), [(name, spread(took, 3), str(len(took))) for name, took in rows])
    )


def times(call: Callable[[], object], runs: int = RUNS) -> list[float]:
    """The seconds of each run."""
    taken = []
    for _ in range(runs):
        started = time.perf_counter()
        call()
        taken.append(time.perf_counter() - started)
    return taken


def _process(program: str, *argv: str) -> Callable[[], object]:
    return partial(subprocess.run, [sys.executable, "-c", program, *argv], check=True, capture_output=True)


if __name__ == "__main__":
    main()

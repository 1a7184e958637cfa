"""Long texts, with their time and memory, and how far a run comes in a quarter of its time.

    python -m benchmarks.long_text [--words 20000]

A made text of sections about made places, each with four values; in every third section one value differs
from what the documents say. The embedded reader reads it. Each run is in a process of its own, so that its
memory is its own.
"""

import json
import multiprocessing
import random
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

from benchmarks.harness import machine, parser
from rarr import Reviser, Settings

WORDS = (1_000, 5_000, 20_000, 100_000)
SHARE = 4  # the deadline is the time of the whole run, divided by this
_FIRST = (
    "Ald",
    "Brack",
    "Cress",
    "Dun",
    "East",
    "Far",
    "Gars",
    "Hol",
    "Ings",
    "Kel",
    "Lang",
    "Mer",
    "Nor",
    "Pen",
)
_LAST = ("moor", "ford", "ing", "ley", "wick", "low", "dale", "beck", "thorpe", "ton", "by", "gate", "holm")
_KINDS = ("Mill", "Bridge", "Library", "Tower", "Abbey", "Museum")
_PEOPLE = ("Ada Brandt", "Otto Lind", "Ida Moser", "Karl Vane", "Eva Holm")
_ASIDE = "It stands near the river, and many people remember how it looked before the fire."
_HEAD = ("words", "seconds", "peak MB", "judged", "corrected", "deadline s", "elapsed / deadline", "judged")


class Measured(NamedTuple):
    """A run: its seconds and peak memory, the shares of judged sentences and of corrected errors."""

    seconds: float
    peak_mb: float
    judged: float
    corrected: float


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--words", type=int, nargs="*", default=WORDS, help="the sizes")
    options.add_argument("--seed", type=int, default=0)
    chosen = options.parse_args()
    print(f"{machine()}; seed {chosen.seed}; deadline: 1/{SHARE} of the time of the whole run\n")
    print(f"| {' | '.join(_HEAD)} |\n|{'---|' * len(_HEAD)}", flush=True)
    for words in chosen.words:
        print(f"| {' | '.join(_row(words, chosen.seed))} |", flush=True)


def made(words: int, seed: int) -> tuple[str, list[tuple[str, str]], int]:
    """A text of about `words` words, its documents (title, text), and the number of planted errors."""
    chance = random.Random(seed)
    sections, documents, count, planted = ["# Places of the valley"], [], 0, 0
    names: set[str] = set()
    while count < words:
        name = _name(chance)
        while name in names:
            name = _name(chance)
        names.add(name)
        year, visitors = chance.randrange(1700, 1990), chance.randrange(1000, 90_000)
        facts = [
            f"{name} was built in {year}.",
            f"It was designed by {chance.choice(_PEOPLE)}.",
            f"The building is {chance.randrange(10, 400)} metres tall.",
            f"Every year, {visitors:,} people visit it.",
        ]
        documents.append((name, " ".join(facts)))
        if len(documents) % 3 == 1:
            facts[0], planted = f"{name} was built in {year + 3}.", planted + 1
        sections += [f"## {name}", " ".join([*facts[:2], _ASIDE]), " ".join(facts[2:])]
        count += sum(len(paragraph.split()) for paragraph in sections[-3:])
    return "\n\n".join(sections), documents, planted


def _name(chance: random.Random) -> str:
    return f"{_place(chance)} {_place(chance)} {chance.choice(_KINDS)}"


def _place(chance: random.Random) -> str:
    return chance.choice(_FIRST) + chance.choice(_LAST)


def measured(words: int, deadline: float | None, seed: int) -> Measured:
    """Runs in this process."""
    text, documents, planted = made(words, seed)
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder, "corpus.jsonl")
        rows = (json.dumps({"title": title, "text": document}) for title, document in documents)
        corpus.write_text("\n".join(rows), encoding="utf-8")
        with Reviser(Settings(corpus=corpus, home=Path(folder), deadline_s=deadline)) as reviser:
            reviser.revise("Nothing was built in 1999.")  # opens the models
            started = time.perf_counter()
            revision = reviser.revise(text)
            seconds = time.perf_counter() - started
    sentences = revision.report.sentences
    right = sum(
        edit.accepted and edit.old.isdigit() and edit.new == str(int(edit.old) - 3) for edit in revision.edits
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
    judged = sum(sentence.status != "unjudged" for sentence in sentences) / len(sentences)
    return Measured(seconds, peak, judged, right / planted)


def _row(words: int, seed: int) -> Sequence[str]:
    whole = _apart(words, None, seed)
    deadline = whole.seconds / SHARE
    cut = _apart(words, deadline, seed)
    return (
        f"{words:,}", f"{whole.seconds:.1f}", f"{whole.peak_mb:.0f}", f"{whole.judged:.0%}",
        f"{whole.corrected:.0%}", f"{deadline:.1f}", f"{cut.seconds / deadline:.2f}", f"{cut.judged:.0%}",
    )  # fmt: skip


def _apart(words: int, deadline: float | None, seed: int) -> Measured:
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(measured, words, deadline, seed).result()


if __name__ == "__main__":
    main()

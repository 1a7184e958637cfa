"""Long texts, with their time and memory, and how far a run comes in a quarter of its time.

    python -m benchmarks.long_text [--words 20000] [--model embedded|rules]

A made text of sections about made places, each with four values; in every third section one value differs
from what the documents say. `embedded` is the default of the package; `rules` is the stand-in for a language
model, behind an HTTP server in a process of its own. Each run is in a process of its own as well, so that
memory is its own.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from benchmarks.report import machine
from rarr import Reviser, Settings
from rarr.testing import RuleModel, ScriptedServer

WORDS = (1_000, 5_000, 20_000, 100_000)
MODELS = ("embedded", "rules")
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
_HEAD = (
    "words",
    "model",
    "seconds",
    "peak MB",
    "judged",
    "corrected",
    "deadline s",
    "elapsed / deadline",
    "judged",
)


def main() -> None:
    """Prints a row for each size and model."""
    options = _options()
    if options.single_run:
        print(json.dumps(measured(options.words, options.model, options.url, options.deadline, options.seed)))
        return
    if options.serve:
        _serve()
        return
    print(f"{machine()}; seed {options.seed}; deadline: 1/{SHARE} of the time of the whole run\n")
    print(f"| {' | '.join(_HEAD)} |\n|{'---|' * len(_HEAD)}", flush=True)
    for words in [options.words] if options.words else WORDS:
        for model in [options.model] if options.model else MODELS:
            print(f"| {' | '.join(_row(words, model, options.seed))} |", flush=True)


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


def measured(words: int, model: str, url: str, deadline: float | None, seed: int) -> dict[str, Any]:
    """Runs in this process. Returns seconds, peak memory, and the shares that were judged and corrected."""
    text, documents, planted = made(words, seed)
    model_settings = {"model": "vllm:rules", "base_url": url} if model == "rules" else {}
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder, "corpus.jsonl")
        rows = (json.dumps({"title": title, "text": document}) for title, document in documents)
        corpus.write_text("\n".join(rows), encoding="utf-8")
        with Reviser(
            Settings(corpus=corpus, home=Path(folder), deadline_s=deadline, **model_settings)
        ) as reviser:
            reviser.revise("Nothing was built in 1999.")  # opens the models
            started = time.perf_counter()
            revision = reviser.revise(text)
            seconds = time.perf_counter() - started
    sentences = revision.report.sentences
    right = sum(
        edit.accepted and edit.old.isdigit() and edit.new == str(int(edit.old) - 3) for edit in revision.edits
    )
    return {
        "seconds": seconds,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        / (1e6 if sys.platform == "darwin" else 1e3),
        "judged": sum(sentence.status != "unjudged" for sentence in sentences) / len(sentences),
        "corrected": right / planted,
    }


def _row(words: int, model: str, seed: int) -> list[str]:
    with _server() if model == "rules" else nullcontext("") as url:
        whole = _apart(words, model, url, seed)
        deadline = whole["seconds"] / SHARE
        cut = _apart(words, model, url, seed, deadline)
    return [
        f"{words:,}",
        model,
        f"{whole['seconds']:.1f}",
        f"{whole['peak_mb']:.0f}",
        f"{whole['judged']:.0%}",
        f"{whole['corrected']:.0%}",
        f"{deadline:.1f}",
        f"{cut['seconds'] / deadline:.2f}",
        f"{cut['judged']:.0%}",
    ]


def _apart(words: int, model: str, url: str, seed: int, deadline: float | None = None) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.long_text", "--one", "--words", str(words), "--model", model]
    command += ["--url", url, "--seed", str(seed), *(["--deadline", str(deadline)] if deadline else [])]
    process = subprocess.run(command, check=True, capture_output=True, text=True)
    measures: dict[str, Any] = json.loads(process.stdout)
    return measures


@contextmanager
def _server() -> Iterator[str]:
    command = [sys.executable, "-m", "benchmarks.long_text", "--serve"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


def _serve() -> None:
    with ScriptedServer(RuleModel()) as server:
        print(server.url, flush=True)
        while True:
            time.sleep(1)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--words", type=int, help="one size alone")
    parser.add_argument("--model", choices=MODELS, help="one model alone")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--deadline", type=float, help=argparse.SUPPRESS)
    parser.add_argument("--url", default="", help=argparse.SUPPRESS)
    parser.add_argument("--one", dest="single_run", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()

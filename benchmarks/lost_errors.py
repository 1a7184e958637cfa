"""Counts the stages of the pipeline at which the planted errors of `examples/answers` are lost.

    python -m benchmarks.lost_errors [--model M] [--base-url URL]

Each answer is revised as a whole against the documents of all parts. Prints totals alone, since two of the
three parts are for measuring alone.
"""

import argparse
import tempfile
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.answers import HALVES, Answer, answers, corpus_folder
from benchmarks.report import machine, table
from rarr import Reviser, Settings
from rarr.agent.wiring.components import wire
from rarr.components import Components
from rarr.evals.lost_error_stages import error_stages
from rarr.evals.measures import ERROR_STAGES
from rarr.evals.row_retriever import FoundPassages


def corrected(answer: Answer) -> str:
    """The answer without its planted errors."""
    text = answer.text
    for mark in answer.marks:
        text = text.replace(mark.sentence, mark.corrected)
    return text


def stages(components: Components, answer: Answer) -> Counter[str]:
    """How many errors of the answer are lost at each stage. A planted error can change several places."""
    retriever = FoundPassages(components.retriever)
    with Reviser(components=replace(components, retriever=retriever)) as reviser:
        revision = reviser.revise(answer.text)
    return Counter(error_stages(revision, corrected(answer), retriever.passages))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="embedded", help="what reads, as in the settings")
    parser.add_argument("--base-url", help="the server of the model, as in the settings")
    options = parser.parse_args()
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        given: dict[str, Any] = {"model": options.model, "base_url": options.base_url, "trace": False}
        settings = Settings(corpus=corpus_folder(Path(folder)), home=Path(folder) / "home", **given)
        components = wire(settings)
        counts = {
            half: sum((stages(components, answer) for answer in answers(half)), Counter[str]())
            for half in HALVES
        }
    body = [
        [stage.replace("_", " "), *(f"{count[stage]} of {count.total()}" for count in counts.values())]
        for stage in ERROR_STAGES
    ]
    print(table(["the error was", *counts], body))
    print(f"{time.perf_counter() - started:.1f} seconds by {options.model} on {machine()}")


if __name__ == "__main__":
    main()

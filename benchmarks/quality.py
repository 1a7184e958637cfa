"""How good revisions by the rules are on people's data: the default settings beside ablations and baselines.

    python -m benchmarks.quality                 all sets, into docs/measured/corrections.md; 15 minutes
    python -m benchmarks.quality --rows 20 -o x  the first rows of each set, another file

Each set is made into rows of `rarr eval`, with the evidence that its people saw, and run by it. The page is
written by `benchmarks.quality_page`.
"""

import argparse
import json
import multiprocessing
import random
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks import verifiers
from benchmarks.quality_page import Set, document
from benchmarks.report import machine
from benchmarks.shared_data import rows
from rarr import Settings
from rarr.evals import evaluate

SETS: dict[str, tuple[str, str]] = {
    "fib_fir": ("editing/fib_fir.jsonl", "news summaries that people found wrong, and mended"),
    "factcheckgpt_claim": ("editing/factcheckgpt_claim.jsonl", "claims of ChatGPT, mended where needed"),
    "factcheckgpt_response": ("editing/factcheckgpt_response.jsonl", "whole answers of ChatGPT"),
    "expertqa_claim": ("editing/expertqa_claim.jsonl.gz", "claims that experts revised where needed"),
    "expertqa_answer": ("editing/expertqa_answer.jsonl", "whole answers that experts revised"),
    "fever_symmetric_pair": ("editing/fever_symmetric_pair.jsonl", "refuted claims, and supported ones"),
    "bump": ("editing/bump.jsonl.gz", "summaries with one error that a person wrote in"),
    "qa_feedback": ("editing/qa_feedback.jsonl", "answers of a model, rewritten by people"),
    "handwritten": ("editing/handwritten.jsonl.gz", "paraphrases of passages with one or two errors"),
}

SYSTEMS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "default": ({}, {}),
    "no agreement check": ({}, {"agreement": False}),
    "query = input": ({}, {"queries": "text"}),
    "query = sentence": ({}, {"queries": "sentences"}),
    "one round": ({"rounds": 1}, {}),
    "verify off": ({"verify": False}, {}),
    "random edit": ({}, {"editor": "random"}),
    "no edit": ({}, {"editor": "none"}),
}
"""The settings and the baseline of each system.

First the ablations in the paper's order (Gao et al. 2023, ablations), then ours, then the baselines.
"""

PASSAGES = 200
"""The number of passages taken of `handwritten`, which has more rows than any other set."""


def main() -> None:
    """Runs all, and writes the document."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, help="the first so many rows of each set alone")
    parser.add_argument(
        "--handwritten", type=int, default=PASSAGES, help="passages of handwritten (%(default)s)"
    )
    parser.add_argument("--processes", type=int, default=2, help="sets at the same time (%(default)s)")
    parser.add_argument("-o", default="docs/measured/corrections.md", help="the file to write")
    options = parser.parse_args()
    started = time.perf_counter()
    with ProcessPoolExecutor(options.processes, multiprocessing.get_context("spawn")) as pool:
        running = [pool.submit(run_set, name, options.rows, options.handwritten) for name in SETS]
        judging = [pool.submit(verifiers.lines_of, name, options.rows) for name in verifiers.SETS]
        sets = [future.result() for future in running]
        judged = verifiers.section([line for future in judging for line in future.result()])
    seconds = time.perf_counter() - started
    Path(options.o).parent.mkdir(parents=True, exist_ok=True)
    Path(options.o).write_text(document(sets, judged, seconds, options.rows), encoding="utf-8")
    print(f"wrote {options.o} in {seconds:.0f} s on {machine()}")


def run_set(name: str, limit: int | None, passages: int) -> Set:
    """Every system on one set, one after another."""
    file, about = SETS[name]
    items: Sequence[Mapping[str, Any]] = rows(f"dev/{file}")
    if name == "handwritten" and passages < len(items):
        about += f", beside right ones; two rows for each of {passages} of its {len(items)}"
        about += " passages, drawn at random"
        items = sample(items, passages)
    eval_rows = list(rows_of(items))[:limit]
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, f"{name}.jsonl")
        data.write_text("".join(json.dumps(row) + "\n" for row in eval_rows), encoding="utf-8")
        reports = {}
        for number, (system, (settings, baseline)) in enumerate(SYSTEMS.items()):
            started = time.perf_counter()
            system_settings = Settings(
                model="rules", search="corpus", corpus=nothing(folder), home=folder, **settings
            )
            reports[system] = evaluate(
                data, Path(folder, str(number)), settings=system_settings, jobs=1, **baseline
            )
            print(
                f"{name:22} {system:20} {len(eval_rows):4} rows {time.perf_counter() - started:6.1f} s",
                flush=True,
            )
    return Set(name, about, reports)


def sample(items: Sequence[Mapping[str, Any]], count: int) -> list[Mapping[str, Any]]:
    """`count` of the rows, in their order; the same rows every time."""
    return [items[index] for index in sorted(random.Random(0).sample(range(len(items)), count))]


def nothing(folder: str) -> Path:
    """Writes a corpus that is never searched: every row brings its own evidence."""
    file = Path(folder, "none.md")
    file.write_text("Nothing.", encoding="utf-8")
    return file


def rows_of(items: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Rows of a set as `rarr eval` reads them. Rows without evidence are left out.

    A passage of `handwritten` gives two rows: its wrong paraphrase, and its right one, which needs no edit.
    """
    for item in items:
        if "corrupted" in item:
            evidence = [{"text": item["evidence"], "title": item.get("title") or ""}]
            for version in ("corrupted", "supported"):
                yield {
                    "id": f"{item['id']}/{version}",
                    "text": item[version],
                    "revised": item["supported"],
                    "evidence": evidence,
                }
        elif item["original"].strip() and (
            passages := [passage for passage in item["evidence"] if passage["text"].strip()]
        ):
            yield {
                "id": item["id"],
                "text": item["original"],
                "revised": item["revised"],
                "context": item.get("question"),
                "evidence": [_evidence(passage) for passage in passages],
            }


def _evidence(passage: Mapping[str, Any]) -> dict[str, str]:
    """A passage without an address gets no `source`: an invented one would be read as the user's file."""
    evidence = {"text": passage["text"], "title": passage.get("title") or ""}
    return evidence | ({"source": passage["url"]} if passage.get("url") else {})


if __name__ == "__main__":
    main()

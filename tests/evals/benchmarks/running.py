"""Runs a benchmark for a test, and has a few made-up claims of ExpertQA."""

from importlib import import_module
from pathlib import Path
from typing import Any

from evals.doubles import write_rows
from rarr.cli.files import BENCHES
from rarr.evals.benchmarks.bench import BenchmarkReport, BenchOptions, run_bench
from rarr.evals.benchmarks.claims import CLAIMS
from rarr.evals.metrics import Measurement
from rarr.settings import Settings


def run(name: str, *paths: Path, out: Path, **given: Any) -> BenchmarkReport:
    """Runs the benchmark of this name, or "verify". `given` are settings and fields of `BenchOptions`."""
    options = BenchOptions(**{it: given.pop(it) for it in BenchOptions.model_fields if it in given})
    settings, module = Settings(**given), {**BENCHES, "verify": ("claims",)}[name][0]
    make = vars(import_module(f"rarr.evals.benchmarks.{module}"))[f"{name}_bench"]
    return run_bench(make(*paths, settings, options), out, settings, options)


def first_table(report: BenchmarkReport) -> dict[str, dict[str, Measurement]]:
    return next(iter(report.tables.values()))


def expert_claim(
    number: int, text: str, evidence: list[str], support: str, worthy: str = "Yes", system: str = "rr"
) -> dict[str, Any]:
    return {
        "id": f"e/{number // 2}/{system}/{number}",
        "claim": text,
        "evidence": [{"text": piece, "url": "https://example.org"} for piece in evidence],
        "supported": support == "Complete",
        "meta": {"system": system, "field": "Law", "support": support, "worthiness": worthy},
    }


DAM = "Hoover Dam is 221 metres high and 379 metres long."
EXPERT_CLAIMS = [
    expert_claim(0, "Hoover Dam is 221 metres high.", [DAM], "Complete"),
    expert_claim(1, "Hoover Dam is 212 metres high.", ["It is in Nevada.", DAM], "Incomplete"),
    expert_claim(2, "Hoover Dam is 379 metres long.", [DAM], "Complete", system="post_hoc"),
    expert_claim(3, "Hoover Dam is 379 metres long.", [DAM], "Partial", "No", system="post_hoc"),
]


def expertqa_folder(folder: Path) -> Path:
    """Writes the claims into the folder and file of the published data."""
    write_rows(folder / CLAIMS, *EXPERT_CLAIMS)
    return folder

"""Compares measures of the embedded reader with floors, on examples/eval.jsonl: python -m benchmarks.floors

A floor is the lowest value that a measure may have. With --raise, a higher measure becomes its floor in
benchmarks/floors.json. If a measure is under its floor, nothing is written, and the exit status is 4.
"""

import argparse
import json
import math
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from rarr import Settings
from rarr.evals.evaluation import EvalReport, evaluate, low_measure_messages

DATA = Path(__file__).resolve().parent.parent / "examples" / "eval.jsonl"
FLOORS = Path(__file__).with_name("floors.json")


def read_floors() -> dict[str, float]:
    known: dict[str, float] = json.loads(FLOORS.read_text(encoding="utf-8"))
    return known


def evaluate_examples(home: Path, out: Path) -> EvalReport:
    return evaluate(DATA, out, settings=Settings(home=home, corpus=DATA.parent / "corpus"))


def raise_floors(known: Mapping[str, float], report: EvalReport) -> dict[str, float]:
    """Returns the floors, raised to measured values. Raises `ValueError` if a measure is under its floor."""
    if short := low_measure_messages(report, known):
        raise ValueError("; ".join(short))
    judged = {name: measure.value for name, measure in report.measures.items() if measure.value is not None}
    # Rounds down to three decimals; 1e-6 is for the rounding error of floating point.
    down = {name: math.floor(value * 1000 + 1e-6) / 1000 for name, value in judged.items()}
    return {name: max(floor, down[name]) for name, floor in known.items()}


def main() -> int:
    """Prints each measure with its floor. Returns the exit status: 4 if a measure is under its floor."""
    parser = argparse.ArgumentParser(description="Holds measures on examples/eval.jsonl to their floors.")
    parser.add_argument("--raise", action="store_true", dest="raising", help="write higher floors")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = evaluate_examples(Path(folder) / "home", Path(folder) / "out")
    known = read_floors()
    try:
        higher = raise_floors(known, report)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 4
    for name, floor in known.items():
        print(f"{name}: {report.measures[name].value:.4f}, floor {floor}")
    if options.raising:
        FLOORS.write_text(json.dumps(higher, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Single claims in words close to a passage about invented things: what becomes of the right and wrong ones.

    python -m benchmarks.close_claims [--half tuned|held_out|both] [--each]

Each claim is revised against its passage alone, by default settings. A claim is `wrong` if the passage says
otherwise, or says it of something else. `held_out` is for measuring alone, so only totals are printed.
"""

import argparse
import json
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, Protocol, get_args

from benchmarks.report import machine, share, table
from rarr import Passage, Reviser, Settings
from rarr.records import Status
from rarr.testing import InMemoryRetriever

FOLDER = Path(__file__).resolve().parent.parent / "examples" / "close_claims"
HALVES = ("tuned", "held_out")
CHANGED = "changed"
STATUSES: tuple[Status, ...] = get_args(Status)


class CloseClaim(NamedTuple):
    """A claim and its passage. `label` is right or wrong, `kind` names what is close about it."""

    id: str
    kind: str
    title: str
    passage: str
    sentence: str
    label: str


def close_claims(half: str) -> list[CloseClaim]:
    """The claims of a half."""
    lines = (FOLDER / f"{half}.jsonl").read_text(encoding="utf-8").splitlines()
    return [CloseClaim(**json.loads(line)) for line in lines]


def result(claim: CloseClaim) -> str:
    """`changed` if the claim was edited, else the status of its sentence."""
    passage = Passage(
        text=claim.passage, source=claim.id, title=claim.title, start=0, end=len(claim.passage),
        retrieved_at=datetime.now(UTC),
    )  # fmt: skip
    with Reviser(Settings(search=InMemoryRetriever([passage]), trace=False)) as reviser:
        revision = reviser.revise(claim.sentence)
    if revision.changed:
        return CHANGED
    statuses = [sentence.status for sentence in revision.report.sentences]
    return next(
        (status for status in statuses if status != "supported"), statuses[0] if statuses else "unjudged"
    )


class Labelled(Protocol):
    """A claim that is `wrong` or `right`."""

    @property
    def label(self) -> str: ...


def print_half(half: str, results: Sequence[tuple[Labelled, str]]) -> None:
    """The totals of a half, by result."""
    columns = {
        label: [outcome for claim, outcome in results if claim.label == label] for label in ("wrong", "right")
    }
    body = [
        [name, *(share([outcome == name for outcome in column]) for column in columns.values())]
        for name in (*STATUSES, CHANGED)
    ]
    print(f"\n## {half}\n\n{table(['result', *(f'{label} claims' for label in columns)], body)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--half", choices=(*HALVES, "both"), default="both")
    parser.add_argument("--each", action="store_true", help="print each claim of the tuned half")
    options = parser.parse_args()
    started = time.perf_counter()
    for half in HALVES if options.half == "both" else (options.half,):
        results = [(claim, result(claim)) for claim in close_claims(half)]
        print_half(half, results)
        if options.each and half == "tuned":
            for claim, outcome in sorted(results, key=lambda pair: (pair[0].label, pair[1])):
                print(f"- {claim.label}, {outcome}: {claim.kind}: {claim.sentence}\n    {claim.passage}")
    print(f"\n{time.perf_counter() - started:.1f} seconds on {machine()}")


if __name__ == "__main__":
    main()

"""Single sentences about invented documents, near their words: what becomes of the right and wrong ones.

    python -m benchmarks.document_claims [--half tuned|unseen|both] [--each]

Each sentence is revised by itself against all documents of its half, by default settings. Both halves were
written without a look at the code, to get wrong sentences called supported. `tuned` may be worked with. Of
`unseen` only totals are printed.
"""

import argparse
import json
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.close_claims import CHANGED, print_half
from benchmarks.report import machine
from rarr import Reviser, Settings

FOLDER = Path(__file__).resolve().parent.parent / "examples" / "document_claims"
HALVES = ("tuned", "unseen")


class DocumentClaim(NamedTuple):
    """A sentence about the documents of its half. `label` is right or wrong, `kind` names what is wrong."""

    kind: str
    label: str
    sentence: str


def document_claims(half: str) -> list[DocumentClaim]:
    """The sentences of a half."""
    lines = (FOLDER / half / "claims.jsonl").read_text(encoding="utf-8").splitlines()
    return [DocumentClaim(**json.loads(line)) for line in lines]


def result(claim: DocumentClaim, reviser: Reviser) -> str:
    """`changed` if the sentence was edited, else its status."""
    revision = reviser.revise(claim.sentence)
    statuses = [sentence.status for sentence in revision.report.sentences]
    return CHANGED if revision.changed else statuses[0] if statuses else "unjudged"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--half", choices=(*HALVES, "both"), default="both")
    parser.add_argument("--each", action="store_true", help="print each sentence of the tuned half")
    options = parser.parse_args()
    started = time.perf_counter()
    for half in HALVES if options.half == "both" else (options.half,):
        with Reviser(Settings(corpus=FOLDER / half / "documents", trace=False)) as reviser:
            results = [(claim, result(claim, reviser)) for claim in document_claims(half)]
        print_half(half, results)
        if options.each and half == "tuned":
            for claim, outcome in sorted(results, key=lambda pair: (pair[0].label, pair[1])):
                print(f"- {claim.label}, {outcome}: {claim.kind}: {claim.sentence}")
    print(f"\n{time.perf_counter() - started:.1f} seconds on {machine()}")


if __name__ == "__main__":
    main()

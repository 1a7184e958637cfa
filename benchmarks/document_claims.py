"""Single sentences about invented documents, near their words: what becomes of the right and wrong ones.

    python -m benchmarks.document_claims [--half tuned|unseen|all] [--each]

Each sentence is revised by itself against all documents of its half, by default settings. Both halves were
written without a look at the code, to get wrong sentences called supported. `tuned` may be worked with. Of
`unseen` only totals are printed.
"""

from typing import NamedTuple

from benchmarks.close_claims import print_half, result_of
from benchmarks.harness import EXAMPLES, chosen, half_parser, lines, reported
from rarr import Reviser, Settings

FOLDER = EXAMPLES / "document_claims"
HALVES = ("tuned", "unseen")


class DocumentClaim(NamedTuple):
    """A sentence about the documents of its half. `label` is right or wrong, `kind` names what is wrong."""

    kind: str
    label: str
    sentence: str


def results(half: str) -> list[tuple[DocumentClaim, str]]:
    """Revises the sentences of a half; see `result_of`."""
    claims = [DocumentClaim(**row) for row in lines(FOLDER / half / "claims.jsonl")]
    with Reviser(Settings(corpus=FOLDER / half / "documents", trace=False)) as reviser:
        return [(claim, result_of(reviser.revise(claim.sentence))) for claim in claims]


def main() -> None:
    options = chosen(half_parser(__doc__, HALVES, reads=False), HALVES)
    with reported(options):
        for half in options.halves:
            found = results(half)
            shown = [f"{claim.kind}: {claim.sentence}" for claim, _ in found]
            each = shown if options.each and half == "tuned" else ()
            print_half(half, [(claim.label, outcome) for claim, outcome in found], each=each)


if __name__ == "__main__":
    main()

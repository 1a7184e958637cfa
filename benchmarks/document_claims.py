"""Revises single sentences that nearly repeat invented documents. Counts the results of right and wrong ones.

    python -m benchmarks.document_claims [--half tuned|unseen|all] [--each]

Each sentence is revised by itself, with all documents of its half, by default settings. The authors of the
sentences did not know the code, and tried to make it call wrong sentences supported. Of `unseen`, only totals
are printed.
"""

from benchmarks.close_claims import result_of
from benchmarks.harness import EXAMPLES, JudgedCase, print_halves, read_lines
from rarr import Reviser, Settings

FOLDER = EXAMPLES / "document_claims"
HALVES = ("tuned", "unseen")


def results(half: str) -> list[JudgedCase]:
    """Revises each sentence of a half with its documents. Returns (label, result, words of the case)."""
    claims = read_lines(FOLDER / half / "claims.jsonl")
    with Reviser(Settings(corpus=FOLDER / half / "documents", trace=False)) as reviser:
        revised = [result_of(reviser.revise(it["sentence"])) for it in claims]
    pairs = zip(claims, revised, strict=True)
    return [(it["label"], outcome, f"{it['kind']}: {it['sentence']}") for it, outcome in pairs]


if __name__ == "__main__":
    print_halves(__doc__, HALVES, lambda half, _: results(half), reads=False)

"""Revises single claims that nearly repeat a passage about invented things. Counts their results.

    python -m benchmarks.close_claims [--half tuned|held_out|all] [--each]

Each claim is revised with its passage as the only evidence, by default settings. A claim is `wrong` if the
passage contradicts it, or says it about another thing. Of `held_out`, only totals are printed.
"""

from collections.abc import Mapping
from datetime import UTC, datetime

from benchmarks.harness import EXAMPLES, JudgedCase, print_halves, read_lines
from rarr import Passage, Reviser, Revision, Settings
from rarr.testing import InMemoryRetriever

HALVES = ("tuned", "held_out")
CHANGED = "changed"


def results(half: str) -> list[JudgedCase]:
    """Revises each claim of a half with its passage. Returns (label, result, words of the case) of each."""
    return [
        (row["label"], _revise_claim(row), f"{row['kind']}: {row['sentence']}\n    {row['passage']}")
        for row in read_lines(EXAMPLES / "close_claims" / f"{half}.jsonl")
    ]


def _revise_claim(row: Mapping[str, str]) -> str:
    place = {"start": 0, "end": len(row["passage"]), "retrieved_at": datetime.now(UTC)}
    passage = Passage(text=row["passage"], source=row["id"], title=row["title"], **place)
    with Reviser(Settings(search=InMemoryRetriever([passage]), trace=False)) as reviser:
        return result_of(reviser.revise(row["sentence"]))


def result_of(revision: Revision) -> str:
    """Returns `changed`, or the first status that is not `supported`, or else `supported`."""
    if revision.changed:
        return CHANGED
    statuses = [sentence.status for sentence in revision.report.sentences]
    first: str = next((status for status in statuses if status != "supported"), "")
    return first or ("supported" if statuses else "unjudged")


def main() -> None:
    print_halves(__doc__, HALVES, lambda half, _: results(half), reads=False)


if __name__ == "__main__":
    main()

"""Single claims in words close to a passage about invented things: what becomes of the right and wrong ones.

    python -m benchmarks.close_claims [--half tuned|held_out|all] [--each]

Each claim is revised against its passage alone, by default settings. A claim is `wrong` if the passage says
otherwise, or says it of something else. `held_out` is for measuring alone, so only totals are printed.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import get_args

from benchmarks.harness import EXAMPLES, chosen, half_parser, lines, reported, share, table
from rarr import Passage, Reviser, Revision, Settings
from rarr.records import Status
from rarr.testing import InMemoryRetriever

HALVES = ("tuned", "held_out")
CHANGED = "changed"


Judged = tuple[str, str, str]
"""A claim: its label (right or wrong), the result, and its kind and words."""


def results(half: str) -> list[Judged]:
    """Revises each claim of a half beside its passage; `kind` names what is close about it."""
    return [
        (row["label"], _result(row), f"{row['kind']}: {row['sentence']}\n    {row['passage']}")
        for row in lines(EXAMPLES / "close_claims" / f"{half}.jsonl")
    ]


def _result(row: Mapping[str, str]) -> str:
    place = {"start": 0, "end": len(row["passage"]), "retrieved_at": datetime.now(UTC)}
    passage = Passage(text=row["passage"], source=row["id"], title=row["title"], **place)
    with Reviser(Settings(search=InMemoryRetriever([passage]), trace=False)) as reviser:
        return result_of(reviser.revise(row["sentence"]))


def result_of(revision: Revision) -> str:
    """Returns `changed` if the claim was edited, else the first status that is not `supported`."""
    if revision.changed:
        return CHANGED
    statuses = [sentence.status for sentence in revision.report.sentences]
    first: str = next((status for status in statuses if status != "supported"), "")
    return first or ("supported" if statuses else "unjudged")


def measure(doc: str | None, halves: Sequence[str], results: Callable[[str], list[Judged]]) -> None:
    """Prints how many claims of each label have each result, by half."""
    options = chosen(half_parser(doc, halves, reads=False), halves)
    with reported(options):
        for half in options.halves:
            found = results(half)
            groups = [[outcome for label, outcome, _ in found if label == of] for of in ("wrong", "right")]
            names = (*get_args(Status), CHANGED)
            body = [[name, *(share([it == name for it in group]) for group in groups)] for name in names]
            print(f"\n## {half}\n\n{table(['result', 'wrong claims', 'right claims'], body)}", flush=True)
            shown = found if options.each and half == "tuned" else ()
            print(*(f"- {label}, {outcome}: {words}" for label, outcome, words in shown), sep="\n")


def main() -> None:
    measure(__doc__, HALVES, results)


if __name__ == "__main__":
    main()

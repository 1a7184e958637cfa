"""Single claims in words close to a passage about invented things: what becomes of the right and wrong ones.

    python -m benchmarks.close_claims [--half tuned|held_out|all] [--each]

Each claim is revised against its passage alone, by default settings. A claim is `wrong` if the passage says
otherwise, or says it of something else. `held_out` is for measuring alone, so only totals are printed.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple, get_args

from benchmarks.harness import EXAMPLES, chosen, half_parser, lines, reported, share, table
from rarr import Passage, Reviser, Revision, Settings
from rarr.records import Status
from rarr.testing import InMemoryRetriever

HALVES = ("tuned", "held_out")
CHANGED = "changed"


class CloseClaim(NamedTuple):
    """A claim and its passage. `label` is right or wrong, `kind` names what is close about it."""

    id: str
    kind: str
    title: str
    passage: str
    sentence: str
    label: str


def close_claims(half: str) -> list[CloseClaim]:
    """Reads the claims of a half."""
    return [CloseClaim(**row) for row in lines(EXAMPLES / "close_claims" / f"{half}.jsonl")]


def result(claim: CloseClaim) -> str:
    """Revises a claim beside its passage; see `result_of`."""
    passage = Passage(
        text=claim.passage, source=claim.id, title=claim.title, start=0, end=len(claim.passage),
        retrieved_at=datetime.now(UTC),
    )  # fmt: skip
    with Reviser(Settings(search=InMemoryRetriever([passage]), trace=False)) as reviser:
        return result_of(reviser.revise(claim.sentence))


def result_of(revision: Revision) -> str:
    """Returns `changed` if the claim was edited, else the first status that is not `supported`."""
    if revision.changed:
        return CHANGED
    statuses = [sentence.status for sentence in revision.report.sentences]
    first: str = next((status for status in statuses if status != "supported"), "")
    return first or ("supported" if statuses else "unjudged")


def print_half(half: str, results: Sequence[tuple[str, str]], *, each: Sequence[str] = ()) -> None:
    """Prints how many claims of each label (right or wrong) have each result; and `each` line of a claim."""
    columns = {label: [outcome for of, outcome in results if of == label] for label in ("wrong", "right")}
    body = [
        [name, *(share([outcome == name for outcome in column]) for column in columns.values())]
        for name in (*get_args(Status), CHANGED)
    ]
    print(f"\n## {half}\n\n{table(['result', *(f'{label} claims' for label in columns)], body)}", flush=True)
    print(
        *(f"- {label}, {outcome}: {line}" for (label, outcome), line in zip(results, each, strict=False)),
        sep="\n",
    )


def main() -> None:
    options = chosen(half_parser(__doc__, HALVES, reads=False), HALVES)
    with reported(options):
        for half in options.halves:
            claims = close_claims(half)
            results = [(claim.label, result(claim)) for claim in claims]
            shown = [f"{claim.kind}: {claim.sentence}\n    {claim.passage}" for claim in claims]
            print_half(half, results, each=shown if options.each and half == "tuned" else ())


if __name__ == "__main__":
    main()

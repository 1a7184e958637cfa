"""Counts the reactions to conflicts, and declares the report of the benchmark."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from pydantic import Field

from rarr.evals.conflicts.buckets import Bucket
from rarr.evals.conflicts.policies import Conflict
from rarr.evals.metrics import Measured
from rarr.evals.metrics.conflicts import memorisation_ratio
from rarr.evals.report_records import Unreadable
from rarr.evals.run_folder import FinishedLine
from rarr.records import Record


class ReactionLine(FinishedLine):
    """A line of `predictions.jsonl`: what the model did with one conflict, or why that is not known.

    `right`: it got the unchanged passage right. `bucket` is None where it did not, and nothing more was
    asked. `remembers`: it knows the old answer without a passage; None if it was not asked.
    """

    right: bool | None = None
    bucket: Bucket | None = None
    answer: str | None = None
    remembers: bool | None = None


class ConflictCounts(Record):
    """The reactions to some conflicts. `cases` of them were judged; `wrong` were wrong on the original.

    `ratio` is the memorisation ratio, from 0 to 1: `original` of `original` and `substitute`. Its value is
    None for aliases, where both are right, and if nothing was decided. `other_share` is the share of the rest
    among the conflicts that were right on the original.
    """

    cases: int
    wrong: int
    original: int
    substitute: int
    other: int
    remembered: int | None = None
    ratio: Measured
    other_share: float | None = None


class ConflictReport(Record):
    """The report of the benchmark: the counts by policy, and by policy and type, as in "corpus, person".

    `left_out` counts the rows and substitutions without a conflict, by reason; `errors` names the conflicts
    that could not be judged. `settings` are those that differ from the defaults.
    """

    data: str
    role: str
    settings: dict[str, str] = Field(default_factory=dict)
    rows: int
    conflicts: int
    counts: dict[str, ConflictCounts]
    left_out: dict[str, int] = Field(default_factory=dict)
    errors: tuple[str, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()


Judged = tuple[Conflict, ReactionLine]


def counts_by_group(judged: Sequence[Judged]) -> dict[str, ConflictCounts]:
    """Counts by "conflicts" (all but aliases), by policy, by policy and type, and by bin of popularity."""
    groups = {"all conflicts": [each for each in judged if each[0].policy != "alias"]}
    namings: Iterable[Callable[[Conflict], str]] = (
        lambda conflict: conflict.policy,
        lambda conflict: "" if conflict.policy == "given" else f"{conflict.policy}, {conflict.type}",
        lambda conflict: f"{conflict.policy}, bin {conflict.bin}" if conflict.bin else "",
    )
    for naming in namings:
        for each in judged:
            if name := naming(each[0]):
                groups.setdefault(name, []).append(each)
    return {name: counted_reactions(members) for name, members in groups.items() if members}


def counted_reactions(judged: Sequence[Judged]) -> ConflictCounts:
    """Counts the reactions to the conflicts that were judged, of one policy or of several conflicts alike."""
    lines = [line for _, line in judged if not line.error]
    kept = [line for line in lines if line.right]
    buckets = Counter(line.bucket for line in kept)
    asked = [line.remembers for line in kept if line.remembers is not None]
    is_alias = any(conflict.policy == "alias" for conflict, _ in judged)
    return ConflictCounts(
        cases=len(lines),
        wrong=len(lines) - len(kept),
        original=buckets["original"],
        substitute=buckets["substitute"],
        other=buckets["other"],
        remembered=sum(asked) if asked else None,
        ratio=memorisation_ratio(0, 0)
        if is_alias
        else memorisation_ratio(buckets["original"], buckets["substitute"]),
        other_share=buckets["other"] / len(kept) if kept else None,
    )

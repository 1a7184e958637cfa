"""The hand-written triples through the public `Reviser`, each with its passage as the only corpus."""

import multiprocessing
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

from benchmarks.handwritten import VERSIONS, Outcome, outcomes
from benchmarks.report import share, table
from benchmarks.shared_data import rows
from rarr.evals import metrics
from recipes.measures.context import Context, Figure, Results

FILE = "dev/editing/handwritten.jsonl.gz"
VALUES = frozenset({"number", "date", "person", "organization", "location", "title", "unit"})
Items = Sequence[Sequence[Outcome]]  # of each item the outcomes of its versions


def measure(context: Context) -> Results:
    """Measures the items that are not kept yet; figures for each system."""
    items = rows(FILE)[: context.limit]
    kept = context.kept("handwritten")
    figures: list[Figure] = []
    tables: list[str] = []
    lines: list[list[str]] = []
    for system, settings in context.systems.items():
        todo = [item for item in items if (system, item["id"]) not in kept]
        for item, item_outcomes in zip(todo, _revised(todo, settings, context.processes), strict=True):
            kept.add((system, item["id"]), [outcome._asdict() for outcome in item_outcomes])
        kept_outcomes = [_read(kept[system, item["id"]]) for item in items]
        figures += figures_of(system, kept_outcomes)
        tables.append(f"### By kind: {system}\n\n{kinds(kept_outcomes)}")
        lines += judgements(system, kept_outcomes)
    classes = table(["system", "claims", *VERSIONS.values()], lines)
    return Results(figures, {"kinds": "\n\n".join(tables), "judged": classes})


def figures_of(system: str, items: Items) -> Iterator[Figure]:
    """Figures of the claims. The three claims of a passage are one draw, so accuracy is a mean over items."""
    claims = [outcome for item in items for outcome in item]
    wrong = [outcome for outcome in claims if outcome.version == "corrupted"]
    values = [outcome.right for outcome in wrong if VALUES.issuperset(outcome.kinds)]
    others = [outcome.right for outcome in wrong if not VALUES.issuperset(outcome.kinds)]
    left = {
        version: [outcome.changed for outcome in claims if outcome.version == version] for version in VERSIONS
    }
    accuracy = [
        sum(outcome.judged == VERSIONS[outcome.version] for outcome in item) / len(item) for item in items
    ]
    for name, value in {
        "exact corrections": metrics.share([outcome.right for outcome in wrong]),
        "exact corrections, value kinds": metrics.share(values),
        "exact corrections, other kinds": metrics.share(others),
        "exactly right, of the changed": metrics.share(
            [outcome.right for outcome in claims if outcome.changed]
        ),
        "over-edits": metrics.share(left["supported"] + left["extrapolatory"]),
        "over-edits, supported": metrics.share(left["supported"]),
        "over-edits, extrapolatory": metrics.share(left["extrapolatory"]),
        "three-way accuracy": metrics.mean(accuracy),
    }.items():
        yield Figure(name, system, value)


def kinds(items: Items) -> str:
    """Results of the wrong versions by kind of error. A version with two kinds counts under both."""
    wrong = [outcome for item in items for outcome in item if outcome.version == "corrupted"]
    counted = Counter(kind for outcome in wrong for kind in outcome.kinds)
    body = []
    for kind, _ in counted.most_common():
        of_kind = [outcome for outcome in wrong if kind in outcome.kinds]
        body.append([
            kind,
            share([outcome.right for outcome in of_kind]),
            str(sum(outcome.changed and not outcome.right for outcome in of_kind)),
            str(sum(not outcome.changed for outcome in of_kind)),
            share([outcome.judged == "contradictory" for outcome in of_kind]),
        ])  # fmt: skip
    return table(["kind", "corrected", "changed wrongly", "missed", "judged right"], body)


def judgements(system: str, items: Items) -> Iterator[list[str]]:
    """A line for each version: how many of its claims were judged as each class."""
    for version in VERSIONS:
        judged = Counter(outcome.judged for item in items for outcome in item if outcome.version == version)
        yield [system, version, *(str(judged[name]) for name in VERSIONS.values())]


def _revised(
    items: Sequence[dict[str, Any]], settings: Mapping[str, Any], processes: int
) -> Iterator[list[Outcome]]:
    revise = partial(outcomes, settings=settings)
    if processes == 1 or len(items) < processes:
        yield from map(revise, items)
        return
    with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(revise, items)


def _read(kept: Sequence[Mapping[str, Any]]) -> list[Outcome]:
    return [Outcome(**{**outcome, "kinds": tuple(outcome["kinds"])}) for outcome in kept]

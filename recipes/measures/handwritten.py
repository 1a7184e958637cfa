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
from recipes.measures.context import Context, Figure, Found

FILE = "dev/editing/handwritten.jsonl.gz"
VALUES = frozenset({"number", "date", "person", "organization", "location", "title", "unit"})
Items = Sequence[Sequence[Outcome]]  # of each item the outcomes of its versions


def measure(context: Context) -> Found:
    """Measures what is not kept yet; a figure for each system."""
    items = rows(FILE)[: context.limit]
    kept = context.kept("handwritten")
    figures: list[Figure] = []
    tables: list[str] = []
    lines: list[list[str]] = []
    for system, settings in context.systems.items():
        todo = [item for item in items if (system, item["id"]) not in kept]
        for item, found in zip(todo, _revised(todo, settings, context.processes), strict=True):
            kept.add((system, item["id"]), [one._asdict() for one in found])
        read = [_read(kept[system, item["id"]]) for item in items]
        figures += figures_of(system, read)
        tables.append(f"### By kind: {system}\n\n{kinds(read)}")
        lines += judgements(system, read)
    classes = table(["system", "claims", *VERSIONS.values()], lines)
    return Found(figures, {"kinds": "\n\n".join(tables), "judged": classes})


def figures_of(system: str, items: Items) -> Iterator[Figure]:
    """What became of the claims. Three claims of one passage are one draw: accuracy is a mean over items."""
    claims = [one for item in items for one in item]
    wrong = [one for one in claims if one.version == "corrupted"]
    values = [one.right for one in wrong if VALUES.issuperset(one.kinds)]
    others = [one.right for one in wrong if not VALUES.issuperset(one.kinds)]
    left = {version: [one.changed for one in claims if one.version == version] for version in VERSIONS}
    accuracy = [sum(one.judged == VERSIONS[one.version] for one in item) / len(item) for item in items]
    for name, value in {
        "exact corrections": metrics.share([one.right for one in wrong]),
        "exact corrections, value kinds": metrics.share(values),
        "exact corrections, other kinds": metrics.share(others),
        "exactly right, of the changed": metrics.share([one.right for one in claims if one.changed]),
        "over-edits": metrics.share(left["supported"] + left["extrapolatory"]),
        "over-edits, supported": metrics.share(left["supported"]),
        "over-edits, extrapolatory": metrics.share(left["extrapolatory"]),
        "three-way accuracy": metrics.mean(accuracy),
    }.items():
        yield Figure(name, system, value)


def kinds(items: Items) -> str:
    """What became of the wrong versions, by kind of error; one with two kinds counts under both."""
    wrong = [one for item in items for one in item if one.version == "corrupted"]
    counted = Counter(kind for one in wrong for kind in one.kinds)
    body = []
    for kind, _ in counted.most_common():
        its = [one for one in wrong if kind in one.kinds]
        body.append([
            kind,
            share([one.right for one in its]),
            str(sum(one.changed and not one.right for one in its)),
            str(sum(not one.changed for one in its)),
            share([one.judged == "contradictory" for one in its]),
        ])  # fmt: skip
    return table(["kind", "corrected", "changed wrongly", "missed", "judged right"], body)


def judgements(system: str, items: Items) -> Iterator[list[str]]:
    """Lines that say how many of the claims of each version were judged what."""
    for version in VERSIONS:
        judged = Counter(one.judged for item in items for one in item if one.version == version)
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
    return [Outcome(**{**one, "kinds": tuple(one["kinds"])}) for one in kept]

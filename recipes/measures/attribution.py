"""Verifiers against people, over every open set: one threshold for all sets, chosen on these rows.

ExpertQA by itself is judged at the threshold that ships. A claim and the windows of its evidence are read as
`benchmarks.verifiers` reads them; the cosine is that of the claim and the nearest of the same windows.
"""

import asyncio
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from benchmarks.report import cell, table
from benchmarks.shared_data import rows
from benchmarks.verifiers import SETS, ClaimWindows, claims_with_windows, judged_by
from rarr import Settings
from rarr.agent.wiring.components import wire
from rarr.evals import metrics
from rarr.evals.metrics import Measured
from rarr.testing import InMemoryRetriever
from recipes.measures.context import COSINE, Context, Embeds, Figure, Results
from recipes.measures.intervals import RESAMPLES, grouped, over_groups, over_sets
from recipes.measures.kept import Kept, batches

QUANTILES = 400  # thresholds that are tried
MEANS = (
    "Means are over the sets, each of which counts the same, whatever its n, and over the rows that the "
    "system judged, but where the measure says that the others count as not supported. A set that is left "
    "with rows of one class enters none."
)


class Row(NamedTuple):
    """A claim that people and the system judged."""

    score: float
    supported: bool
    group: str


class Rates(NamedTuple):
    """Counts of supported rows (`yes`) and others (`no`), and how many of each the system judged right."""

    right_yes: int
    yes: int
    right_no: int
    no: int


Sets = Mapping[str, Sequence[Row]]


def measure(context: Context) -> Results:
    """Mean balanced accuracy over all sets, and that of each set."""
    figures, unjudged, columns = [], {}, {}
    for system, scored_sets in scores(context, list(SETS)).items():
        sets = {name: judged(scored) for name, scored in scored_sets.items()}
        unjudged[system] = sum(score is None for scored in scored_sets.values() for score, _, _ in scored)
        threshold = balanced_threshold(sets)
        whole = {name: judged(scored, unjudged=-1.0) for name, scored in scored_sets.items()}
        for suffix, compared in (("", sets), (", unjudged as not supported", whole)):
            figures.append(
                Figure(f"mean balanced accuracy{suffix}", system, mean_balanced(compared, threshold))
            )
        figures.append(Figure("mean AUC", system, mean_auc(sets)))
        columns[f"{system}, threshold {threshold:.3f}"] = {
            name: (str(len(scored)), cell(auc(scored)), cell(balanced(scored, threshold)))
            for name, scored in sets.items()
        }
    return Results(figures, {"sets": _table(columns, unjudged)} if columns else {})


def expertqa(context: Context) -> Results:
    """AUC, and F1 at the threshold that ships. The cosine has none: it takes the best one of all sets."""
    figures = []
    everything = _kept_scores(context, list(SETS)).get(COSINE)
    for system, scored_sets in scores(context, ["expertqa"]).items():
        claims = judged(scored_sets["expertqa"])
        figures.append(Figure("ExpertQA AUC", system, auc(claims)))
        if system in context.systems:
            threshold = Settings(**context.systems[system]).support_threshold
        elif everything is not None:
            threshold = balanced_threshold({name: judged(scored) for name, scored in everything.items()})
        else:
            continue
        figures.append(Figure("ExpertQA F1", system, f1(claims, threshold)))
    return Results(figures, {})


Scored = list[tuple[float | None, bool, str]]  # the system's score, what people said, the group


def scores(context: Context, names: Sequence[str]) -> dict[str, dict[str, Scored]]:
    """The scores of every row by system and set. Measures scores that are not kept yet."""
    kept = context.kept("attribution")
    for name in names:
        set_rows = _rows(name, context.limit)
        for system, settings in context.systems.items():
            todo = [row for row in set_rows if (system, name, row["id"]) not in kept]
            for batch in batches(todo):
                for row, score in zip(batch, _supports(batch, settings), strict=True):
                    kept.add((system, name, row["id"]), score)
        if context.cosine is not None:
            _keep_cosines(context.cosine, kept, name, set_rows)
    return _kept_scores(context, names)


def judged(scored: Scored, unjudged: float | None = None) -> list[Row]:
    """The rows that the system could judge. With `unjudged`, the other rows too, with that score."""
    filled = [(unjudged if score is None else score, people, group) for score, people, group in scored]
    return [Row(score, people, group) for score, people, group in filled if score is not None]


def balanced_threshold(sets: Sets) -> float:
    """The quantile of all scores that gives, as threshold, the highest mean balanced accuracy of the sets."""
    ordered = sorted({row.score for claims in sets.values() for row in claims})
    step = max(1, len(ordered) // QUANTILES)
    split = [
        (sorted(r.score for r in claims if r.supported), sorted(r.score for r in claims if not r.supported))
        for claims in sets.values()
    ]

    def mean(threshold: float) -> float:
        return sum(
            (1 - bisect_left(yes, threshold) / len(yes) + bisect_left(no, threshold) / len(no)) / 2
            for yes, no in split
            if yes and no
        )

    return max(ordered[::step], key=mean, default=0.5)


def mean_balanced(sets: Sets, threshold: float) -> Measured:
    """The mean over sets, at one threshold; its interval by bootstrap over the groups of each set."""
    return over_sets({name: _counted(claims, threshold) for name, claims in sets.items()}, _balanced)


def mean_auc(sets: Sets) -> Measured:
    """The mean over sets; its interval by bootstrap over the groups of each set."""
    by_group = {name: grouped(claims, [row.group for row in claims]) for name, claims in sets.items()}
    return over_sets(by_group, lambda drawn: _auc([row for group in drawn for row in group]))


def balanced(claims: Sequence[Row], threshold: float) -> Measured:
    """Balanced accuracy: the mean of the shares of supported rows and of others that are judged right."""
    value = metrics.bootstrap(_counted(claims, threshold), _balanced, resamples=RESAMPLES)
    return value.model_copy(update={"n": len(claims)})


def auc(claims: Sequence[Row]) -> Measured:
    """The probability that a supported row scores above an unsupported one."""
    return over_groups(claims, [row.group for row in claims], _auc)


def f1(claims: Sequence[Row], threshold: float) -> Measured:
    """F1 of supported rows."""

    def of(drawn: Sequence[Row]) -> float | None:
        return metrics.detection([r.score >= threshold for r in drawn], [r.supported for r in drawn]).f1

    return over_groups(claims, [row.group for row in claims], of)


def rates(claims: Sequence[Row], threshold: float) -> Rates:
    """Counts of the rows at a threshold."""
    yes = [row.score >= threshold for row in claims if row.supported]
    no = [row.score < threshold for row in claims if not row.supported]
    return Rates(sum(yes), len(yes), sum(no), len(no))


def _counted(claims: Sequence[Row], threshold: float) -> list[Rates]:
    return [rates(group, threshold) for group in grouped(claims, [row.group for row in claims])]


def _auc(claims: Sequence[Row]) -> float | None:
    return metrics.roc_auc([row.score for row in claims], [row.supported for row in claims])


def _balanced(counted: Sequence[Rates]) -> float | None:
    yes, no = sum(group_rates.yes for group_rates in counted), sum(group_rates.no for group_rates in counted)
    if not yes or not no:
        return None
    return (
        sum(group_rates.right_yes for group_rates in counted) / yes
        + sum(group_rates.right_no for group_rates in counted) / no
    ) / 2


def _rows(name: str, limit: int | None) -> list[dict[str, Any]]:
    set_rows = rows(f"dev/attribution/{SETS[name]}")[:limit]
    return [row for row in set_rows if row["evidence"] and row["supported"] is not None]


def _supports(batch: Sequence[dict[str, Any]], settings: Mapping[str, Any]) -> list[float | None]:
    """The support by the verifier of these settings. Without `label3`, it is not asked for classes."""
    claims = [
        ClaimWindows({**claim.row, "label3": None}, claim.windows)
        for claim in asyncio.run(claims_with_windows(batch))
    ]
    components = wire(Settings(search=InMemoryRetriever(), **settings))
    return [claim.support for claim in asyncio.run(judged_by(claims, components))]


def _keep_cosines(base: Embeds, kept: Kept, name: str, set_rows: Sequence[dict[str, Any]]) -> None:
    todo = [row for row in set_rows if (COSINE, name, row["id"]) not in kept]
    for batch in batches(todo):
        for claim in asyncio.run(claims_with_windows(batch)):
            texts = [claim.row["claim"], *(window.text for window in claim.windows)]
            vectors = base.embed(texts)
            nearest = float((vectors[1:] @ vectors[0]).max()) if claim.windows else None
            kept.add((COSINE, name, claim.row["id"]), nearest)


def _kept_scores(context: Context, names: Sequence[str]) -> dict[str, dict[str, Scored]]:
    """The kept scores by system and set. A system with a row that was not measured is left out."""
    kept = context.kept("attribution")
    sets = {name: _rows(name, context.limit) for name in names}
    scores_by_system = {}
    for system in (*context.systems, COSINE):
        kept_by_set = {
            name: kept.of((system, name, row["id"]) for row in set_rows) for name, set_rows in sets.items()
        }
        if None not in kept_by_set.values():
            scores_by_system[system] = {
                name: [
                    (score, row["supported"], row["group"])
                    for score, row in zip(kept_by_set[name] or [], set_rows, strict=True)
                ]
                for name, set_rows in sets.items()
            }
    return scores_by_system


def _table(columns: Mapping[str, Mapping[str, Sequence[str]]], unjudged: Mapping[str, int]) -> str:
    head = ["set", *(f"{name}: {column}" for name in columns for column in ("n", "AUC", "balanced accuracy"))]
    body = [
        [name, *(shown for column_of_set in columns.values() for shown in column_of_set[name])]
        for name in next(iter(columns.values()))
    ]
    left = ", ".join(f"{count} by {system}" for system, count in unjudged.items())
    return f"{table(head, body)}\n\nn counts the rows that the system judged. Not judged: {left}. {MEANS}"

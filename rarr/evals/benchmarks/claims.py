"""The benchmarks of claims that people judged (AttrScore, ExpertQA), and `rarr verify`.

A judge is a model that gives a claim a label. AttrScore (Yue et al. 2023, section 5) compares judges with
people in three classes. ExpertQA (Malaviya et al. 2023) measures how many claims of a system are supported
(AutoAIS, table 5), and how often judges agree with experts (table 6). In ExpertQA, a judge sees no question.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AliasPath, BeforeValidator, Field

from rarr.agent.verify import MAX_CLAIMS, ClaimVerifier, claim_verifier_of
from rarr.errors import InputError
from rarr.evals.benchmarks.bench import Bench, BenchOptions, Part, Tables, in_random_order
from rarr.evals.metrics import Measurement, bootstrap_each, class_measures, mean, roc_auc, share_of
from rarr.evals.rows import ATTRIBUTION_CLASSES as CLASSES, ClaimRow, read_rows
from rarr.evals.run_folder import FinishedLine, Pairs, Worker
from rarr.records import AttributionClass, Verification
from rarr.settings import Settings
from rarr.tools.models.chat import name_of
from rarr.tools.text.wording import is_failure

RESAMPLES = 1000
CLAIMS = "dev/attribution/expertqa.jsonl"  # the file of ExpertQA in the folder of the data sets
LABELS_TITLE = "labels of all claims, and of each class by people"
LABELLED_EXAMPLE = '{"claim": "...", "evidence": "...", "label": "contradictory"} for each claim'


class VerificationLine(FinishedLine):
    """A line of `predictions.jsonl`: the id of a claim with its verification or its error."""

    verification: Verification | None = None

    @property
    def label(self) -> AttributionClass | None:
        """Returns the label that the judge gave the claim; None if there is no label."""
        return self.verification.label if self.verification else None

    @property
    def is_judged(self) -> bool:
        """Tells whether the judge gave the claim a label."""
        return self.label is not None


def verifying_worker(verifier: ClaimVerifier, rows: Sequence[ClaimRow], jobs: int) -> Worker:
    """Makes a worker of `jobs` requests at a time. Claims of equal evidence and question share requests."""
    alike, most = defaultdict[str, list[ClaimRow]](list), MAX_CLAIMS if verifier.reads_together else 1
    for row in rows:
        alike[row.model_dump_json(include={"evidence", "question"})].append(row)
    groups = [its[at : at + most] for its in alike.values() for at in range(0, len(its), most)]
    group_of = {row.id: group for group in groups for row in group}
    reading, places = dict[str, asyncio.Task[list[Verification]]](), asyncio.Semaphore(jobs)

    async def read(group: Sequence[ClaimRow]) -> list[Verification]:
        passages, claims = [it.passage_fields for it in group[0].evidence], [each.claim for each in group]
        async with places:
            return await verifier.averify_together(claims, passages, group[0].question)

    async def make_line(row: ClaimRow) -> VerificationLine:
        group = group_of[row.id]
        if (first := group[0].id) not in reading:
            reading[first] = asyncio.create_task(read(group))
        made = (await reading[first])[group.index(row)]
        failures = (notice.message for notice in made.warnings if is_failure(notice) and made.label is None)
        why = next(failures, "")
        return VerificationLine(id=row.id, error=why, verification=None if why else made)

    return Worker(make_line, [verifier])


def three_class_scores(pairs: Pairs) -> dict[str, Measurement]:
    """Compares a judge's labels with people's labels. Returns the scores of `class_measures` by name.

    Leaves out claims without a label by people. A claim without a label by the judge counts as `unjudged`.
    """
    gold = sum(row.label is not None for row, _ in pairs)
    classed = [(line.label, row.label) for row, line in pairs if row.label is not None and line.is_judged]
    of_classes = partial(class_measures, classes=CLASSES)
    return bootstrap_each(classed, of_classes, unjudged=gold - len(classed), resamples=RESAMPLES)


def supported_scores(pairs: Pairs) -> dict[str, Measurement]:
    """Compares a judge's label `attributable` with people's `supported` (Malaviya et al. 2023, table 6).

    Uses the claims that both the judge and people judged. `auc` uses only claims to which the judge gave a
    probability. A measure without any claim is not in the result.
    """
    decided = [(line, row.supported) for row, line in pairs if row.supported is not None]
    labelled = [(line.label == "attributable", supported) for line, supported in decided if line.is_judged]
    made = [(line.verification, supported) for line, supported in decided]
    likely = [(it.probability, supported) for it, supported in made if it and it.probability is not None]
    each = partial(bootstrap_each, resamples=RESAMPLES)
    of_both = partial(class_measures, classes=(True, False))
    found = each(labelled, of_both, unjudged=len(decided) - len(labelled))
    names = [*(f"True_{name}" for name in ("precision", "recall", "f1")), "accuracy", "balanced_accuracy"]
    auc = each(likely, lambda drawn: {"auc": roc_auc(drawn)}, unjudged=len(decided) - len(likely))
    return {name.removeprefix("True_"): found[name] for name in names if found} | auc


def _settings_by_judge(settings: Settings, options: BenchOptions) -> dict[str, Settings]:
    if not options.judges:
        return {name_of(settings.models.get("attribute", settings.model)): settings}
    models = {judge: settings.models | {"attribute": judge} for judge in options.judges}
    return {judge: settings.model_copy(update={"models": models[judge]}) for judge in models}


def judge_tables(
    title: str, scores: Callable[[Pairs], dict[str, Measurement]], parts: Mapping[str, Pairs]
) -> Tables:
    """Makes a table with a row for each judge, and two tables for each judge: by system and by field."""
    tables: Tables = {title: {judge: scores(pairs) for judge, pairs in parts.items()}}
    for judge, group in product(parts, ("system", "field")):
        grouped = defaultdict[str, list[Any]](list)
        for row, line in parts[judge]:
            grouped[getattr(row, group)].append((row, line))
        grouped.pop("", None)
        if grouped:
            rows = {name: scores(grouped[name]) for name in sorted(grouped)}
            tables[f"{judge}, by {group}"] = rows | {"all": tables[title][judge]}
    return tables


def _judge_parts(claims: Sequence[ClaimRow], settings: Settings, options: BenchOptions) -> dict[str, Part]:
    """Makes a part for each judge. If claims have labels by people, the judge uses no stored results."""
    chosen = claims[: options.limit]
    is_measured = any(row.supported is not None for row in chosen)

    def worker(its: Settings) -> Worker:
        return verifying_worker(claim_verifier_of(its, measuring=is_measured), chosen, options.jobs)

    make_part = partial(Part, claims, VerificationLine, chosen=chosen, rows_per_job=MAX_CLAIMS)
    return {it: make_part(partial(worker, its)) for it, its in _settings_by_judge(settings, options).items()}


def verify_bench(data: Path, settings: Settings, options: BenchOptions) -> Bench:
    """Makes the benchmark that runs `rarr verify` on the claims in a file. Labels by people are optional."""
    claims = read_rows(data, ClaimRow, '{"claim": "...", "evidence": "..."}')
    [(judge, part)] = _judge_parts(claims, settings, options).items()
    judged = sum(row.supported is not None for row in part.chosen)
    counts = {"claims": len(part.chosen), "judged by people": judged}
    return Bench("verify", f"Claims, judged by {judge}", counts, {"": part}, verify_tables)


def verify_tables(parts: Mapping[str, Pairs]) -> Tables:
    """Makes a table of the judge's labels. If people judged claims, also compares the judge with people."""
    [pairs] = parts.values()
    tables = {LABELS_TITLE: label_shares(pairs)}
    if three := three_class_scores(pairs):
        kinds, overall = ("precision", "recall", "f1"), ("accuracy", "macro_f1", "balanced_accuracy")
        classes = {str(name): {kind: three[f"{name}_{kind}"] for kind in kinds} for name in CLASSES}
        tables["three classes"] = {"all": {name: three[name] for name in overall}, **classes}
    return tables | ({"supported or not": {"all": two}} if (two := supported_scores(pairs)) else {})


def attrscore_bench(data: Path, settings: Settings, options: BenchOptions) -> Bench:
    """Makes the benchmark AttrScore from a file. Raises `InputError` if people gave no claim a label."""
    rows = in_random_order(read_rows(data, ClaimRow, LABELLED_EXAMPLE))
    claims = [row for row in rows if row.label is not None]
    if not claims:
        raise InputError(f"no claim of {data} has a label: give lines such as {LABELLED_EXAMPLE}")
    parts = _judge_parts(claims, settings, options)
    left_out = {"no class by people": len(rows) - len(claims)}
    return Bench("attrscore", "AttrScore", {"claims": len(claims)}, parts, class_tables, left_out)


def class_tables(parts: Mapping[str, Pairs]) -> Tables:
    """Makes tables of the F1 of each class. Each judge also gets a table of its labels for each class."""
    title = "{}: a class by people (row), and its labels"
    labels = {title.format(judge): label_shares(pairs) for judge, pairs in parts.items()}
    return judge_tables("F1 of each class", class_scores, parts) | labels


def class_scores(pairs: Pairs) -> dict[str, Measurement]:
    """Computes the F1 of each class, `overall` (micro-F1, which equals accuracy) and `macro` (macro-F1)."""
    scores = three_class_scores(pairs)
    names = {str(name): f"{name}_f1" for name in CLASSES} | {"overall": "accuracy", "macro": "macro_f1"}
    return {name: scores.get(measure, Measurement()) for name, measure in names.items()}


def label_shares(pairs: Pairs) -> dict[str, dict[str, Measurement]]:
    """Computes the shares of the judge's labels among all claims, and among claims of each label by people.

    `none` is the share of claims to which the judge gave no label. Leaves out claims with an error.
    """
    judged = [(row.label, line.label or "none") for row, line in pairs if not line.error]
    wholes, counts = Counter[str | None](), Counter[tuple[str | None, str]]()
    for gold, label in judged:
        wholes.update(("all", gold))
        counts.update((("all", label), (gold, label)))
    return {
        name: {label: share_of(counts[name, label], wholes[name]) for label in (*CLASSES, "none")}
        for name in ("all", *CLASSES)
        if wholes[name]
    }


class ExpertClaim(ClaimRow):
    """A claim of an answer, judged by an expert. The id of the claim begins with the id of the answer."""

    question: Annotated[None, BeforeValidator(lambda given: None)] = None
    system: str = Field(validation_alias=AliasPath("meta", "system"))
    worthiness: Literal["Yes", "No"] = Field(validation_alias=AliasPath("meta", "worthiness"))


def expertqa_bench(data: Path, settings: Settings, options: BenchOptions) -> Bench:
    """Makes the benchmark ExpertQA from the folder `data`. Raises `InputError` for missing or wrong data."""
    rows = in_random_order(read_rows(data / CLAIMS, ExpertClaim))
    claims = [row for row in rows if row.worthiness == "Yes"]
    parts = _judge_parts(claims, settings, options)
    tables = partial(judge_tables, "claims against complete support by experts", expert_scores)
    left_out = {"not worth a citation": len(rows) - len(claims)}
    return Bench("expertqa", "ExpertQA", {"claims": len(claims)}, parts, tables, left_out)


def expert_scores(pairs: Pairs) -> dict[str, Measurement]:
    """Compares the labels of claims with the labels of experts (table 6), and computes `autoais` (table 5).

    `autoais` is a mean over answers. Of the claims of an answer that the expert calls completely supported,
    it takes the share that the judge calls attributable. Leaves out claims without a label by the judge.
    """
    answers = defaultdict[str, list[bool]](list)
    for claim, line in pairs:
        if claim.supported:
            hits = answers[claim.id.rpartition("/")[0]]
            hits += [line.label == "attributable"] * line.is_judged
    shares = [sum(hits) / len(hits) if hits else None for hits in answers.values()]
    return supported_scores(pairs) | {"autoais": mean(shares)}

"""Claims that people judged: `rarr verify`, and the benches AttrScore, ExpertQA and FActScore.

AttrScore (Yue et al. 2023, section 5) compares judges with people in three classes. ExpertQA (Malaviya et al.
2023) has the AutoAIS of systems in table 5, and the agreement with experts in table 6; the judge does not see
the question. FActScore (Min et al. 2023) is that of ExpertQA's table 8: a claim is split into statements of
one fact, passages are found for each, and a judge decides about each. Intervals are by bootstrap over claims.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, AliasPath, BaseModel, BeforeValidator, Field, StrictBool, field_validator

from rarr.agent.inputs import required_text
from rarr.agent.verify import TOGETHER, ClaimVerifier, verifier_of
from rarr.agent.wiring.components import wire
from rarr.agent.wiring.models import LanguageModels
from rarr.backends.prompted.prompts import NOTHING, Prompts
from rarr.errors import InputError, RarrError
from rarr.evals import run_folder
from rarr.evals.benchmarks.bench import Bench, Options, Part, ScoreTable, sampled
from rarr.evals.metrics import Measured, bootstrap_each, classification, mean, roc_auc, share_of
from rarr.evals.rows import ATTRIBUTION_CLASSES as CLASSES, ClaimRow, RowEvidence, Text, listed, read_rows
from rarr.evals.run_folder import FinishedLine, Pairs, Worker
from rarr.records import AttributionClass, Record, Verification
from rarr.retrievers.corpus.index_building import Progress
from rarr.settings import EMBEDDED, Settings
from rarr.tools.concurrency import together, work
from rarr.tools.models.chat import name_of
from rarr.tools.text.blocks_and_sentences import sentences
from rarr.tools.text.wording import is_failure

RESAMPLES = 1000
Scoring = Callable[[Pairs], dict[str, Measured]]
CLAIMS = "dev/attribution/expertqa.jsonl"  # of ExpertQA, in the folder of the data sets
LABELLED = '{"claim": "...", "evidence": "...", "label": "contradictory"} for each claim'
FACTUAL = '{"claim": "...", "evidence": "...", "factual": true} for each claim'
PASSAGES, LEAST = 3, 0.5  # passages for a statement, and the score of a factual claim
RIGHT = ("definitely correct", "probably correct")  # to experts (Malaviya et al. 2023, section 6)


class VerifiedLine(FinishedLine):
    """A line of `predictions.jsonl`: the verification of the row with this id, or why it has none."""

    verification: Verification | None = None

    @property
    def label(self) -> AttributionClass | None:
        """The label of the claim; None if it has none."""
        return self.verification.label if self.verification else None

    @property
    def probability(self) -> float | None:
        """The probability that the claim is attributable, from 0 to 1; None if the verifier gives none."""
        return self.verification.probability if self.verification else None

    @property
    def is_judged(self) -> bool:
        """Has the claim a label?"""
        return self.label is not None


class VerifiedRow(Record):
    """A claim with the label and probability of the verifier, and the judgement of people."""

    id: str
    label: AttributionClass | None = None
    probability: float | None = None
    gold: AttributionClass | None = None
    supported: bool | None = None
    error: str = ""


class ClaimScores(Record):
    """The scores of a verifier: `three_way`, their table `confusion[gold][label]`, and `two_way`."""

    three_way: dict[str, Measured] = Field(default_factory=dict)
    confusion: dict[str, dict[str, int]] = Field(default_factory=dict)
    two_way: dict[str, Measured] = Field(default_factory=dict)


class VerificationReport(Record):
    """The report of verified claims; `scores` is None if people judged no claim."""

    data: str
    settings: dict[str, str] = Field(default_factory=dict)
    reader: str = ""
    scores: ClaimScores | None = None
    rows: tuple[VerifiedRow, ...] = ()


def verify_claims(
    data: str | Path,
    out: str | Path,
    *,
    settings: Settings | None = None,
    jobs: int = 4,
    limit: int | None = None,
    on_row: Progress | None = None,
) -> VerificationReport:
    """Verifies the claims of the file `data` (see `rarr.evals.rows.ClaimRow`), `jobs` at once.

    Folder, options and errors are those of `evaluate`. Scores are over the claims that people labelled.
    """
    claims = read_rows(Path(data), ClaimRow, '{"claim": "...", "evidence": "..."}')
    description = run_folder.described(settings := settings or Settings())
    chosen, verifiers = run_folder.first(claims, limit), list[ClaimVerifier]()
    labelled = any(row.supported is not None for row in chosen)

    def worker() -> Worker:
        verifiers.append(verifier_of(settings, measuring=labelled))
        return row_verifier(verifiers[0], chosen, jobs)

    lines: list[VerifiedLine] = run_folder.run_rows(
        claims, Path(out), VerifiedLine, run_folder.inputs("rarr verify", claims, description), worker,
        chosen=chosen, jobs=jobs * TOGETHER, on_row=on_row,
    )  # fmt: skip
    pairs = list(zip(chosen, lines, strict=True))
    report = VerificationReport(
        data=str(data),
        settings=description,
        reader=verifiers[0].reader,
        scores=claim_scores(pairs) if labelled else None,
        rows=tuple(
            VerifiedRow(
                id=line.id,
                label=line.label,
                probability=line.probability,
                gold=row.label,
                supported=row.supported,
                error=line.error,
            )
            for row, line in pairs
        ),
    )
    run_folder.finish(Path(out), report)
    return report


def row_verifier(verifier: ClaimVerifier, rows: Sequence[ClaimRow], jobs: int) -> Worker:
    """Verifies rows, those with the same evidence and question in one request; `jobs` requests at once."""
    alike, most = defaultdict[str, list[ClaimRow]](list), TOGETHER if verifier.reads_together else 1
    for row in rows:
        alike[row.model_dump_json(include={"evidence", "question"})].append(row)
    groups = [its[at : at + most] for its in alike.values() for at in range(0, len(its), most)]
    group_of = {row.id: group for group in groups for row in group}
    places, reading = asyncio.Semaphore(jobs), dict[str, asyncio.Task[dict[str, VerifiedLine]]]()

    async def read(group: Sequence[ClaimRow]) -> dict[str, VerifiedLine]:
        try:
            async with places:
                passages = [piece.given for piece in group[0].evidence]
                claims = [required_text(each.claim, "claim") for each in group]
                made = await verifier.averify_together(claims, passages, group[0].question)
        except RarrError as error:
            return {each.id: VerifiedLine(id=each.id, error=str(error)) for each in group}
        lines = dict[str, VerifiedLine]()
        for each, it in zip(group, made, strict=True):
            failures = (notice.message for notice in it.warnings if is_failure(notice) and it.label is None)
            why = next(failures, "")
            lines[each.id] = VerifiedLine(id=each.id, error=why, verification=None if why else it)
        return lines

    async def line(row: ClaimRow) -> VerifiedLine:
        group = group_of[row.id]
        if (first := group[0].id) not in reading:
            reading[first] = asyncio.create_task(read(group))
        return (await reading[first])[row.id]

    return Worker(line, [verifier])


def claim_scores(pairs: Pairs) -> ClaimScores:
    """Computes the scores of all claims that people judged; measures without a claim are left out.

    `three_way` are the measures of `classification`; a claim without a label counts as wrong, unless its
    judgement failed. `two_way` are those of `attributable` against all else (Malaviya et al. 2023, table 6),
    with `auc` where the verifier gives a probability. `unjudged` counts the claims that a measure leaves out.
    """
    gold = sum(row.label is not None for row, _ in pairs)
    classed = [(line.label, row.label) for row, line in pairs if row.label is not None and not line.error]
    decided = [(line, row.supported) for row, line in pairs if row.supported is not None]
    labelled = [(line.label == "attributable", supported) for line, supported in decided if line.is_judged]
    likely = [(it.probability, supported) for it, supported in decided if it.probability is not None]
    counts, each = Counter(classed), partial(bootstrap_each, resamples=RESAMPLES)
    confusion = {name: {label: counts[label, name] for label in CLASSES} for name in CLASSES}
    two_way = each(
        labelled, partial(classification, classes=(True, False)), unjudged=len(decided) - len(labelled)
    )
    of_yes = [*(f"True_{name}" for name in ("precision", "recall", "f1")), "accuracy", "balanced_accuracy"]
    return ClaimScores(
        three_way=each(classed, partial(classification, classes=CLASSES), unjudged=gold - len(classed)),
        confusion=confusion if classed else {},
        two_way={name.removeprefix("True_"): two_way[name] for name in of_yes if two_way}
        | each(likely, lambda drawn: {"auc": roc_auc(drawn)}, unjudged=len(decided) - len(likely)),
    )


def _by_judge(settings: Settings, options: Options) -> dict[str, Settings]:
    if not options.judges:
        return {name_of(settings.models.get("attribute", settings.model)): settings}
    models = {judge: settings.models | {"attribute": judge} for judge in options.judges}
    return {judge: settings.model_copy(update={"models": models[judge]}) for judge in models}


def _by_group(title: str, pairs: Pairs, scores: Scoring) -> Iterator[ScoreTable]:
    for group in ("system", "field"):
        names = sorted({getattr(row, group) for row, _ in pairs} - {""})
        rows = {name: scores([pair for pair in pairs if getattr(pair[0], group) == name]) for name in names}
        if rows:
            yield ScoreTable(title=f"{title}, by {group}", rows=rows | {"all": scores(pairs)})


def _verified_parts(claims: Sequence[ClaimRow], settings: Settings, options: Options) -> dict[str, Part]:
    chosen = claims[: options.limit]

    def worker(its: Settings) -> Worker:
        return row_verifier(verifier_of(its, measuring=True), chosen, options.jobs)

    judges = _by_judge(settings, options)
    return {it: Part(claims, VerifiedLine, partial(worker, judges[it]), chosen, TOGETHER) for it in judges}


def attrscore(data: Path, settings: Settings, options: Options) -> Bench:
    """Reads the claims in the file `data`. Raises `InputError` if none has a class by people."""
    rows = sampled(read_rows(data, ClaimRow, LABELLED))
    claims = [row for row in rows if row.label is not None]
    if not claims:
        raise InputError(f"no claim of {data} has a label: give lines such as {LABELLED}")
    parts = _verified_parts(claims, settings, options)
    left_out = {"no class by people": len(rows) - len(claims)}
    return Bench("attrscore", "AttrScore", {"claims": len(claims)}, parts, class_tables, left_out)


def class_tables(parts: Mapping[str, Pairs]) -> Iterator[ScoreTable]:
    """Scores the classes by judge, by system and by field, and shows which classes are taken for which."""
    yield ScoreTable(title="F1 of each class", rows={judge: class_scores(it) for judge, it in parts.items()})
    for judge, pairs in parts.items():
        yield from _by_group(judge, pairs, class_scores)
        yield ScoreTable(title=f"{judge}: a class by people (row), and its labels", rows=confusion(pairs))


def class_scores(pairs: Pairs) -> dict[str, Measured]:
    """Computes the F1 of each class, `overall` (micro-F1, which is accuracy here) and `macro`."""
    scores = claim_scores(pairs).three_way
    names = {str(name): f"{name}_f1" for name in CLASSES} | {"overall": "accuracy", "macro": "macro_f1"}
    return {name: scores.get(measure, Measured()) for name, measure in names.items()}


def confusion(pairs: Pairs) -> dict[str, dict[str, Measured]]:
    """Computes the shares of labels among the claims of each class; `none` is that of claims without one."""
    counts = Counter((row.label, line.label or "none") for row, line in pairs if not line.error)
    wholes = Counter(row.label for row, line in pairs if not line.error)
    return {
        name: {label: share_of(counts[name, label], wholes[name]) for label in (*CLASSES, "none")}
        for name in CLASSES
    }


class ExpertClaim(ClaimRow):
    """A claim of an answer, with the labels of an expert. Its id begins with that of its answer."""

    question: Annotated[None, BeforeValidator(lambda given: None)] = None
    system: str = Field(validation_alias=AliasPath("meta", "system"))
    worthiness: Literal["Yes", "No"] = Field(validation_alias=AliasPath("meta", "worthiness"))


def expertqa(data: Path, settings: Settings, options: Options) -> Bench:
    """Reads the claims of ExpertQA in the folder `data`. Raises `InputError` for missing or wrong data."""
    claims = sampled(read_rows(data / CLAIMS, ExpertClaim))
    parts = _verified_parts(claims, settings, options)
    return Bench("expertqa", "ExpertQA", {"claims": len(claims)}, parts, expert_tables)


def expert_tables(parts: Mapping[str, Pairs]) -> Iterator[ScoreTable]:
    """Scores all claims by judge, and the claims worth a citation by system and by field."""
    overall = {judge: claim_scores(pairs).two_way for judge, pairs in parts.items()}
    yield ScoreTable(title="all claims, against complete support by experts", rows=overall)
    for judge, pairs in parts.items():
        worthy = [pair for pair in pairs if pair[0].worthiness == "Yes"]
        yield from _by_group(f"{judge}, claims worth a citation", worthy, system_scores)


def system_scores(pairs: Pairs) -> dict[str, Measured]:
    """Computes the scores of the claims of a system or field; claims that were not judged are left out.

    All but `autoais` are of "attributable" against "complete support" (table 6). `autoais` is the share of
    attributable claims in an answer, averaged over answers, of the claims that the expert finds completely
    supported (table 5).
    """
    answers = defaultdict[str, list[bool]](list)
    for claim, line in pairs:
        if line.is_judged and claim.supported:
            answers[claim.id.rpartition("/")[0]].append(line.label == "attributable")
    scores = claim_scores(pairs).two_way
    autoais = mean([sum(hits) / len(hits) for hits in answers.values()])
    names = ("precision", "recall", "f1", "balanced_accuracy")
    return {name: scores[name] for name in names if name in scores} | {"autoais": autoais}


class FactRow(ClaimRow):
    """A claim, whether it is true by people, and maybe its statements of one fact, as people split it."""

    evidence: Annotated[tuple[RowEvidence, ...], BeforeValidator(listed)] = ()
    factual: StrictBool | None = Field(None, validation_alias=AliasChoices("factual", "correctness"))
    statements: tuple[Text, ...] = ()

    @field_validator("factual", mode="before")
    @classmethod
    def _is_right(cls, given: Any) -> Any:
        return given.strip().lower() in RIGHT if isinstance(given, str) else given


class StatementsAnswer(BaseModel):
    """The model's answer."""

    statements: list[str]


class FactLine(FinishedLine):
    """The statements of a claim, and which of them hold. A claim without a fact has none."""

    statements: tuple[str, ...] = ()
    hold: tuple[bool, ...] = ()

    @property
    def score(self) -> float | None:
        """The FActScore of the claim."""
        return sum(self.hold) / len(self.hold) if self.hold else None


def factscore(data: Path, settings: Settings, options: Options) -> Bench:
    """Reads the claims in the file `data`. Raises `InputError` if none can be measured."""
    rows = sampled(read_rows(data, FactRow, FACTUAL))
    judged = [row for row in rows if row.factual is not None]
    usable = [row for row in judged if row.evidence or settings.names_source]
    if not usable:
        raise InputError(f"no claim of {data} has evidence and a judgement of people: give {FACTUAL}")
    left_out = {"not judged by people": len(rows) - len(judged), "no evidence": len(judged) - len(usable)}
    chosen = usable[: options.limit]
    judges = _by_judge(settings, options)
    parts = {name: Part(usable, FactLine, partial(_fact_scorer, its), chosen) for name, its in judges.items()}
    return Bench("factscore", "FActScore", {"claims": len(chosen)}, parts, fact_tables, left_out)


def _fact_scorer(settings: Settings) -> Worker:
    verifier = verifier_of(settings, measuring=True)
    searching = settings.model_copy(update={"trace": False, "models": {}})
    found = wire(searching) if settings.names_source else None
    models = LanguageModels(settings, [settings.model] * (settings.model not in EMBEDDED))
    prompt = Prompts(settings.prompts)["split_claims"]

    async def split(claim: str, question: str | None) -> Sequence[str]:
        if not models.all:
            return [span.of(claim) for span in await work(sentences, claim)]
        given = {"question": question or NOTHING, "text": claim}
        answer = await models.all[0].ask(prompt, StatementsAnswer, given)
        return [statement for statement in answer.statements if statement.strip()]

    async def verified(statements: Sequence[str], row: FactRow) -> Sequence[Verification]:
        if row.evidence or found is None:
            given = [piece.given for piece in row.evidence]
            return await verifier.averify_together(statements, given, None)
        queries = [f"{row.field} {statement}".strip() for statement in statements]
        near = await together(*(found.retriever.retrieve(query, PASSAGES) for query in queries))
        pairs = zip(statements, near, strict=True)
        return await together(*(verifier.averify(statement, list(its)) for statement, its in pairs))

    async def line(row: FactRow) -> FactLine:
        statements = row.statements or await split(row.claim, row.question)
        made = await verified(statements, row) if statements else ()
        unjudged = [each for each in made if each.label is None]
        failures = (it.message for each in unjudged for it in filter(is_failure, each.warnings))
        hold = tuple(each.label == "attributable" for each in made if each.label is not None)
        return FactLine(id=row.id, statements=tuple(statements), hold=hold, error=next(failures, ""))

    return Worker(line, (verifier, *models.all, *((*found.models, *found.opened) if found else ())))


def fact_tables(parts: Mapping[str, Pairs]) -> Iterator[ScoreTable]:
    rows = {judge: fact_scores(pairs) for judge, pairs in parts.items()}
    yield ScoreTable(title="factual by a score of at least 0.5, against people", rows=rows)
    for judge, pairs in parts.items():
        yield from _by_group(judge, pairs, fact_scores)


def fact_scores(pairs: Pairs) -> dict[str, Measured]:
    """Computes the F1 of factual claims, of others, and of both, and the mean of the scores there are."""
    judged = [(line.score >= LEAST, row.factual) for row, line in pairs if line.score is not None]
    of_classes = partial(classification, classes=(True, False))
    found = bootstrap_each(judged, of_classes, unjudged=len(pairs) - len(judged))
    names = {"true f1": "True_f1", "false f1": "False_f1", "micro f1": "accuracy"} if found else {}
    return {name: found[names[name]] for name in names} | {"factscore": mean([it.score for _, it in pairs])}

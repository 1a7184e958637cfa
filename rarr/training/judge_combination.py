"""Fits the weights by which several judges of support are combined: asks each judge about labelled pairs.

The regression is fitted on one half of the pairs, and the other half is only measured on.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from rarr.agent.final_revision import budget_of, usage_of
from rarr.agent.given_evidence import given_passages
from rarr.agent.wiring.components import ComponentMaker
from rarr.agent.wiring.resources import opening
from rarr.backends.judge_weights import JudgeWeights, features_of_judges
from rarr.components import Verifier, close_all
from rarr.errors import InputError
from rarr.records import Evidence, Notice, Record, Usage
from rarr.settings import Settings
from rarr.tools.concurrency.background_loop import run
from rarr.tools.concurrency.together import first_alone, together
from rarr.tools.models.run_budget import METER, Meter
from rarr.tools.text.blocks_and_sentences import Span, sentences
from rarr.training.judge_calibration import JudgeFigures, Progress, judge_figures
from rarr.training.labelled_pairs import FEWEST, LabelledPair, halves
from rarr.training.logistic_regression import fitted, held_out


class CombinationReport(Record):
    """The weights of several judges, how well they judge together and alone, and what was spent.

    `folds`: each pair of the first half by a regression fitted without it. `other_half`: by the weights, and
    in `alone` by each judge, by its name. `unjudged`: the pairs that were left out, by the judge that could
    not judge them.
    """

    weights: JudgeWeights
    folds: JudgeFigures
    other_half: JudgeFigures
    alone: dict[str, JudgeFigures]
    unjudged: dict[str, int]
    usage: Usage
    warnings: tuple[Notice, ...]


class JudgedPair(NamedTuple):
    """A pair, and its support by each judge, by the judge's name; None where it could not judge the pair."""

    pair: LabelledPair
    supports: Mapping[str, float | None]


class FittedJudges(NamedTuple):
    """The regression and the figures of `CombinationReport`."""

    weights: JudgeWeights
    folds: JudgeFigures
    other_half: JudgeFigures
    alone: dict[str, JudgeFigures]


def combine(
    pairs: Sequence[LabelledPair],
    settings: Settings,
    *,
    on_pair: Progress = lambda done, total: None,
) -> CombinationReport:
    """Asks the judges that the model of the settings joins about all pairs of support, and fits weights.

    Each judge judges as it does alone, with its own calibration if it has one. `on_pair` is called with the
    number of finished pairs and of all pairs. Raises `InputError` for too few pairs, before anything is
    spent, or too few that all judges could judge; and `ModelError` if a pair could not be asked.
    """
    about = [pair for pair in pairs if pair.judgement == "support"]
    if not about:
        raise InputError(f"there are no pairs about support, which alone {settings.model} judges: give some")
    parts = halves(about)["support"]
    asked = [(pair, _span(pair), _evidence(pair)) for half in parts for pair in half]
    with opening(settings) as opened:
        maker = ComponentMaker(settings, {"attribute": settings.model}, opened)
        for model in maker.models.all:  # the weights are about these judges, so no fallback may answer
            model.models = model.models[:1]
        judges, versions = maker.judges.each(settings.model), maker.judges.versions(settings.model)
        meter = Meter(budget_of(settings))
        token = METER.set(meter)
        try:
            judged = run(_all_judged(judges, asked, on_pair))
        finally:
            METER.reset(token)
            run(close_all((*maker.models.all, *opened)))
    fit, measure = judged[: len(parts.fit)], judged[len(parts.fit) :]
    found = fitted_judges(settings.model, fit, measure, versions, settings.support_threshold)
    unjudged = {name: sum(each.supports[name] is None for each in judged) for name in judges}
    return CombinationReport(
        **found._asdict(), unjudged=unjudged, usage=usage_of(meter), warnings=tuple(meter.warnings)
    )


def fitted_judges(
    judge: str, fit: Sequence[JudgedPair], measure: Sequence[JudgedPair], versions: str, threshold: float
) -> FittedJudges:
    """Fits the weights of the judges that `judge` joins on `fit`, and measures them on `measure`.

    Pairs that a judge could not judge are left out. From support `threshold` on, a pair is called supported.
    Raises `InputError` if too few pairs of a label are left.
    """
    known, labels = _known(judge, fit)
    unseen_known, unseen_labels = _known(judge, measure)
    features, even = [features_of_judges(supports) for supports in known], [1.0] * len(known)
    groups = [each.pair.group for each in fit if None not in each.supports.values()]
    weights = JudgeWeights(
        judge=judge,
        made_at=datetime.now(UTC),
        versions=versions,
        regression=fitted(features, labels, even),
        pairs=len(known),
    )

    def figures(truths: Sequence[bool], likely: Sequence[float]) -> JudgeFigures:
        return judge_figures(truths, likely, [support >= threshold for support in likely])

    return FittedJudges(
        weights=weights,
        folds=figures(labels, held_out(features, labels, even, groups)),
        other_half=figures(unseen_labels, [weights.support(supports) for supports in unseen_known]),
        alone={
            name: figures(unseen_labels, [supports[name] for supports in unseen_known]) for name in known[0]
        },
    )


def _known(judge: str, half: Sequence[JudgedPair]) -> tuple[list[dict[str, float]], list[bool]]:
    """Returns the supports and the labels of the pairs that all judges could judge."""
    known = list[dict[str, float]]()
    labels = list[bool]()
    for each in half:
        supports = {name: support for name, support in each.supports.items() if support is not None}
        if len(supports) == len(each.supports):
            known.append(supports)
            labels.append(each.pair.label)
    if min(labels.count(True), labels.count(False)) < FEWEST:
        raise InputError(
            f"too few pairs that all judges of {judge} could judge ({labels.count(True)} true,"
            f" {labels.count(False)} false in a half): each half needs {FEWEST} of both, so give more pairs"
        )
    return known, labels


async def _all_judged(
    judges: Mapping[str, Verifier], pairs: Sequence[tuple[LabelledPair, Span, Evidence]], on_pair: Progress
) -> list[JudgedPair]:
    """Judges all pairs at once; the first pair alone, to fail early."""

    async def judged_pair(asked: tuple[LabelledPair, Span, Evidence]) -> JudgedPair:
        pair, span, evidence = asked
        claim = pair.variables["text"]
        judged = await together(*(judge.support(claim, None, [span], evidence) for judge in judges.values()))
        return JudgedPair(pair, {name: support for name, [support] in zip(judges, judged, strict=True)})

    return await first_alone(pairs, judged_pair, on_pair)


def _span(pair: LabelledPair) -> Span:
    """Returns the sentence of a claim; a claim of several sentences is judged as a whole."""
    claim = pair.variables["text"]
    spans = sentences(claim)
    return spans[0] if len(spans) == 1 else Span(0, len(claim))


def _evidence(pair: LabelledPair) -> Evidence:
    """Makes the evidence of a pair. Raises `InputError` if it is empty."""
    [passage] = given_passages(pair.variables["evidence"])
    return Evidence(**dict(passage), id="p1", query_id="", relevance=1.0)

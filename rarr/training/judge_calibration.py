"""Calibrates a language model as a judge: asks it about labelled pairs, and fits its probability of "yes".

The regression and its threshold are fitted on one half of the pairs, by cross-validation over evidence. The
other half is only measured on.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import NamedTuple

from rarr.agent.final_revision import budget_of, usage_of
from rarr.agent.wiring.language_models import LanguageModels
from rarr.backends.logistic import NEVER
from rarr.backends.prompted.calibrated_judge import yes_probability
from rarr.backends.prompted.model_calibration import (
    PROMPTS,
    Judgement,
    JudgementCalibration,
    ModelCalibration,
    features_of,
)
from rarr.backends.prompted.prompts import Prompts
from rarr.errors import InputError, SetupError
from rarr.evals.metrics import roc_auc
from rarr.records import Record, Usage
from rarr.settings import EMBEDDED, Settings
from rarr.tools.concurrency.background_loop import run
from rarr.tools.concurrency.together import first_alone
from rarr.tools.models.language_model import LanguageModel
from rarr.tools.models.run_budget import METER, Meter
from rarr.training.labelled_pairs import FEWEST, Halves, LabelledPair, halves
from rarr.training.logistic_regression import fitted, held_out, threshold_at_precision

PRECISION = 0.9
"""The share of right ones among the pairs that are called supported, unless another is asked for."""
Progress = Callable[[int, int], None]
_MARGIN = 1e-4  # the digits of a threshold


class JudgeFigures(Record):
    """How well a way to judge separates labelled pairs.

    `called` pairs were judged "yes", `right` of them rightly; `true` pairs have the label "yes". `brier` is
    the mean squared difference between probability and label.
    """

    pairs: int
    auc: float | None
    right: int
    called: int
    true: int
    brier: float


class JudgementReport(Record):
    """The outcome for one judgement; `calibration` is None if no threshold reaches the precision.

    `folds`: each pair of the first half by a regression fitted without it. `other_half`: by the calibration.
    `by_word`: the other half by the word "yes" and its probability as the server gives it.
    """

    judgement: Judgement
    calibration: JudgementCalibration | None
    folds: JudgeFigures
    other_half: JudgeFigures
    by_word: JudgeFigures


class CalibrationReport(Record):
    """The outcomes of a calibration, its file's content (None: nothing to keep), and what was spent."""

    model: str
    judgements: tuple[JudgementReport, ...]
    kept: ModelCalibration | None
    usage: Usage


class AskedPair(NamedTuple):
    """A pair, and the model's probability of "yes"."""

    pair: LabelledPair
    yes: bool
    probability: float


def calibrate(
    pairs: Sequence[LabelledPair],
    settings: Settings,
    *,
    precision: float = PRECISION,
    on_pair: Progress = lambda done, total: None,
) -> CalibrationReport:
    """Asks the model of the settings about all pairs, and fits a calibration for each judgement.

    `on_pair` is called with the number of finished pairs and of all pairs. Before anything is
    spent, raises `InputError` for too few pairs or an embedded model. Raises `SetupError` if the server gives
    no probabilities, and `ModelError` if a pair could not be asked.
    """
    if settings.model in EMBEDDED:
        raise InputError(f"{settings.model} is no language model: calibrate one, such as vllm:NAME")
    split = halves(pairs)
    models, prompts = LanguageModels(settings, [settings.model]), Prompts(settings.prompts)
    # A calibration is about one model, so no fallback may answer.
    model = LanguageModel(models[settings.model].models[:1], max_answer_tokens=settings.max_answer_tokens)
    meter = Meter(budget_of(settings))
    token = METER.set(meter)
    try:
        asked = run(_all_asked(model, prompts, split, on_pair))
    finally:
        METER.reset(token)
    reports = tuple(
        judgement_report(judgement, *parts, prompt=prompts[PROMPTS[judgement]].hash, precision=precision)
        for judgement, parts in asked.items()
    )
    kept = {report.judgement: report.calibration for report in reports if report.calibration is not None}
    made = ModelCalibration(model=model.name, made_at=datetime.now(UTC), judgements=kept) if kept else None
    return CalibrationReport(model=model.name, judgements=reports, kept=made, usage=usage_of(meter))


def judgement_report(
    judgement: Judgement,
    fit: Sequence[AskedPair],
    measure: Sequence[AskedPair],
    *,
    prompt: str,
    precision: float,
) -> JudgementReport:
    """Fits one judgement on `fit`, and measures it on `measure`. `prompt` is the hash of the prompt."""
    features = [features_of(asked.probability) for asked in fit]
    labels, weights = [asked.pair.label for asked in fit], [1.0] * len(fit)
    unseen = held_out(features, labels, weights, [asked.pair.group for asked in fit])
    regression = fitted(features, labels, weights)
    seen = [regression.probability(case) for case in features]
    # The folds have regressions of their own: the threshold must also hold for the regression that is kept.
    lowest = max(threshold_at_precision(each, labels, precision, FEWEST) for each in (unseen, seen))
    # A regression is never certain, and a threshold of 0 would call everything "yes".
    threshold = NEVER if lowest >= NEVER else min(max(lowest, _MARGIN), 1 - _MARGIN)
    regression = regression.model_copy(update={"threshold": threshold})
    likely = [regression.probability(features_of(asked.probability)) for asked in measure]
    measured = [asked.pair.label for asked in measure]
    return JudgementReport(
        judgement=judgement,
        calibration=None
        if threshold >= NEVER
        else JudgementCalibration(prompt=prompt, regression=regression, pairs=len(fit), precision=precision),
        folds=judge_figures(labels, unseen, [probability >= threshold for probability in unseen]),
        other_half=judge_figures(measured, likely, [probability >= threshold for probability in likely]),
        by_word=judge_figures(
            measured, [asked.probability for asked in measure], [asked.yes for asked in measure]
        ),
    )


def judge_figures(labels: Sequence[bool], likely: Sequence[float], called: Sequence[bool]) -> JudgeFigures:
    """Computes the figures of pairs with these labels, probabilities, and verdicts (True: called "yes")."""
    return JudgeFigures(
        pairs=len(labels),
        auc=roc_auc(likely, labels),
        right=sum(label and call for label, call in zip(labels, called, strict=True)),
        called=sum(called),
        true=sum(labels),
        brier=sum((p - label) ** 2 for p, label in zip(likely, labels, strict=True)) / len(labels),
    )


async def _all_asked(
    model: LanguageModel, prompts: Prompts, split: Mapping[Judgement, Halves], on_pair: Progress
) -> dict[Judgement, tuple[list[AskedPair], list[AskedPair]]]:
    """Asks about the pairs of all halves at once; about the first pair alone, to fail early."""
    pairs = [pair for parts in split.values() for half in parts for pair in half]

    async def asked_pair(pair: LabelledPair) -> AskedPair:
        answer = await yes_probability(model, prompts[PROMPTS[pair.judgement]], pair.variables)
        if answer.probability is None:
            raise SetupError(
                f"{model.name} gives no probabilities of its answers (logprobs), so its word decides:"
                " serve it with vLLM or llama.cpp, as vllm:NAME"
            )
        return AskedPair(pair, answer.yes, answer.probability)

    try:
        asked = iter(await first_alone(pairs, asked_pair, on_pair))
    finally:
        await model.aclose()
    return {
        judgement: (list(islice(asked, len(parts.fit))), list(islice(asked, len(parts.measure))))
        for judgement, parts in split.items()
    }

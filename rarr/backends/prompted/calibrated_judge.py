"""Judges support and intent by the probability of a language model's answer "yes", calibrated for the model.

The word of the model decides, as it does without a calibration, where its server gives no probability.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from pydantic import BaseModel

from rarr.backends.logistic import scaled_support
from rarr.backends.prompted.intent_preservation import PromptedIntentJudge, intent_variables
from rarr.backends.prompted.model_calibration import PROMPTS, Judgement, ModelCalibration
from rarr.backends.prompted.prompts import Prompts
from rarr.backends.prompted.verifier import PromptedVerifier, support_variables
from rarr.prompts import Prompt
from rarr.records import Evidence, ExpectedUsage
from rarr.tools.concurrency.together import together
from rarr.tools.concurrency.worker_threads import work
from rarr.tools.models.language_model import LanguageModel
from rarr.tools.models.run_budget import meter
from rarr.tools.text.blocks_and_sentences import Span


class YesOrNo(BaseModel):
    """The model's answer in one word."""

    answer: Literal["yes", "no"]


class YesProbability(NamedTuple):
    """The probability that a model answers "yes", from 0 to 1; None if its server gives no probabilities.

    `yes` is the answer that it gave, and `model` the name of the model that answered.
    """

    yes: bool
    probability: float | None
    model: str


async def yes_probability(
    model: LanguageModel, prompt: Prompt, variables: Mapping[str, str]
) -> YesProbability:
    """Asks for "yes" or "no" in one request. Raises like `LanguageModel.ask_likely`.

    There are two answers, so where the answer is "no", the probability of "yes" is the complement. No other
    words than the answer have to be asked for (`top_logprobs`).
    """
    likely = await model.ask_likely(prompt, YesOrNo, variables)
    yes, probability = likely.answer.answer == "yes", likely.probability
    if probability is not None and not yes:
        probability = 1 - probability
    return YesProbability(yes, probability, likely.model)


class CalibratedJudge:
    """Computes the calibrated probability of one judgement of a model."""

    def __init__(
        self, model: LanguageModel, prompts: Prompts, judgement: Judgement, calibration: ModelCalibration
    ) -> None:
        self.model, self.prompt = model, prompts[PROMPTS[judgement]]
        self.problem = calibration.problem(judgement, model.name, self.prompt)
        """Why the calibration is not used; "" if it is."""
        self._judgement, self._calibration = judgement, calibration

    @property
    def threshold(self) -> float:
        """The least probability that counts as "yes"."""
        return self._calibration.judgements[self._judgement].regression.threshold

    async def probability(self, variables: Mapping[str, str]) -> float | None:
        """Asks the model, and returns the calibrated probability of "yes", from 0 to 1.

        None, with a warning, where the calibration does not fit the model, the prompt or the server.
        """
        name = self.model.name
        if self.problem:
            self._warn(f"the calibration of {name} is not used, since {self.problem}: rarr calibrate {name}")
            return None
        of_yes = await yes_probability(self.model, self.prompt, variables)
        if of_yes.model != name:  # a fallback, of which another warning tells
            return None
        if of_yes.probability is None:
            self._warn(
                f"the calibration of {name} is not used, since its server gives no probabilities (logprobs):"
                " its word decides"
            )
            return None
        return self._calibration.judgements[self._judgement].probability(of_yes.probability)

    def _warn(self, message: str) -> None:
        meter().warn("calibration_unused", message)


class CalibratedVerifier:
    """A verifier by a language model: support is the calibrated probability that it says "yes".

    It is scaled so that its threshold becomes the default of the setting `support_threshold`.
    """

    def __init__(self, judge: CalibratedJudge, word: PromptedVerifier, prompts: Prompts) -> None:
        """`word`, which goes by the model's word alone, judges where the probability is not known."""
        self._judge, self._word, self._prompts = judge, word, prompts

    def expected(self, text: str, context: str | None) -> ExpectedUsage:
        """Estimates the usage for one sentence and one evidence."""
        if self._judge.problem:
            return self._word.expected(text, context)
        return self._prompts.expected(self._judge.model, PROMPTS["support"], text, None, whole=False)

    async def support(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[float | None]:
        """Returns the support of each sentence at `spans`, from 0 to 1, all asked at the same time.

        Raises `ModelError` for a sentence without a judgement.
        """
        asked = await work(support_variables, text, context, spans, evidence)
        likely = await together(*(self._judge.probability(variables) for variables in asked))
        left = [span for span, probability in zip(spans, likely, strict=True) if probability is None]
        by_word = iter(await self._word.support(text, context, left, evidence) if left else ())
        return [
            next(by_word) if probability is None else scaled_support(probability, self._judge.threshold)
            for probability in likely
        ]


class CalibratedIntentJudge:
    """Judges whether a revision keeps the intent of a text, by the calibrated probability."""

    def __init__(self, judge: CalibratedJudge, word: PromptedIntentJudge, prompts: Prompts) -> None:
        """`word`, which goes by the model's word alone, judges where the probability is not known."""
        self._judge, self._word, self._prompts = judge, word, prompts

    def expected(self, text: str, context: str | None) -> ExpectedUsage:
        """Estimates the usage for one revision."""
        if self._judge.problem:
            return self._word.expected(text, context)
        return self._prompts.expected(self._judge.model, PROMPTS["intent"], 2 * text, None, whole=True)

    async def preserved(self, original: str, revised: str, context: str | None) -> float:
        """Returns the probability that the revision keeps the intent, from 0 to 1. Raises `ModelError`."""
        likely = await self._judge.probability(intent_variables(original, revised, context))
        return await self._word.preserved(original, revised, context) if likely is None else likely

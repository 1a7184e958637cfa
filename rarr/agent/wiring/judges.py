"""Makes the judges of support and of intent that the settings name: one judge, or several with weights."""

import hashlib
import json
from typing import Any

from rarr.agent.wiring.language_models import LanguageModels
from rarr.agent.wiring.resources import Resources
from rarr.backends.combined_verifier import CombinedVerifier
from rarr.backends.encoder.support import TrainedVerifier
from rarr.backends.english_only_wrappers import EnglishVerifier
from rarr.backends.judge_name_parsing import NLI, judges_in, language_models_in
from rarr.backends.judge_weights import read_weights
from rarr.backends.prompted.attribution_wordings import WORDINGS
from rarr.backends.prompted.calibrated_judge import CalibratedIntentJudge, CalibratedJudge, CalibratedVerifier
from rarr.backends.prompted.intent_preservation import PromptedIntentJudge
from rarr.backends.prompted.model_calibration import (
    PROMPTS,
    Judgement,
    ModelCalibration,
    calibration_path,
    read_calibration,
)
from rarr.backends.prompted.prompts import Prompts
from rarr.backends.prompted.verifier import PromptedVerifier
from rarr.backends.rules.support import ValueVerifier
from rarr.components import IntentJudge, Verifier
from rarr.errors import SettingsError
from rarr.settings import Settings
from rarr.tools.models.language_model import LanguageModel


class JudgeMaker:
    """Makes judges by their names; `models` has the language models among them."""

    def __init__(
        self, settings: Settings, models: LanguageModels, prompts: Prompts, opened: Resources
    ) -> None:
        self._settings, self._models, self._prompts, self._opened = settings, models, prompts, opened

    def verifier(self, judge: Any) -> Verifier:
        """Makes the verifier of one judge, or of several joined by "+", whose weights must be fitted.

        Raises `SettingsError` if there are no weights, or if a judge has changed since they were fitted.
        """
        if len(judges_in(judge)) == 1:
            return self._single(judge)
        _require_distinct(judge)
        weights = read_weights(self._settings.home, judge)
        if weights is None:
            raise SettingsError(f"no weights are fitted for {judge}: run rarr calibrate {judge}")
        if weights.versions != self.versions(judge):
            raise SettingsError(
                f"the weights of {judge} were fitted with another calibration, prompt or wording of a judge,"
                f" or other weights of the encoder: run rarr calibrate {judge}"
            )
        return CombinedVerifier(self.each(judge), weights, self._settings.support_threshold)

    def each(self, judge: str) -> dict[str, Verifier]:
        """Makes each of the judges that `judge` joins, by its name.

        Raises `SettingsError` if one is named twice.
        """
        _require_distinct(judge)
        return {name: self._single(name) for name in judges_in(judge)}

    def versions(self, judge: str) -> str:
        """Makes a digest of all that the support by each judge depends on, besides its name.

        These are the calibration, prompts and wording of a language model, and the folder of the encoder.
        """
        versions = [str(self._settings.weights), self._settings.judge_wording]
        for name in language_models_in(judge):
            kept = self._calibration(self._models[name], "support")
            versions.append("" if kept is None else kept.judgements["support"].model_dump_json())
            prompts = (WORDINGS[self._settings.judge_wording].prompt, PROMPTS["support"])
            versions += [self._prompts[prompt].hash for prompt in prompts]
        return hashlib.sha256(json.dumps(versions).encode()).hexdigest()[:12]

    def intent_judge(self, judge: Any) -> IntentJudge:
        """Makes the judge of intent by a language model."""
        model = self._models[judge]
        word = PromptedIntentJudge(model, self._prompts)
        calibrated = self._calibrated(model, "intent")
        return word if calibrated is None else CalibratedIntentJudge(calibrated, word, self._prompts)

    def _single(self, judge: Any) -> Verifier:
        threshold = self._settings.support_threshold
        if judge == "rules":
            return EnglishVerifier(ValueVerifier(threshold))
        if judge == "embedded":
            return EnglishVerifier(TrainedVerifier(self._opened.encoder, threshold))
        if isinstance(judge, str) and judge.startswith(NLI):
            from rarr.backends.nli.verifier import NliVerifier

            return NliVerifier(judge.removeprefix(NLI), threshold)
        model = self._models[judge]
        word = PromptedVerifier(model, self._prompts, self._settings.judge_wording)
        if self._settings.judge_wording != "attribution":  # a calibration is one of the default wording
            return word
        calibrated = self._calibrated(model, "support")
        return word if calibrated is None else CalibratedVerifier(calibrated, word, self._prompts)

    def _calibrated(self, model: LanguageModel, judgement: Judgement) -> CalibratedJudge | None:
        calibration = self._calibration(model, judgement)
        if calibration is None:
            return None
        return CalibratedJudge(model, self._prompts, judgement, calibration)

    def _calibration(self, model: LanguageModel, judgement: Judgement) -> ModelCalibration | None:
        """Reads the calibration of a model for the judgement by `rarr calibrate`; None if it has none."""
        calibration = read_calibration(calibration_path(self._settings.home, model.name), model.name)
        return calibration if calibration is not None and judgement in calibration.judgements else None


def _require_distinct(judge: str) -> None:
    names = judges_in(judge)
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise SettingsError(f"{judge} has the judge {twice} twice: name each judge once")

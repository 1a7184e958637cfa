"""Makes the language model that scores answers, by the settings."""

from collections.abc import Sequence

from rarr.agent.wiring.language_models import LanguageModels
from rarr.backends.prompted.answer_scoring import PromptedAnswerScorer
from rarr.backends.prompted.prompts import Prompts
from rarr.errors import SettingsError
from rarr.records.answer_score import RatedAnswer
from rarr.settings import EMBEDDED, Settings
from rarr.tools.models.default_urls import MODEL_NAMES


def answer_scorer(settings: Settings, examples: Sequence[RatedAnswer]) -> PromptedAnswerScorer:
    """Makes the scorer of the setting `model`. Raises `SettingsError` if it is no language model."""
    if settings.model in EMBEDDED:
        raise SettingsError(f"{settings.model!r} scores no answers: name a language model, {MODEL_NAMES}")
    models = LanguageModels(settings, [settings.model])
    return PromptedAnswerScorer(models[settings.model], Prompts(settings.prompts), examples)

"""Makes the language model that answers questions, by the settings."""

from rarr.agent.wiring.language_models import LanguageModels
from rarr.backends.prompted.answers import QuestionAnswerer
from rarr.backends.prompted.prompts import Prompts
from rarr.errors import SettingsError
from rarr.settings import EMBEDDED, Settings
from rarr.tools.models.chat import MODEL_NAMES


def question_answerer(settings: Settings) -> QuestionAnswerer:
    """Makes the answerer of the setting `model`. Raises `SettingsError` if it is no language model."""
    if settings.model in EMBEDDED:
        raise SettingsError(
            f"{settings.model!r} answers no questions: name a language model with --model, {MODEL_NAMES},"
            " or test it as a reviser"
        )
    models = LanguageModels(settings, [settings.model])
    return QuestionAnswerer(models[settings.model], Prompts(settings.prompts))

"""Makes the judges of support that the settings name."""

from typing import Any

from rarr.agent.wiring.language_models import LanguageModels
from rarr.agent.wiring.resources import Resources
from rarr.backends.embedded.near_quotes import NearQuoteVerifier
from rarr.backends.judge_name_parsing import NLI
from rarr.backends.prompted.prompts import Prompts
from rarr.backends.prompted.verifier import PromptedVerifier
from rarr.components import Verifier
from rarr.settings import Settings


class JudgeMaker:
    """Makes judges by their names; `models` has the language models among them."""

    def __init__(
        self, settings: Settings, models: LanguageModels, prompts: Prompts, opened: Resources
    ) -> None:
        self._settings, self._models, self._prompts, self._opened = settings, models, prompts, opened

    def verifier(self, judge: Any) -> Verifier:
        """Makes the judge of support."""
        threshold = self._settings.support_threshold
        if judge == "embedded":
            return NearQuoteVerifier()
        if isinstance(judge, str) and judge.startswith(NLI):
            from rarr.backends.nli.verifier import NliVerifier

            return NliVerifier(judge.removeprefix(NLI), threshold)
        return PromptedVerifier(self._models[judge], self._prompts)

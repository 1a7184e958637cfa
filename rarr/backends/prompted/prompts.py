"""The prompts of one reviser: the plain form, or the one for a text that has a context."""

from collections.abc import Mapping
from pathlib import Path

from rarr import prompts
from rarr.prompts import Prompt
from rarr.records import ModelUsage
from rarr.tools.models.chat import estimated_tokens
from rarr.tools.models.language_model import LanguageModel

SENTENCE_TOKENS, EVIDENCE_TOKENS, ANSWER_TOKENS = 30, 120, 60
"""What is common: of a sentence, of a window of four with its question, of an answer."""


class Prompts:
    """The package's own, with what a folder of the user's overrides. All are read when it is made."""

    def __init__(self, folder: Path | None = None, given: Mapping[str, Prompt] | None = None) -> None:
        """`given` are used before all others. Raises `InputError` for what cannot be used."""
        if folder is not None:
            folder = folder.expanduser()
            prompts.require_known(folder)
        self._prompts = {name: prompts.load(name, folder) for name in prompts.names()}
        if folder is not None:
            prompts.require_both_forms(folder)
        self._prompts |= given or {}

    def of(self, name: str, context: str | None, **variables: str) -> tuple[Prompt, dict[str, str]]:
        """The prompt and its variables; with a context, its contextual form."""
        if context is None:
            return self._prompts[name], variables
        return self._prompts[f"{name}_in_context"], {"context": context, **variables}

    def expected(
        self, model: LanguageModel, name: str, text: str, context: str | None, *, whole: bool
    ) -> ModelUsage:
        """What one call about one sentence of `text` and one evidence is expected to spend."""
        prompt = self[name] if context is None else self[f"{name}_in_context"]
        looked_at = estimated_tokens([text]) if whole else 2 * SENTENCE_TOKENS
        asked = looked_at + EVIDENCE_TOKENS + estimated_tokens([context or ""])
        return model.expected(prompt, asked, ANSWER_TOKENS)

    def __getitem__(self, name: str) -> Prompt:
        return self._prompts[name]

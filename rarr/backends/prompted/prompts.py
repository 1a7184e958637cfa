"""Loads the prompts of one reviser, and chooses the plain form or the form for a text with a context."""

from collections.abc import Mapping
from pathlib import Path

from rarr import prompts
from rarr.prompts import Prompt
from rarr.records import ExpectedUsage
from rarr.tools.models.chat import estimated_tokens
from rarr.tools.models.language_model import LanguageModel

SENTENCE_TOKENS, EVIDENCE_TOKENS, ANSWER_TOKENS = 30, 120, 60
"""Common sizes in tokens: a sentence, four sentences of evidence with the question, and an answer."""


class Prompts:
    """The prompts of the package, with the overrides of a user's folder. All are loaded at the start."""

    def __init__(self, folder: Path | None = None, given: Mapping[str, Prompt] | None = None) -> None:
        """Loads all prompts: from `given`, else from the user's `folder`, else from the package.

        Raises `InputError` for an unusable prompt.
        """
        if folder is not None:
            folder = folder.expanduser()
            prompts.require_known(folder)
        self._prompts = {name: prompts.load(name, folder) for name in prompts.names()}
        if folder is not None:
            prompts.require_both_forms(folder)
        self._prompts |= given or {}

    def of(self, name: str, context: str | None, **variables: str) -> tuple[Prompt, dict[str, str]]:
        """Returns the prompt `name` with its variables; with a context, its form for a context."""
        if context is None:
            return self._prompts[name], variables
        return self._prompts[f"{name}_in_context"], {"context": context, **variables}

    def expected(
        self, model: LanguageModel, name: str, text: str, context: str | None, *, whole: bool
    ) -> ExpectedUsage:
        """Estimates the usage of one call about one evidence and one sentence, or the whole text."""
        prompt = self[name] if context is None else self[f"{name}_in_context"]
        looked_at = estimated_tokens([text]) if whole else 2 * SENTENCE_TOKENS
        asked = looked_at + EVIDENCE_TOKENS + estimated_tokens([context or ""])
        return model.expected(prompt, asked, ANSWER_TOKENS)

    def __getitem__(self, name: str) -> Prompt:
        return self._prompts[name]

"""Loads the prompts of a reviser, and selects what they show of texts, evidence and sources."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from rarr import prompts
from rarr.prompts import Prompt
from rarr.records import Evidence
from rarr.tools.models.chat import estimated_tokens
from rarr.tools.models.language_model import LanguageModel

SENTENCE_TOKENS, EVIDENCE_TOKENS, ANSWER_TOKENS = 30, 120, 60
"""Common sizes in tokens: a sentence, four sentences of evidence with the question, and an answer."""


class Prompts:
    """The prompts of the package, with the overrides of a user's folder. All are loaded at the start."""

    def __init__(self, folder: Path | None = None, given: Mapping[str, Prompt] | None = None) -> None:
        """Loads all, `given` first, else from `folder`. Raises `InputError` for an unusable prompt."""
        if folder is not None:
            folder = folder.expanduser()
            prompts.require_known(folder)
        self._prompts = {name: prompts.load(name, folder) for name in prompts.names()}
        self._prompts |= given or {}

    def __getitem__(self, name: str) -> Prompt:
        return self._prompts[name]


NOTHING = "(none)"


class Prompted:
    """A component that asks a model, with one `prompt` or more. It raises `ModelError` and `BudgetError`."""

    prompt = ""

    def __init__(self, model: LanguageModel, prompts: Prompts, *, prompt: str = "") -> None:
        self._model, self._prompts, self.prompt = model, prompts, prompt or self.prompt

    async def aclose(self) -> None:
        """Closes the connections of the model in the running event loop."""
        await self._model.aclose()


def quoted_evidence(evidence: Evidence) -> str:
    """Returns the text of an evidence under the title of its page, which often names the subject.

    Other people wrote these words: `LanguageModel` makes sure that nothing in them ends the quotation.
    """
    return f"# {evidence.title}\n{evidence.text}" if evidence.title else evidence.text


_MARK = re.compile(r"\[\d{1,3}\]")


def numbered_sources(texts: Iterable[str]) -> str:
    """Writes each text on a line, with its number from 1.

    Numbers in brackets in a text are left out, since a model would copy them as citations.
    """
    lines = (" ".join(_MARK.sub("", text).split()) for text in texts)
    return "\n".join(f"[{n}] {line}" for n, line in enumerate(lines, start=1))


def of_written(prompt: Prompt, *texts: str, least: int = 300, tokens_each: int = 2) -> Prompt:
    """Returns the prompt with a limit for an answer about `texts`, if it has no limit of its own.

    The limit is `least` tokens, and `tokens_each` for each token of the texts.
    """
    return replace(prompt, tokens=prompt.tokens or least + tokens_each * estimated_tokens(texts))

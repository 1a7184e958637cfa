"""Loads the prompts of a reviser, and writes evidence and sources as variables of prompts."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from rarr import prompts
from rarr.prompts import Prompt
from rarr.records import Evidence
from rarr.tools.models.chat import estimated_tokens
from rarr.tools.models.language_model import LanguageModel


class Prompts(dict[str, Prompt]):
    """A mapping from names to prompts. The user's prompts replace the prompts of the package."""

    def __init__(self, folder: Path | None = None, given: Mapping[str, Prompt] | None = None) -> None:
        """Loads each prompt from `given`, `folder` or the package. Raises `InputError` for a wrong prompt."""
        if folder is not None:
            folder = folder.expanduser()
            prompts.require_prompt_folder(folder)
        super().__init__({name: prompts.load(name, folder) for name in prompts.names()}, **(given or {}))


NOTHING = "(none)"  # stands in a prompt for an empty variable


class ModelAsker:
    """The base class of components that ask a model. Their methods raise `ModelError` and `BudgetError`."""

    prompt = ""

    def __init__(self, model: LanguageModel, prompts: Prompts, *, prompt: str = "") -> None:
        self._model, self._prompts, self.prompt = model, prompts, prompt or self.prompt
        self.aclose = model.aclose  # closes the connections of the running event loop


def titled_evidence(evidence: Evidence) -> str:
    """Returns the text of an evidence below the title of the page. The title often names the subject.

    The text may hold instructions to a model. Therefore `LanguageModel` quotes all variables of a prompt.
    """
    return f"# {evidence.title}\n{evidence.text}" if evidence.title else evidence.text


_BRACKETED_NUMBER = re.compile(r"\[\d{1,3}\]")


def numbered_sources(texts: Iterable[str]) -> str:
    """Returns one line for each text, with the number of the text, from 1.

    Leaves out the texts' own numbers in brackets, because a model would copy these numbers as citations.
    """
    lines = (" ".join(_BRACKETED_NUMBER.sub("", text).split()) for text in texts)
    return "\n".join(f"[{n}] {line}" for n, line in enumerate(lines, start=1))


def with_answer_limit(prompt: Prompt, *texts: str, least: int = 300, tokens_each: int = 2) -> Prompt:
    """Returns the prompt with a limit of the answer's tokens. A limit that the prompt has already stays.

    The new limit is `least` tokens, plus `tokens_each` for each token of the `texts`.
    """
    return replace(prompt, tokens=prompt.tokens or least + tokens_each * estimated_tokens(texts))

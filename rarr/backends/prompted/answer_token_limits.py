"""Bounds the tokens of an answer by the texts that it is made of, so that a model cannot run on for long."""

from dataclasses import replace

from rarr.prompts import Prompt
from rarr.tools.models.chat import estimated_tokens

_FRAME = 30  # tokens of the JSON around a text, and of "not stated"
_MARGIN = 2  # times the estimate, since numbers and other languages than English have more tokens a byte


def of_copied(prompt: Prompt, source: str) -> Prompt:
    """Returns the prompt with a limit in tokens for an answer that copies words of `source`.

    A lower limit of its own stays.
    """
    most = _FRAME + _MARGIN * estimated_tokens([source])
    return replace(prompt, tokens=min(most, prompt.tokens or most))


def of_written(prompt: Prompt, *texts: str, least: int = 300, tokens_each: int = 2) -> Prompt:
    """Returns the prompt with a limit for an answer about `texts`, if it has no limit of its own.

    The limit is `least` tokens, and `tokens_each` for each token of the texts.
    """
    return replace(prompt, tokens=prompt.tokens or least + tokens_each * estimated_tokens(texts))

"""Reads the names of judges of support, such as embedded, vllm:NAME or nli:NAME."""

from typing import Any

from rarr.settings import EMBEDDED

NLI = "nli:"
"""The prefix of the name of a Hugging Face model that judges support, and nothing else."""


def is_language_model(judge: Any) -> bool:
    """Is the judge, a name or an object, a language model?"""
    return not isinstance(judge, str) or (judge not in EMBEDDED and not judge.startswith(NLI))

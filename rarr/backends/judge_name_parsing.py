"""Reads the names of judges of support, such as embedded, vllm:NAME or nli:NAME."""

import re
from typing import Any

from rarr.errors import SettingsError
from rarr.settings import EMBEDDED

NLI = "nli:"
"""The prefix of the name of a Hugging Face model that judges support, and nothing else."""
# The name of a model may have a "+" of its own: earlier versions joined judges by a "+" before another judge.
_JOINT = re.compile(r"\+(?=embedded(?:\+|$)|\w+:)")


def is_language_model(judge: Any) -> bool:
    """Is the judge, a name or an object, a language model?

    Raises `SettingsError` for several judges, as in embedded+nli:NAME.
    """
    if not isinstance(judge, str):
        return True
    if _JOINT.search(judge):
        raise SettingsError(f"{judge!r} names several judges at once, which was removed: name one judge")
    return judge not in EMBEDDED and not judge.startswith(NLI)

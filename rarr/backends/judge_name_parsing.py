"""Reads the names of judges of support: one judge, or several joined by "+", as in embedded+vllm:NAME."""

import re
from typing import Any

from rarr.settings import EMBEDDED

NLI = "nli:"
"""The prefix of the name of a Hugging Face model that judges support, and nothing else."""
# The name of a model may have a "+" of its own: only a "+" before another judge joins.
_JOINT = re.compile(r"\+(?=(?:embedded|rules)(?:\+|$)|\w+:)")


def judges_in(judge: Any) -> tuple[Any, ...]:
    """Returns the names of the judges that `judge` joins; `judge` alone if it is one judge or an object."""
    return tuple(_JOINT.split(judge)) if isinstance(judge, str) else (judge,)


def language_models_in(judge: Any) -> tuple[Any, ...]:
    """Returns the judges in `judge` that are language models."""
    return tuple(
        name
        for name in judges_in(judge)
        if not (isinstance(name, str) and (name in EMBEDDED or name.startswith(NLI)))
    )


def is_asked_anew(judge: str) -> bool:
    """Does a replay ask the judge anew? True of NLI models, whose answers no trace holds, and of several."""
    return judge.startswith(NLI) or len(judges_in(judge)) > 1

"""Makes what language models say true and attributable, after they said it."""

import typing

from rarr.agent.revise import Reviser, arevise, revise
from rarr.agent.settings import Settings
from rarr.errors import (
    BudgetError,
    InputError,
    ModelError,
    RarrError,
    RetrievalError,
    SettingsError,
    SetupError,
)
from rarr.records import (
    Agreement,
    Change,
    Check,
    Edit,
    Estimate,
    Evidence,
    ModelUsage,
    NodeUsage,
    Notice,
    Passage,
    Query,
    Question,
    Report,
    Revision,
    Scores,
    Sentence,
    Usage,
)

if typing.TYPE_CHECKING:
    from rarr.traces.trace import Trace
else:

    def __getattr__(name: str) -> object:
        # Who does not look at traces need not wait for what reads them.
        if name != "Trace":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from rarr.traces.trace import Trace

        return Trace


__all__ = [
    "Agreement",
    "BudgetError",
    "Change",
    "Check",
    "Edit",
    "Estimate",
    "Evidence",
    "InputError",
    "ModelError",
    "ModelUsage",
    "NodeUsage",
    "Notice",
    "Passage",
    "Query",
    "Question",
    "RarrError",
    "Report",
    "RetrievalError",
    "Reviser",
    "Revision",
    "Scores",
    "Sentence",
    "Settings",
    "SettingsError",
    "SetupError",
    "Trace",
    "Usage",
    "arevise",
    "revise",
]

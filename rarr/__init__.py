"""Makes what language models say true and attributable, after they said it."""

from rarr.agent.revise import Reviser, arevise, revise
from rarr.agent.settings import Settings
from rarr.errors import InputError, RarrError, RetrievalError, SettingsError, SetupError
from rarr.records import (
    Agreement,
    Change,
    Check,
    Edit,
    Evidence,
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

__all__ = [
    "Agreement",
    "Change",
    "Check",
    "Edit",
    "Evidence",
    "InputError",
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
    "Usage",
    "arevise",
    "revise",
]

"""Test doubles: a retriever in memory, and language models that answer from a script.

    InMemoryRetriever   searches passages that a test gives
    ScriptedServer      is an OpenAI-compatible server on this machine, which can fail as planned
    ScriptedModel       answers from the same scripts, without a server
    RuleModel           is a script that judges sentences by rules, without a language model

`python -m rarr.testing` serves `RuleModel`, so that a user can try `rarr` without a language model.
"""

from rarr.testing.card_answers import RuleModel
from rarr.testing.retriever import RETRIEVED_AT, InMemoryRetriever
from rarr.testing.scripted_model import Asked, Request, ScriptedModel, UnansweredError
from rarr.testing.server import Failure, ScriptedServer

__all__ = [
    "RETRIEVED_AT",
    "Asked",
    "Failure",
    "InMemoryRetriever",
    "Request",
    "RuleModel",
    "ScriptedModel",
    "ScriptedServer",
    "UnansweredError",
]

"""Offers test support: doubles for the components of nodes, and language models that answer from a script.

    doubles   ScriptedQueries, InMemoryRetriever and others, with `scripted_components`
    server    ScriptedServer: an OpenAI-compatible server on this machine, with planned failures
    model     ScriptedModel: the same answers in process
    rules     RuleModel: answers the package's own prompts by the embedded reader

`python -m rarr.testing` serves `RuleModel` as a language model, to try `rarr` without one.
"""

from rarr.testing.card_answers import RuleModel
from rarr.testing.doubles import (
    RETRIEVED_AT,
    InMemoryRetriever,
    ScriptedChecker,
    ScriptedEditor,
    ScriptedQueries,
    ScriptedReranker,
    ScriptedVerifier,
    scripted_components,
)
from rarr.testing.http_listener import Request
from rarr.testing.replies import Failure
from rarr.testing.scripted_model import Asked, ScriptedModel, UnansweredError
from rarr.testing.server import ScriptedServer, refused_url

__all__ = [
    "RETRIEVED_AT",
    "Asked",
    "Failure",
    "InMemoryRetriever",
    "Request",
    "RuleModel",
    "ScriptedChecker",
    "ScriptedEditor",
    "ScriptedModel",
    "ScriptedQueries",
    "ScriptedReranker",
    "ScriptedServer",
    "ScriptedVerifier",
    "UnansweredError",
    "refused_url",
    "scripted_components",
]

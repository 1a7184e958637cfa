"""Puts postprocessing into chains (`RarrRunnable`) and agents (`RarrMiddleware`) of LangChain."""

from rarr.integrations.langchain.middleware import RarrMiddleware
from rarr.integrations.langchain.runnable import RarrRunnable

__all__ = ["RarrMiddleware", "RarrRunnable"]

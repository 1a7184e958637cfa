"""Puts postprocessing into chains (`RarrRunnable`) and agents (`RarrMiddleware`) of LangChain."""

from rarr.integrations.langchain.steps import RarrMiddleware, RarrRunnable

__all__ = ["RarrMiddleware", "RarrRunnable"]

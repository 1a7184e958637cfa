"""Offers the `Runnable` that postprocesses the answers of a chain."""

import asyncio
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForChainRun, CallbackManagerForChainRun
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.config import set_config_context

from rarr.agent.revise import Reviser
from rarr.errors import InputError
from rarr.integrations.langchain.answer_postprocessor import AnswerStep
from rarr.integrations.langchain.chain_values import Value, read, written
from rarr.records.postprocessing import PostprocessMode
from rarr.tools.concurrency import run


class RarrRunnable(Runnable[Value, Any]):
    """A step of a chain that postprocesses an answer, as `rarr.postprocess` does.

    The input is a str, an `AIMessage`, or a dict with `answer` (a str or an `AIMessage`) and, if there are
    any, `question` (a str or messages) and `sources` and `context` (texts and documents, all searched).
    The output has the type of the input and the revised text. The record `Postprocessed` is under the key
    `rarr` of a dict, and as JSON data in `response_metadata["rarr"]` of a message. Everything else stays.

    An empty text, and a message that calls tools or has no text, are no answer and pass unchanged. A stream
    gives the result once. A failed search or model never raises: the original goes out, and the record says
    why.
    """

    def __init__(
        self,
        reviser: Reviser | None = None,
        *,
        mode: PostprocessMode = "revise",
        search: Any = None,
        deadline: float | None = None,
        **settings: Any,
    ) -> None:
        """Give a `reviser`, or the fields of `Settings`, such as `corpus="notes/"`; see `rarr.postprocess`.

        Without a reviser, one is built when the first answer comes. `search="given"` searches the sources of
        the input alone. `deadline` is in seconds for each answer. Raises `InputError` for wrong options.
        """
        self.name = None
        self._step = AnswerStep(reviser, mode, search, deadline, settings)

    def invoke(self, input: Value, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002  # LangChain's name
        """`ainvoke` for callers without an event loop and for callers inside a running loop."""
        _refuse(kwargs)
        return self._call_with_config(self._called, input, config)

    async def ainvoke(self, input: Value, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002  # LangChain's name
        """Postprocesses one answer. Raises `InputError` for an input of another type."""
        _refuse(kwargs)
        return await self._acall_with_config(self._acalled, input, config)

    def _called(self, value: Value, run_manager: CallbackManagerForChainRun) -> Any:
        with set_config_context(_own_config(run_manager)) as context:
            return context.run(run, self._postprocessed(value))

    async def _acalled(self, value: Value, run_manager: AsyncCallbackManagerForChainRun) -> Any:
        with set_config_context(_own_config(run_manager)) as context:
            return await asyncio.create_task(self._postprocessed(value), context=context)

    async def _postprocessed(self, value: Value) -> Any:
        answer = read(value)
        if answer.text is None:
            return written(value, None)
        sources = answer.sources
        if sources is None and answer.has_place and self._step.alone:
            sources = []  # the search of the chain found nothing, and wrote None or no key
        result = await self._step.postprocessed(answer.text, answer.question, sources)
        if result.revision is None:  # as at a deadline, when all threads may be busy
            return written(value, result)
        return await asyncio.to_thread(written, value, result)


def _own_config(manager: CallbackManagerForChainRun | AsyncCallbackManagerForChainRun) -> RunnableConfig:
    """Passes the callbacks on, and nothing else.

    Inside an agent, the graph of a run would write into the agent's checkpointer and stop at its recursion
    limit.
    """
    return RunnableConfig(callbacks=manager.get_child())


def _refuse(options: dict[str, Any]) -> None:
    if options:
        names = ", ".join(options)
        raise InputError(f"a call has no options, and {names} is given: give {names} to RarrRunnable")

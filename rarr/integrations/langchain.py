"""Postprocesses the answers of LangChain's chains (`RarrRunnable`) and agents (`RarrMiddleware`)."""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from langchain.agents.middleware import AgentMiddleware, AgentState
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig, RunnableLambda
from langchain_core.runnables.config import set_config_context
from langgraph.runtime import Runtime

from rarr.agent.inputs import message_text, with_text
from rarr.agent.postprocess import require_valid_call
from rarr.agent.revise import Reviser
from rarr.errors import InputError
from rarr.records.postprocessing import Postprocessed, PostprocessMode
from rarr.retrievers.given_passages import Given, given_passage
from rarr.settings import Settings
from rarr.tools.concurrency import run
from rarr.tools.text.wording import kind_of

__all__ = ["RarrMiddleware", "RarrRunnable"]

StepInput = str | AIMessage | dict[str, Any]
"""The input of a step of a chain: a text, a message, or a dict whose "answer" is a text or a message."""
_ADDRESS_KEYS = ("url", "link", "href", "source")
_CURE = "give a str, an AIMessage, or a dict with answer and, if you have them, question and sources"


class RarrRunnable(RunnableLambda[StepInput, Any]):
    """A step of a chain that postprocesses an answer, as `rarr.postprocess` does.

    The input is a str, an `AIMessage`, or a dict. A dict has `answer` (a str or `AIMessage`) and optionally
    `question` (a str or messages), `sources` and `context` (texts and documents; both are searched).
    The output has the type of the input, with the revised text. A dict gets the record `Postprocessed` under
    the key `rarr`. A message gets the record as JSON data in `response_metadata["rarr"]`. The step does not
    change an empty text, or a message that calls tools or has no text. If a search or a model fails, the step
    raises no error. It returns the original text, and the record tells the reason.
    """

    def __init__(
        self,
        reviser: Reviser | None = None,
        *,
        mode: PostprocessMode = "revise",
        search: Any = None,
        deadline_s: float | None = None,
        **settings: Any,
    ) -> None:
        """Takes a `reviser`, or the fields of `Settings`, such as `corpus="notes/"`; see `rarr.postprocess`.

        `search="given"` searches only the sources in the input. `deadline_s`: the most seconds for an answer.
        Raises `InputError` for wrong options, and for a source that cannot be read.
        """
        super().__init__(self._run_step, self._arun_step, "RarrRunnable")
        require_valid_call(mode=mode, deadline_s=deadline_s)
        given = "given" if search == "given" else None  # only the sources of the input are searched
        self._options: Any = {"mode": mode, "deadline_s": deadline_s, "search": given}
        if given and reviser is None:
            for name in ("corpus", "graph"):
                if settings.get(name) is not None:
                    raise InputError(f"search is 'given', and {name} is set: leave one of the two out")
            settings |= dict.fromkeys(("search", "corpus", "graph"))
        elif search is not None and not given:
            settings |= {"search": search}
        if reviser is None:
            reviser = Reviser(Settings(**settings))
        elif settings or not isinstance(reviser, Reviser):
            told = f"reviser is {kind_of(reviser)}, with {', '.join(settings) or 'no settings'}"
            raise InputError(f"{told}: give rarr.Reviser(rarr.Settings(...)) alone, or the settings alone")
        self._reviser = reviser

    def _run_step(self, value: StepInput, config: RunnableConfig) -> Any:
        # Only the callbacks: with the whole config, the run would write into the agent's checkpointer.
        with set_config_context(RunnableConfig(callbacks=config["callbacks"])) as context:
            return context.run(run, self._postprocess_input(value))

    async def _arun_step(self, value: StepInput, config: RunnableConfig) -> Any:
        with set_config_context(RunnableConfig(callbacks=config["callbacks"])) as context:
            return await asyncio.create_task(self._postprocess_input(value), context=context)

    async def _postprocess_input(self, value: StepInput) -> Any:
        text, question, sources = _answer_question_sources(value)
        if text is None:
            return _with_result(value, None)
        if sources is None and self._options["search"]:
            if not isinstance(value, Mapping):
                raise InputError("search is 'given' without sources: give a dict with answer and sources")
            sources = []  # the chain found nothing: the key is missing, or its value is None
        result = await self._reviser.apostprocess(text, question, sources, **self._options)
        if result.revision is None:  # such as after a deadline; then all threads may be busy
            return _with_result(value, result)
        return await asyncio.to_thread(_with_result, value, result)


def _answer_question_sources(value: object) -> tuple[str | None, Any, Sequence[Given] | None]:
    """Returns (answer, question, sources) of a step's input. An absent part, or a blank answer, is None."""
    if not isinstance(value, Mapping):
        return _text_of_answer(value, "the input"), None, None
    if "answer" not in value:
        raise InputError(f"the input is a dict without answer: {_CURE}")
    question = value.get("question")
    if isinstance(question, BaseMessage):
        question = [question]
    if isinstance(question, list | tuple):
        question = [role_and_content(each) if isinstance(each, BaseMessage) else each for each in question]
    keys = [key for key in ("sources", "context") if value.get(key) is not None]
    sources = [source for key in keys for source in _nonblank_sources(value[key], key)]
    return _text_of_answer(value["answer"], "answer"), question, sources if keys else None


def _with_result(value: Any, result: Postprocessed | None) -> Any:
    if isinstance(value, Mapping):
        return {**value, "answer": _with_result(value["answer"], result), "rarr": result}
    if result is None:
        return value
    return add_result(value, result) if isinstance(value, AIMessage) else result.text


def _text_of_answer(answer: object, name: str) -> str | None:
    if isinstance(answer, AIMessage):
        return answer_text(answer)
    if not isinstance(answer, str):
        raise InputError(f"{name} is {kind_of(answer)}: {_CURE}")
    return answer if answer.strip() else None


def _nonblank_sources(sources: object, key: str) -> list[Any]:
    if isinstance(sources, str | Document):
        sources = [sources]
    if not isinstance(sources, list | tuple):
        raise InputError(f"{key} is {kind_of(sources)}: give a text, or a list of texts and documents")
    texts = ((each, each.page_content if isinstance(each, Document) else each) for each in sources)
    return [each for each, text in texts if not isinstance(text, str) or text.strip()]


class RarrMiddleware(AgentMiddleware[AgentState[Any], Any, Any]):
    """Postprocesses the last answer of an agent, as `rarr.postprocess` does.

    The sources are the documents and texts that tools returned since the last human message. The context is
    the conversation. The answer keeps its id, its usage and its parts that are not text. The answer gets the
    record `Postprocessed` as JSON data in `response_metadata["rarr"]`. The middleware does not change
    structured output, or a message that calls tools or has no text.
    """

    def __init__(self, reviser: Reviser | None = None, **options: Any) -> None:
        """Takes the same arguments as `RarrRunnable`. Raises `InputError` for wrong options."""
        super().__init__()
        self._runnable = RarrRunnable(reviser, **options)

    def after_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Replaces the agent's last answer by the postprocessed answer, in a synchronous run."""
        value = _last_answer(state)
        return value and {"messages": [self._runnable.invoke(value)["answer"]]}

    async def aafter_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Replaces the agent's last answer by the postprocessed answer, in an asynchronous run."""
        value = await asyncio.to_thread(_last_answer, state)
        return value and {"messages": [(await self._runnable.ainvoke(value))["answer"]]}


def _last_answer(state: AgentState[Any]) -> dict[str, Any] | None:
    messages = state["messages"]
    last = messages[-1] if messages else None
    if not isinstance(last, AIMessage) or answer_text(last) is None or state.get("structured_response"):
        return None
    return {"answer": last, "question": messages[:-1], "sources": [*tool_sources(messages)]}


def answer_text(message: AIMessage) -> str | None:
    """Returns the text of a message; None if the message calls tools or has no text."""
    text = message_text(message.content)
    return text if text.strip() and not message.tool_calls else None


def role_and_content(message: BaseMessage) -> dict[str, Any]:
    """Converts a message to a dict of "role" and "content". The role is LangChain's type, such as "human"."""
    role = message.type.removesuffix("MessageChunk").lower()
    return {"role": role, "content": message_text(message.content)}


def add_result(message: AIMessage, result: Postprocessed) -> AIMessage:
    """Returns the message with the revised text, and with `result` in its `response_metadata["rarr"]`."""
    content = with_text(message.content, result.text) if result.changed else message.content
    metadata = message.response_metadata | {"rarr": result.model_dump(mode="json")}
    return message.model_copy(update={"content": content, "response_metadata": metadata})


def tool_sources(messages: Sequence[BaseMessage]) -> Iterator[Given]:
    """Yields the sources in the tool messages after the last human message. Skips failed tools.

    A message's sources are the documents of its artifact; else its search results in JSON; else its text.
    """
    asked = max((n for n, message in enumerate(messages) if isinstance(message, HumanMessage)), default=-1)
    for message in messages[asked + 1 :]:
        if not isinstance(message, ToolMessage) or message.status == "error":
            continue
        text = message_text(message.content, "\n")
        if documents := list(_documents_in(message.artifact)):
            yield from documents
        elif (results := _search_results(text)) is not None:
            yield from results
        elif text.strip():
            yield {"text": text, "title": message.name or ""}


def _documents_in(artifact: object) -> Iterator[Document]:
    if isinstance(artifact, Document):
        if artifact.page_content.strip():
            yield artifact
    elif isinstance(artifact, Mapping | list | tuple):
        for part in artifact.values() if isinstance(artifact, Mapping) else artifact:
            yield from _documents_in(part)


def _search_results(text: str) -> list[dict[str, Any]] | None:
    """Reads search results (objects with an address) from a JSON text; returns None for any other text."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    results: Any = found.get("results") if isinstance(found, dict) else found
    if not isinstance(results, list) or not all(isinstance(it, dict) for it in results):
        return None
    if not all(any(isinstance(it.get(key), str) for key in _ADDRESS_KEYS) for it in results):
        return None
    readable = list[dict[str, Any]]()
    for result in results:
        with suppress(InputError):  # it has no text
            given_passage(result, 1, "a tool")
            readable.append(result)
    return readable

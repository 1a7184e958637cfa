"""Asks the models of LangChain: OpenAI and every server with its protocol, Anthropic, and other providers.

A server with OpenAI's protocol is asked in the best form that it accepts: with a JSON schema, which
constrains the answer; in JSON mode, with the schema in the prompt; or with the schema in the prompt alone.
Other providers are asked in the way of their integration package. Answers are not streamed.
"""

import json
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from typing import Any, Literal

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, convert_to_messages
from langchain_core.runnables.config import ensure_config
from pydantic import SecretStr

from rarr.tools.concurrency import PerLoop
from rarr.tools.models.chat import Adapted, Answer, CallFailure, ChatRequest, Tokens
from rarr.tools.models.failures import failure_of, redacted, refused_part, stopped, was_cut

PROBE_S = 5.0
NO_KEY = "none"
"""Is sent to a server that needs no key, since the client requires one."""
# LangChain raises these over an answer of OpenAI's shape that it cannot read.
_NO_COMPLETION = (AttributeError, LookupError, TypeError, ValueError)
_MOST_TOKENS = ("max_tokens", "max_output_tokens", "num_predict")  # the field's name, by integration
_REASONS = ("finish_reason", "stop_reason", "stopReason", "finishReason", "done_reason")  # likewise

Make = Callable[[float | None], BaseChatModel]
Form = Literal["json_schema", "json_object", "text"]


class LangChainChat:
    """Wraps a LangChain chat model as a `ChatModel`. A part that its server refused is not sent again."""

    by_langchain = True

    def __init__(
        self,
        name: str,
        make: Make,
        secrets: Sequence[str] = (),
        close: Callable[[], Awaitable[None]] | None = None,
        *,
        server: str | None = None,
        limit: Literal["max_tokens", "max_completion_tokens"] = "max_completion_tokens",
    ) -> None:
        """`make` makes the model for a temperature (None: the provider's default). `aclose` calls `close`.

        `server` is the address to which the requests go, where that is known. `limit` is the field that
        limits an answer, in the first request to a server with OpenAI's protocol.
        """
        self.name, self.server = name, server
        self._secrets, self._make, self._close = secrets, make, close
        self._models = PerLoop[dict[float | None, BaseChatModel]](dict)
        self._forms: list[Form] = ["json_schema", "json_object", "text"]
        self._left_out = {"max_tokens"} if limit == "max_completion_tokens" else set[str]()

    async def complete(self, ask: ChatRequest) -> Answer:
        """Sends one request; returns several samples only from an integration of OpenAI's shape.

        Raises `Adapted` if the server refused a part, and `CallFailure` for any other failure.
        """
        model = self._model(None if "temperature" in self._left_out else ask.temperature)
        of_openai = of_openai_shape(model)
        form = self._forms[0]
        sent = (self._parts(ask) if of_openai else {"temperature"}) - self._left_out
        try:
            if of_openai:
                return self._answer(await self._with_n(model, ask, form, sent), ask)
            return self._answer([await self._single(model, ask, form)], ask)
        except CallFailure:
            raise
        except Exception as error:
            failure = failure_of(error, self._named(error), self.secrets)
            if of_openai and isinstance(error, _NO_COMPLETION):
                raise CallFailure("server", str(failure)) from None
            if self._adapts(error, failure, form, sent, of_openai=of_openai):
                raise Adapted(str(failure)) from None
            raise failure from None

    async def probe(self) -> str:
        """Checks, at no cost, that the server lists the model; returns the result in words.

        Raises `CallFailure` if it does not, or cannot be reached.
        """
        model: Any = self._model(None)
        if not of_openai_shape(model):
            return "set up; not asked, since a request would cost money"
        try:
            page = await model.root_async_client.with_options(timeout=PROBE_S).models.list()
            listed = [str(entry.id) for entry in page.data]
        except Exception as error:
            failure = failure_of(error, self._named(error), self.secrets)
            if failure.status in (404, 405):
                return f"{self._shown} answers, and lists no models"
            kind = "server" if isinstance(error, _NO_COMPLETION) else failure.kind
            raise CallFailure(kind, str(failure), status=failure.status, said=failure.said) from None
        if self.name.partition(":")[2] not in listed:
            models = redacted(", ".join(listed), self.secrets)[:300]
            raise CallFailure("refused", f"{self.name}: the server has {models or 'no model'} alone")
        return f"served by {self._shown}"

    @property
    def secrets(self) -> Sequence[str]:
        """The texts to remove from messages: the given secrets, and the integration's API keys.

        The integration may have read its API keys from the environment.
        """
        return [*self._secrets, *(key for model in self._models.get().values() for key in _keys(model))]

    async def aclose(self) -> None:
        """Closes the connections of this event loop that this object opened."""
        self._models.pop()
        if self._close is not None:
            await self._close()

    def _model(self, temperature: float | None) -> BaseChatModel:
        models = self._models.get()
        if temperature not in models:
            # A run that streams its nodes must not stream the answers.
            models[temperature] = self._make(temperature).model_copy(update={"disable_streaming": True})
        return models[temperature]

    def _named(self, error: Exception) -> str:
        """Adds the server's address to the name, for an error without an answer."""
        is_answer = self.server is None or hasattr(error, "status_code")
        return self.name if is_answer else f"{self.name} at {self._shown}"

    @property
    def _shown(self) -> str:
        return redacted((self.server or "").rstrip("/"), self.secrets)

    def _parts(self, ask: ChatRequest) -> set[str]:
        """Names the parts of a request to a server with OpenAI's protocol, besides its form."""
        limit = "max_tokens" if "max_tokens" not in self._left_out else "max_completion_tokens"
        wanted = {"n": ask.samples > 1, "seed": ask.seed != 0}
        return {"temperature", limit, *(part for part, is_wanted in wanted.items() if is_wanted)}

    def _adapts(
        self, error: Exception, failure: CallFailure, form: Form, sent: Collection[str], *, of_openai: bool
    ) -> bool:
        """Leaves the part that the server refused out of later requests; False if it named no part."""
        asked = {*sent, *(["format"] if form != "text" else [])}
        unable = "format" if isinstance(error, NotImplementedError) and form != "text" else None
        part = unable or refused_part(failure, self.name, asked)
        if part == "format" and self._forms[0] == form:  # another request may have adapted it meanwhile
            self._forms = self._forms[1:] if of_openai else ["text"]
        elif part is not None and part != "format":
            self._left_out.add(part)
        return part is not None

    async def _with_n(
        self, model: BaseChatModel, ask: ChatRequest, form: Form, sent: Collection[str]
    ) -> list[BaseMessage]:
        """Asks integrations of OpenAI's shape: several samples, and a form of JSON, in one request.

        The form is sent in the extra body, because OpenAI's client raises where an answer to its own
        `response_format` was cut off: the text and its tokens would be lost.
        """
        extra: dict[str, Any] = {"max_tokens": ask.max_tokens} if "max_tokens" in sent else {}
        if form == "json_schema":
            described = {"name": ask.name, "schema": dict(ask.schema), "strict": True}
            extra["response_format"] = {"type": form, "json_schema": described}
        elif form == "json_object":
            extra["response_format"] = {"type": form}
        extra |= getattr(model, "extra_body", None) or {}
        values = {"n": ask.samples, "seed": ask.seed}
        options: dict[str, Any] = {part: value for part, value in values.items() if part in sent}
        if "max_completion_tokens" in sent:
            options["max_tokens"] = ask.max_tokens  # LangChain sends it by its new name
        if extra:
            options["extra_body"] = extra
        messages = _messages(ask, states_schema=form != "json_schema")
        result = await model.agenerate([messages], **_reporting(self.name, ask), **options)
        answers = [given.message for given in result.generations[0] if hasattr(given, "message")]
        if not answers:
            raise CallFailure("server", f"{self.name} answered with no message")
        return answers

    async def _single(self, model: BaseChatModel, ask: ChatRequest, form: Form) -> BaseMessage:
        field = next((name for name in _MOST_TOKENS if name in type(model).model_fields), None)
        if field is not None:
            model = model.model_copy(update={field: ask.max_tokens})
        config: Any = _reporting(self.name, ask)
        if form == "text":
            return await model.ainvoke(_messages(ask, states_schema=True), config)
        schema = {"title": ask.name, "description": "The answer.", **ask.schema}
        structured: Any = model.with_structured_output(schema, include_raw=True)
        raw: BaseMessage = (await structured.ainvoke(_messages(ask), config))["raw"]
        return raw

    def _answer(self, messages: Sequence[BaseMessage], ask: ChatRequest) -> Answer:
        """Reads the messages, one for each sample. Raises `CallFailure` if none has a usable text."""
        reasons = [_reason(message.response_metadata) for message in messages]
        read = zip(messages, reasons, strict=True)
        failures = [self._failure(message, reason, ask.name) for message, reason in read]
        tokens = _tokens(messages[0])
        usable = [number for number, failure in enumerate(failures) if failure is None]
        if not usable:
            failure = next(failure for failure in failures if failure is not None)
            raise CallFailure(failure.kind, str(failure), tokens=tokens)
        metadata = messages[0].response_metadata
        return Answer(
            tuple(_text(messages[number]) for number in usable),
            tokens,
            cut=any(was_cut(reasons[number]) for number in usable),
            served=str(metadata.get("model_name") or metadata.get("model") or ""),
        )

    def _failure(self, message: Any, reason: str, function: str) -> CallFailure | None:
        """Finds out why the text of a message cannot be used; None if it can.

        Some servers leave out or prefix the name of the function that the model was to call.
        """
        refusal = redacted(str(message.additional_kwargs.get("refusal") or ""), self.secrets)
        if failure := stopped(reason, refusal, self.name):
            return failure
        calls = [*getattr(message, "tool_calls", ()), *getattr(message, "invalid_tool_calls", ())]
        names = [str(call["name"] or function) for call in calls]
        if not names or any(name.rpartition(".")[2] == function for name in names):
            return None
        wrong = f"{self.name} called the function {names[0][:100]!r} in place of {function!r}"
        return CallFailure("server", wrong)


def of_openai_shape(model: BaseChatModel) -> bool:
    """True if the model is built on `BaseChatOpenAI`, by the class name, which need not be imported."""
    return any(kind.__name__ == "BaseChatOpenAI" for kind in type(model).__mro__)


def _keys(model: BaseChatModel) -> Iterator[str]:
    values = (value.get_secret_value() for value in vars(model).values() if isinstance(value, SecretStr))
    return (key for key in values if key and key != NO_KEY)


def _reporting(name: str, ask: ChatRequest) -> dict[str, Any]:
    """Makes the config by which callbacks of the run see the request: below its node, and not streamed."""
    outer = ensure_config()
    metadata = {**outer.get("metadata", {}), "prompt": ask.name}
    callbacks = outer.get("callbacks")
    return {"run_name": name, "callbacks": callbacks, "metadata": metadata, "tags": ["nostream"]}


def _messages(ask: ChatRequest, *, states_schema: bool = False) -> list[BaseMessage]:
    contents = [(message.role, message.content) for message in ask.messages]
    if states_schema:
        schema = json.dumps(dict(ask.schema), ensure_ascii=False)
        role, content = contents[0]
        contents[0] = (role, f"{content}\n\nAnswer with one JSON object that fits this JSON schema: {schema}")
    return convert_to_messages(contents)


def _text(message: Any) -> str:
    """Reads the arguments of the first function call as JSON; without a call, the text of the message."""
    if calls := getattr(message, "tool_calls", None):
        return json.dumps(calls[0]["args"], ensure_ascii=False)
    if broken := getattr(message, "invalid_tool_calls", None):
        return str(broken[0].get("args") or "")
    return str(message.text)


def _reason(metadata: dict[str, Any]) -> str:
    """Reads the stop reason in the metadata of a message, whose key depends on the provider."""
    if isinstance(details := metadata.get("incomplete_details"), dict):
        return str(details.get("reason") or "")
    return str(next((metadata[key] for key in _REASONS if metadata.get(key)), ""))


def _tokens(message: BaseMessage) -> Tokens:
    usage = message.usage_metadata if isinstance(message, AIMessage) else None
    if usage is None:
        return Tokens()
    cached = (usage.get("input_token_details") or {}).get("cache_read") or 0
    return Tokens(usage["input_tokens"], usage["output_tokens"], cached)

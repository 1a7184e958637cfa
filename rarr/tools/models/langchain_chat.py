"""Makes and wraps chat models of LangChain: OpenAI, Anthropic and others with an integration package."""

import json
import re
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

import httpx2
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from pydantic import SecretStr

from rarr.errors import RarrError, SettingsError, SetupError
from rarr.tools.concurrency.per_loop import PerLoop
from rarr.tools.guard.bounded_http_client import bounded_client
from rarr.tools.models.chat import (
    FULL_FORM,
    Adapted,
    Answer,
    CallFailure,
    ChatRequest,
    RequestForm,
    Tokens,
)
from rarr.tools.models.client_failures import failure_of, redacted, refused_part, secrets_of
from rarr.tools.models.default_urls import MODEL_NAMES
from rarr.tools.models.openai_protocol import certificates
from rarr.tools.models.stop_reasons import Stop, other_function, reason_in, stop_of, whole

_INSTALL = re.compile(r"pip install (?:-\S+ )*([\w.-]+)")
_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9_]*(?:KEY|TOKEN|CREDENTIALS)\b")

_UNLIMITED = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
# LangChain raises these over an answer of OpenAI's shape that it cannot read.
_NO_COMPLETION = (AttributeError, LookupError, TypeError, ValueError)

Make = Callable[[float | None], BaseChatModel]


class LangChainChat:
    """Wraps a LangChain chat model as a `ChatModel`. A part that its server refused is not sent again."""

    by_langchain = True

    def __init__(
        self,
        name: str,
        make: Make,
        secrets: Sequence[str] = (),
        close: Callable[[], Awaitable[None]] | None = None,
        form: RequestForm = FULL_FORM,
        server: str | None = None,
    ) -> None:
        """`make` makes the model for a temperature (None: the provider's default). `aclose` calls `close`.

        `form` is sent first; of its kinds, this class knows `json_schema` and `text`. `server` is the address
        to which the requests go, where that is known.
        """
        self.name, self.server = name, server
        self._secrets = secrets
        self._make = make
        self._close = close
        self._models = PerLoop[dict[float | None, BaseChatModel]](dict)
        self._left_out = set(form.left_out) | ({"format"} if form.kind == "text" else set())

    async def complete(self, ask: ChatRequest) -> Answer:
        """Sends one request; returns several samples only from an integration of OpenAI's shape.

        Raises `Adapted` if the server refused a part, and `CallFailure` for any other failure.
        """
        sent = {"temperature", "format", *(["n"] if ask.samples > 1 else [])} - self._left_out
        model = self._model(ask.temperature if "temperature" in sent else None)
        complete = self._with_n if _of_openai_shape(model) else self._single
        try:
            return await complete(model, ask, sent)
        except CallFailure:
            raise
        except Exception as error:
            failure = failure_of(error, self.name, self.secrets)
            if complete == self._with_n and isinstance(error, _NO_COMPLETION):
                raise CallFailure("server", str(failure)) from None
            unable = "format" if isinstance(error, NotImplementedError) and "format" in sent else None
            if part := unable or refused_part(failure, self.name, sent):
                self._left_out.add(part)
                raise Adapted(str(failure)) from None
            raise failure from None

    @property
    def secrets(self) -> Sequence[str]:
        """The texts to remove from messages: the given secrets, and the integration's API keys.

        The integration may have read its API keys from the environment.
        """
        return [*self._secrets, *(key for model in self._models.get().values() for key in _keys(model))]

    @property
    def form(self) -> RequestForm:
        """The form of the next request."""
        left_out = frozenset(self._left_out)
        return RequestForm("text" if "format" in left_out else "json_schema", left_out - {"format"})

    async def aclose(self) -> None:
        """Closes the connections of this event loop that this object opened."""
        self._models.pop()
        if self._close is not None:
            await self._close()

    def _model(self, temperature: float | None) -> BaseChatModel:
        models = self._models.get()
        if temperature not in models:
            models[temperature] = self._make(temperature)
        return models[temperature]

    async def _with_n(self, model: BaseChatModel, ask: ChatRequest, sent: Collection[str]) -> Answer:
        """Asks integrations of OpenAI's shape: several samples, and a schema, in one request.

        The schema is sent in the extra body, because OpenAI's client raises where an answer to its own
        `response_format` was cut off.
        """
        options: dict[str, Any] = {"max_tokens": ask.max_tokens} | ({"n": ask.samples} if "n" in sent else {})
        if "format" in sent:
            described = {"name": ask.name, "schema": dict(ask.schema), "strict": True}
            response_format = {"type": "json_schema", "json_schema": described}
            own = getattr(model, "extra_body", None) or {}
            options["extra_body"] = {"response_format": response_format, **own}
        result = await model.agenerate([_messages(ask)], **options)
        answers = [
            generation.message for generation in result.generations[0] if hasattr(generation, "message")
        ]
        if not answers:
            raise CallFailure("server", f"{self.name} answered with no message")
        outcomes = [_outcome(answer, ask.name, self.secrets) for answer in answers]
        answer = whole(outcomes, _tokens(answers[0]), self.name)
        return replace(answer, reasoned=any(map(_reasoned, answers)))

    async def _single(self, model: BaseChatModel, ask: ChatRequest, sent: Collection[str]) -> Answer:
        if "format" in sent:
            schema = {"title": ask.name, "description": "The answer.", **ask.schema}
            structured = model.with_structured_output(schema, include_raw=True)
            message = (await structured.ainvoke(_messages(ask)))["raw"]  # type: ignore[index]  # include_raw
        else:
            message = await model.ainvoke(_messages(ask))
        answer = whole([_outcome(message, ask.name, self.secrets)], _tokens(message), self.name)
        return replace(answer, reasoned=_reasoned(message))


def langchain_chat(name: str, form: RequestForm = FULL_FORM, **options: Any) -> LangChainChat:
    """Makes the model `name` (provider:model) with LangChain's `init_chat_model` and these options.

    `form` is sent first. Raises `SettingsError` for an unknown provider, and `SetupError` for a missing
    package or key.
    """
    from langchain.chat_models import init_chat_model  # half a second

    provider, _, model = name.partition(":")
    given: dict[str, Any] = {key: value for key, value in options.items() if value is not None}
    secrets = secrets_of(options.get("api_key"), options.get("base_url"))

    def make(**more: Any) -> BaseChatModel:
        made: BaseChatModel = init_chat_model(model, model_provider=provider, **(given | more))
        return made

    try:
        first = make(temperature=0.0)
    except ImportError as error:
        package = _INSTALL.search(str(error))
        wanted = package[1] if package else f"langchain-{provider}"
        raise SetupError(
            f"model {name!r} needs a package that is not installed: pip install {wanted}"
        ) from error
    except Exception as error:  # each provider's client has its own errors
        raise _explained(name, redacted(str(error), secrets)) from error
    # The integration's own client is shared by all event loops, and breaks in the second loop.
    certified = certificates()
    clients = PerLoop(
        lambda: bounded_client(name, verify=certified, limits=_UNLIMITED, follow_redirects=True),
        httpx2.AsyncClient.aclose,
    )
    needs_client = _of_openai_shape(first) and not getattr(first, "openai_proxy", None)

    def make_in_loop(temperature: float | None) -> BaseChatModel:
        more: dict[str, Any] = {} if temperature is None else {"temperature": temperature}
        if needs_client:
            more["http_async_client"] = clients.get()
        return make(**more)

    return LangChainChat(name, make_in_loop, secrets, clients.aclose, form, _server(first))


def _explained(name: str, reason: str) -> RarrError:
    provider, line = name.partition(":")[0], " ".join(reason.split())[:300]
    if "nsupported provider" in reason:
        return SettingsError(
            f"unknown provider {provider!r} in model {name!r}: give embedded, rules, {MODEL_NAMES},"
            " anthropic:NAME, or another provider of LangChain's init_chat_model"
        )
    if variable := _VARIABLE.search(reason):
        return SetupError(f"model {name!r} has no key: set {variable[0]} in the environment, or give api_key")
    if "api_key" in reason or "credential" in reason.lower():
        return SetupError(f"model {name!r} has no key: give api_key, or {provider}'s variable ({line})")
    return SetupError(f"model {name!r} cannot be set up: {line}")


def _of_openai_shape(model: BaseChatModel) -> bool:
    """True if the model is built on `BaseChatOpenAI`, by the class name, which need not be imported."""
    return any(kind.__name__ == "BaseChatOpenAI" for kind in type(model).__mro__)


def _server(model: BaseChatModel) -> str | None:
    """The address to which a model of OpenAI's shape sends its requests, which a variable may have set."""
    address = getattr(getattr(model, "root_client", None), "base_url", None)
    return None if address is None else str(address)


def _keys(model: BaseChatModel) -> Iterator[str]:
    values = (value for value in vars(model).values() if isinstance(value, SecretStr))
    return filter(None, (value.get_secret_value() for value in values))


def _messages(ask: ChatRequest) -> list[BaseMessage]:
    from langchain_core.messages import convert_to_messages

    return convert_to_messages([(message.role, message.content) for message in ask.messages])


def _outcome(message: Any, function: str, secrets: Sequence[str]) -> str | Stop:
    """Reads the text of a message, or the reason why it cannot be used."""
    refusal = redacted(str(message.additional_kwargs.get("refusal") or ""), secrets)
    calls = [*message.tool_calls, *message.invalid_tool_calls] if isinstance(message, AIMessage) else []
    text = _text(message)
    stop = stop_of(reason_in(message.response_metadata), refusal, text)
    return stop or other_function([call["name"] for call in calls], function) or text


def _text(message: Any) -> str:
    """Reads the arguments of the first function call as JSON; without a call, the text of the message."""
    calls = getattr(message, "tool_calls", None) or ()
    if calls:
        return json.dumps(calls[0]["args"], ensure_ascii=False)
    broken = getattr(message, "invalid_tool_calls", None) or ()
    if broken:
        return str(broken[0].get("args") or "")
    return str(message.text)


def _reasoned(message: BaseMessage) -> bool:
    """True if the message has its reasoning beside the answer, or if its usage counts tokens of reasoning."""
    usage = message.usage_metadata if isinstance(message, AIMessage) else None
    details = usage.get("output_token_details") if usage else None
    kinds = {block.get("type") for block in message.content if isinstance(block, dict)}
    beside = kinds & {"thinking", "reasoning"} or message.additional_kwargs.get("reasoning_content")
    return bool(beside or (details and details.get("reasoning")))


def _tokens(message: BaseMessage) -> Tokens:
    usage = message.usage_metadata if isinstance(message, AIMessage) else None
    if usage is None:
        return Tokens()
    cached = (usage.get("input_token_details") or {}).get("cache_read") or 0
    return Tokens(usage["input_tokens"], usage["output_tokens"], cached)

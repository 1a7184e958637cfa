"""Asks the models of LangChain: OpenAI and every server with its protocol, Anthropic, and other providers.

A server with OpenAI's protocol gets the JSON schema as a field of the request. If the server refuses the
field, or has another protocol, the prompt contains the schema. Tool calls are not used for JSON: if a limit
cuts off a tool call, its text is lost. Answers are not streamed.
"""

import json
import re
import warnings
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

import httpx2
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, convert_to_messages
from langchain_core.runnables.config import ensure_config
from openai import APIError
from openai.types import CompletionUsage
from pydantic import SecretStr

from rarr.errors import RarrError, SettingsError, SetupError
from rarr.settings.reading import sendable_key
from rarr.tools.concurrency import PerLoop
from rarr.tools.guard.bounded_http_client import CONNECT_S, bounded_client, certificates
from rarr.tools.models.chat import DEFAULT_URLS, MODEL_NAMES, Answer, CallFailure, ChatRequest, Tokens
from rarr.tools.models.failures import failure_of, redact_secrets, refused_part, secrets_of, was_cut

PROBE_S = 5.0
NO_KEY = "none"  # for a server that needs no key, since the client always sends a key
_LIMIT_FIELDS = ("max_tokens", "max_output_tokens", "num_predict")  # the limit of an answer, by provider
_STOP_FIELDS = ("finish_reason", "stop_reason", "stopReason", "finishReason", "done_reason")  # stop reasons
_KEY_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9_]*(?:KEY|TOKEN|CREDENTIALS)\b")
_LANGCHAIN_NAMES = {**dict.fromkeys(("openai", *DEFAULT_URLS), "openai"), "azure": "azure_openai"}
_NO_USAGE = dict.fromkeys(("prompt_tokens", "completion_tokens", "total_tokens"), 0)
_UNLIMITED = httpx2.Limits(max_connections=None, max_keepalive_connections=None)


def langchain_chat(name: str, **options: Any) -> "LangChainChat":
    """Makes the model `name` (provider:model). The options are those of LangChain's `init_chat_model`.

    vllm:NAME and ollama:NAME have a default address, which the option `base_url` replaces. `timeout` is in
    seconds. Raises `SettingsError` for an unknown provider, and `SetupError` for a missing package or key.
    """
    from langchain.chat_models import init_chat_model  # takes half a second

    provider, _, model = name.partition(":")
    openai = _LANGCHAIN_NAMES.get(provider)
    given: dict[str, Any] = {key: value for key, value in options.items() if value is not None}
    if provider in DEFAULT_URLS:
        local = {"base_url": DEFAULT_URLS[provider], "api_key": NO_KEY, "use_responses_api": False}
        given = {**local, "openai_proxy": "", "http_client": _unused_client(), **given}
    elif provider == "azure":
        given["azure_deployment"] = model
        given |= {"azure_endpoint": given.pop("base_url")} if "base_url" in given else {}
    if openai:
        given.pop("max_tokens", None)  # each request has its own limit
    secrets = secrets_of(options.get("api_key"), options.get("base_url"))

    def make(**more: Any) -> BaseChatModel:
        made: BaseChatModel = init_chat_model(model, model_provider=openai or provider, **(given | more))
        return made

    try:
        first: Any = make(temperature=0.0)
        # An environment variable may have set the key. For another provider, the field has a key of OpenAI.
        if openai and isinstance(key := getattr(first, "openai_api_key", None), SecretStr):
            given["api_key"] = sendable_key(key).get_secret_value()
    except Exception as error:  # the clients of the providers share no base class of errors
        raise _setup_error(name, openai or provider, error, secrets) from error
    # If a server refuses a schema, LangChain warns in vain: then the schema goes into the prompt.
    warnings.filterwarnings("ignore", "(This model does not support|Invalid schema for) OpenAI's structured")
    needs_client = _has_openai_protocol(first) and not getattr(first, "openai_proxy", None)
    if needs_client:
        given["http_client"] = _unused_client()
        if (seconds := given.get("timeout")) is not None:
            given["timeout"] = httpx2.Timeout(seconds, connect=min(CONNECT_S, seconds), pool=None)

    def connected() -> BaseChatModel:  # LangChain's own client fails in a second event loop
        client = bounded_client(name, verify=certificates(), limits=_UNLIMITED, follow_redirects=True)
        return make(http_async_client=client)

    # LangChain drops the temperature if it knows that the model refuses a temperature.
    refused = {"temperature"} if getattr(first, "temperature", 0.0) is None else set[str]()
    address = getattr(getattr(first, "root_client", None), "base_url", None)  # the environment may set it
    return LangChainChat(
        name,
        connected if needs_client else make,
        secrets,
        server=str(address or ""),
        unsent_parts=refused | {"max_completion_tokens" if provider in DEFAULT_URLS else "max_tokens"},
    )


@cache
def _unused_client() -> httpx2.Client:
    """Returns a client that no call uses. Without it, LangChain makes a client for each model, in 40 ms."""
    return httpx2.Client(verify=certificates())


def _setup_error(name: str, provider: str, error: Exception, secrets: Sequence[str]) -> RarrError:
    reason = " ".join(redact_secrets(str(error), secrets).split())[:300]
    if isinstance(error, ImportError):
        package = re.search(r"pip install (?:-\S+ )*([\w.-]+)", reason)
        wanted = package[1] if package else f"langchain-{provider}"
        return SetupError(f"model {name!r} needs a package that is not installed: pip install {wanted}")
    if "nsupported provider" in reason:
        return SettingsError(
            f"unknown provider {provider!r} in model {name!r}: give embedded, {MODEL_NAMES},"
            " anthropic:NAME, or another provider of LangChain's init_chat_model"
        )
    if variable := _KEY_VARIABLE.search(reason):
        return SetupError(f"model {name!r} has no key: set {variable[0]} in the environment, or give api_key")
    return SetupError(f"model {name!r} cannot be set up; check its api_key: {reason}")


class LangChainChat:
    """A `ChatModel` that wraps a model of LangChain. Omits request parts that the server refused before."""

    def __init__(
        self,
        name: str,
        make: Callable[[], BaseChatModel],
        secrets: Sequence[str] = (),
        *,
        server: str = "",
        unsent_parts: Collection[str] = ("temperature", "max_tokens"),
    ) -> None:
        """`make` makes LangChain's model for an event loop. `server` is the address of the server, if known.

        If there is a `server`, `aclose` closes the HTTP client of the model. `unsent_parts` names the parts
        of a request that are not sent. These are `max_tokens` or `max_completion_tokens` (two names for the
        limit of an answer), and the `temperature` of a model that the caller has set up.
        """
        self.name, self.server = name, redact_secrets(server.rstrip("/"))
        self._secrets, self._unsent_parts = secrets, set(unsent_parts)

        async def close(model: Any) -> None:
            if server and model.http_async_client is not None:
                await model.http_async_client.aclose()

        self._model = PerLoop(lambda: _lenient_copy(make()), close)
        self.aclose = self._model.aclose

    async def complete(self, ask: ChatRequest) -> Answer:
        """Sends a request. If the server refuses a part, such as a seed, sends it again without this part.

        A model without OpenAI's protocol returns one sample. Raises `CallFailure`.
        """
        model, wanted = self._model.get(), {"temperature"}
        if _has_openai_protocol(model):
            wanted |= {"format", "max_tokens", "max_completion_tokens"}
            wanted |= ({"n"} if ask.samples > 1 else set()) | ({"seed"} if ask.seed else set())
        while True:
            parts = wanted - self._unsent_parts
            try:
                return self._answer_of(await self._send(model, ask, parts))
            except Exception as error:
                failure = self._failure(error)
                part = refused_part(failure, self.name, parts)
                if part not in parts:
                    raise failure from None
                self._unsent_parts.add(part)
                self._unsent_parts -= {"max_completion_tokens"} if part == "max_tokens" else set()

    async def probe(self) -> str:
        """Checks, at no cost, whether the server lists the model. Returns the result in words.

        Raises `CallFailure` if the server does not list the model, or cannot be reached.
        """
        model: Any = self._model.get()
        if not _has_openai_protocol(model):
            return "set up; not asked, since a request would cost money"
        try:
            page = await model.root_async_client.with_options(timeout=PROBE_S).models.list()
            listed = [str(entry.id) for entry in page.data]
        except Exception as error:
            if (failure := self._failure(error)).status in (404, 405):
                return f"{self.server} answers, and lists no models"
            raise failure from None
        if self.name.partition(":")[2] not in listed:
            models = redact_secrets(", ".join(listed), self.secrets)[:300] or "no model"
            raise CallFailure("refused", f"{self.name} is not on the server, which has {models}")
        return f"served by {self.server}"

    @property
    def secrets(self) -> Sequence[str]:
        """Returns the texts to remove from messages: the given secrets, and the API keys of the model."""
        values = vars(self._model.get()).values()
        keys = [value.get_secret_value() for value in values if isinstance(value, SecretStr)]
        return [*self._secrets, *(key for key in keys if key and key != NO_KEY)]

    def _failure(self, error: Exception) -> CallFailure:
        """Makes the failure for `error`. If no server answered, the message has the address of the server."""
        is_unreached = self.server and not hasattr(error, "status_code")
        name = f"{self.name} at {self.server}" if is_unreached else self.name
        return failure_of(error, name, self.secrets, "see its log")

    async def _send(
        self, model: BaseChatModel, ask: ChatRequest, parts: Collection[str]
    ) -> list[BaseMessage]:
        fields, options = type(model).model_fields, dict[str, Any]()
        if _has_openai_protocol(model):
            options = _request_options(ask, parts, getattr(model, "extra_body", None) or {})
        else:
            set_up: dict[str, Any] = dict.fromkeys(_LIMIT_FIELDS, ask.max_tokens)
            set_up |= {"temperature": ask.temperature} if "temperature" in parts else {}
            model = model.model_copy(update={name: set_up[name] for name in set_up if name in fields})
        messages = _langchain_messages(ask, states_schema="format" not in parts)
        result = await model.agenerate([messages], **_callback_options(self.name, ask), **options)
        return [given.message for given in result.generations[0] if hasattr(given, "message")]

    def _answer_of(self, messages: Sequence[BaseMessage]) -> Answer:
        if not messages:
            raise CallFailure("server", f"{self.name} answered with no message")
        texts, failures, cut, tokens = list[str](), list[CallFailure](), False, Tokens()
        if usage := getattr(messages[0], "usage_metadata", None):
            cached = (usage.get("input_token_details") or {}).get("cache_read") or 0
            with suppress(ArithmeticError, TypeError, ValueError):  # a usage with wrong numbers is ignored
                counts = usage["input_tokens"], usage["output_tokens"], cached
                tokens = Tokens(*(max(0, int(count)) for count in counts))
        for message in messages:
            refusal = redact_secrets(str(message.additional_kwargs.get("refusal") or ""), self.secrets)
            try:
                cut |= was_cut(_stop_reason(message.response_metadata), refusal, self.name)
                texts.append(str(message.text))
            except CallFailure as failure:
                failures.append(failure)
        if not texts:
            raise CallFailure(failures[0].kind, str(failures[0]), tokens=tokens)
        about = messages[0].response_metadata
        served = str(about.get("model_name") or about.get("model") or "")
        return Answer(tuple(texts), tokens, cut=cut, served=served)


def _has_openai_protocol(model: BaseChatModel) -> bool:
    """Tells whether the model is a `BaseChatOpenAI`. Compares class names, to avoid an import."""
    return any(kind.__name__ == "BaseChatOpenAI" for kind in type(model).__mro__)


def _lenient_copy(model: Any) -> Any:
    """Copies `model`. The copy does not stream, and accepts answers without a role or valid token counts."""
    model = model.model_copy(update={"disable_streaming": True})  # though LangGraph may stream a run
    if not _has_openai_protocol(model):
        return model
    read = model._create_chat_result

    def read_leniently(response: Any, *options: Any) -> Any:
        if error := getattr(response, "error", None):  # some servers send an error with status 200
            raise APIError(str(error), httpx2.Request("POST", ""), body=error)
        try:
            counts = {name: count for name, count in response.usage if count is not None}
            CompletionUsage.model_validate(_NO_USAGE | counts, strict=True)
        except (TypeError, ValueError):
            response.usage = None
        response.usage = response.usage or None
        for choice in response.choices:
            choice.message.role = "assistant"
        return read(response, *options)

    # LangChain has no public hook between its client and its parser, and pydantic refuses to set a method.
    vars(model)["_create_chat_result"] = read_leniently
    return model


def _request_options(ask: ChatRequest, parts: Collection[str], extra_body: dict[str, Any]) -> dict[str, Any]:
    """Makes LangChain's options of a request with OpenAI's protocol. Sets only the options in `parts`.

    The schema goes into `extra_body`, fields that OpenAI's client sends as they are. With `response_format`,
    the client would raise an error for an answer that is cut off: its text and tokens would be lost.
    """
    values = {"n": ask.samples, "seed": ask.seed, "temperature": ask.temperature}
    options: dict[str, Any] = {part: value for part, value in values.items() if part in parts}
    extra: dict[str, Any] = {"max_tokens": ask.max_tokens} if "max_tokens" in parts else {}
    if "format" in parts:
        described = {"name": ask.name, "schema": dict(ask.schema), "strict": True}
        extra["response_format"] = {"type": "json_schema", "json_schema": described}
    if "max_completion_tokens" in parts:
        options["max_tokens"] = ask.max_tokens  # LangChain sends it as `max_completion_tokens`
    return options | ({"extra_body": extra | extra_body} if extra or extra_body else {})


def _callback_options(name: str, ask: ChatRequest) -> dict[str, Any]:
    """Makes LangChain's options: callbacks of the caller's LangChain run see the request. No streaming."""
    outer = ensure_config()
    metadata = {**outer.get("metadata", {}), "prompt": ask.name}
    return {"run_name": name, "callbacks": outer.get("callbacks"), "metadata": metadata, "tags": ["nostream"]}


def _langchain_messages(ask: ChatRequest, *, states_schema: bool = False) -> list[BaseMessage]:
    contents = [(message.role, message.content) for message in ask.messages]
    if states_schema:
        schema = json.dumps(dict(ask.schema), ensure_ascii=False)
        role, content = contents[0]
        contents[0] = (role, f"{content}\n\nAnswer with one JSON object that fits this JSON schema: {schema}")
    return convert_to_messages(contents)


def _stop_reason(metadata: dict[str, Any]) -> str:
    """Returns the stop reason of an answer. Each provider has its own field for the stop reason."""
    if isinstance(details := metadata.get("incomplete_details"), dict):
        return str(details.get("reason") or "")
    return str(next((metadata[key] for key in _STOP_FIELDS if metadata.get(key)), ""))

"""Makes the models of LangChain by their names: OpenAI's, local servers, Anthropic and other providers."""

import re
import warnings
from collections.abc import Mapping
from functools import cache
from typing import Any

import httpx2
from langchain_core.language_models import BaseChatModel

from rarr.errors import RarrError, SettingsError, SetupError
from rarr.tools.concurrency import PerLoop
from rarr.tools.guard.bounded_http_client import CONNECT_S, bounded_client, certificates
from rarr.tools.models.chat import MODEL_NAMES, default_url
from rarr.tools.models.failures import redacted, secrets_of
from rarr.tools.models.langchain_chat import NO_KEY, LangChainChat, of_openai_shape

_INSTALL = re.compile(r"pip install (?:-\S+ )*([\w.-]+)")
_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9_]*(?:KEY|TOKEN|CREDENTIALS)\b")
_UNLIMITED = httpx2.Limits(max_connections=None, max_keepalive_connections=None)


def langchain_chat(name: str, **options: Any) -> LangChainChat:
    """Makes the model `name` (provider:model) with LangChain's `init_chat_model` and these options.

    vllm:NAME and ollama:NAME are asked at their own address, or at the option `base_url`. `timeout` is in
    seconds. Raises `SettingsError` for an unknown provider, and `SetupError` for a missing package or key.
    """
    from langchain.chat_models import init_chat_model  # half a second

    model = name.partition(":")[2]
    provider, given = _construction(name, options)
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
    # LangChain advises its own remedy where a server refuses a schema; here the next form is sent.
    warnings.filterwarnings("ignore", "(This model does not support|Invalid schema for) OpenAI's structured")
    # The integration's own client is shared by all event loops, and breaks in the second loop.
    certified = certificates()
    clients = PerLoop(
        lambda: bounded_client(name, verify=certified, limits=_UNLIMITED, follow_redirects=True),
        httpx2.AsyncClient.aclose,
    )
    needs_client = of_openai_shape(first) and not getattr(first, "openai_proxy", None)
    if needs_client:
        given["http_client"] = _unused_client()
        if (seconds := given.get("timeout")) is not None:
            given["timeout"] = httpx2.Timeout(seconds, connect=min(CONNECT_S, seconds), pool=None)

    def make_in_loop(temperature: float | None) -> BaseChatModel:
        more: dict[str, Any] = {} if temperature is None else {"temperature": temperature}
        if needs_client:
            more["http_async_client"] = clients.get()
        return make(**more)

    return LangChainChat(
        name,
        make_in_loop,
        secrets,
        clients.aclose,
        server=_server(first),
        limit="max_tokens" if default_url(name) else "max_completion_tokens",
    )


def _construction(name: str, options: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Finds LangChain's provider for a model, and the arguments with which its model is constructed."""
    provider, _, model = name.partition(":")
    given: dict[str, Any] = {key: value for key, value in options.items() if value is not None}
    if own := default_url(name):
        local = {"base_url": own, "api_key": NO_KEY, "use_responses_api": False, "openai_proxy": ""}
        given = {**local, "http_client": _unused_client(), **given}
        provider = "openai"
    elif provider == "azure":
        given["azure_deployment"] = model
        if "base_url" in given:
            given["azure_endpoint"] = given.pop("base_url")
        provider = "azure_openai"
    if provider in ("openai", "azure_openai"):
        given.pop("max_tokens", None)  # each request has its own limit
    return provider, given


@cache
def _unused_client() -> httpx2.Client:
    """The client for calls that block, which are never made. A client for each model takes 40 ms."""
    return httpx2.Client(verify=certificates())


def _explained(name: str, reason: str) -> RarrError:
    provider, line = name.partition(":")[0], " ".join(reason.split())[:300]
    if "nsupported provider" in reason:
        return SettingsError(
            f"unknown provider {provider!r} in model {name!r}: give embedded, {MODEL_NAMES},"
            " anthropic:NAME, or another provider of LangChain's init_chat_model"
        )
    if variable := _VARIABLE.search(reason):
        return SetupError(f"model {name!r} has no key: set {variable[0]} in the environment, or give api_key")
    if "api_key" in reason or "credential" in reason.lower():
        return SetupError(f"model {name!r} has no key: give api_key, or {provider}'s variable ({line})")
    return SetupError(f"model {name!r} cannot be set up: {line}")


def _server(model: BaseChatModel) -> str | None:
    """The address to which a model of OpenAI's shape sends its requests, which a variable may have set."""
    address = getattr(getattr(model, "root_client", None), "base_url", None)
    return None if address is None else str(address)

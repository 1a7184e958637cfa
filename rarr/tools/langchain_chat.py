"""Chat models that LangChain reaches: OpenAI, Anthropic and whatever has an integration package."""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from pydantic import SecretStr

from rarr.errors import RarrError, SettingsError, SetupError
from rarr.tools.chat import Adapted, Answer, Ask, ModelFailure, Tokens
from rarr.tools.failures import failure_of, redacted
from rarr.tools.patience import PerLoop

_INSTALL = re.compile(r"pip install (?:-\S+ )*([\w.-]+)")
_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9_]*(?:KEY|TOKEN|CREDENTIALS)\b")

Make = Callable[[float | None], BaseChatModel]


class LangChainChat:
    """One LangChain chat model; structured answers in the way that its integration has for them."""

    def __init__(self, name: str, make: Make, secrets: Sequence[str] = ()) -> None:
        """`make` gives the model for a temperature, None being the provider's own."""
        self.name = name
        self._secrets = secrets
        self._make = make
        self._models = PerLoop[dict[float | None, BaseChatModel]](dict)
        self._fixed_temperature = self._plain = False

    async def complete(self, ask: Ask) -> Answer:
        """One request; several samples where the integration has `n`."""
        temperature = None if self._fixed_temperature else ask.temperature
        models = self._models.get()
        model = models.setdefault(temperature, self._make(temperature))
        try:
            return await (
                self._with_n(model, ask) if "n" in type(model).model_fields else self._one(model, ask)
            )
        except ModelFailure:
            raise
        except Exception as error:
            failure = failure_of(error, self.name, self._secrets)
            if failure.kind == "refused" and self._adapts(str(failure), temperature, error):
                raise Adapted(str(failure)) from None
            raise failure from None

    async def aclose(self) -> None:
        """Closes what connections of this event loop the integration lets one close."""
        for model in (self._models.pop() or {}).values():
            if (client := getattr(model, "root_async_client", None)) is not None:
                await client.close()

    async def _with_n(self, model: BaseChatModel, ask: Ask) -> Answer:
        """The integrations of OpenAI's shape: several samples, and a schema, in one request."""
        options: dict[str, Any] = {"n": ask.samples} if ask.samples > 1 else {}
        if not self._plain:
            described = {"name": ask.name, "schema": dict(ask.schema), "strict": True}
            options["response_format"] = {"type": "json_schema", "json_schema": described}
        result = await model.agenerate([_messages(ask)], **options)
        answers = [one.message for one in result.generations[0] if hasattr(one, "message")]
        if not answers:
            raise ModelFailure("server", f"{self.name} answered with no message")
        return Answer(tuple(map(_text, answers)), _tokens(answers[0]))

    async def _one(self, model: BaseChatModel, ask: Ask) -> Answer:
        if self._plain:
            message = await model.ainvoke(_messages(ask))
        else:
            schema = {"title": ask.name, "description": "The answer.", **ask.schema}
            structured = model.with_structured_output(schema, include_raw=True)
            message = (await structured.ainvoke(_messages(ask)))["raw"]  # type: ignore[index]  # include_raw
        return Answer((_text(message),), _tokens(message))

    def _adapts(self, refusal: str, temperature: float | None, error: Exception) -> bool:
        if temperature is not None and "temperature" in refusal.lower():
            self._fixed_temperature = True
            return True
        unable = isinstance(error, NotImplementedError) or re.search(
            r"response_format|schema|tool|function|structured|strict", refusal, re.IGNORECASE
        )
        if unable and not self._plain:
            self._plain = True
            return True
        return False


def langchain_chat(name: str, **options: Any) -> LangChainChat:
    """The model `name`, as provider:model, of LangChain's `init_chat_model`; built to see that it can be.

    Raises `SettingsError` for an unknown provider, and `SetupError` for a missing package or key.
    """
    from langchain.chat_models import init_chat_model  # half a second

    provider, _, model = name.partition(":")
    given: dict[str, Any] = {key: value for key, value in options.items() if value is not None}

    def make(temperature: float | None) -> BaseChatModel:
        heat = {} if temperature is None else {"temperature": temperature}
        made: BaseChatModel = init_chat_model(model, model_provider=provider, **(given | heat))
        return made

    key = options.get("api_key")
    try:
        made = make(0.0)
    except ImportError as error:
        package = _INSTALL.search(str(error))
        wanted = package[1] if package else f"langchain-{provider}"
        raise SetupError(
            f"model {name!r} needs a package that is not installed: pip install {wanted}"
        ) from error
    except Exception as error:  # each provider's client has its own
        raise _explained(name, redacted(str(error), (key,) if key else ())) from error
    # Keys that the integration found in the environment must not be said either.
    found = [value.get_secret_value() for value in vars(made).values() if isinstance(value, SecretStr)]
    return LangChainChat(name, make, found)


def _explained(name: str, said: str) -> RarrError:
    provider, line = name.partition(":")[0], " ".join(said.split())[:300]
    if "nsupported provider" in said:
        return SettingsError(
            f"unknown provider {provider!r} in model {name!r}: give embedded, vllm:NAME, openai:NAME,"
            " anthropic:NAME, or another provider of LangChain's init_chat_model"
        )
    if variable := _VARIABLE.search(said):
        return SetupError(f"model {name!r} has no key: set {variable[0]} in the environment, or give api_key")
    if "api_key" in said or "credential" in said.lower():
        return SetupError(f"model {name!r} has no key: give api_key, or {provider}'s variable ({line})")
    return SetupError(f"model {name!r} cannot be set up: {line}")


def _messages(ask: Ask) -> list[BaseMessage]:
    from langchain_core.messages import convert_to_messages

    return convert_to_messages([(message.role, message.content) for message in ask.messages])


def _text(message: Any) -> str:
    """The arguments of the call where there is one, else the text without the blocks of other kinds."""
    calls = getattr(message, "tool_calls", None) or ()
    if calls:
        return json.dumps(calls[0]["args"], ensure_ascii=False)
    broken = getattr(message, "invalid_tool_calls", None) or ()
    if broken:
        return str(broken[0].get("args") or "")
    return str(message.text)


def _tokens(message: BaseMessage) -> Tokens:
    usage = message.usage_metadata if isinstance(message, AIMessage) else None
    if usage is None:
        return Tokens()
    cached = (usage.get("input_token_details") or {}).get("cache_read") or 0
    return Tokens(usage["input_tokens"], usage["output_tokens"], cached)

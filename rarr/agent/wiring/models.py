"""Makes the language models that the settings name: one object for each name, even for several nodes."""

import json
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import urlsplit

from rarr.backends.prompted.judging import PREFIXES, is_language_model, parse_judge
from rarr.errors import SettingsError
from rarr.settings import EMBEDDED, Endpoint, Settings
from rarr.tools.models.chat import MODEL_NAMES, ChatModel, name_of
from rarr.tools.models.failures import redact_secrets
from rarr.tools.models.language_model import LanguageModel
from rarr.tools.models.retries import BudgetedChat, Limiter
from rarr.tools.text.wording import kind_of

OLLAMA_AT_ONCE = 2  # requests; Ollama answers one after another, and the last of many would time out
_MODEL_CHOICE = f"give embedded, {MODEL_NAMES}, or another provider:NAME of LangChain"


class LanguageModels:
    """Makes and holds a language model for each name: a string, a LangChain chat model, or a `ChatModel`.

    If a model fails, the models of the setting `fallbacks` are asked. All models share one limit of requests
    at the same time. A model of Ollama has a limit of its own, unless the setting `concurrency` is given.
    """

    def __init__(self, settings: Settings, names: Iterable[Any]) -> None:
        """Raises `SettingsError` or `SetupError` for the first model that cannot be used."""
        self._settings, self._limiter = settings, Limiter(settings.concurrency)
        self._chats, self._models = dict[Any, BudgetedChat](), dict[Any, LanguageModel]()
        if distinct := {_model_key(name): name for name in names}:
            _require_one_provider(settings, [*distinct.values(), *settings.fallbacks])
        for key, name in distinct.items():
            chats = {_model_key(each): self._budgeted_chat(each) for each in (name, *settings.fallbacks)}
            self._models[key] = LanguageModel([*chats.values()], max_answer_tokens=settings.max_answer_tokens)
        self.all = tuple(self._models.values())
        made = [chat.name for chat in self._chats.values()]
        known = [*made, *settings.models.values(), settings.model, *settings.fallbacks, settings.reranker]
        if unknown := [name for name in settings.endpoints if name not in known]:
            used = ", ".join(dict.fromkeys(it for it in known if isinstance(it, str)))
            raise SettingsError(f"endpoints has {unknown[0]!r}, which no setting names: in use are {used}")

    def __getitem__(self, name: Any) -> LanguageModel:
        return self._models[_model_key(name)]

    def _budgeted_chat(self, name: Any) -> BudgetedChat:
        settings, key = self._settings, _model_key(name)
        if key not in self._chats:
            chat = chat_model(name, settings)
            if settings.max_cost is not None:
                _require_price(chat.name, settings)
            is_slow = str(name).startswith("ollama:") and "concurrency" not in settings.model_fields_set
            self._chats[key] = BudgetedChat(
                chat,
                Limiter(OLLAMA_AT_ONCE) if is_slow else self._limiter,
                price=settings.endpoints.get(chat.name, Endpoint()).price or (),
                key=(name, json.dumps(settings.model_access(name)[2])) if isinstance(name, str) else (),
                attempts=settings.attempts,
                timeout_s=settings.timeout_s,
            )
        return self._chats[key]


def _model_key(name: Any) -> Any:
    return name if isinstance(name, str) else id(name)


def _require_one_provider(settings: Settings, names: Sequence[Any]) -> None:
    """Raises `SettingsError` if two model providers would get the same setting `base_url` or `api_key`."""
    named = [name for name in names if isinstance(name, str) and ":" in name]
    owned = [(name, settings.endpoints.get(name, Endpoint())) for name in named]
    for field in (field for field in ("base_url", "api_key") if getattr(settings, field) is not None):
        shared = [name for name, own in owned if not (own.base_url or getattr(own, field))]
        reached = {name.partition(":")[0]: name for name in shared}
        if len(reached) > 1:
            both = " and ".join(reached.values())
            raise SettingsError(f"{field} would go to {both} alike: give each its own in endpoints")


def require_prices(settings: Settings) -> None:
    """Raises `SettingsError` if the setting `endpoints` has no price for a language model of the settings."""
    asked = (parse_judge(name, settings.model)[1] for name in (settings.model, *settings.models.values()))
    if named := [name for name in asked if is_language_model(name)]:
        for name in (*named, *settings.fallbacks):
            _require_price(name_of(name), settings)


def _require_price(name: str, settings: Settings) -> None:
    if not settings.endpoints.get(name, Endpoint()).price:
        cure = f"set endpoints.{name!r}.price, for a million tokens in and out"
        raise SettingsError(f"max_cost needs the price of {name}: {cure}")


def chat_model(name: Any, settings: Settings) -> ChatModel:
    """Makes a chat model for a name such as `vllm:NAME`, or for a LangChain chat model.

    Returns a `ChatModel` unchanged. Raises `SettingsError` or `SetupError` if the model cannot be used.
    """
    if not isinstance(name, str):
        return _chat_of_object(name)
    if name in EMBEDDED:  # for a node, "embedded" means that no model is asked
        raise SettingsError(f"fallbacks has {name!r}, which is no language model: leave it out")
    if not all(name.partition(":")):
        raise SettingsError(f"unknown model {name!r}: {_MODEL_CHOICE}; nli:NAME only judges")
    if name.startswith(PREFIXES):
        raise SettingsError(f"{name!r} is no language model: give it in models for attribute alone")
    base_url, api_key, extra = settings.model_access(name)
    if base_url and not _is_address(base_url):
        raise SettingsError(f"base_url of {name} is {redact_secrets(base_url)!r}: give http://HOST:PORT/v1")
    from rarr.tools.models.langchain_chat import langchain_chat  # its packages take two seconds

    limits = {"max_retries": 0, "timeout": settings.timeout_s, "max_tokens": settings.max_answer_tokens}
    return langchain_chat(name, base_url=base_url, api_key=api_key, extra_body=extra or None, **limits)


def _chat_of_object(model: Any) -> ChatModel:
    if hasattr(model, "complete"):
        return model  # type: ignore[no-any-return]  # an object of the user, with any type
    from langchain_core.language_models import BaseChatModel

    if not isinstance(model, BaseChatModel):
        raise SettingsError(f"model is {kind_of(model)}: {_MODEL_CHOICE}, or a LangChain chat model")
    from rarr.tools.models.langchain_chat import LangChainChat

    return LangChainChat(name_of(model), lambda: model)


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # an invalid port
        return False

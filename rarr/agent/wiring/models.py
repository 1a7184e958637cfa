"""Makes the language models that the settings name: one for each name, even if several nodes use it."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from rarr.backends.judge_name_parsing import is_language_model
from rarr.errors import SettingsError
from rarr.settings import Settings
from rarr.settings.endpoints import Endpoint
from rarr.tools.models.chat import MODEL_NAMES, ChatModel, name_of
from rarr.tools.models.failures import redacted
from rarr.tools.models.language_model import LanguageModel
from rarr.tools.models.retries import Limiter
from rarr.tools.models.retrying_metered_chat import BudgetedChat
from rarr.tools.text.wording import kind_of

ATTEMPTS = 3
"""How often a request is sent, at most, if it fails with a lost connection, a 429 or a 5xx."""
_CHOICE = f"give embedded, {MODEL_NAMES}, or another provider:NAME of LangChain"


class LanguageModels:
    """Makes and holds language models by their "names": a string, a LangChain chat model, or a `ChatModel`.

    Each model tries the setting `fallbacks` after itself; all share one limit of concurrent requests.
    """

    def __init__(self, settings: Settings, names: Iterable[Any]) -> None:
        """Raises `SettingsError` or `SetupError` for the first model that cannot be used."""
        self._settings = settings
        self._limiter = Limiter(settings.concurrency, slow_s=settings.timeout_s / 4)
        self._chats: dict[Any, BudgetedChat] = {}
        distinct = list({_key(name): name for name in names}.values())
        if distinct:
            self._require_one_provider([*distinct, *settings.fallbacks])
        self._models = {_key(name): self._model(name) for name in distinct}
        self._require_known_endpoints()

    @property
    def all(self) -> tuple[LanguageModel, ...]:
        """All language models, each once."""
        return tuple(self._models.values())

    def __getitem__(self, name: Any) -> LanguageModel:
        return self._models[_key(name)]

    def _model(self, name: Any) -> LanguageModel:
        others = [other for other in self._settings.fallbacks if _key(other) != _key(name)]
        models = [self._chat(model) for model in (name, *others)]
        return LanguageModel(models, max_answer_tokens=self._settings.max_answer_tokens)

    def _chat(self, name: Any) -> BudgetedChat:
        if _key(name) not in self._chats:
            settings = self._settings
            chat = chat_model(name, settings)
            if settings.max_cost is not None:
                _require_price(chat.name, settings)
            self._chats[_key(name)] = BudgetedChat(
                chat,
                self._limiter,
                attempts=ATTEMPTS,
                timeout_s=settings.timeout_s,
                price=settings.endpoints.get(chat.name, Endpoint()).price or (),
            )
        return self._chats[_key(name)]

    def _require_one_provider(self, names: Sequence[Any]) -> None:
        """Raises `SettingsError` if `base_url` or `api_key` would be used for models of two providers."""
        hosted = [n for n in names if isinstance(n, str) and ":" in n and not n.startswith("scripted:")]
        for field in ("base_url", "api_key"):
            if getattr(self._settings, field) is None:
                continue
            reached = {name.partition(":")[0]: name for name in hosted if self._shares(name, field)}
            if len(reached) > 1:
                raise SettingsError(
                    f"{field} would go to {' and '.join(reached.values())} alike:"
                    " give each its own in endpoints"
                )

    def _shares(self, name: str, field: str) -> bool:
        own = self._settings.endpoints.get(name, Endpoint())
        return getattr(own, field) is None and not (field == "api_key" and own.base_url)

    def _require_known_endpoints(self) -> None:
        """Raises `SettingsError` for an endpoint of a model that no setting names."""
        settings = self._settings
        made = [model.name for model in self._chats.values()]
        names = [*made, *settings.models.values(), settings.model, *settings.fallbacks, settings.reranker]
        for name in settings.endpoints:
            if name not in names:
                used = dict.fromkeys(it for it in names if isinstance(it, str) and it != "overlap")
                raise SettingsError(
                    f"endpoints has {name!r}, which no setting names; the models in use are {', '.join(used)}"
                )


def require_prices(settings: Settings) -> None:
    """Raises `SettingsError` for the first language model of the settings that has no price."""
    named = [name for name in (settings.model, *settings.models.values()) if is_language_model(name)]
    for name in [*named, *settings.fallbacks] if named else []:
        is_script = isinstance(name, str) and name.startswith("scripted:")
        _require_price("scripted" if is_script else name_of(name), settings)


def _require_price(name: str, settings: Settings) -> None:
    if settings.endpoints.get(name, Endpoint()).price is None:
        raise SettingsError(
            f"max_cost needs the price of {name}: set endpoints.{name!r}.price,"
            " for a million tokens in and out"
        )


def chat_model(name: Any, settings: Settings) -> ChatModel:
    """Makes the chat model for a name such as `vllm:NAME`; wraps a LangChain chat model.

    A `ChatModel` is returned as it is. Raises `SettingsError` or `SetupError` if the model cannot be used.
    """
    if not isinstance(name, str):
        return _chat_of_object(name)
    if name == "embedded":
        raise SettingsError(f"fallbacks has {name!r}, which is not a language model: leave it out")
    provider, _, model = name.partition(":")
    if not provider or not model:
        raise SettingsError(
            f"unknown model {name!r}: {_CHOICE}; only a judge of support may also be nli:NAME"
        )
    if provider == "nli":
        raise SettingsError(
            f"{name!r} is not a language model, and judges only support:"
            " give it in models for attribute, and nowhere else"
        )
    if provider == "scripted":
        from rarr.testing import ScriptedModel

        return ScriptedModel.from_file(Path(model))
    base_url, api_key, extra = access(settings, name)
    from rarr.tools.models.langchain_chat import langchain_chat  # its packages take two seconds

    return langchain_chat(
        name,
        base_url=base_url and _url(base_url, name),
        api_key=api_key,
        max_retries=0,
        timeout=settings.timeout_s,
        max_tokens=settings.max_answer_tokens,
        extra_body=extra or None,
    )


def access(settings: Settings, name: str) -> tuple[str | None, str | None, dict[str, Any]]:
    """Finds base URL, API key and extra request body for a model: of `endpoints`, otherwise of all models.

    If `endpoints` gives the model its own base URL, it does not get the API key of all models.
    """
    own = settings.endpoints.get(name, Endpoint())
    # A key belongs to its server: the key of another model must not reach this server.
    key = own.api_key or (None if own.base_url else settings.api_key)
    return own.base_url or settings.base_url, key.get_secret_value() if key else None, own.extra


def _key(name: Any) -> Any:
    return name if isinstance(name, str) else id(name)


def _chat_of_object(model: Any) -> ChatModel:
    """Returns a `ChatModel` of the caller as it is, and wraps a LangChain chat model."""
    if hasattr(model, "complete"):
        return model  # type: ignore[no-any-return]  # a protocol cannot be checked further here
    from langchain_core.language_models import BaseChatModel

    if isinstance(model, BaseChatModel):
        from rarr.tools.models.langchain_chat import LangChainChat

        return LangChainChat(name_of(model), lambda: model)
    raise SettingsError(f"model is {kind_of(model)}: {_CHOICE}, or a LangChain chat model")


def _url(url: str, name: str) -> str:
    try:
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # an invalid port
        sound = False
    if not sound:
        raise SettingsError(f"base_url of {name} is {redacted(url)!r}: give http://HOST:PORT/v1")
    return url

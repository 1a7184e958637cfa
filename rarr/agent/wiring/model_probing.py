"""Asks the language model that a name and the settings choose, and keeps its profile."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rarr.agent.wiring.language_models import access, chat_model, profile_place
from rarr.errors import InputError, ModelError, SettingsError
from rarr.settings import Settings
from rarr.settings.endpoints import Endpoint
from rarr.tools.concurrency.worker_threads import in_thread
from rarr.tools.models.chat import FULL_FORM, CallFailure, ChatModel, RequestForm
from rarr.tools.models.default_urls import MODEL_NAMES
from rarr.tools.models.model_profile import ModelProfile, ProfilePlace
from rarr.tools.models.probing import profile_of
from rarr.tools.models.retrying_metered_chat import cure_of
from rarr.tools.models.run_budget import Meter, ModelCall

_UNLISTED = "give a name that it lists, or correct base_url, which usually ends in /v1"
_NOT_READY = "wait until it is ready, or look at the log of its server"
_WITHOUT_LIST = (404, 405)  # the statuses of a server that does not list its models


class KeptProfile(NamedTuple):
    """A profile, and the file in which it is kept."""

    profile: ModelProfile
    path: Path


async def asked_profile(name: str, settings: Settings, on_call: Callable[[ModelCall], None]) -> KeptProfile:
    """Asks the model what it can do, and keeps its profile; calls `on_call` with each request.

    Raises `InputError` or `SetupError` for a wrong call, before anything is asked, and `ModelError` if the
    model fails.
    """
    place = _place(name, settings)

    def make(form: RequestForm, fields: Mapping[str, Any]) -> ChatModel:
        return chat_model(name, _with_fields(settings, name, fields), form)

    chat = await in_thread(make, FULL_FORM, {})
    try:
        await in_thread(place.prepare)
    except OSError as error:
        raise SettingsError(
            f"home {str(place.home)!r} cannot be written ({error.strerror}): name another with RARR_HOME"
        ) from None
    await _require_listed(chat)
    meter = Meter(on_call=on_call)
    try:
        profile = await profile_of(make, place.base_url, timeout_s=settings.timeout_s, meter=meter)
    except CallFailure as failure:
        other = "raise timeout_s" if failure.kind == "timeout" else "look at the log of its server"
        raise ModelError(f"{failure}" if cure_of(failure) else f"{failure}; {other}") from None
    await in_thread(place.keep, profile)
    return KeptProfile(profile, place.path)


def _place(name: str, settings: Settings) -> ProfilePlace:
    place = profile_place(settings, name)
    if place is None:
        raise InputError(f"model {name!r} has no server to ask: give {MODEL_NAMES}, or another provider")
    return place


def _with_fields(settings: Settings, name: str, fields: Mapping[str, Any]) -> Settings:
    """Returns settings that add `fields` to the body of every request to the model."""
    if not fields:
        return settings
    own = settings.endpoints.get(name, Endpoint())
    *_, extra = access(settings, name)
    endpoint = own.model_copy(update={"extra": {**extra, **fields}})
    return settings.model_copy(update={"endpoints": {**settings.endpoints, name: endpoint}})


async def _require_listed(chat: ChatModel) -> None:
    """Raises `ModelError` if the server cannot be reached, or lists other models. This is free."""
    probe = getattr(chat, "probe", None)
    try:
        if probe is not None:
            await probe()
    except CallFailure as failure:
        if failure.status not in _WITHOUT_LIST:
            other = _UNLISTED if failure.kind == "refused" else _NOT_READY
            raise ModelError(f"{failure}; {cure_of(failure) or other}") from None
    finally:
        await chat.aclose()

"""Holds the files and connections that the components of one reviser open, and closes them together."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from rarr.components import Closes, close_all
from rarr.errors import SettingsError
from rarr.retrievers.extract.limited_calls import Processes
from rarr.settings import Settings
from rarr.tools.concurrency import run
from rarr.tools.storage.files import private_folder

if TYPE_CHECKING:
    from rarr.backends.encoder.model import Encoder
    from rarr.retrievers.web.cache import Cache

Kept = TypeVar("Kept", bound=Closes)


class Resources:
    """Collects the files and connections of one reviser; opens its shared cache and encoder when needed."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._kept: list[Closes] = [Processes()]

    def __iter__(self) -> Iterator[Closes]:
        return iter(self._kept)

    def keep(self, resource: Kept) -> Kept:
        """Adds a resource that `aclose` shall close, and returns it."""
        self._kept.append(resource)
        return resource

    async def aclose(self) -> None:
        """Closes all resources."""
        await close_all(self._kept)

    @cached_property
    def cache(self) -> "Cache":
        """The cache of searches and pages, opened at the first use."""
        return self.keep(_cache(self._settings))

    @cached_property
    def encoder(self) -> "Encoder":
        """The encoder of the settings. Raises `SettingsError` if files are missing."""
        return encoder_of(self._settings)


@contextmanager
def opening(settings: Settings) -> Iterator["Resources"]:
    """Yields empty `Resources`, and closes them only if the block raises."""
    opened = Resources(settings)
    try:
        yield opened
    except BaseException:
        run(opened.aclose())
        raise


def encoder_of(settings: Settings) -> "Encoder":
    """Opens the encoder in the folder of the setting `weights`; that of the package if it is None.

    Raises `SettingsError` if files are missing.
    """
    from rarr.backends.encoder.model import Encoder, shipped_encoder  # it imports numpy

    return shipped_encoder() if settings.weights is None else Encoder(settings.weights)


def cache_path(settings: Settings) -> Path:
    """The path of the cache in the folder `home` of the settings; the file need not exist."""
    return settings.home.expanduser() / "cache.sqlite"


def _cache(settings: Settings) -> "Cache":
    from rarr.retrievers.web.cache import Cache

    path = cache_path(settings)
    try:
        private_folder(path.parent)
    except OSError as error:
        raise SettingsError(
            f"home {str(path.parent)!r} cannot be made ({error.strerror}): name another folder with RARR_HOME"
        ) from None
    valid_s = settings.cache_days * 86_400
    return Cache(
        path,
        max_age_s={"search": valid_s, "page": valid_s},
        offline=settings.offline,
        refresh=settings.refresh,
    )

"""The files and connections that the sources and the reranker of one reviser hold open."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from rarr.backends.encoder.model import Encoder, shipped
from rarr.components import Closes, close_all
from rarr.errors import SettingsError
from rarr.retrievers.extract.isolated import Processes
from rarr.settings import Settings
from rarr.tools.concurrency.background import run
from rarr.tools.storage.files import private_folder

if TYPE_CHECKING:
    from rarr.retrievers.web.cache import Cache

Kept = TypeVar("Kept", bound=Closes)


class Opened:
    """What the sources and the reranker of one reviser hold open, to be closed with it; and their cache."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._kept: list[Closes] = [Processes()]

    def __iter__(self) -> Iterator[Closes]:
        return iter(self._kept)

    def keep(self, one: Kept) -> Kept:
        """`one`, which is to be closed."""
        self._kept.append(one)
        return one

    async def aclose(self) -> None:
        """Closes all of it."""
        await close_all(self._kept)

    @cached_property
    def cache(self) -> "Cache":
        """Opened when the first of them asks for it."""
        return self.keep(_cache(self._settings))

    @cached_property
    def encoder(self) -> Encoder:
        """That of `weights`, else that which ships. Raises `SettingsError` where its files are not whole."""
        return shipped() if self._settings.weights is None else Encoder(self._settings.weights)


@contextmanager
def opening(settings: Settings) -> Iterator[Opened]:
    """What is opened while a reviser is put together; where that fails, nobody else would close it."""
    opened = Opened(settings)
    try:
        yield opened
    except BaseException:
        run(opened.aclose())
        raise


def cache_path(settings: Settings) -> Path:
    """The file of the cache."""
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
    good_for = settings.cache_days * 86_400
    return Cache(
        path,
        max_age_s={"search": good_for, "page": good_for, "score": math.inf},
        offline=settings.offline,
        refresh=settings.refresh,
    )

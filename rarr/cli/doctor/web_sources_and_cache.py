"""Examines the sources on the web and their cache: whether they are configured, reachable and undamaged."""

import asyncio
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rarr.agent.wiring.resources import Resources, cache_path
from rarr.agent.wiring.search_and_reranking import (
    SERVED,
    retriever,
    search_names,
    served_reranker,
    web_source,
)
from rarr.agent.wiring.web_sources import SOURCES
from rarr.cli.doctor.diagnosis import Diagnosis
from rarr.cli.doctor.source_probing import origin, reached
from rarr.errors import InputError, RarrError
from rarr.retrievers.web.cache import CacheFile
from rarr.retrievers.web.service_requests import Probe
from rarr.settings import Settings
from rarr.tools.concurrency import run
from rarr.tools.text.plurals_and_articles import kind_of


def sources(settings: Settings) -> Iterator[Diagnosis]:
    """Examines each source except the corpus. All are asked at once, unless the settings are offline."""
    names = search_names(settings)
    configured: dict[str, Probe] = {}
    for name in names if len(set(map(str, names))) == len(names) else [settings.search]:
        if name == "corpus":
            continue
        try:
            probe = _configured(name, settings)
        except RarrError as error:
            yield Diagnosis(f"search {name}" if name in SOURCES else "search", "broken", str(error))
            continue
        if not isinstance(name, str):
            yield Diagnosis("search", "ok", f"{kind_of(name)} of your own; not asked")
        elif probe is None:
            yield Diagnosis(f"search {name}", "ok", "configured; it has no server to ask")
        else:
            configured[f"search {name}"] = probe
    yield from _reached(configured, settings, default=settings.search is None)


def served(settings: Settings) -> Iterator[Diagnosis]:
    """Examines a reranker on a server, unless the settings are offline; nothing for other rerankers."""
    if settings.reranker.startswith(SERVED):
        probe = served_reranker(settings, Resources(settings)).probe()
        yield from _reached({f"reranker {settings.reranker}": probe}, settings)


def cache(settings: Settings) -> Diagnosis:
    """Examines the file of the cache: its size, and whether it opens. It is not created."""
    path = cache_path(settings)
    try:
        files = [path, Path(f"{path}-wal")]
        size = sum(file.stat().st_size for file in files if file.exists())
        if not path.exists() and settings.offline:
            return Diagnosis("cache", "missing", f"{path} does not exist", "search once without offline")
        if not path.exists():
            return Diagnosis(
                "cache", "ok", f"{path} does not exist yet: the first search on the web makes it"
            )
        CacheFile(path).close()
    except InputError as error:
        return Diagnosis("cache", "broken", str(error))
    except OSError as error:
        cure = "let it be read, or name another folder with RARR_HOME"
        return Diagnosis("cache", "broken", f"{path} cannot be read ({error.strerror})", cure)
    return Diagnosis("cache", "ok", f"{path} opens; {size / 1e6:.1f} MB")


def _configured(name: Any, settings: Settings) -> Probe | None:
    """Returns the probe of a named source: a free request that shows whether the source can be used.

    None for an object, and for a source without a server. Raises `RarrError` if the source cannot be opened,
    or finds a fault in itself. Its cache is written into a temporary folder.
    """
    with tempfile.TemporaryDirectory() as home:
        there = settings.model_copy(update={"search": name, "home": Path(home)})
        opened = Resources(there)
        try:
            retriever(there, opened)
            source = web_source(name, there, opened) if isinstance(name, str) else None
            return source.probe() if source else None
        finally:
            run(opened.aclose())


def _reached(
    probes: Mapping[str, Probe], settings: Settings, *, default: bool = False
) -> Iterator[Diagnosis]:
    if settings.offline:
        detail = f"{origin(default=default)}; not asked, offline"
        yield from (Diagnosis(name, "ok", detail) for name in probes)
    else:
        yield from run(_asked(probes, default=default))


async def _asked(probes: Mapping[str, Probe], *, default: bool) -> list[Diagnosis]:
    return await asyncio.gather(*(reached(name, probe, default=default) for name, probe in probes.items()))

"""Where evidence comes from: the retrievers and the reranker that settings name, with their cache."""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from rarr.agent.wiring.retriever_objects import object_retriever
from rarr.backends.encoder.model import Encoder, shipped
from rarr.backends.encoder.ranking import TrainedReranker
from rarr.backends.rules.ranking import OverlapReranker
from rarr.components import Closes, Reranker, Retriever, close_all
from rarr.errors import RetrievalError, SettingsError
from rarr.records import Passage
from rarr.retrievers.corpus.corpus import Corpus
from rarr.retrievers.extract.isolated import Processes
from rarr.retrievers.web.source_domains import SourceLimits
from rarr.settings import Settings
from rarr.tools.concurrency.background import run
from rarr.tools.concurrency.worker import work
from rarr.tools.models.client_failures import redacted
from rarr.tools.models.meter import meter
from rarr.tools.storage.files import private_folder

if TYPE_CHECKING:
    from rarr.retrievers.rerank.endpoint import EndpointReranker
    from rarr.retrievers.web.cache import Cache

SERVED = "vllm:"
"""How a reranker begins that a server has."""

Kept = TypeVar("Kept", bound=Closes)
OnIndex = Callable[[int, int], None]


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


def retriever(settings: Settings, opened: Opened, on_index: OnIndex | None = None) -> Retriever:
    """The source of evidence, or several as one; a retriever object is taken as it is.

    None named: the corpus where there is one, else Wikipedia. What is made is added to `opened`.
    """
    if not (given := named(settings)) or "" in given:
        raise SettingsError(f"search is empty: give {_KNOWN}")
    if len(set(map(_key, given))) < len(given):
        raise SettingsError("search names the same source twice: name each once")
    limits = _limits(settings)
    # All that may be refused comes before a corpus, which may take long to index.
    made = {_key(one): object_retriever(one, settings, limits) for one in given if not isinstance(one, str)}
    for name in sorted((one for one in given if isinstance(one, str)), key=lambda name: name == "corpus"):
        made[name] = _made(name, settings, opened, on_index)
    sources = [made[_key(one)] for one in given]
    if len(sources) == 1:
        return sources[0]
    from rarr.retrievers.combined import CombinedRetriever

    return CombinedRetriever(dict(zip(_names(given), sources, strict=True)), on_failure=_warn)


def web_source(name: str, settings: Settings, opened: Opened) -> Any:
    """The source on the web of this name as it is, to be probed; None for another."""
    return _WEB[name](settings, opened) if name in _WEB else None


def named(settings: Settings) -> list[Any]:
    """What is searched: names, and objects as they were given."""
    if settings.search is None:
        return ["corpus" if settings.corpus is not None else "wikipedia"]
    given = settings.search if isinstance(settings.search, (list, tuple)) else [settings.search]
    return [name for one in given for name in (_split(one) if isinstance(one, str) else [one])]


def cache_path(settings: Settings) -> Path:
    """The file of the cache."""
    return settings.home.expanduser() / "cache.sqlite"


def reranker(settings: Settings, opened: Opened) -> Reranker:
    """`overlap`, `embedded`, a model served at an endpoint as `vllm:NAME`, or a cross-encoder by name.

    The scores of models are cached; what is made is added to `opened`.
    """
    if settings.reranker == "overlap":
        return OverlapReranker()
    if settings.reranker == "embedded":
        return TrainedReranker(opened.encoder)
    from rarr.retrievers.rerank.cached_scores import CachedReranker

    if settings.reranker.startswith(SERVED):
        served = served_reranker(settings, opened)
        # Two servers may have different models of one name.
        return CachedReranker(served, opened.cache, f"{settings.reranker} at {redacted(served.base_url)}")
    from rarr.retrievers.rerank.cross_encoder import CrossEncoderReranker

    model = CrossEncoderReranker(settings.reranker)
    return CachedReranker(model, opened.cache, model.name, local=True)


def _split(names: str) -> list[str]:
    return [name.strip() for name in names.split(",")]


def _key(one: Any) -> str | int:
    return one if isinstance(one, str) else id(one)


def _names(given: Sequence[Any]) -> list[str]:
    """How warnings call them: objects by their classes, numbered where there are several of one."""
    names = [one if isinstance(one, str) else type(one).__name__ for one in given]
    return [
        f"{name} {names[: at + 1].count(name)}" if names.count(name) > 1 else name
        for at, name in enumerate(names)
    ]


def _made(name: str, settings: Settings, opened: Opened, on_index: OnIndex | None) -> Retriever:
    if name == "corpus":
        return opened.keep(_corpus(settings, on_index))
    if name not in _WEB:
        raise SettingsError(
            f"unknown search {name!r}: give {_KNOWN}, several with commas, or a retriever object"
        )
    return _LimitedSource(web_source(name, settings, opened), _limits(settings))


class _LimitedSource:
    """A source on the web, of which the settings allow a part: whatever it was asked for itself."""

    def __init__(self, source: Retriever, limits: SourceLimits) -> None:
        self.source, self._limits = source, limits

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        return await work(self._limits.keep, await self.source.retrieve(query, k))


def served_reranker(settings: Settings, opened: Opened) -> "EndpointReranker":
    """The one that the setting names as `vllm:NAME`, which is added to `opened`."""
    from rarr.agent.wiring.language_models import VLLM, access
    from rarr.retrievers.rerank.endpoint import EndpointReranker
    from rarr.tools.models.limiter import Limiter

    base_url, api_key, _ = access(settings, settings.reranker)
    served = EndpointReranker(
        settings.reranker.removeprefix(SERVED),
        base_url=base_url or VLLM,
        api_key=api_key,
        limiter=Limiter(settings.concurrency),
        timeout_s=settings.timeout_s,
        attempts=settings.attempts,
    )
    return opened.keep(served)


def _corpus(settings: Settings, on_index: OnIndex | None) -> Corpus:
    if settings.corpus is None:
        raise SettingsError(
            "no source of evidence: give corpus=PATH (--corpus PATH), a folder, file or built index"
        )
    return Corpus.open(
        settings.corpus,
        home=settings.home,
        window=settings.window,
        step=settings.step,
        max_file_mb=settings.max_file_mb,
        progress=on_index,
    )


def _wikipedia(settings: Settings, opened: Opened) -> Retriever:
    from rarr.retrievers.web.wikipedia import Wikipedia

    if settings.published_after or settings.published_before:
        raise SettingsError(
            "wikipedia has no dates of publication: leave out published_after and published_before"
        )
    wiki = Wikipedia(
        cache=opened.cache,
        user_agent=settings.user_agent,
        window=settings.window,
        step=settings.step,
        language=settings.wikipedia_language,
        base_url=settings.wikipedia_url,
    )
    return opened.keep(wiki)


def _tavily(settings: Settings, opened: Opened) -> Retriever:
    from rarr.retrievers.web.tavily import Tavily

    key = settings.tavily_key
    tavily = Tavily(
        key.get_secret_value() if key else None,
        cache=opened.cache,
        window=settings.window,
        step=settings.step,
        limits=_limits(settings),
        base_url=settings.tavily_url,
    )
    return opened.keep(tavily)


def _searxng(settings: Settings, opened: Opened) -> Retriever:
    from rarr.retrievers.fetch.fetching import Fetcher
    from rarr.retrievers.fetch.pages import PageReader
    from rarr.retrievers.web.searxng import SearXNG

    if settings.searxng_url is None:
        raise SettingsError("searxng needs its address: give searxng_url, such as http://localhost:8080")
    fetcher = Fetcher(
        user_agent=settings.user_agent,
        timeout_s=settings.page_timeout_s,
        max_bytes=settings.max_page_mb * 1_000_000,
        respect_robots=settings.robots,
    )
    reader = PageReader(opened.keep(fetcher), opened.cache, window=settings.window, step=settings.step)
    found = SearXNG(settings.searxng_url, reader=reader, cache=opened.cache, limits=_limits(settings))
    return opened.keep(found)


def _limits(settings: Settings) -> SourceLimits:
    return SourceLimits(
        include=tuple(settings.include_domains),
        exclude=tuple(settings.exclude_domains),
        after=settings.published_after,
        before=settings.published_before,
    )


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


_WEB: dict[str, Callable[[Settings, Opened], Retriever]] = {
    "wikipedia": _wikipedia,
    "tavily": _tavily,
    "searxng": _searxng,
}
NAMES = ("corpus", *_WEB)
"""What `search` may name."""
_KNOWN = f"{', '.join(NAMES[:-1])} or {NAMES[-1]}"


def _warn(name: str, error: RetrievalError) -> None:
    meter().warn("source_failed", f"{name} could not be searched, and the other sources were: {error}")

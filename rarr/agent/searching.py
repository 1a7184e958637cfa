"""Where evidence comes from: the retrievers and the reranker that settings name, with their cache."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from rarr.agent.components import Reranker, Retriever
from rarr.agent.settings import Settings
from rarr.embedded.ranking import OverlapReranker
from rarr.errors import RetrievalError, SettingsError
from rarr.records import Passage
from rarr.retrievers.corpus import Corpus
from rarr.retrievers.domains import Limits
from rarr.tools.meter import meter

WEB = ("wikipedia", "tavily", "searxng")
DAY_S = 86_400.0


def retriever(settings: Settings, on_index: Callable[[int, int], None] | None = None) -> Retriever:
    """The source of evidence, or several as one; a retriever object is taken as it is.

    None named: the corpus where there is one, else Wikipedia.
    """
    named = _named(settings)
    sources = {_name(one): one if not isinstance(one, str) else None for one in named}
    if len(sources) < len(named):
        raise SettingsError("search names the same source twice: name each once")
    made = {name: _made(name, given, settings, on_index) for name, given in sources.items()}
    if len(made) == 1:
        return next(iter(made.values()))
    from rarr.retrievers.several import Several

    return Several(made, on_failure=_warn)


def reranker(settings: Settings) -> Reranker:
    """`overlap`, a model served at an endpoint as `vllm:NAME`, or a cross-encoder by name."""
    if settings.reranker == "overlap":
        return OverlapReranker()
    if settings.reranker.startswith("vllm:"):
        return _endpoint(settings)
    from rarr.retrievers.cross_encoder import CrossEncoderReranker

    return CrossEncoderReranker(settings.reranker)


def _named(settings: Settings) -> Sequence[Any]:
    if settings.search is None:
        return ["corpus" if settings.corpus is not None else "wikipedia"]
    named = settings.search if isinstance(settings.search, (list, tuple)) else [settings.search]
    split = [part.strip() for one in named if isinstance(one, str) for part in one.split(",")]
    objects = [one for one in named if not isinstance(one, str)]
    if not split + objects or "" in split:
        raise SettingsError("search is empty: give corpus, wikipedia, tavily or searxng")
    return [*split, *objects]


def _name(one: Any) -> str:
    return one if isinstance(one, str) else f"{type(one).__name__} {id(one)}"


def _made(
    name: str, given: Any, settings: Settings, on_index: Callable[[int, int], None] | None
) -> Retriever:
    if given is not None:
        return _object(given, settings)
    if name == "corpus":
        return _corpus(settings, on_index)
    if name not in WEB:
        known = ", ".join(("corpus", *WEB))
        raise SettingsError(
            f"unknown search {name!r}: give {known}, several with commas, or a retriever object"
        )
    made = {"wikipedia": _wikipedia, "tavily": _tavily, "searxng": _searxng}[name](settings)
    return _Limited(made, _limits(settings))


class _Limited:
    """A source on the web, of which the settings allow a part: whatever it was asked for itself."""

    def __init__(self, source: Retriever, limits: Limits) -> None:
        self.source, self._limits = source, limits

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        return self._limits.keep(await self.source.retrieve(query, k))


def _object(given: Any, settings: Settings) -> Retriever:
    if hasattr(given, "retrieve"):
        return given  # type: ignore[no-any-return]  # a protocol cannot be checked further here
    from langchain_core.retrievers import BaseRetriever

    if not isinstance(given, BaseRetriever):
        raise SettingsError(
            f"search is a {type(given).__name__}: it has no method retrieve(query, k),"
            " and is no LangChain retriever"
        )
    from rarr.retrievers.langchain import LangChainRetriever

    return LangChainRetriever(given, window=settings.window, step=settings.step, limits=_limits(settings))


def _corpus(settings: Settings, on_index: Callable[[int, int], None] | None) -> Retriever:
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


def _wikipedia(settings: Settings) -> Retriever:
    from rarr.retrievers.wikipedia import Wikipedia

    if settings.published_after or settings.published_before:
        raise SettingsError(
            "wikipedia has no dates of publication: leave out published_after and published_before"
        )
    return Wikipedia(
        cache=_cache(settings),
        user_agent=settings.user_agent,
        window=settings.window,
        step=settings.step,
        language=settings.wikipedia_language,
        base_url=settings.wikipedia_url,
    )


def _tavily(settings: Settings) -> Retriever:
    from rarr.retrievers.tavily import Tavily

    key = settings.tavily_key
    return Tavily(
        key.get_secret_value() if key else None,
        cache=_cache(settings),
        window=settings.window,
        step=settings.step,
        limits=_limits(settings),
        base_url=settings.tavily_url,
    )


def _searxng(settings: Settings) -> Retriever:
    from rarr.retrievers.fetching import Fetcher
    from rarr.retrievers.pages import PageReader
    from rarr.retrievers.searxng import SearXNG

    if settings.searxng_url is None:
        raise SettingsError("searxng needs its address: give searxng_url, such as http://localhost:8080")
    cache = _cache(settings)
    fetcher = Fetcher(
        user_agent=settings.user_agent,
        timeout_s=settings.page_timeout_s,
        max_bytes=settings.max_page_mb * 1_000_000,
        respect_robots=settings.robots,
    )
    reader = PageReader(fetcher, cache, window=settings.window, step=settings.step)
    return SearXNG(settings.searxng_url, reader=reader, cache=cache, limits=_limits(settings))


def _limits(settings: Settings) -> Limits:
    return Limits(
        include=tuple(settings.include_domains),
        exclude=tuple(settings.exclude_domains),
        after=settings.published_after,
        before=settings.published_before,
    )


def _cache(settings: Settings) -> Any:
    from rarr.retrievers.cache import Cache

    home = settings.home.expanduser()
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(
            f"home {str(home)!r} cannot be made ({error.strerror}): name another folder with RARR_HOME"
        ) from None
    good_for = settings.cache_days * DAY_S
    return Cache(
        home / "cache.sqlite",
        max_age_s={"search": good_for, "page": good_for, "score": math.inf},
        offline=settings.offline,
        refresh=settings.refresh,
    )


def _endpoint(settings: Settings) -> Reranker:
    from rarr.agent.language_models import VLLM, access
    from rarr.retrievers.cached import CachedReranker
    from rarr.retrievers.rerank_endpoint import EndpointReranker
    from rarr.tools.patience import Limiter

    base_url, api_key, _ = access(settings, settings.reranker)
    served = EndpointReranker(
        settings.reranker.partition(":")[2],
        base_url=base_url or VLLM,
        api_key=api_key,
        limiter=Limiter(settings.concurrency),
        timeout_s=settings.timeout_s,
        attempts=settings.attempts,
    )
    return CachedReranker(served, _cache(settings), settings.reranker)


def _warn(name: str, error: RetrievalError) -> None:
    meter().warn("source_failed", f"{name} could not be searched, and the other sources were: {error}")

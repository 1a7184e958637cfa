"""Makes the retrievers and the reranker that the settings name, and holds what they open."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from rarr.agent.wiring.user_retrievers import ObjectRetriever, object_retriever
from rarr.backends.prompted.questions import CardQueries
from rarr.components import Closes, Components, Reranker, Retriever, close_all
from rarr.errors import SettingsError
from rarr.records import Notice, Passage
from rarr.retrievers.combined import CombinedRetriever
from rarr.retrievers.corpus.corpus import Corpus
from rarr.retrievers.extract.limited_calls import Processes
from rarr.retrievers.given_passages import GivenPassages
from rarr.retrievers.graph.graph import Graph
from rarr.retrievers.rerank.overlap import OverlapReranker
from rarr.retrievers.web.domain_and_date_limits import SourceLimits
from rarr.settings import SOURCES, Settings
from rarr.tools.concurrency import run
from rarr.tools.storage.files import private_folder

if TYPE_CHECKING:
    from rarr.backends.encoder.model import Encoder
    from rarr.retrievers.rerank.endpoint import EndpointReranker
    from rarr.retrievers.web.cache import Cache

Kept = TypeVar("Kept", bound=Closes)
OnIndex = Callable[[int, int], None]

SERVED = "vllm:"
"""The prefix of a reranker on a server."""
_KNOWN = f"{', '.join(SOURCES[:-1])} or {SOURCES[-1]}"


class Resources:
    """Collects the files and connections of one reviser; opens its shared cache and encoder when needed."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
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
        """The cache of searches and pages. Raises `SettingsError` if its folder cannot be made."""
        from rarr.retrievers.web.cache import Cache

        settings = self.settings
        home = settings.home.expanduser()
        try:
            private_folder(home)
        except OSError as error:
            raise SettingsError(
                f"home {str(home)!r} cannot be made ({error.strerror}): name another folder with RARR_HOME"
            ) from None
        path = home / "cache.sqlite"
        return self.keep(Cache(path, offline=settings.offline, refresh=settings.refresh))

    @cached_property
    def encoder(self) -> "Encoder":
        """The encoder in the folder `weights`. Raises `SetupError` and `SettingsError`."""
        from rarr.backends.encoder.model_files import require_packages

        require_packages()
        from rarr.backends.encoder.model import Encoder  # it imports numpy

        return Encoder(self.settings.weights)


@contextmanager
def opening(settings: Settings) -> Iterator[Resources]:
    """Yields empty `Resources`, and closes them only if the block raises."""
    opened = Resources(settings)
    try:
        yield opened
    except BaseException:
        run(opened.aclose())
        raise


def source_limits(settings: Settings) -> SourceLimits:
    """Reads the limits on sources, by domain and date, from the settings."""
    return SourceLimits(
        include=tuple(settings.include_domains),
        exclude=tuple(settings.exclude_domains),
        after=settings.published_after,
        before=settings.published_before,
    )


def _wikipedia(settings: Settings, opened: Resources) -> Retriever:
    from rarr.retrievers.web.wikipedia import Wikipedia

    if settings.published_after or settings.published_before:
        raise SettingsError(
            "wikipedia has no dates of publication: leave out published_after and published_before"
        )
    return Wikipedia(
        cache=opened.cache,
        user_agent=settings.user_agent,
        window=settings.window,
        step=settings.step,
        language=settings.wikipedia_language,
        base_url=settings.wikipedia_url,
    )


def _tavily(settings: Settings, opened: Resources) -> Retriever:
    from rarr.retrievers.web.searches import Tavily

    return Tavily(
        settings.tavily_key.get_secret_value() if settings.tavily_key else None,
        cache=opened.cache,
        window=settings.window,
        step=settings.step,
        limits=source_limits(settings),
        base_url=settings.tavily_url,
    )


def _searxng(settings: Settings, opened: Resources) -> Retriever:
    from rarr.retrievers.fetch.cached_page_passages import PageReader
    from rarr.retrievers.fetch.fetching import Fetcher
    from rarr.retrievers.web.searches import SearXNG

    if settings.searxng_url is None:
        raise SettingsError("searxng needs its address: give searxng_url, such as http://localhost:8080")
    agent, robots = settings.user_agent, settings.robots
    fetcher = Fetcher(user_agent=agent, respect_robots=robots)
    reader = PageReader(opened.keep(fetcher), opened.cache, window=settings.window, step=settings.step)
    limits = source_limits(settings)
    return SearXNG(settings.searxng_url, reader=reader, cache=opened.cache, limits=limits)


WEB_SOURCES: dict[str, Callable[[Settings, Resources], Retriever]] = {
    "wikipedia": _wikipedia,
    "tavily": _tavily,
    "searxng": _searxng,
}
"""The sources on the web. A new one needs a function and an entry here, and its name in the settings."""


def web_source(name: str, settings: Settings, opened: Resources) -> Retriever | None:
    """Makes the web source with this name, without the limits of the settings; None for another name."""
    if name not in WEB_SOURCES:
        return None
    source: Any = WEB_SOURCES[name](settings, opened)
    return opened.keep(source) if hasattr(source, "aclose") else source  # type: ignore[no-any-return]


def search_names(settings: Settings) -> list[Any]:
    """Lists the names and retriever objects to search.

    If `search` is None, these are the corpus and the graph that are given, else Wikipedia.
    """
    if settings.search is None:
        own = {"corpus": settings.corpus, "graph": settings.graph}
        return [name for name, place in own.items() if place is not None] or ["wikipedia"]
    given = settings.search if isinstance(settings.search, (list, tuple)) else [settings.search]
    split = ([it.strip() for it in each.split(",")] if isinstance(each, str) else [each] for each in given)
    return [source for sources in split for source in sources]


def retriever(settings: Settings, opened: Resources, on_index: OnIndex | None = None) -> Retriever:
    """Makes the retriever of the sources in the setting `search`; several sources are combined.

    Retriever objects of the user are wrapped. Without `search`, the corpus and the graph are searched that
    are given, otherwise Wikipedia. What is opened is added to `opened`. Raises `SettingsError` for an unknown
    source.
    """
    if not (given := search_names(settings)) or "" in given:
        raise SettingsError(f"search is empty: give {_KNOWN}")
    if len({each if isinstance(each, str) else id(each) for each in given}) < len(given):
        raise SettingsError("search names the same source twice: name each source once")
    made = dict[int, Retriever]()
    # The corpus is opened last: it may take long to index, and the other sources may still be refused.
    for at in sorted(range(len(given)), key=lambda at: 2 * (given[at] == "corpus") + (given[at] == "graph")):
        made[at] = _source(given[at], settings, opened, on_index)
    classes = [each if isinstance(each, str) else type(each).__name__ for each in given]
    sources = {
        f"{name} {classes[: at + 1].count(name)}" if classes.count(name) > 1 else name: made[at]
        for at, name in enumerate(classes)  # objects of one class are numbered in warnings
    }
    return made[0] if len(given) == 1 else CombinedRetriever(sources)


def _source(source: Any, settings: Settings, opened: Resources, on_index: OnIndex | None) -> Retriever:
    if not isinstance(source, str):
        return object_retriever(source, settings, source_limits(settings))
    if source == "corpus":
        if settings.corpus is None:
            raise SettingsError(
                "no source of evidence: set corpus (--corpus) to a folder, a file or a built index"
            )
        return opened.keep(
            Corpus.open(
                settings.corpus,
                home=settings.home,
                window=settings.window,
                step=settings.step,
                progress=on_index,
            )
        )
    if source == "graph":
        if settings.graph is None:
            raise SettingsError("no graph to search: set graph (--graph) to a file of triples")
        return opened.keep(Graph.open(settings.graph, settings.window))
    if (web := web_source(source, settings, opened)) is None:
        raise SettingsError(
            f"unknown search {source!r}: give {_KNOWN}, several with commas, or a retriever object"
        )
    return ObjectRetriever(web, source_limits(settings), source)


def given_passages(searched: Retriever) -> tuple[Passage, ...]:
    """Returns the passages that the caller gave as all that is searched, if they fit into each request."""
    given = searched.source if isinstance(searched, ObjectRetriever) else None
    return given.if_all_fit if isinstance(given, GivenPassages) else ()


def searching_given(components: Components, given: GivenPassages, *, alone: bool) -> Components:
    """Returns the components with another retriever: `given`, and behind it their own unless `alone`.

    The limits of the settings are for sources on the web, and not for what a caller gives.
    """
    shown = given.if_all_fit
    if not alone:
        both = CombinedRetriever({"the given sources": given, "the other sources": components.retriever})
        return replace(components, retriever=both, given=shown, searches=True)
    if isinstance(components.query_generator, CardQueries):
        components = replace(components, query_generator=components.query_generator.of_sentences())
    retriever = ObjectRetriever(given, SourceLimits())
    return replace(components, retriever=retriever, given=shown, searches=not shown)


def unused_settings(components: Components) -> list[Notice]:
    """Makes a warning for each given corpus, graph or address of a server that the run will not use."""
    settings, unused = components.settings, list[Notice]()
    if settings.base_url is not None and not components.models and not settings.reranker.startswith(SERVED):
        message = (
            "base_url is given, but no model of a server, so that the embedded models run: name the model, as"
            " with model vllm:NAME"
        )
        unused.append(Notice(code="server_not_used", message=message, node=""))
    for name in ("corpus", "graph"):
        if getattr(settings, name) is not None and not any(each == name for each in search_names(settings)):
            message = f"a {name} is given, but search does not name it: {name},wikipedia searches both"
            unused.append(Notice(code=f"{name}_not_searched", message=message, node="retrieve"))
    return unused


def reranker(settings: Settings, opened: Resources) -> Reranker:
    """Makes the reranker: `overlap`, `vllm:NAME` on a server, or the name of a cross-encoder.

    What is opened is added to `opened`.
    """
    if settings.reranker == "overlap":
        return OverlapReranker()
    if settings.reranker.startswith(SERVED):
        return served_reranker(settings, opened)
    from rarr.retrievers.rerank.cross_encoder import CrossEncoderReranker

    return CrossEncoderReranker(settings.reranker)


def served_reranker(settings: Settings, opened: Resources) -> "EndpointReranker":
    """Makes the client for the reranker `vllm:NAME` of the settings, and adds it to `opened`."""
    from rarr.retrievers.rerank.endpoint import EndpointReranker
    from rarr.tools.models.chat import DEFAULT_URLS
    from rarr.tools.models.retries import Limiter

    base_url, api_key, _ = settings.access(settings.reranker)
    served = EndpointReranker(
        settings.reranker.removeprefix(SERVED),
        base_url=base_url or DEFAULT_URLS["vllm"],
        api_key=api_key,
        limiter=Limiter(settings.concurrency),
        timeout_s=settings.timeout_s,
        attempts=settings.attempts,
    )
    return opened.keep(served)

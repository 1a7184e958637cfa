"""Makes the retrievers and the reranker that the settings name, and lists the resources to close."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Any, Self, TypeVar

from rarr.backends.prompted.questions import QueriesByUnit
from rarr.components import Components, Reranker, Retriever, close_all
from rarr.errors import BudgetError, InputError, RetrievalError, SettingsError
from rarr.records import Notice, Passage
from rarr.retrievers.combined import CombinedRetriever
from rarr.retrievers.corpus.corpus import Corpus
from rarr.retrievers.extract.limited_calls import IdleWorkerCloser
from rarr.retrievers.fetch.fetching import Fetcher
from rarr.retrievers.given_passages import GivenPassages, LangChainRetriever
from rarr.retrievers.graph.graph import Graph
from rarr.retrievers.reranking import CrossEncoderReranker, EndpointReranker, OverlapReranker
from rarr.retrievers.web.cache import Cache, PageReader
from rarr.retrievers.web.domain_and_date_limits import limit_passages
from rarr.retrievers.web.searches import SearXNG, Tavily, Wikipedia
from rarr.settings import SOURCES, Settings
from rarr.tools.concurrency import run
from rarr.tools.models.chat import DEFAULT_URLS
from rarr.tools.models.failures import redact_secrets
from rarr.tools.text.wording import counted, kind_of, safe_text

Resource = TypeVar("Resource")
OnIndex = Callable[[int, int], None]

VLLM = "vllm:"
"""The prefix in the setting `reranker` for a model on a vLLM server."""
_LOCAL_SOURCES = ("corpus", "graph")
_METHOD_FORM = "async def retrieve(self, query, k), which returns a list of rarr.Passage"
_SOURCE_CHOICE = (
    f"give {', '.join(SOURCES)}, several with commas, an object with {_METHOD_FORM}, or a LangChain retriever"
)


class Resources(list[object]):
    """A list of sources and connections to close at the end, with the cache that the sources share.

    The end of a `with` block closes the resources only if the block raised an error.
    """

    def __init__(self, settings: Settings) -> None:
        super().__init__([IdleWorkerCloser()])
        self.settings = settings

    def close_later(self, resource: Resource) -> Resource:
        """Adds a resource to the list, so that `aclose` will close it, and returns the resource."""
        self.append(resource)
        return resource

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: object, *_: object) -> None:
        if error is not None:
            run(self.aclose())

    async def aclose(self) -> None:
        """Closes all resources in the list."""
        await close_all(self)

    @cached_property
    def cache(self) -> Cache:
        """The cache of searches and web pages. Raises `InputError` if the cache's folder cannot be made."""
        settings = self.settings
        return Cache(settings.home.expanduser() / "cache", offline=settings.offline, refresh=settings.refresh)

    def answer_store(self) -> Cache | None:
        """Returns the store for the answers of models. Returns None if its folder cannot be made."""
        with suppress(InputError):
            return Cache(self.settings.home.expanduser() / "answers", refresh=self.settings.refresh)
        return None


def _make_searxng(settings: Settings, cache: Cache) -> SearXNG:
    fetcher = Fetcher(user_agent=settings.user_agent, respect_robots=settings.robots)
    return SearXNG(settings, cache, PageReader(fetcher, cache, settings))


WEB_SOURCES: dict[str, Callable[[Settings, Cache], Any]] = {
    "wikipedia": Wikipedia,
    "tavily": Tavily,
    "searxng": _make_searxng,
}
"""The makers of web sources, by name. A new source also needs its name in the settings."""


def sources_to_search(settings: Settings) -> list[Any]:
    """Lists the sources to search: those of the setting `search`; else corpus and graph; else Wikipedia."""
    if settings.search is None:
        return [name for name in _LOCAL_SOURCES if getattr(settings, name) is not None] or ["wikipedia"]
    given = settings.search if isinstance(settings.search, (list, tuple)) else [settings.search]
    parts = ([it.strip() for it in each.split(",")] if isinstance(each, str) else [each] for each in given)
    return [name for part in parts for name in part]


def make_retriever(settings: Settings, opened: Resources, on_index: OnIndex | None = None) -> Retriever:
    """Makes a retriever of all sources; `opened` will close these. A wrong source raises `SettingsError`."""
    given = sources_to_search(settings)
    distinct = {each if isinstance(each, str) else id(each) for each in given}
    if not given or len(distinct) < len(given):
        raise SettingsError("search names no source, or the same source twice: name each source once")
    # Warnings name an object by its class and its place.
    named = {it if isinstance(it, str) else f"{type(it).__name__} {at}": it for at, it in enumerate(given, 1)}
    # The corpus is opened last: its index may take long, and another source may raise an error.
    last = sorted(named, key=lambda name: named[name] == "corpus")
    made = {name: _make_source(named[name], settings, opened, on_index) for name in last}
    return CombinedRetriever({name: made[name] for name in named}) if len(made) > 1 else made[last[0]]


def _make_source(source: Any, settings: Settings, opened: Resources, on_index: OnIndex | None) -> Retriever:
    if not isinstance(source, str):
        return object_retriever(source, settings)
    if source == "corpus" and settings.corpus is not None:
        corpus = Corpus.open(settings.corpus, home=settings.home, window=settings.window, progress=on_index)
        return opened.close_later(corpus)
    if source == "graph" and settings.graph is not None:
        return opened.close_later(Graph.open(settings.graph, settings.window))
    if source in _LOCAL_SOURCES:
        raise SettingsError(f"no source of evidence: set {source} (--{source}) to a folder or a file")
    if source not in WEB_SOURCES:
        raise SettingsError(f"unknown search {source!r}: {_SOURCE_CHOICE}")
    return ObjectRetriever(opened.close_later(WEB_SOURCES[source](settings, opened.cache)), settings, source)


def object_retriever(source: Any, settings: Settings) -> Retriever:
    """Makes a retriever of a user's object with an async `retrieve(query, k)`, or of a LangChain retriever.

    Raises `SettingsError` for any other object. With the setting `offline`, raises `SettingsError` unless the
    object is a `Corpus`, or its attribute `offline` is True: other objects may use the network.
    """
    # The limits on domains and dates do not apply to the user's own corpus and graph.
    limits = None if isinstance(source, Corpus | Graph) else settings
    searched, name = source, ""
    if not callable(getattr(source, "retrieve", None)) or isinstance(source, type):
        from langchain_core.retrievers import BaseRetriever

        if not isinstance(source, BaseRetriever):
            raise SettingsError(f"search is {kind_of(source)}: {_SOURCE_CHOICE}")
        searched = LangChainRetriever(source, window=settings.window)
        name = f"the LangChain retriever {type(source).__name__}"
    if settings.offline and not (isinstance(source, Corpus) or getattr(source, "offline", False) is True):
        cure = "give its class offline = True if it does not, or leave out offline"
        where = f"search is {kind_of(source)}, which may go to the network, and offline is set"
        raise SettingsError(f"{where}: {cure}")
    return ObjectRetriever(searched, limits, name)


class ObjectRetriever:
    """A retriever that searches `source`. Returns only passages that `limits` on domains and dates allow.

    Its errors name the source by `name`, or by the class of the source if `name` is empty.
    """

    def __init__(self, source: Any, limits: Settings | None, name: str = "") -> None:
        self.source, self._limits = source, limits
        self._name = name or f"the retriever {type(source).__name__}"

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Returns the allowed passages of the source. Raises `RetrievalError` if the search failed."""
        try:
            found = list(await self.source.retrieve(query, k))
            if strange := [it for it in found if not isinstance(it, Passage)]:
                raise TypeError(f"it returned {kind_of(strange[0])} as a passage")
        except (RetrievalError, BudgetError):  # these errors name their cures
            raise
        except Exception as error:
            reason = f"{type(error).__name__}: {safe_text(redact_secrets(' '.join(str(error).split())))}"
            cure = f"try it alone; as a class of your own it is written {_METHOD_FORM}"
            raise RetrievalError(f"{self._name} failed ({reason}): {cure}") from error
        return await limit_passages(self._name, found, self._limits) if self._limits else found


def components_with_given(components: Components, given: GivenPassages, *, alone: bool) -> Components:
    """Returns components that search `given` and, unless `alone`, also the sources of `components`."""
    shown, generator = given.passages_if_all_fit, components.query_generator
    if not alone:
        both = CombinedRetriever({"the given sources": given, "the other sources": components.retriever})
        return replace(components, retriever=both, given=shown, searches=True)
    if isinstance(generator, QueriesByUnit):
        generator = QueriesByUnit(generator.questions, "sentences")
    changed: dict[str, Any] = {"given": shown, "searches": False, "query_generator": generator}
    return replace(components, retriever=ObjectRetriever(given, None), **changed)


def outdated_index_notices(sources: Iterable[object]) -> list[Notice]:
    """Makes a warning for each corpus index whose files changed after the index was built."""
    notices = list[Notice]()
    for corpus in (it for it in sources if isinstance(it, Corpus) and it.is_built):
        if changed := corpus.changed_files():
            named = changed[0] + f" and {counted(len(changed) - 1, 'other file')}" * (len(changed) > 1)
            message = f"{named} changed or went away after the index was built, and its old text is searched"
            cure = "run rarr index again"
            notices.append(Notice(code="index_outdated", message=f"{message}: {cure}", node="retrieve"))
    return notices


def unused_setting_notices(components: Components) -> list[Notice]:
    """Makes a warning for each setting of a corpus, graph, model or server that has no effect."""
    settings, searched = components.settings, sources_to_search(components.settings)
    unused = {
        f"{name}_not_searched": f"a {name} is given, but search does not name it: add {name} to search"
        for name in _LOCAL_SOURCES
        if getattr(settings, name) is not None and not any(each == name for each in searched)
    }
    if settings.base_url is not None and not components.models and not settings.reranker.startswith(VLLM):
        unused["server_not_used"] = "base_url is given, but no model there: name one, as in model vllm:NAME"
    reader = components.card_reader
    idle = {"doubt": reader is None or not reader.is_model, "edit": reader is not None}
    for node in (node for node in idle if idle[node] and node in settings.models):
        unused["model_not_used"] = f"models names {node}, which asks nothing here: name the reader with model"
    return [Notice(code=code, message=message, node="") for code, message in unused.items()]


def make_reranker(settings: Settings, opened: Resources) -> Reranker:
    """Makes the reranker of the settings: `overlap`, `vllm:NAME`, or the name of a cross-encoder."""
    if settings.reranker == "overlap":
        return OverlapReranker()
    if not settings.reranker.startswith(VLLM):
        return CrossEncoderReranker(settings.reranker)
    base_url, api_key, _ = settings.model_access(settings.reranker)
    name, url = settings.reranker.removeprefix(VLLM), base_url or DEFAULT_URLS["vllm"]
    return opened.close_later(EndpointReranker(name, url, api_key, settings))

"""Makes the retrievers and the reranker that the settings name."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rarr.agent.wiring.resources import Resources
from rarr.agent.wiring.user_retriever_wrapping import ObjectRetriever, object_retriever
from rarr.agent.wiring.web_sources import SOURCES, WEB_SOURCES, NamedSource, source_limits
from rarr.components import Reranker, Retriever
from rarr.errors import RetrievalError, SettingsError
from rarr.records import Passage
from rarr.retrievers.corpus.corpus import Corpus
from rarr.retrievers.given_passages import GivenPassages
from rarr.retrievers.rerank.overlap import OverlapReranker
from rarr.retrievers.web.domain_and_date_limits import SourceLimits, within_limits
from rarr.settings import Settings
from rarr.tools.models.run_budget import meter

if TYPE_CHECKING:
    from rarr.retrievers.graph.graph import Graph
    from rarr.retrievers.rerank.endpoint import EndpointReranker

SERVED = "vllm:"
"""The prefix of a reranker on a server."""

OnIndex = Callable[[int, int], None]


def retriever(settings: Settings, opened: Resources, on_index: OnIndex | None = None) -> Retriever:
    """Makes the retriever of the sources in the setting `search`; several sources are combined.

    Retriever objects of the user are wrapped. Without `search`, the corpus and the graph are searched that
    are given, otherwise Wikipedia. What is opened is added to `opened`. Raises `SettingsError` for an unknown
    source.
    """
    if not (given := search_names(settings)) or "" in given:
        raise SettingsError(f"search is empty: give {_KNOWN}")
    if len(set(map(_key, given))) < len(given):
        raise SettingsError("search names the same source twice: name each source once")
    limits = source_limits(settings)
    # The corpus is opened last: it may take long to index, and the other sources may still be refused.
    made = {
        _key(source): object_retriever(source, settings, limits)
        for source in given
        if not isinstance(source, str)
    }
    for name in sorted(
        (source for source in given if isinstance(source, str)), key=lambda name: name == "corpus"
    ):
        made[name] = _named_source(name, settings, opened, on_index)
    sources = [made[_key(source)] for source in given]
    if len(sources) == 1:
        return sources[0]
    from rarr.retrievers.combined import CombinedRetriever

    return CombinedRetriever(dict(zip(_names(given), sources, strict=True)), on_failure=warn_of_failure)


def given_passages(searched: Retriever) -> tuple[Passage, ...]:
    """Returns the passages that the caller gave as all that is searched, if they fit into each request."""
    given = searched.source if isinstance(searched, ObjectRetriever) else None
    return given.if_all_fit if isinstance(given, GivenPassages) else ()


def web_source(name: str, settings: Settings, opened: Resources) -> NamedSource | None:
    """Makes the web source with this name, without the limits of the settings; None for another name."""
    return WEB_SOURCES[name](settings, opened) if name in WEB_SOURCES else None


def search_names(settings: Settings) -> list[Any]:
    """Lists the names and retriever objects to search.

    If `search` is None, these are the corpus and the graph that are given, else Wikipedia.
    """
    if settings.search is None:
        own = {"corpus": settings.corpus, "graph": settings.graph}
        return [name for name, place in own.items() if place is not None] or ["wikipedia"]
    given = settings.search if isinstance(settings.search, (list, tuple)) else [settings.search]
    return [name for source in given for name in (_split(source) if isinstance(source, str) else [source])]


def reranker(settings: Settings, opened: Resources) -> Reranker:
    """Makes the reranker: `overlap`, `embedded`, `vllm:NAME` on a server, or the name of a cross-encoder.

    What is opened is added to `opened`.
    """
    if settings.reranker == "overlap":
        return OverlapReranker()
    if settings.reranker == "embedded":
        from rarr.backends.encoder.model_files import require_packages
        from rarr.backends.encoder.ranking import TrainedReranker  # it imports numpy

        require_packages()
        return TrainedReranker(opened.encoder)
    if settings.reranker.startswith(SERVED):
        return served_reranker(settings, opened)
    from rarr.retrievers.rerank.cross_encoder import CrossEncoderReranker

    return CrossEncoderReranker(settings.reranker)


def _split(names: str) -> list[str]:
    return [name.strip() for name in names.split(",")]


def _key(source: Any) -> str | int:
    return source if isinstance(source, str) else id(source)


def _names(given: Sequence[Any]) -> list[str]:
    """Names the sources for warnings: objects by their class, numbered where a class comes twice."""
    names = [source if isinstance(source, str) else type(source).__name__ for source in given]
    return [
        f"{name} {names[: at + 1].count(name)}" if names.count(name) > 1 else name
        for at, name in enumerate(names)
    ]


def _named_source(name: str, settings: Settings, opened: Resources, on_index: OnIndex | None) -> Retriever:
    if name == "corpus":
        return opened.keep(_corpus(settings, on_index))
    if name == "graph":
        return opened.keep(_graph(settings))
    source = web_source(name, settings, opened)
    if source is None:
        raise SettingsError(
            f"unknown search {name!r}: give {_KNOWN}, several with commas, or a retriever object"
        )
    return _LimitedSource(name, source, source_limits(settings))


class _LimitedSource:
    """Wraps a named source, and removes passages that the domains and dates of the settings do not allow."""

    def __init__(self, name: str, source: NamedSource, limits: SourceLimits) -> None:
        self._name, self.source, self._limits = name, source, limits

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        return await within_limits(self._name, await self.source.retrieve(query, k), self._limits)


def served_reranker(settings: Settings, opened: Resources) -> "EndpointReranker":
    """Makes the client for the reranker `vllm:NAME` of the settings, and adds it to `opened`."""
    from rarr.agent.wiring.language_models import access
    from rarr.retrievers.rerank.endpoint import EndpointReranker
    from rarr.tools.models.chat import DEFAULT_URLS
    from rarr.tools.models.retries import Limiter

    base_url, api_key, _ = access(settings, settings.reranker)
    served = EndpointReranker(
        settings.reranker.removeprefix(SERVED),
        base_url=base_url or DEFAULT_URLS["vllm"],
        api_key=api_key,
        limiter=Limiter(settings.concurrency),
        timeout_s=settings.timeout_s,
        attempts=settings.attempts,
    )
    return opened.keep(served)


def _graph(settings: Settings) -> "Graph":
    from rarr.retrievers.graph.graph import Graph

    if settings.graph is None:
        raise SettingsError("no graph to search: set graph (--graph) to a file of triples")
    return Graph.open(settings.graph, settings.window)


def _corpus(settings: Settings, on_index: OnIndex | None) -> Corpus:
    if settings.corpus is None:
        raise SettingsError(
            "no source of evidence: set corpus (--corpus) to a folder, a file or a built index"
        )
    return Corpus.open(
        settings.corpus,
        home=settings.home,
        window=settings.window,
        step=settings.step,
        max_file_mb=settings.max_file_mb,
        progress=on_index,
    )


_KNOWN = f"{', '.join(SOURCES[:-1])} or {SOURCES[-1]}"


def warn_of_failure(name: str, error: RetrievalError) -> None:
    """Warns in the run that one of several sources could not be searched."""
    meter().warn("source_failed", f"{name} could not be searched, but other sources could: {error}")

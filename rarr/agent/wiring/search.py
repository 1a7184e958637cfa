"""Where evidence comes from: the retrievers and the reranker that settings name, with their cache."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rarr.agent.wiring.opened import Opened
from rarr.agent.wiring.retriever_objects import object_retriever
from rarr.agent.wiring.web_sources import WEB, limits_of
from rarr.backends.encoder.ranking import TrainedReranker
from rarr.backends.rules.ranking import OverlapReranker
from rarr.components import Reranker, Retriever
from rarr.errors import RetrievalError, SettingsError
from rarr.records import Passage
from rarr.retrievers import SOURCES
from rarr.retrievers.corpus.corpus import Corpus
from rarr.retrievers.web.source_domains import Limits
from rarr.settings import Settings
from rarr.tools.concurrency.worker import work
from rarr.tools.models.client_failures import redacted
from rarr.tools.models.meter import meter

if TYPE_CHECKING:
    from rarr.retrievers.rerank.endpoint import EndpointReranker

SERVED = "vllm:"
"""How a reranker begins that a server has."""

OnIndex = Callable[[int, int], None]


def retriever(settings: Settings, opened: Opened, on_index: OnIndex | None = None) -> Retriever:
    """The source of evidence, or several as one; a retriever object is taken as it is.

    None named: the corpus where there is one, else Wikipedia. What is made is added to `opened`.
    """
    if not (given := named(settings)) or "" in given:
        raise SettingsError(f"search is empty: give {_KNOWN}")
    if len(set(map(_key, given))) < len(given):
        raise SettingsError("search names the same source twice: name each once")
    limits = limits_of(settings)
    # All that may be refused comes before a corpus, which may take long to index.
    made = {_key(one): object_retriever(one, settings, limits) for one in given if not isinstance(one, str)}
    for name in sorted((one for one in given if isinstance(one, str)), key=lambda name: name == "corpus"):
        made[name] = _made(name, settings, opened, on_index)
    sources = [made[_key(one)] for one in given]
    if len(sources) == 1:
        return sources[0]
    from rarr.retrievers.combined import Several

    return Several(dict(zip(_names(given), sources, strict=True)), on_failure=_warn)


def web_source(name: str, settings: Settings, opened: Opened) -> Any:
    """The source on the web of this name as it is, to be probed; None for another."""
    return WEB[name](settings, opened) if name in WEB else None


def named(settings: Settings) -> list[Any]:
    """What is searched: names, and objects as they were given."""
    if settings.search is None:
        return ["corpus" if settings.corpus is not None else "wikipedia"]
    given = settings.search if isinstance(settings.search, (list, tuple)) else [settings.search]
    return [name for one in given for name in (_split(one) if isinstance(one, str) else [one])]


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
    if name not in WEB:
        raise SettingsError(
            f"unknown search {name!r}: give {_KNOWN}, several with commas, or a retriever object"
        )
    return _Limited(web_source(name, settings, opened), limits_of(settings))


class _Limited:
    """A source on the web, of which the settings allow a part: whatever it was asked for itself."""

    def __init__(self, source: Retriever, limits: Limits) -> None:
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


_KNOWN = f"{', '.join(SOURCES[:-1])} or {SOURCES[-1]}"


def _warn(name: str, error: RetrievalError) -> None:
    meter().warn("source_failed", f"{name} could not be searched, and the other sources were: {error}")

"""From names in the settings to implementations: the only place that knows both."""

from collections.abc import Callable
from typing import Any

from rarr.agent.components import Components, Reranker, Retriever
from rarr.agent.settings import Settings
from rarr.embedded.agreement import ValueAgreement
from rarr.embedded.editing import ValueEditor
from rarr.embedded.questions import ValueQuestions
from rarr.embedded.ranking import OverlapReranker
from rarr.embedded.support import ValueVerifier
from rarr.errors import SettingsError
from rarr.retrievers.corpus import Corpus

# node -> field of Components -> implementation, for each model name.
EMBEDDED: dict[str, tuple[str, Callable[[], Any]]] = {
    "generate_queries": ("query_generator", ValueQuestions),
    "check_agreement": ("checker", ValueAgreement),
    "edit": ("editor", ValueEditor),
    "attribute": ("verifier", ValueVerifier),
}
MODELS: dict[str, dict[str, tuple[str, Callable[[], Any]]]] = {"embedded": EMBEDDED}


def wire(settings: Settings, on_index: Callable[[int, int], None] | None = None) -> Components:
    """The components that `settings` name. Raises before anything is spent where one is not to be had."""
    for node in settings.models:
        if node not in EMBEDDED:
            raise SettingsError(f"models names no node {node!r}: nodes are {', '.join(EMBEDDED)}")
    parts: dict[str, Any] = {}
    for node in EMBEDDED:
        name = settings.models.get(node, settings.model)
        if name not in MODELS:
            raise SettingsError(f"unknown model {name!r} for {node}: give one of {', '.join(MODELS)}")
        field, implementation = MODELS[name][node]
        parts[field] = implementation()
    return Components(
        settings=settings,
        reranker=reranker(settings),  # before the retriever, which may have a corpus to index
        retriever=retriever(settings, on_index),
        **parts,
    )


def retriever(settings: Settings, on_index: Callable[[int, int], None] | None = None) -> Retriever:
    """The source of evidence; a retriever object is taken as it is."""
    if settings.search is not None and not isinstance(settings.search, str):
        if not hasattr(settings.search, "retrieve"):
            raise SettingsError(
                f"search is a {type(settings.search).__name__}: it has no method retrieve(query, k)"
            )
        return settings.search  # type: ignore[no-any-return]  # a protocol cannot be checked further here
    if settings.search not in (None, "corpus"):
        raise SettingsError(f"unknown search {settings.search!r}: this version has corpus, with corpus=PATH")
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


def reranker(settings: Settings) -> Reranker:
    """`overlap`, or a cross-encoder by name."""
    if settings.reranker == "overlap":
        return OverlapReranker()
    from rarr.retrievers.cross_encoder import CrossEncoderReranker

    return CrossEncoderReranker(settings.reranker)

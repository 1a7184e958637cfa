"""Adapts the components of a reviser to writing: sources come in larger passages, and more of them."""

from dataclasses import replace

from rarr.components import Components
from rarr.errors import InputError
from rarr.retrievers.combined import DocumentChunks


def writing_components(components: Components) -> Components:
    """Returns components whose retriever finds passages of `chunk_words` words.

    The reranker then keeps as many for a section as the setting `chunks` says. Raises `InputError` for
    components that rewrite or read no cards.
    """
    if components.rewriter is not None:
        raise InputError("components with a rewriter change the text: write with the usual components")
    settings = components.settings
    if components.card_reader is None:
        raise InputError("articles are checked by cards, and the preset paper has none: leave it out")
    if isinstance(components.retriever, DocumentChunks):
        return components
    return replace(
        components,
        settings=settings.model_copy(update={"evidence_per_query": settings.chunks}),
        retriever=DocumentChunks(components.retriever, components.opened, settings.chunk_words),
    )

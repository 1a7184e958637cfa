"""Adapts the components of a reviser to writing: sources come in larger passages, and more of them."""

from dataclasses import replace

from rarr.backends.english_only_wrappers import EnglishChecker, EnglishQuestions
from rarr.backends.rules.agreement import ValueAgreement
from rarr.backends.rules.editing import ValueEditor
from rarr.backends.rules.extractive_writing import ExtractiveWriter
from rarr.backends.rules.questions import RuleQuestions
from rarr.components import Components
from rarr.errors import InputError, SettingsError
from rarr.retrievers.document_chunks import DocumentChunks


def writing_components(components: Components) -> Components:
    """Returns components whose retriever finds passages of `chunk_words` words.

    The reranker then keeps as many for a section as the setting `chunks` says. Raises `InputError` for
    components that rewrite, and `SettingsError` if quoted sentences are to be smoothed.
    """
    if components.rewriter is not None:
        raise InputError("components with a rewriter change the text: write with the usual components")
    settings = components.settings
    if settings.smooth and isinstance(components.writers.get("smooth"), ExtractiveWriter):
        raise SettingsError("smooth needs a language model: name it with model, or leave smooth out")
    if components.card_reader is not None:  # a written value is compared with the passage that it is from
        components = replace(
            components,
            card_reader=None,
            query_generator=EnglishQuestions(RuleQuestions()),
            checker=EnglishChecker(ValueAgreement()),
            editor=ValueEditor(),
        )
    if isinstance(components.retriever, DocumentChunks):
        return components
    return replace(
        components,
        settings=settings.model_copy(update={"evidence_per_query": settings.chunks}),
        retriever=DocumentChunks(components.retriever, components.opened, settings.chunk_words),
    )

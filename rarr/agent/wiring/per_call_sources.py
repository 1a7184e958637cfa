"""Lets components search the sources of one call, first or alone."""

from dataclasses import replace

from rarr.agent.wiring.search_and_reranking import warn_of_failure
from rarr.agent.wiring.user_retriever_wrapping import ObjectRetriever
from rarr.backends.prompted.questions import CardQueries
from rarr.components import Components
from rarr.retrievers.combined import GivenFirst
from rarr.retrievers.given_passages import GivenPassages
from rarr.retrievers.web.domain_and_date_limits import SourceLimits


def searching_given(components: Components, given: GivenPassages, *, alone: bool) -> Components:
    """Returns the components with another retriever: `given`, and behind it their own unless `alone`.

    The limits of the settings are for sources on the web, and not for what a caller gives.
    """
    shown = given.if_all_fit
    if isinstance(components.query_generator, CardQueries) and alone:
        components = replace(components, query_generator=components.query_generator.of_sentences())
    if alone:
        retriever = ObjectRetriever(given, SourceLimits())
        return replace(components, retriever=retriever, given=shown, searches=not shown)
    both = GivenFirst(given, components.retriever, on_failure=warn_of_failure)
    return replace(components, retriever=both, given=shown, searches=True)

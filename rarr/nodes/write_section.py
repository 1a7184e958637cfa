"""Step 2 of writing: writes all sections of an article at the same time, from their passages."""

from collections.abc import Sequence

from langgraph.runtime import Runtime

from rarr.components import Components, SectionSource
from rarr.state import State, failed_queries_update, for_each_query, kept_evidence


async def write_section(state: State, runtime: Runtime[Components]) -> State:
    """Asks the writer for the text of each section with passages. Warns of each failure."""
    sources, writer = section_sources(state), runtime.context.writers["write_section"]
    places = {source.section.query_id: at for at, source in enumerate(sources) if source.chunks}
    wanted = [query for query in state["queries"] if query.id in places]
    drafts = await for_each_query(
        "write_section", wanted, lambda query: writer.section(state["topic"], sources, places[query.id])
    )
    written = {sources[places[it]].section.id: text for it, text in drafts.items() if isinstance(text, str)}
    return {**failed_queries_update("write_section", drafts), "drafts": written}


def section_sources(state: State) -> Sequence[SectionSource]:
    """Returns the sections of the plan in order, each with its passages that are not suspicious."""
    return [SectionSource(it, tuple(kept_evidence(state, it.query_id))) for it in state["sections"]]

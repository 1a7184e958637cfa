"""Step 2 of writing: writes one section of an article from its passages."""

from collections.abc import Sequence

from langgraph.runtime import Runtime

from rarr.components import Components, SectionSource
from rarr.state import SectionBranch, State, kept_for
from rarr.tools.models.run_budget import meter


async def write_section(state: SectionBranch, runtime: Runtime[Components]) -> State:
    """Asks the writer for the section of the query of this branch.

    Raises the error of a failed writer, which the graph reports: the section is then a gap of the article.
    """
    sources = section_sources(state)
    at = next(n for n, source in enumerate(sources) if source.section.query_id == state["query"].id)
    async with meter().in_time():
        draft = await runtime.context.writers["write_section"].section(state["topic"], sources, at)
    return {"drafts": {sources[at].section.id: draft}}


def section_sources(state: State) -> Sequence[SectionSource]:
    """Returns the sections of the plan, each with its passages that are not suspicious."""
    return [SectionSource(section, tuple(kept_for(state, section.query_id))) for section in state["sections"]]

"""Step 2 of writing: writes one section of an article from its passages."""

from collections.abc import Sequence

from langgraph.runtime import Runtime

from rarr.components import Components, SectionSource
from rarr.state import SectionBranch, State, kept_evidence
from rarr.tools.models.run_budget import meter


async def write_section(state: SectionBranch, runtime: Runtime[Components]) -> State:
    """Asks the writer for the section that belongs to the query in `state`.

    Raises the error of a failed writer. The graph turns it into a warning, and the section stays empty.
    """
    sources = section_sources(state)
    at = next(n for n, source in enumerate(sources) if source.section.query_id == state["query"].id)
    async with meter().in_time():
        draft = await runtime.context.writers["write_section"].section(state["topic"], sources, at)
    return {"drafts": {sources[at].section.id: draft}}


def section_sources(state: State) -> Sequence[SectionSource]:
    """Returns the sections of the plan in order, each with its passages that are not suspicious."""
    return [SectionSource(it, tuple(kept_evidence(state, it.query_id))) for it in state["sections"]]

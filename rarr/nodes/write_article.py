"""Step 3 of writing without a plan: writes the whole article from the passages of the topic."""

from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.ledger.passages_of_one_namesake import of_one_namesake
from rarr.records.articles import PlannedSection, SectionDraft
from rarr.state import State, usable
from rarr.tools.models.run_budget import meter


async def write_article(state: State, runtime: Runtime[Components]) -> State:
    """Asks the writer for all sections at once; without passages, there are none."""
    chunks = of_one_namesake(state["topic"], usable(state)).passages
    if not chunks:
        return {"sections": []}
    most = runtime.context.settings.max_sections
    async with meter().in_time():
        written = await runtime.context.writer_of("write_section").article(state["topic"], chunks, most)
    sections = [
        PlannedSection(id=f"s{n}", heading=heading, query_id=state["queries"][0].id)
        for n, (heading, _) in enumerate(written[:most], start=1)
    ]
    names = tuple(chunk.id for chunk in chunks)
    drafts = {
        section.id: SectionDraft(
            section_id=section.id, heading=section.heading, text=text, evidence_ids=names
        )
        for section, (_, text) in zip(sections, written, strict=False)
        if text.strip()
    }
    return {"sections": sections, "drafts": drafts}

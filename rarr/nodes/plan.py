"""Step 2 of writing: plans the sections of an article, and makes a query of each."""

from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.records import Notice, Query
from rarr.records.articles import PlannedSection
from rarr.state import State, failure, usable
from rarr.tools.models.run_budget import meter
from rarr.tools.text.section_headings import OVERVIEW, clean_headings

MAX_SECTIONS = 10
"""The most sections of an article."""


async def plan(state: State, runtime: Runtime[Components]) -> State:
    """Takes the headings of the outline, or asks the writer for headings, and makes a query of each section.

    Without a heading, and if the writer fails, the article has a single section; a warning says why.
    """
    topic, outline = state["topic"], state.get("outline")
    warnings: list[Notice] = []
    if outline is None:
        headings, warnings = await _planned(state, runtime.context)
    else:
        headings = clean_headings(outline.splitlines(), topic)
    headings = headings[:MAX_SECTIONS] or [OVERVIEW]
    asked = len(state["queries"])
    queries = [
        Query(id=f"q{asked + n}", text=f"{heading}, {topic}", start=0, end=0, round=2)
        for n, heading in enumerate(headings, start=1)
    ]
    sections = [
        PlannedSection(id=f"s{n}", heading=heading, query_id=query.id)
        for n, (heading, query) in enumerate(zip(headings, queries, strict=True), start=1)
    ]
    return {
        "sections": sections,
        "queries": [*state["queries"], *queries],
        "round": 2,
        "warnings": warnings,
    }


async def _planned(state: State, components: Components) -> tuple[list[str], list[Notice]]:
    topic = state["topic"]
    chunks = usable(state)
    if not chunks:  # there is nothing to plan by, and the sections are searched for on their own
        return [], []
    try:
        async with meter().in_time():
            asked = await components.writer_of("plan").outline(topic, chunks)
    except Exception as error:
        return [], [failure("plan", "the sections could not be planned, so that there is one", error)]
    headings = clean_headings(asked, topic)
    if headings:
        return headings, []
    message = "the plan has no section of prose, so that there is one"
    return [], [Notice(code="plan_empty", message=message, node="plan")]

"""Step 1 of writing: plans the sections of an article, and makes a query for each section."""

from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.records import Notice, Query
from rarr.records.citations import OutlineSection
from rarr.state import State, failure_notice, usable_evidence
from rarr.tools.models.run_budget import meter
from rarr.tools.text.section_headings import clean_headings

MAX_SECTIONS = 10
_SINGLE_HEADING = "Overview"  # the heading of the only section, if there is no plan


async def plan(state: State, runtime: Runtime[Components]) -> State:
    """Plans sections from the outline, or else from headings that a model proposes, each with a query.

    If there is no heading, the article has a single section. Warns if the model gave no heading.
    """
    topic, outline, asked = state["topic"], state.get("outline"), len(state["queries"])
    headings, warnings, chunks = list[str](), list[Notice](), usable_evidence(state)
    if outline is not None:
        headings = clean_headings(outline.splitlines(), topic)
    elif chunks:  # without passages, the writer cannot plan
        try:
            async with meter().in_time():
                planned = await runtime.context.writers["plan"].outline(topic, chunks)
            headings = clean_headings(planned, topic)
            if not headings:
                message = "the article has one section, since the plan has none of prose"
                warnings = [Notice(code="plan_empty", message=message, node="plan")]
        except Exception as error:
            warnings = [failure_notice("plan", "the article has one section, since no plan was made", error)]
    numbered = list(enumerate(headings[:MAX_SECTIONS] or [_SINGLE_HEADING], start=1))
    queries = [
        Query(id=f"q{asked + n}", text=f"{heading}, {topic}", start=0, end=0, round=2)
        for n, heading in numbered
    ]
    return {
        "sections": [OutlineSection(id=f"s{n}", heading=it, query_id=f"q{asked + n}") for n, it in numbered],
        "queries": [*state["queries"], *queries],
        "round": 2,
        "warnings": warnings,
    }

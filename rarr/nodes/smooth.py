"""Step 4 of writing: rewrites each section for fluency, and keeps its citations."""

import asyncio
from collections import Counter

from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.ledger.article_text import has_sentence
from rarr.records import Notice
from rarr.records.articles import SectionDraft
from rarr.state import State, failure
from rarr.tools.concurrency import work
from rarr.tools.models.run_budget import meter
from rarr.tools.text.citation_marks import numbered_marks


async def smooth(state: State, runtime: Runtime[Components]) -> State:
    """Asks the writer to rewrite each section, all at once.

    Does nothing unless the settings ask for it. A section stays as it was if the writer fails, or if the new
    text has no sentence, lacks a citation or has another one. The new text is checked like any other, because
    its citations are checked after this step.
    """
    if not runtime.context.settings.smooth:
        return {}
    drafts = list(state.get("drafts", {}).values())
    outcomes = await asyncio.gather(*(_smoothed(draft, state["topic"], runtime.context) for draft in drafts))
    return {
        "drafts": {outcome.section_id: outcome for outcome in outcomes if isinstance(outcome, SectionDraft)},
        "warnings": [outcome for outcome in outcomes if isinstance(outcome, Notice)],
    }


async def _smoothed(draft: SectionDraft, topic: str, components: Components) -> SectionDraft | Notice:
    kept = f"the section {draft.heading!r} stays as it was written"
    try:
        async with meter().in_time():
            text = await components.writer_of("smooth").smoothed(topic, draft.heading, draft.text)
    except Exception as error:
        return failure("smooth", kept, error)
    smoothed = draft.model_copy(update={"text": text})
    if not await work(has_sentence, smoothed):
        return _refused(f"{kept}: its smoothed text has no sentence")
    if await work(_labels, text) != await work(_labels, draft.text):
        return _refused(f"{kept}: its smoothed text has other citations")
    return smoothed


def _refused(message: str) -> Notice:
    return Notice(code="smooth_refused", message=message, node="smooth")


def _labels(text: str) -> Counter[int]:
    return Counter(number for _, numbers in numbered_marks(text) for number in numbers)

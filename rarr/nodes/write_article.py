"""Step 3 of writing without a plan: writes the whole article from the passages of the topic."""

from collections.abc import Iterable

from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.ledger.article_text import gap, has_sentence
from rarr.records import Notice
from rarr.records.articles import PlannedSection, SectionDraft
from rarr.state import State, usable
from rarr.tools.concurrency import work
from rarr.tools.models.run_budget import meter
from rarr.tools.text.section_headings import OVERVIEW, clean_heading, is_heading_of_list


async def write_article(state: State, runtime: Runtime[Components]) -> State:
    """Asks the writer for all sections at once.

    Sections of one heading become one, and lists, such as "References", are left out. Without passages, and
    if the writer has no section, there are none, and a warning says why.
    """
    chunks = usable(state)
    if not chunks:
        return _missing(state)
    most = runtime.context.settings.max_sections
    async with meter().in_time():
        written = await runtime.context.writer_of("write_section").article(state["topic"], chunks, most)
    names = tuple(chunk.id for chunk in chunks)
    drafts = [
        SectionDraft(section_id=f"s{n}", heading=heading, text=text, evidence_ids=names)
        for n, (heading, text) in enumerate(_joined(state["topic"], written)[:most], start=1)
    ]
    if not drafts:
        return _missing(state)
    return {
        "sections": [
            PlannedSection(id=draft.section_id, heading=draft.heading, query_id=state["queries"][0].id)
            for draft in drafts
        ],
        "drafts": {draft.section_id: draft for draft in drafts if await work(has_sentence, draft)},
    }


def _missing(state: State) -> State:
    _, reason = gap(state, state["queries"][0].id)
    notice = Notice(code="article_missing", message=f"the article is {reason}", node="write_article")
    return {"sections": [], "warnings": [notice]}


def _joined(topic: str, written: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Joins the texts of each heading, in the order of the headings.

    A text without a heading, or under the topic itself, belongs to the overview.
    """
    texts: dict[str, tuple[str, list[str]]] = {}
    for given, text in written:
        cleaned = clean_heading(given)
        heading = OVERVIEW if cleaned.casefold() in ("", topic.casefold()) else cleaned
        if not is_heading_of_list(heading):
            texts.setdefault(heading.casefold(), (heading, []))[1].append(text)
    return [(heading, "\n\n".join(dict.fromkeys(several))) for heading, several in texts.values()]

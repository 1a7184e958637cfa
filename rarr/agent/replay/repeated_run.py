"""Repeats a whole recorded run: a revision, or the writing of an article."""

from rarr.agent.revise import Reviser
from rarr.agent.writing.writer import Writer
from rarr.components import Components
from rarr.records import Revision
from rarr.traces.trace_reader import Trace


async def repeated(trace: Trace, reviser: Reviser, components: Components) -> Revision:
    """Runs the text or topic of the trace again; of an article, returns its research."""
    if not is_article(trace):
        return await reviser.arevise_from(trace.start(), trace.run_id)
    async with Writer(components=components) as writer:
        article = await writer.awrite_from(trace.start(), trace.run_id)
    return article.research


def is_article(trace: Trace) -> bool:
    """Did the run write an article?"""
    return any(span.name == "ask_topic" for span in trace.inner[0])

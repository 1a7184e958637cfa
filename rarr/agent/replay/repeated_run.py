"""Repeats a whole recorded run: a revision, the writing of an article, or an answer."""

from rarr.agent.answering.answer import Answerer
from rarr.agent.revise import Reviser
from rarr.agent.writing.writer import Writer
from rarr.components import Components
from rarr.records import Revision
from rarr.traces.trace_reader import Trace


async def repeated(trace: Trace, reviser: Reviser, components: Components) -> Revision:
    """Runs the text, topic or question of the trace again; of an article or answer, returns its research."""
    if is_answer(trace):
        async with Answerer(components=components) as answerer:
            return (await answerer.aanswer_from(trace.start(), trace.run_id)).research
    if not is_article(trace):
        return await reviser.arevise_from(trace.start(), trace.run_id)
    async with Writer(components=components) as writer:
        article = await writer.awrite_from(trace.start(), trace.run_id)
    return article.research


def is_answer(trace: Trace) -> bool:
    """Did the run answer a question?"""
    return any(span.name == "find_triples" for span in trace.inner[0])


def is_article(trace: Trace) -> bool:
    """Did the run write an article?"""
    return any(span.name == "ask_topic" for span in trace.inner[0])

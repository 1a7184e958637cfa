"""Step 6 of writing: finds, in the passages of a section, those nearest to a question about its sentence."""

from collections.abc import Iterator, Sequence

from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.records import Evidence, Query
from rarr.state import State, usable
from rarr.tools.concurrency.worker_threads import work
from rarr.tools.text.blocks_and_sentences import Span, split_sentences
from rarr.tools.text.closest_sentences import shared_words


async def reread(state: State, runtime: Runtime[Components]) -> State:
    """Adds to the evidence, for each query of this round, the nearest sentences of its section's passages.

    It searches nothing: the passages that the article was written from are at hand.
    """
    found = await work(_nearest_by_query, state, runtime.context.settings.window)
    return {"evidence": [*state["evidence"], *found]}


def _nearest_by_query(state: State, window: int) -> list[Evidence]:
    asked = [query for query in state["queries"] if query.round == state["round"]]
    return [
        nearest
        for query in asked
        if (nearest := _nearest(query, state["text"], _passages(query, state), window)) is not None
    ]


def _passages(query: Query, state: State) -> list[Evidence]:
    """Returns the passages of the section that the query asks about."""
    place = Span(query.start, query.end)
    sections = {
        sentence.section_id
        for sentence in state["sentences"]
        if Span(sentence.start, sentence.end).overlaps(place)
    }
    names = {name for section in sections for name in state["drafts"][section].evidence_ids}
    return [passage for passage in usable(state) if passage.id in names]


def _nearest(query: Query, text: str, passages: Sequence[Evidence], window: int) -> Evidence | None:
    """Returns the sentences that share most words with the question and its place; None: no word."""
    wanted = f"{query.text} {text[query.start : query.end]}"
    shares = [
        (shared_words(passage.text[span.start : span.end], wanted), passage, span)
        for passage in passages
        for span in _windows(passage.text, window)
    ]
    most, passage, span = max(shares, key=lambda share: share[0], default=(0, None, Span(0, 0)))
    if not most or passage is None:
        return None
    return passage.model_copy(
        update={
            "id": f"{query.id}.1",
            "query_id": query.id,
            "text": span.of(passage.text),
            "start": passage.start + span.start,
            "end": passage.start + span.end,
        }
    )


def _windows(text: str, size: int) -> Iterator[Span]:
    """Yields each run of `size` sentences; all sentences if there are fewer."""
    spans = split_sentences(text)
    for first in range(max(1, len(spans) - size + 1) if spans else 0):
        yield Span(spans[first].start, spans[min(first + size, len(spans)) - 1].end)

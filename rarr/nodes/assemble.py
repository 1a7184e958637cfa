"""Step 3 of writing: puts the sections together to one text, whose sentences are then read and edited."""

from collections.abc import Mapping, Sequence

from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.ledger.article_text import article_text
from rarr.records import Query
from rarr.state import State, kept_for, named
from rarr.tools.concurrency import work
from rarr.tools.text.blocks_and_sentences import Span


async def assemble(state: State, runtime: Runtime[Components]) -> State:
    """Makes the article the text, and keeps for each sentence the passages that its section is from."""
    article = await work(article_text, state)
    ids = {it.id: [found.id for found in kept_for(state, it.query_id)] for it in state.get("sections", [])}
    kept = {it.span: ids[it.section.id] for it in article.sentences}
    update = await work(to_read, state, article.text, state["topic"], kept)
    return {**update, "original": article.text}


def to_read(state: State, text: str, context: str | None, kept: Mapping[Span, Sequence[str]]) -> State:
    """Makes `text` the text of the run, with a query of each of its sentences that kept this evidence."""
    queries, number, by_query = list(state["queries"]), state.get("round", 1), dict(state.get("kept", {}))
    for span, ids in kept.items():
        name, place = named(state, "q", len(queries) + 1), span._asdict()
        queries.append(Query(id=name, text=span.of(text), searched=False, round=number, **place))
        by_query[name] = list(ids)
    return {"text": text, "context": context, "queries": queries, "kept": by_query}

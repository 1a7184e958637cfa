"""Step 3 of writing: joins the written sections to one text. Later steps check and edit this text."""

from collections.abc import Mapping, Sequence

from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.ledger.article_text import article_text
from rarr.records import Query
from rarr.state import State, kept_evidence, numbered_id
from rarr.tools.concurrency import work
from rarr.tools.text.blocks_and_sentences import Span


async def assemble(state: State, runtime: Runtime[Components]) -> State:
    """Joins the written sections to an article, which becomes the text to check.

    Each sentence gets the passages of its section as evidence.
    """
    article = await work(article_text, state)
    ids = {it.id: [kept.id for kept in kept_evidence(state, it.query_id)] for it in state.get("sections", [])}
    kept = {it.span: ids[it.section.id] for it in article.sentences}
    update = await work(text_update, state, article.text, state["topic"], kept)
    return {**update, "original": article.text}


def text_update(state: State, text: str, context: str | None, kept: Mapping[Span, Sequence[str]]) -> State:
    """Returns a state update: `text` is the text to check. `kept` has the evidence ids of each sentence."""
    queries, number, by_query = list(state["queries"]), state.get("round", 1), dict(state.get("kept", {}))
    for span, ids in kept.items():
        name, place = numbered_id(state, "q", len(queries) + 1), span._asdict()
        queries.append(Query(id=name, text=span.of(text), searched=False, round=number, **place))
        by_query[name] = list(ids)
    return {"text": text, "context": context, "queries": queries, "kept": by_query}

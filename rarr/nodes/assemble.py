"""Step 3 of writing: puts the sections together to one text, whose sentences are then read and edited."""

from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.ledger.article_text import article_text
from rarr.ledger.card_report import to_read
from rarr.state import State, kept_for
from rarr.tools.concurrency import work


async def assemble(state: State, runtime: Runtime[Components]) -> State:
    """Makes the article the text, and keeps for each sentence the passages that its section is from."""
    article = await work(article_text, state)
    ids = {it.id: [found.id for found in kept_for(state, it.query_id)] for it in state.get("sections", [])}
    kept = {it.span: ids[it.section.id] for it in article.sentences}
    update = await work(to_read, state, article.text, state["topic"], kept)
    return {**update, "original": article.text}

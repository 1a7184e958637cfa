"""Step 3: keep the J passages that are most relevant to the query, each place of a source once."""

from langgraph.runtime import Runtime

from rarr.agent.components import Components
from rarr.agent.state import Branch
from rarr.records import Evidence, Passage


async def rerank(state: Branch, runtime: Runtime[Components]) -> Branch:
    """Scores all passages at once. Ties keep the retriever's order."""
    query, passages = state["query"], state["passages"]
    scores = await runtime.context.reranker.score(query.text, passages) if passages else []
    ranked = sorted(zip(scores, passages, strict=True), key=lambda pair: -pair[0])
    kept: list[tuple[float, Passage]] = []
    for score, passage in ranked:
        if len(kept) == runtime.context.settings.evidence_per_query:
            break
        if score > 0 and not any(_same_place(passage, other) for _, other in kept):
            kept.append((score, passage))
    evidence = [
        Evidence(**passage.model_dump(), id=f"{query.id}.{rank}", query_id=query.id, relevance=score)
        for rank, (score, passage) in enumerate(kept, start=1)
    ]
    return {"evidence": evidence}


def _same_place(one: Passage, other: Passage) -> bool:
    """Windows overlap by design; the better-ranked one stands for its place."""
    overlap = one.source == other.source and one.start < other.end and other.start < one.end
    return overlap or one.text == other.text

"""One query to one row: search, split, summary, errors, and what the verifier says of both texts."""

from collections.abc import Sequence

from rarr.tools.models.meter import meter
from rarr.training.noising.judging import Judged, judged, moved, of_place
from rarr.training.noising.mistakes import fitting, kinds_for
from rarr.training.noising.relevance import Split, split
from rarr.training.noising.rows import Dropped, Mistake, Row, SentenceScore, corrupted
from rarr.training.noising.wiring import Noising


async def noised(query: str, parts: Noising, threshold: float) -> tuple[Row | Dropped, Split]:
    """The row of a query, or why it has none, and what was searched.

    Raises `RarrError` where something failed or a budget is spent: that says nothing of the query.
    """
    found = await _searched(query, parts, threshold)
    return await _written(query, found, parts), found


async def _searched(query: str, parts: Noising, threshold: float) -> Split:
    with meter().step("retrieve"):
        async with meter().in_time():
            passages = await parts.retriever.retrieve(query, parts.settings.documents_per_query)
    with meter().step("rerank"):
        async with meter().in_time():
            scores = await parts.reranker.score(query, passages) if passages else []
    return split(passages, scores, threshold)


async def _written(query: str, found: Split, parts: Noising) -> Row | Dropped:
    if not found.relevant:
        return Dropped(query=query, reason="no_evidence")
    with meter().step("summarize"):
        summary = await parts.noiser.summarize(query, found.relevant)
    if not summary:
        return Dropped(query=query, reason="no_summary")
    with meter().step("attribute"):
        before = await judged(parts.verifier, summary, query, found.relevant)
    supports = [one.support for one in before]
    if not before or None in supports:
        return Dropped(query=query, reason="unjudged", summary=summary)
    if min(score for score in supports if score is not None) < parts.settings.support_threshold:
        return Dropped(query=query, reason="unattributable", summary=summary)
    with meter().step("corrupt"):
        errors = await parts.noiser.corrupt(summary, kinds_for(query))
    edits = fitting(summary, [one.span for one in before], errors)
    if not edits:
        return Dropped(query=query, reason="no_error", summary=summary)
    return await _judged(query, summary, edits, before, found, parts)


async def _judged(
    query: str,
    summary: str,
    edits: tuple[Mistake, ...],
    before: Sequence[Judged],
    found: Split,
    parts: Noising,
) -> Row | Dropped:
    """The row, where every sentence that has an error is less supported than without it."""
    changed = corrupted(summary, edits)
    with meter().step("attribute"):
        after = await judged(parts.verifier, changed, query, found.relevant)
    scores = []
    for one in before:
        support = of_place(after, moved(one.span, edits))
        if support is None or one.support is None:
            return Dropped(query=query, reason="unjudged", summary=summary, corrupted=changed)
        has_error = any(one.span.start <= edit.start < one.span.end for edit in edits)
        if has_error and support >= one.support:
            return Dropped(query=query, reason="undetected", summary=summary, corrupted=changed)
        scores.append(
            SentenceScore(
                start=one.span.start,
                end=one.span.end,
                evidence_id=one.evidence_id,
                support=one.support,
                corrupted=support,
            )
        )
    return Row(
        query=query,
        summary=summary,
        corrupted=changed,
        edits=edits,
        relevant=tuple(found.relevant),
        others=tuple(found.others),
        scores=tuple(scores),
        model=parts.noiser.name,
        verifier=parts.verified_by,
        prompts=parts.noiser.hashes,
    )

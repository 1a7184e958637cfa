"""Makes one row from one query: search, split, summary, errors, and the verifier's scores of both texts."""

from collections.abc import Sequence

from rarr.tools.models.run_budget import meter
from rarr.training.noising.error_selection import fitting, kinds_for
from rarr.training.noising.relevant_and_other_passages import Split, split
from rarr.training.noising.row_files import Dropped, Mistake, SentenceScore, TrainingRow, corrupted
from rarr.training.noising.supporting_passages import SupportedSentence, judged, moved, of_place
from rarr.training.noising.wiring import Noising


async def noised(query: str, parts: Noising, threshold: float) -> tuple[TrainingRow | Dropped, Split]:
    """Makes the row of a query, or the reason why it has none. Also returns the split of its search.

    Raises `RarrError` if something failed or a budget is spent: that tells nothing about the query.
    """
    passages = await _searched(query, parts, threshold)
    return await _written(query, passages, parts), passages


async def _searched(query: str, parts: Noising, threshold: float) -> Split:
    with meter().step("retrieve"):
        async with meter().in_time():
            passages = await parts.retriever.retrieve(query, parts.settings.documents_per_query)
    with meter().step("rerank"):
        async with meter().in_time():
            scores = await parts.reranker.score(query, passages) if passages else []
    return split(passages, scores, threshold)


async def _written(query: str, passages: Split, parts: Noising) -> TrainingRow | Dropped:
    if not passages.relevant:
        return Dropped(query=query, reason="no_evidence")
    with meter().step("summarize"):
        summary = await parts.noiser.summarize(query, passages.relevant)
    if not summary:
        return Dropped(query=query, reason="no_summary")
    with meter().step("attribute"):
        before = await judged(parts.verifier, summary, query, passages.relevant)
    supports = [sentence.support for sentence in before]
    if not before or None in supports:
        return Dropped(query=query, reason="unjudged", summary=summary)
    if min(score for score in supports if score is not None) < parts.settings.support_threshold:
        return Dropped(query=query, reason="unattributable", summary=summary)
    with meter().step("corrupt"):
        errors = await parts.noiser.corrupt(summary, kinds_for(query))
    edits = fitting(summary, [sentence.span for sentence in before], errors)
    if not edits:
        return Dropped(query=query, reason="no_error", summary=summary)
    return await _judged(query, summary, edits, before, passages, parts)


async def _judged(
    query: str,
    summary: str,
    edits: tuple[Mistake, ...],
    before: Sequence[SupportedSentence],
    passages: Split,
    parts: Noising,
) -> TrainingRow | Dropped:
    """Makes the row if every sentence is judged, and each with an error is less supported than without it.

    Otherwise returns the query as dropped, with the reason.
    """
    changed = corrupted(summary, edits)
    with meter().step("attribute"):
        after = await judged(parts.verifier, changed, query, passages.relevant)
    scores = []
    for sentence in before:
        support = of_place(after, moved(sentence.span, edits))
        if support is None or sentence.support is None:
            return Dropped(query=query, reason="unjudged", summary=summary, corrupted=changed)
        has_error = any(sentence.span.start <= edit.start < sentence.span.end for edit in edits)
        if has_error and support >= sentence.support:
            return Dropped(query=query, reason="undetected", summary=summary, corrupted=changed)
        scores.append(
            SentenceScore(
                start=sentence.span.start,
                end=sentence.span.end,
                evidence_id=sentence.evidence_id,
                support=sentence.support,
                corrupted=support,
            )
        )
    return TrainingRow(
        query=query,
        summary=summary,
        corrupted=changed,
        edits=edits,
        relevant=tuple(passages.relevant),
        others=tuple(passages.others),
        scores=tuple(scores),
        model=parts.noiser.name,
        verifier=parts.verified_by,
        prompts=parts.noiser.hashes,
    )

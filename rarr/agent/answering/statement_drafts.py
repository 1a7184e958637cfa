"""Makes statements before they stand in an answer: gaps, and sentences that quote their sources."""

from collections.abc import Iterable, Sequence

from rarr.records.answers import StatementDraft


def gap_draft(text: str) -> StatementDraft:
    """Makes the statement that tells what the sources do not answer."""
    return StatementDraft(text=text, needs_support=True, is_gap=True)


def distinct_drafts(drafts: Sequence[StatementDraft]) -> list[StatementDraft]:
    """Joins statements of the same words: the first stays, and cites the sources of all."""
    by_text = dict[str, StatementDraft]()
    for draft in drafts:
        first = by_text.setdefault(draft.text, draft)
        citations = _joined([*first.citations, *draft.citations])
        by_text[draft.text] = first.model_copy(update={"citations": citations})
    return list(by_text.values())


def _joined(numbers: Iterable[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(numbers))

"""Cuts the block of a source, which a language model read, down to the sentences that have its answer."""

from collections.abc import Callable

from rarr.backends.rules.answer_grounding import is_stated
from rarr.backends.rules.ranking import overlap_scores
from rarr.records import Evidence, Query
from rarr.retrievers.corpus.chunking import windows

SENTENCES = 4
"""Sentences of the passage that is cut around an answer, as many as a passage of a corpus has by default."""


def answered_passage(block: Evidence, query: Query, answer: str) -> Evidence:
    """Cuts a block down to the four sentences in a row that have the answer and are most like the query.

    Returns the whole block if no sentences have the answer.
    """
    passage = passage_with(block, query, lambda words: is_stated(answer, words))
    return block if passage is None else passage


def passage_with(block: Evidence, query: Query, is_wanted: Callable[[str], bool]) -> Evidence | None:
    """Cuts a block down to four sentences in a row that `is_wanted` accepts, those most like the query.

    None if it accepts none.
    """
    passages = []
    for window in windows(block.text, window=SENTENCES, step=1):
        start, end = window.start, window.end
        if is_wanted(block.text[start:end]):
            place = {"start": block.start + start, "end": block.start + end}
            passages.append(block.model_copy(update={"text": block.text[start:end], **place}))
    if not passages:
        return None
    scores = overlap_scores(query.text, passages)
    return passages[scores.index(max(scores))]

"""Judges claims by evidence that is too long for a model: the sentences that matter most are judged together.

This is stretching of sentence-pair models (Schuster et al. 2022, "Stretching Sentence-pair NLI Models to
Reason over Long Documents and Clusters"), as ExpertQA's AutoAIS does it for evidence above 512 tokens
(Malaviya et al. 2023; stretch_nli_rerank in autoais.py of chaitanyamalaviya/ExpertQA). Each sentence is
judged alone, then the best two sentences of each ranking are judged together. ExpertQA ranks by support and
by its opposite, and joins by rank. Here the caller names the rankings, and sentences stay in the order of the
evidence.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from rarr.tools.text.blocks_and_sentences import split_sentences

KEPT = 2
"""The number of sentences that each ranking selects (Malaviya et al. 2023)."""
_LEAST = 8  # tokens of evidence beside a claim; with less room there is nothing to judge

Judged = TypeVar("Judged")


class Pair(NamedTuple):
    """The text of an evidence, and the claim that is judged by it."""

    evidence: str
    claim: str


Judge = Callable[[Sequence[Pair]], Sequence[Judged]]
Size = Callable[[Pair], int]


def stretches(
    pairs: Sequence[Pair],
    judge: Judge[Judged],
    size: Size,
    limit: int,
    rankings: Sequence[Callable[[Judged], float]],
) -> list[Judged | None]:
    """Judges each pair with `judge`, which never gets a pair whose `size` is above `limit`.

    `judge` is called at most twice: with all pairs that fit and the sentences of the others, then with the
    best sentences of the others, joined. In each of `rankings`, higher is better. The result is None for a
    pair whose claim leaves no room for evidence.
    """
    parts = [[pair] if size(pair) <= limit else _parts(pair, size, limit, len(rankings)) for pair in pairs]
    judged = iter(judge([part for some in parts for part in some]))
    first = [[(part, next(judged)) for part in some] for some in parts]
    joined = {
        index: Pair(_best(some, rankings), pairs[index].claim)
        for index, some in enumerate(first)
        if len(some) > 1
    }
    again = dict(zip(joined, judge([*joined.values()]) if joined else (), strict=True))
    return [again.get(index, some[0][1] if some else None) for index, some in enumerate(first)]


def _parts(pair: Pair, size: Size, limit: int, rankings: int) -> list[Pair]:
    """Splits the evidence into pieces so short that the best pieces fit together; [] if there is no room."""
    room = limit - size(Pair("", pair.claim))
    most = room // (KEPT * rankings) - 1  # one token less, because joined words may split into other tokens
    if most < _LEAST:
        return []
    empty = limit - room
    texts = [span.of(pair.evidence) for span in split_sentences(pair.evidence, tables="rows")]
    return [
        Pair(piece, pair.claim)
        for text in texts or [pair.evidence]
        for piece in _pieces(text, lambda piece: size(Pair(piece, pair.claim)) - empty <= most)
        if piece
    ]


def _pieces(text: str, fits: Callable[[str], bool]) -> Iterator[str]:
    """Halves the text, between words where possible, until each piece fits."""
    if len(text) < 2 or fits(text):
        yield text
        return
    middle = text.rfind(" ", 1, len(text) // 2 + 1)
    middle = middle if middle > 0 else len(text) // 2
    for half in (text[:middle], text[middle:]):
        yield from _pieces(half.strip(), fits)


def _best(judged: Sequence[tuple[Pair, Judged]], rankings: Sequence[Callable[[Judged], float]]) -> str:
    """Joins the evidence of the best pairs of each ranking, in text order; of equals, the earlier wins."""
    kept = {
        index
        for ranking in rankings
        for index in sorted(range(len(judged)), key=lambda index: -ranking(judged[index][1]))[:KEPT]
    }
    return " ".join(judged[index][0].evidence for index in sorted(kept))

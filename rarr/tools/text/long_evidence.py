"""Evidence that is too long for a model: the sentences that bear most on a claim, judged together.

Stretching of sentence-pair models (Schuster et al. 2022, "Stretching Sentence-pair NLI Models to Reason over
Long Documents and Clusters"), as ExpertQA's AutoAIS does it for evidence above 512 tokens (Malaviya et al.
2023; stretch_nli_rerank in autoais.py of chaitanyamalaviya/ExpertQA): each sentence is judged alone, the best
two of each ranking are judged joined. ExpertQA ranks by support and by its opposite, and joins by rank; here
the caller names the rankings, and sentences stay in the order of the evidence.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from rarr.tools.text.document import split_sentences

KEPT = 2
"""Sentences that each ranking keeps (Malaviya et al. 2023)."""
_LEAST = 8  # tokens of evidence beside a claim, below which there is nothing to judge

Judged = TypeVar("Judged")


class Pair(NamedTuple):
    """An evidence and the claim that is judged by it."""

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
    """What `judge` says of each pair, of which it never sees one whose `size` is above `limit`.

    `judge` is called at most twice: with all that fit and all sentences of the others, then with what was
    kept of these. Higher is better in each of `rankings`. None for a claim beside which no evidence fits.
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
    """Its evidence in pieces so short that all that may be kept of them fit together."""
    room = limit - size(Pair("", pair.claim))
    most = room // (KEPT * rankings) - 1  # one token, because words may split otherwise when they are joined
    if most < _LEAST:
        return []
    empty = limit - room
    texts = [span.of(pair.evidence) for span in split_sentences(pair.evidence, tables="rows")]
    return [
        Pair(piece, pair.claim)
        for text in texts or [pair.evidence]
        for piece in _pieces(text, lambda one: size(Pair(one, pair.claim)) - empty <= most)
        if piece
    ]


def _pieces(text: str, fits: Callable[[str], bool]) -> Iterator[str]:
    """Halves of halves, between words where there are any, until each fits."""
    if len(text) < 2 or fits(text):
        yield text
        return
    middle = text.rfind(" ", 1, len(text) // 2 + 1)
    middle = middle if middle > 0 else len(text) // 2
    for half in (text[:middle], text[middle:]):
        yield from _pieces(half.strip(), fits)


def _best(judged: Sequence[tuple[Pair, Judged]], rankings: Sequence[Callable[[Judged], float]]) -> str:
    """The evidence of the best of each ranking; of equals, the earlier."""
    kept = {
        index
        for ranking in rankings
        for index in sorted(range(len(judged)), key=lambda one: -ranking(judged[one][1]))[:KEPT]
    }
    return " ".join(judged[index][0].evidence for index in sorted(kept))

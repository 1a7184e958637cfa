"""Finds what a question asks for in its own words: "the mass and the shoe size of X", "X's mass"."""

import re
from collections.abc import Iterator, Sequence

from rarr.tools.text.blocks_and_sentences import Span

_ITEM = (
    r"(?!(?:who|what|which|when|where|why|how|and|or|the)\b)[\w'’-]+(?:\s+(?!and\b|or\b|the\b)[\w'’-]+){0,4}?"
)
_LIST = rf"(?:the\s+)?{_ITEM}(?:(?:\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+)(?:the\s+)?{_ITEM})*"
_BEFORE = re.compile(
    rf"(?:\b(?:what|which|who)\s+(?:is|are|was|were)|\b(?:tell|give|show)\s+me)\s+(?P<list>{_LIST})"
    r"\s+of\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_AFTER = re.compile(rf"['’]s?\s+(?P<list>{_LIST})\s*(?=[?.;]|$)", re.IGNORECASE)
_ASKS = re.compile(
    r"\b(?:(?:what|which|who)\s+(?:is|are|was|were)|(?:tell|give|show)\s+me)\s+(?:the\s+)?$", re.IGNORECASE
)
_SEPARATOR = re.compile(r"\s*,\s*(?:and\s+|or\s+)?(?:the\s+)?|\s+(?:and|or)\s+(?:the\s+)?", re.IGNORECASE)
_ARTICLE = re.compile(r"the\s+", re.IGNORECASE)


def asked_phrases(question: str, name: Span) -> list[Span]:
    """Returns the places of the nouns that the question asks for of the entity whose name stands at `name`.

    Only lists of nouns: "what is the mass and shoe size of NAME", "what is NAME's mass". Other questions
    give none.
    """
    before = _BEFORE.search(question, 0, name.start)
    if before is not None:
        return list(_items(question, Span(*before.span("list"))))
    after = _AFTER.match(question, name.end)
    if after is not None and _ASKS.search(question, 0, name.start):
        return list(_items(question, Span(*after.span("list"))))
    return []


def _items(question: str, listed: Span) -> Iterator[Span]:
    starts: Sequence[int] = [listed.start]
    stops: Sequence[int] = []
    for match in _SEPARATOR.finditer(question, listed.start, listed.end):
        starts, stops = [*starts, match.end()], [*stops, match.start()]
    for start, stop in zip(starts, [*stops, listed.end], strict=True):
        article = _ARTICLE.match(question, start, stop)
        begin = article.end() if article else start
        if begin < stop:
            yield Span(begin, stop)

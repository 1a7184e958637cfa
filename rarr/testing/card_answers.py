"""Answers the prompts of cards without a model, by the embedded reader of near quotations."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from rarr.backends.embedded.near_quotes import near_quote_cards
from rarr.components import Excerpt, Piece, RawCard, ReadingBlock, SourceLine

_LINE = re.compile(r"^\((P\d+\.\d+)\) (.*)$", re.MULTILINE)
_SENTENCE = re.compile(r"\[S(\d+)\] (.*?)(?=\[S\d+\] |\n|\Z)", re.DOTALL)
_EXCERPT = re.compile(r"^P\d+: (.*)$", re.MULTILINE)


def read_cards(variables: Mapping[str, str]) -> dict[str, Any]:
    """Fills a card for each marked sentence, as the prompt of cards asks."""
    pieces = tuple(Piece(words.strip(), int(number)) for number, words in sentences_in(variables))
    excerpts = tuple(_excerpts(variables["sources"]))
    block = ReadingBlock(variables["context"], variables["before"], pieces, excerpts)
    cards = near_quote_cards(block).items()
    return {
        "cards": [
            {"s": number, "q": list(card.quotes), "v": card.verdict, **_more(card)} for number, card in cards
        ]
    }


def _more(card: RawCard) -> dict[str, Any]:
    if card.verdict in ("none", "yes"):
        return {}
    if card.verdict == "open":
        return {"open": list(card.open)}
    edits = [edit._asdict() for edit in card.edits]
    return {"x": list(card.against), "open": [], "edits": edits}


def _excerpts(sources: str) -> Iterator[Excerpt]:
    """Yields the excerpts that a request shows."""
    for part in re.split(r"^(?=P\d+: )", sources, flags=re.MULTILINE):
        title = _EXCERPT.match(part)
        lines = [SourceLine(label, words, "", 0, len(words)) for label, words in _LINE.findall(part)]
        if lines:
            yield Excerpt("", title[1] if title else "", "", tuple(lines))


def confirm_cards(variables: Mapping[str, str]) -> dict[str, Any]:
    """Answers whether each marked sentence follows, as the prompt of doubts asks."""
    cards = read_cards(variables)["cards"]
    return {
        "cards": [
            {"s": it["s"], "q": it.get("q", []), "v": "open" if it["v"] == "none" else it["v"]}
            for it in cards
        ]
    }


def sentences_in(variables: Mapping[str, str]) -> list[tuple[str, str]]:
    """Finds the marked sentences of a request, with their numbers."""
    return _SENTENCE.findall(variables["text"])

"""Answers the prompts of cards without a model, by the embedded reader of near quotations."""

import re
from collections.abc import Mapping
from typing import Any

from rarr.backends.embedded.near_quotes import card_of, lines_of
from rarr.components import Excerpt, RawCard, SourceLine

_LINE = re.compile(r"^\((P\d+\.\d+)\) (.*)$", re.MULTILINE)
_SENTENCE = re.compile(r"\[S(\d+)\] (.*?)(?=\[S\d+\] |\n|\Z)", re.DOTALL)
_EXCERPT = re.compile(r"^P\d+: (.*)$", re.MULTILINE)


def read_cards(variables: Mapping[str, str]) -> dict[str, Any]:
    """Fills a card for each marked sentence, as the prompt of cards asks."""
    lines = [line for part in _parts(variables["sources"]) for line in lines_of(part)]
    above, cards = f"{variables['context']}\n{variables['before']}", []
    for number, words in sentences_in(variables):
        card = card_of(words.strip(), above, lines)
        above += f"\n{words}"
        cards.append({"s": int(number), "q": list(card.quotes), "v": card.verdict, **_more(card)})
    return {"cards": cards}


def _more(card: RawCard) -> dict[str, Any]:
    if card.verdict in ("none", "yes"):
        return {}
    if card.verdict == "open":
        return {"open": list(card.open)}
    edits = [edit._asdict() for edit in card.edits]
    return {"x": list(card.against), "open": [], "edits": edits}


def _parts(sources: str) -> list[Excerpt]:
    """Reads the excerpts that a request shows."""
    parts = []
    for part in re.split(r"^(?=P\d+: )", sources, flags=re.MULTILINE):
        title = _EXCERPT.match(part)
        lines = [SourceLine(label, words, "", 0, len(words)) for label, words in _LINE.findall(part)]
        if lines:
            parts.append(Excerpt("", title[1] if title else "", "", tuple(lines)))
    return parts


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

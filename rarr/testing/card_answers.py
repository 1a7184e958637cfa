"""Stands in for a language model that reads cards: the embedded reader of near quotations."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rarr import prompts
from rarr.components import Excerpt, Piece, RawCard, ReadingBlock, SourceLine
from rarr.testing.scripted_model import Asked, UnansweredError

_LINE = re.compile(r"^\((P\d+\.\d+)\) (.*)$", re.MULTILINE)
_SENTENCE = re.compile(r"\[S(\d+)\] (.*?)(?=\[S\d+\] |\n|\Z)", re.DOTALL)
_EXCERPT = re.compile(r"^P\d+: (.*)$", re.MULTILINE)


def read_cards(variables: Mapping[str, str]) -> dict[str, Any]:
    """Fills a card for each marked sentence, as the prompt of cards asks."""
    from rarr.backends.embedded.near_quotes import near_quote_cards  # it takes a while to load

    pieces = tuple(Piece(words.strip(), int(number)) for number, words in sentences_in(variables))
    excerpts = tuple(_excerpts(variables["sources"]))
    read = near_quote_cards(ReadingBlock(variables["context"], variables["before"], pieces, excerpts))
    cards = ({"s": n, "q": [*card.quotes], "v": card.verdict} | _more(card) for n, card in read.items())
    return {"cards": [*cards]}


def _more(card: RawCard) -> dict[str, Any]:
    if card.verdict in ("none", "yes"):
        return {}
    if card.verdict == "open":
        return {"open": list(card.open)}
    edits = [edit._asdict() for edit in card.edits]
    return {"x": list(card.against), "open": [], "edits": edits}


def _excerpts(sources: str) -> Iterator[Excerpt]:
    for part in re.split(r"^(?=P\d+: )", sources, flags=re.MULTILINE):
        title = _EXCERPT.match(part)
        lines = [SourceLine(label, words, "", 0, len(words)) for label, words in _LINE.findall(part)]
        if lines:
            yield Excerpt("", title[1] if title else "", "", tuple(lines))


def confirm_cards(variables: Mapping[str, str]) -> dict[str, Any]:
    """Answers whether each marked sentence follows, as the prompt of doubts asks."""
    verdicts = {"none": "open"}
    cards = read_cards(variables)["cards"]
    return {"cards": [{"s": it["s"], "q": it["q"], "v": verdicts.get(it["v"], it["v"])} for it in cards]}


def sentences_in(variables: Mapping[str, str]) -> list[tuple[str, str]]:
    """Finds the marked sentences of a request, with their numbers."""
    return _SENTENCE.findall(variables["text"])


ANSWERS: dict[str, Callable[[Mapping[str, str]], dict[str, Any]]] = {
    "check_agreement": read_cards,
    "check_agreement_doubt": confirm_cards,
    "target_queries": lambda variables: {"questions": []},
}
"""By prompt: what `RuleModel` answers, from the variables of the prompt."""


class RuleModel:
    """A script for a `ScriptedServer` or `ScriptedModel`, to try `rarr` without a language model.

        with ScriptedServer(RuleModel()) as server: ...

    It reads the user message with the package's own prompt file. A passage decides about a sentence that it
    nearly repeats. It reads cards, and asks no further questions; `ANSWERS` takes functions for more prompts.
    Raises `UnansweredError` for others, and for messages in another form.
    """

    def __call__(self, asked: Asked) -> str:
        """Answers a request, as JSON in the prompt's schema."""
        name = asked.prompt or "a request without the name of a prompt"
        if (answer := ANSWERS.get(name)) is None:
            raise UnansweredError(f"RuleModel only reads cards, and has no answer to {name}: name a model")
        # All user messages, because the last may be the complaint about an unreadable answer.
        users = (message.content for message in asked.messages if message.role == "user")
        variables = next(filter(None, map(prompts.load(name).parse, users)), None)
        if variables is None:
            raise UnansweredError(f"this message cannot be read: it does not have the form of {name}.md")
        return json.dumps(answer(variables), ensure_ascii=False)

"""A stand-in for a language model. It fills cards with the embedded reader (`NearQuoteReader`).

A card is the judgement of one sentence: a verdict, quotes of passages, and edits.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rarr import prompts
from rarr.backends.prompted.prompts import NOTHING
from rarr.components import BlockPiece, Excerpt, RawCard, ReadingBlock, SourceLine
from rarr.testing.scripted_model import Asked, UnansweredError

_LINE = re.compile(r"^\((P\d+\.\d+)\) (.*)$", re.MULTILINE)
_SENTENCE = re.compile(r"\[S(\d+)\] (.*?)(?=\[S\d+\] |\n|\Z)", re.DOTALL)
_EXCERPT_TITLE = re.compile(r"^P\d+: (.*)$", re.MULTILINE)


def answer_card_prompt(variables: Mapping[str, str]) -> dict[str, Any]:
    """Answers the prompt `check_agreement`. Returns a card for each marked sentence, as JSON values."""
    from rarr.backends.embedded.near_quote_reader import near_quote_cards  # takes a while to load

    excerpts, cards = tuple(_excerpts(variables["sources"])), list[dict[str, Any]]()
    question, before = (variables[it].replace(NOTHING, "") for it in ("context", "before"))
    for paragraph in variables["text"].split("\n\n"):  # a planted error has its own paragraph and subject
        found = _SENTENCE.findall(paragraph)
        pieces = tuple(BlockPiece(words.strip(), int(number)) for number, words in found)
        read = near_quote_cards(ReadingBlock(question, before, pieces, excerpts), names_contradict=True)
        cards += ({"s": n, "q": [*it.quotes], "v": it.verdict} | _other_fields(it) for n, it in read.items())
    return {"cards": cards}


def _other_fields(card: RawCard) -> dict[str, Any]:
    if card.verdict in ("none", "yes", "open"):
        return {"open": list(card.open)} if card.open else {}
    return {"x": list(card.against), "open": [], "edits": [edit._asdict() for edit in card.edits]}


def _excerpts(sources: str) -> Iterator[Excerpt]:
    for part in re.split(r"^(?=P\d+: )", sources, flags=re.MULTILINE):
        title = _EXCERPT_TITLE.match(part)
        lines = [SourceLine(label, words, "", 0, len(words)) for label, words in _LINE.findall(part)]
        if lines:
            yield Excerpt("", title[1] if title else "", "", tuple(lines))


def answer_doubt_prompt(variables: Mapping[str, str]) -> dict[str, Any]:
    """Answers the prompt `check_agreement_doubt`. Returns a verdict and quotes for each marked sentence."""
    cards = ((it["s"], it["q"], it["v"]) for it in answer_card_prompt(variables)["cards"])
    return {"cards": [{"s": s, "q": q, "v": "open" if v == "none" else v} for s, q, v in cards]}


def numbered_sentences(variables: Mapping[str, str]) -> list[tuple[str, str]]:
    """Returns pairs (number, sentence) of the sentences marked with [S1], [S2] in the variable `text`."""
    return _SENTENCE.findall(variables["text"])


ANSWERS: dict[str, Callable[[Mapping[str, str]], dict[str, Any]]] = {
    "check_agreement": answer_card_prompt,
    "check_agreement_doubt": answer_doubt_prompt,
    "target_queries": lambda variables: {"questions": []},
}
"""The functions of `RuleModel`, by the name of a prompt. A function gets the variables of the prompt."""


class RuleModel:
    """A script for a `ScriptedServer` or `ScriptedModel` that fills cards without a language model.

        with ScriptedServer(RuleModel()) as server: ...

    A sentence is supported or contradicted only if it nearly repeats a passage. The model asks no questions.
    Tests may add functions for other prompts to `ANSWERS`. Raises `UnansweredError` if a prompt has no
    function, or if a message was not made from a prompt of the package.
    """

    def __call__(self, asked: Asked) -> str:
        """Returns the answer to a request, as JSON in the schema of the prompt."""
        name = asked.prompt or "a request without the name of a prompt"
        if (answer := ANSWERS.get(name)) is None:
            raise UnansweredError(f"RuleModel only reads cards, and has no answer to {name}: name a model")
        # The last user message may be a complaint about an unreadable answer, so all of them are tried.
        users = (message.content for message in asked.messages if message.role == "user")
        variables = next(filter(None, map(prompts.load(name).variables_in, users)), None)
        if variables is None:
            raise UnansweredError(f"the message does not have the form of {name}.md: send a rendered prompt")
        return json.dumps(answer(variables), ensure_ascii=False)

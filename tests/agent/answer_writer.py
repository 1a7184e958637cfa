"""A model that writes given statements, and reads them as cards by the reader of near quotations."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from rarr import prompts
from rarr.testing import Asked, RuleModel, ScriptedModel
from rarr.testing.card_answers import numbered_sentences


def writer(
    *statements: dict[str, Any] | str, cards: Mapping[str, Mapping[str, Any]] | None = None
) -> ScriptedModel:
    """A model for answers; a statement that is a text cites nothing, and a citation may be a source's text.

    `cards` has verdicts for sentences in place of those of the reader; "by" is the line that a card quotes.
    """
    given = [{"text": it} if isinstance(it, str) else it for it in statements]

    def reply(asked: Asked) -> Any:
        if asked.prompt != "answer_with_citations":
            return read(asked, (cards or {}).get)
        listed = {text: int(n) for n, text in re.findall(r"^\[(\d+)\] (.*)$", asked.user, re.MULTILINE)}
        cited = [[listed.get(name, name) for name in it.get("citations", ())] for it in given]
        return {"statements": [{**it, "citations": names} for it, names in zip(given, cited, strict=True)]}

    return ScriptedModel(reply)


def read(asked: Asked, own: Callable[[str], Mapping[str, Any] | None] = lambda words: None) -> str:
    """Answers as `RuleModel` does, but with the card that `own` gives for the words of a sentence, if any."""
    answered = json.loads(RuleModel()(asked))
    if "cards" not in answered:
        return json.dumps(answered)
    variables = prompts.load(str(asked.prompt)).variables_in(asked.user) or {}
    filled = {card["s"]: card for card in answered["cards"]}
    for number, words in numbered_sentences(variables):
        if (card := own(words.strip())) is not None:
            labels = re.findall(rf"\((P[\d.]+)\) {re.escape(card.get('by', '-'))}", variables["sources"])
            filled[int(number)] = {"s": int(number), "q": labels, **card}
    return json.dumps({"cards": list(filled.values())})

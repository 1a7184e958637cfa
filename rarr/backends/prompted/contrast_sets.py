"""Lets a model choose, in a source, between a sentence and contrasts to it.

A model that sees one sentence and a source tends to say that the source supports it. So the model first
writes contrasts, without the source: the sentence with "not", with other roles, or with another order
(contrast sets, Gardner et al. 2020). Then it chooses one of them all, or none, by the source, and is not told
which is the text's. It chooses twice, in another order, and only the same choice counts.
"""

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from hashlib import sha256
from typing import Literal, NamedTuple, Protocol

from pydantic import BaseModel

from rarr.backends.prompted.answer_token_limits import of_copied
from rarr.backends.prompted.passage_surroundings import BlockFinder
from rarr.backends.prompted.prompt_text_selection import NOTHING, quoted_evidence
from rarr.backends.prompted.prompts import Prompts
from rarr.records import Agreement, Evidence, Query
from rarr.tools.concurrency.worker_threads import work
from rarr.tools.models.language_model import LanguageModel

MOST_CONTRASTS = 3
"""Contrasts of a sentence, at most."""
_LETTERS = "ABCD"
_TOKEN = re.compile(r"\s+|[^\W_]+(?:[.,:'’-][^\W_]+)*|.", re.DOTALL)
_NUMBER = re.compile(r"\d+")


class ContrastsAnswer(BaseModel):
    """The model's answer to `write_contrasts`."""

    contrasts: list[str]


class ChoiceAnswer(BaseModel):
    """The model's answer to `choose_statement`: a letter or "none", and the words that decide."""

    quote: str = ""
    answer: Literal["A", "B", "C", "D", "none"]


class Choice(NamedTuple):
    """The statement that a model chose, and the words of the source that it quotes."""

    statement: str
    quote: str


class StatementComparison(Protocol):
    """The rules that find the sentence of a query, and compare the chosen statement with it."""

    def asked_sentence(self, text: str, context: str | None, query: Query) -> tuple[str, str] | None:
        """Returns the words before the sentence that a query asks about as a whole, and the sentence."""

    def chosen_agreement(
        self,
        text: str,
        context: str | None,
        query: Query,
        block: Evidence,
        quote: str,
        replaced: tuple[str, str] | None,
    ) -> Agreement | None:
        """Returns the agreement by a chosen statement; None if the block does not have the quote.

        `replaced` are the words of the sentence that the statement replaces, and those in their place; None
        for the sentence itself.
        """


class ContrastChecker:
    """Checks whole sentences by a language model's choice among each and its contrasts."""

    def __init__(
        self,
        model: LanguageModel,
        prompts: Prompts,
        *,
        surroundings: BlockFinder,
        comparison: StatementComparison,
    ) -> None:
        self._model, self._prompts = model, prompts
        self._surroundings, self._comparison = surroundings, comparison

    async def check(
        self, text: str, context: str | None, query: Query, evidence: Evidence
    ) -> Agreement | None:
        """Checks the sentence that `query` asks about as a whole; None if the model makes no sure choice.

        Raises `ModelError` for an answer that cannot be parsed.
        """
        shown = await work(self._comparison.asked_sentence, text, context, query)
        if shown is None:
            return None
        before, sentence = shown[0], " ".join(shown[1].split())  # as the contrasts are shown
        contrasts = await self._contrasts(before, sentence)
        if not contrasts:
            return None
        block = await self._surroundings.block(evidence)
        choice = await self._sure_choice(before, [sentence, *contrasts], block)
        if choice is None:
            return None
        replaced = replaced_words(sentence, choice.statement)
        return await work(
            self._comparison.chosen_agreement, text, context, query, block, choice.quote, replaced
        )

    async def _contrasts(self, before: str, sentence: str) -> list[str]:
        """Lets the model write contrasts, and selects those without a new number that keep most words."""
        variables = {"before": before or NOTHING, "sentence": sentence}
        written = await self._model.ask(self._prompts["write_contrasts"], ContrastsAnswer, variables)
        known = {*_NUMBER.findall(sentence)}
        lines = {_words(line): line for line in (" ".join(line.split()) for line in written.contrasts)}
        contrasts = [
            line
            for line in lines.values()
            if {*_NUMBER.findall(line)} <= known and replaced_words(sentence, line) is not None
        ]
        return contrasts[:MOST_CONTRASTS]

    async def _sure_choice(self, before: str, statements: Sequence[str], block: Evidence) -> Choice | None:
        """Returns the statement that the model chooses in two orders; None if it chooses none, or two."""
        # Sorted by hash: the order hides which is the text's, and is the same in every run.
        ordered = sorted(statements, key=lambda line: sha256(line.encode()).digest())
        first = await self._choice(before, ordered, block)
        if first is None:
            return None
        second = await self._choice(before, [*ordered[1:], ordered[0]], block)
        return first if second is not None and second.statement == first.statement else None

    async def _choice(self, before: str, statements: Sequence[str], block: Evidence) -> Choice | None:
        source = quoted_evidence(block)
        prompt = of_copied(self._prompts["choose_statement"], source)
        lettered = (f"{letter}. {line}" for letter, line in zip(_LETTERS, statements, strict=False))
        variables = {"evidence": source, "before": before or NOTHING, "statements": "\n".join(lettered)}
        answered = await self._model.ask(prompt, ChoiceAnswer, variables)
        number = _LETTERS.find(answered.answer)
        if not 0 <= number < len(statements):
            return None
        return Choice(statements[number], prompt.quoted(source).original(answered.quote).strip())


def replaced_words(sentence: str, statement: str) -> tuple[str, str] | None:
    """Returns the words of a sentence that a statement replaces, and those in their place.

    Both are as few as possible, and at least one; those of the sentence stand in it once. None if both have
    the same words, or if the statement lacks half of the words of the sentence.
    """
    had, has = _words(sentence), _words(statement)
    if had == has or 2 * (Counter(had) & Counter(has)).total() <= len(had):
        return None
    old, new = (_TOKEN.findall(line) for line in (sentence, statement))
    changes = [
        change
        for change in SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes()
        if change[0] != "equal"
    ]
    start, end, new_start, new_end = changes[0][1], changes[-1][2], changes[0][3], changes[-1][4]
    while True:
        words, others = "".join(old[start:end]), "".join(new[new_start:new_end])
        if others.strip() and _stands_once(words, sentence):
            break
        if start > 0:
            start, new_start = start - 1, new_start - 1
        elif end < len(old):
            end, new_end = end + 1, new_end + 1
        else:
            return None
    if words[-1].isspace() and others[-1] == words[-1]:
        words, others = words[:-1], others[:-1]
    return words, others


def _words(text: str) -> tuple[str, ...]:
    return tuple(token.casefold().replace("’", "'") for token in _TOKEN.findall(text) if token[0].isalnum())


def _stands_once(words: str, sentence: str) -> bool:
    pattern = rf"(?<!\w){re.escape(words.strip())}(?!\w)"
    return bool(words.strip()) and len(re.findall(pattern, sentence, re.IGNORECASE)) == 1

"""Reads the action between two parties of a sentence: "Elm sold", "was beaten by Hay"."""

import re
from typing import NamedTuple

from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.values import Value, value_extent
from rarr.backends.rules.words import folded_text
from rarr.tools.text.blocks_and_sentences import Span

CLAUSE_END = re.compile(r"[,;:()]\s|\s(?:and|but|or|while|whereas|versus|against|than)\s", re.IGNORECASE)
_PASSIVE = re.compile(r"\b(?:is|are|was|were|be|been|being)\s+(?:\w+ly\s+)?\w+\s+by\s", re.IGNORECASE)
# "The mill was sold to Hay" names nobody who acts.
_WITHOUT_AGENT = re.compile(
    r"\b(?:is|are|was|were|be|been|being)\s+(?:\w+ly\s+)?\w+\s+(?:to|from|for)\s", re.IGNORECASE
)
# For these verbs and prepositions, both parties have the same role.
MUTUAL = re.compile(
    r"\b(?:marri|marry|met\b|meet|join|border|equal|adjoin|resembl|merg|twin|share|alongside|beside|near)",
    re.IGNORECASE,
)
_LONGEST_VERB = 4
"""The most words between two parties of an action, as in "was narrowly defeated by"."""


class Action(NamedTuple):
    """An action between two parties. `does`: the first party acts."""

    word: str
    stem: str
    does: bool


def action_between(part: ParsedSentence, party: Value, partner: Value) -> Action | None:
    """Reads the only content word between the parties as an action; None for several, or if it is mutual."""
    first, second = sorted((party, partner), key=lambda value: value.start)
    between = Span(value_extent(first).end, second.start)
    words = [word for word in part.words if between.start <= word.start and word.end <= between.end]
    content = [word for word in words if word.stem and not folded_text(word.text).endswith("ly")]
    phrase = between.of(part.text)
    if len(content) != 1 or len(words) > _LONGEST_VERB or MUTUAL.search(phrase) or CLAUSE_END.search(phrase):
        return None
    if _WITHOUT_AGENT.search(f" {phrase} "):
        return None
    passive = bool(_PASSIVE.search(f" {phrase} "))
    return Action(content[0].text, content[0].stem, (party is first) != passive)

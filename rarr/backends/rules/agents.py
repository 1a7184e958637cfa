"""Compares who acts: "Elm bought the mill" is not told by "Hay bought the mill from Elm"."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.values import Value, value_extent
from rarr.backends.rules.words import Token
from rarr.tools.text.span import Span

_BETWEEN = {
    "has", "have", "had", "will", "would", "shall", "should", "may", "might", "can", "could", "must", "did",
    "do", "does", "also", "then", "later", "soon", "now", "first", "once", "never", "always", "only", "still",
    "not", "both", "all", "again", "already", "even", "just",
}  # fmt: skip
"""Words between an agent and its verb. Adverbs in "-ly" are others."""
_BEHIND_HEAD = re.compile(r"\b(?:of|in|at|on|for|with|to|from|near|by)\s+(?:(?:the|an?)\s+)?$", re.IGNORECASE)
_WHO = {"who", "which", "that"}
_PRONOUNS = {"he", "she", "it", "they", "him", "them", "i", "we", "you", "us", "me"}
_BY_AGENT = re.compile(r"\s+by\s+(?:(?:the|an?|his|her|its|their)\s+)?", re.IGNORECASE)
_PASSIVE = {"is", "are", "was", "were", "be", "been", "being"}
_AGENT_WORDS = 3
"""The most words behind "by" that name the agent, as in "by the court of Elm"."""


class _Act(NamedTuple):
    """A verb with the place of its agent; None where the agent is not named, as in "it was sold"."""

    verb: Token
    agent: Span | None


def act_of_other_agent(claim: ParsedSentence, evidence: Sequence[ParsedSentence]) -> Span | None:
    """Returns the name of the claim that acts, if somebody else does so in all sentences of the act.

    A sentence tells of the same act if it has the verb and another word of the claim besides the agent. None
    if one of them has the same agent or does not tell who acts.
    """
    for verb, agent in _named_acts(claim):
        named = _stems(claim, agent)
        others = {word.stem for word in claim.content} - named - {verb.stem} - _amounts(claim)
        agents = [
            act.agent and _stems(part, act.agent)
            for part in evidence
            if others & {word.stem for word in part.content}
            for act in _acts(part, verb.stem)
        ]
        if agents and all(told and named.isdisjoint(told) for told in agents):
            return agent
    return None


def _named_acts(claim: ParsedSentence) -> Iterator[tuple[Token, Span]]:
    names = [value_extent(value) for value in claim.values if value.kind == "name"]
    taken = [value_extent(value) for value in claim.values if value.kind != "term"]
    for word in claim.content:
        if any(place.start <= word.start < place.end for place in taken):
            continue
        for _, agent in _acts(claim, word.stem):
            if agent is not None and agent in names:
                yield word, agent


def _acts(part: ParsedSentence, stem: str) -> Iterator[_Act]:
    """Yields the words with a stem that have an agent before them, or "by" and an agent behind them."""
    for number, word in enumerate(part.words):
        if word.stem != stem:
            continue
        if by := _BY_AGENT.match(part.text, word.end):
            yield _Act(word, _agent_behind(part, by.end()))
        elif act := _active_act(part, number):
            yield act


def _agent_behind(part: ParsedSentence, start: int) -> Span | None:
    if name := next((value for value in part.values if value.kind == "name" and value.start == start), None):
        return value_extent(name)
    words = [word for word in part.words if word.start >= start][: 2 * _AGENT_WORDS]
    named = [word for word in words if word.stem][:_AGENT_WORDS]
    if not named or words[0].text.lower() in _PRONOUNS:
        return None
    return Span(named[0].start, named[-1].end)


def _active_act(part: ParsedSentence, number: int) -> _Act | None:
    """Reads the agent before a word; None if the word is no verb, as behind "the"."""
    word, before = part.words[number], number - 1
    while before >= 0 and _is_between(part.words[before].text.lower()):
        before -= 1
    if before < 0 or number - before > _AGENT_WORDS or _is_apart(part, before, number):
        return None
    last = part.words[before]
    if last.text.lower() in _WHO and before > 0:
        last = part.words[before - 1]
    elif last.text.lower() in {*_PASSIVE, *_PRONOUNS}:
        return _Act(word, None)
    if not last.stem:
        return None
    name = next((value for value in part.values if value.kind == "name" and _holds(value, last)), None)
    agent = value_extent(name) if name else Span(last.start, last.end)
    # In "the valve of the mill opened" the head stands before.
    return _Act(word, None if _BEHIND_HEAD.search(part.text[: agent.start]) else agent)


def _is_between(word: str) -> bool:
    return word in _BETWEEN or word.endswith("ly")


def _is_apart(part: ParsedSentence, before: int, number: int) -> bool:
    """Does a mark such as a comma stand between the two words?"""
    words = part.words[before : number + 1]
    gaps = (part.text[one.end : other.start] for one, other in pairwise(words))
    return any(gap.strip("*_ \n") for gap in gaps)


def _holds(value: Value, word: Token) -> bool:
    place = value_extent(value)
    return place.start <= word.start < place.end


def _stems(part: ParsedSentence, place: Span) -> set[str]:
    return {word.stem for word in part.content if place.start <= word.start < place.end}


def _amounts(part: ParsedSentence) -> set[str]:
    """Returns the stems of the words in numbers and dates."""
    places = (value_extent(value) for value in part.values if value.kind in ("number", "date"))
    return {stem for place in places for stem in _stems(part, place)}

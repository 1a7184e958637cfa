"""Compares who acts: "Elm bought the mill" is not told by "Hay bought the mill from Elm"."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from rarr.backends.rules.name_matching import same_name
from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.values import Value, value_extent
from rarr.backends.rules.words import Token
from rarr.tools.text.span import Span

_BETWEEN = {
    "has", "have", "had", "will", "would", "shall", "should", "may", "might", "can", "could", "must", "did",
    "do", "does", "also", "then", "later", "soon", "now", "first", "once", "never", "always", "only", "still",
    "not", "both", "all", "again", "already", "even", "just", "since",
}  # fmt: skip
"""Words between an agent and its verb. Adverbs in "-ly" are others."""
_MOST_BETWEEN = 2
_WHO = {"who", "which", "that"}
_PRONOUNS = {"he", "she", "it", "they", "him", "them", "i", "we", "you", "us", "me"}
_FORMS_OF_BE = {"is", "are", "was", "were", "be", "been", "being"}
_BY = re.compile(r"(?:\s+(?:in|on|at|to|for|from)\s+\w+(?:\s+\w+)?){0,2}\s+by\s+", re.IGNORECASE)
_PHRASE_END = re.compile(r"[,;:.()]|\s(?:in|on|at|for|to|from|with|but|who|which|that|while|after|before)\s")
_BEHIND_HEAD = re.compile(r"\b(?:of|in|at|on|for|with|to|from|near|by)\s+(?:(?:the|an?)\s+)?$", re.IGNORECASE)
_BEHIND_ARTICLE = re.compile(r"\b(?:the|an?)\s+$", re.IGNORECASE)
_JOINED = re.compile(r"\s*(?:,|,?\s+and)\s+")


class _Act(NamedTuple):
    """A verb, and the names or the noun of those who act; no agents where these are not named."""

    verb: Token
    agents: tuple[Span, ...]


def name_of_other_agent(claim: ParsedSentence, evidence: Sequence[ParsedSentence]) -> Span | None:
    """Returns the name of the claim that acts, if somebody else does so in all sentences of the act.

    A sentence tells of the same act if it has the verb and half of the claim's words besides the agent.
    Returns None if one of them has the same agent or does not name who acts. A common noun, such as "the
    company", may be the claim's name, unless that stands behind the verb.
    """
    for verb, agent in _named_acts(claim):
        name = agent.of(claim.text)
        known = {word.stem for word in claim.content if agent.start <= word.start < agent.end}
        others = {word.stem for word in claim.content} - known - {verb.stem} - _amounts(claim)
        acts = [
            (part, act)
            for part in evidence
            if 2 * len(others & {word.stem for word in part.content}) >= max(1, len(others))
            for act in _acts(part, verb.stem)
        ]
        if acts and all(_is_other(part, act, name) for part, act in acts):
            return agent
    return None


def _is_other(part: ParsedSentence, act: _Act, name: str) -> bool:
    """Does the sentence name agents of the act, and not `name` among them?"""
    agents = [agent.of(part.text) for agent in act.agents]
    if not agents or any(same_name(name, agent) for agent in agents):
        return False
    behind = [value for value in part.values if value.kind == "name" and value.start > act.verb.end]
    has_other_role = any(same_name(name, part.text[value.start : value.end]) for value in behind)
    return has_other_role or any(agent[:1].isupper() for agent in agents)


def _named_acts(claim: ParsedSentence) -> Iterator[tuple[Token, Span]]:
    """Yields each verb of the claim with a name that acts. "The Elm bridge" may be a bridge of that name."""
    names = [value_extent(value) for value in claim.values if value.kind == "name"]
    taken = [value_extent(value) for value in claim.values if value.kind != "term"]
    for word in claim.content:
        if any(place.start <= word.start < place.end for place in taken):
            continue
        for act in _acts(claim, word.stem):
            for agent in act.agents:
                if agent in names and not _BEHIND_ARTICLE.search(claim.text[: agent.start]):
                    yield word, agent


def _acts(part: ParsedSentence, stem: str) -> Iterator[_Act]:
    """Yields the acts whose verb has the stem, with the agents before it, or behind its "by"."""
    for number, word in enumerate(part.words):
        if word.stem != stem:
            continue
        if by := _BY.match(part.text, word.end):
            yield _Act(word, _names_behind(part, by.end()))
        elif act := _active_act(part, number):
            yield act


def _names_behind(part: ParsedSentence, start: int) -> tuple[Span, ...]:
    """Returns the names in the phrase behind "by": in "by his niece Ida Holm in 1950", Ida Holm."""
    end = _PHRASE_END.search(part.text, start)
    phrase = Span(start, end.start() if end else len(part.text))
    words = [word.text.lower() for word in part.words if phrase.start <= word.start < phrase.end]
    names = [value_extent(value) for value in part.values if value.kind == "name" and value.start >= start]
    if not names or names[0].start >= phrase.end or not _PRONOUNS.isdisjoint(words[:1]):
        return ()
    last = 1
    while last < len(names) and _JOINED.fullmatch(part.text, names[last - 1].end, names[last].start):
        last += 1
    return tuple(names[:last])


def _active_act(part: ParsedSentence, number: int) -> _Act | None:
    """Reads the agents before a word; None if the word is no verb, as behind "the"."""
    word, before = part.words[number], number - 1
    while before >= 0 and _is_between(part.words[before].text.lower()):
        before -= 1
    if before < 0 or number - before > 1 + _MOST_BETWEEN or _is_apart(part, before, number):
        return None
    last = part.words[before]
    if last.text.lower() in _WHO and before > 0:
        last = part.words[before - 1]
    elif last.text.lower() in {*_FORMS_OF_BE, *_PRONOUNS}:
        return _Act(word, ())
    if not last.stem:
        return None
    name = next((value for value in part.values if value.kind == "name" and _holds(value, last)), None)
    agent = value_extent(name) if name else Span(last.start, last.end)
    # In "the valve of the mill opened" the head stands before.
    return _Act(word, () if _BEHIND_HEAD.search(part.text[: agent.start]) else _joined(part, agent))


def _joined(part: ParsedSentence, agent: Span) -> tuple[Span, ...]:
    """Returns the agent with the names that are joined to it before: "Lind, Orm and Berg founded"."""
    agents = [agent]
    names = [value_extent(value) for value in part.values if value.kind == "name"]
    for name in reversed(names):
        if name.end <= agents[0].start and _JOINED.fullmatch(part.text, name.end, agents[0].start):
            agents.insert(0, name)
    return tuple(agents)


def _is_between(word: str) -> bool:
    return word in _BETWEEN or word.endswith("ly")


def _is_apart(part: ParsedSentence, before: int, number: int) -> bool:
    """Does a mark such as a comma stand between the two words?"""
    words = part.words[before : number + 1]
    return any(part.text[one.end : other.start].strip("*_ \n") for one, other in pairwise(words))


def _holds(value: Value, word: Token) -> bool:
    place = value_extent(value)
    return place.start <= word.start < place.end


def _amounts(part: ParsedSentence) -> set[str]:
    """Returns the stems of the words in numbers and dates."""
    places = [value_extent(value) for value in part.values if value.kind in ("number", "date")]
    return {
        word.stem for word in part.content if any(place.start <= word.start < place.end for place in places)
    }

"""Compares who acts on whom where one of two sentences is in the passive: "Elm was beaten by Hay"."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.words import Token
from rarr.tools.text.span import Span

# "was narrowly beaten by": the verb in the passive. "Was sold to" names who got it, and not who sold it.
_PASSIVE = re.compile(
    r"\b(?:is|are|was|were|be|been|being)\s+(?:(?:\w+ly|later|then|also|first|soon)\s+)?"
    r"(?P<verb>\w+)\s+(?P<before>by|to|from|for)\s",
    re.IGNORECASE,
)

_PASSIVE_WORDS = {"is", "are", "was", "were", "by", "the", "a", "an"}
_Sides = tuple[frozenset[str], frozenset[str]]

_BY = re.compile(r"\s+by\s", re.IGNORECASE)


class _PassiveVerb(NamedTuple):
    """A verb in the passive; `place` reaches from its "was" to its "by", or "to", "from" or "for"."""

    verb: Token
    place: Span
    has_agent: bool


def keeps_order_in_passive(passive: ParsedSentence, active: ParsedSentence) -> bool:
    """Does one sentence have the other's verb in the passive, with the same words before and behind it?

    "Elm was beaten by Hay" and "Elm beat Hay" give the two each other's role.
    """
    return any(
        before & other_before and behind & other_behind
        for (before, behind), (other_before, other_behind) in _same_acts(passive, active)
    )


def tells_the_same_in_passive(passive: ParsedSentence, active: ParsedSentence) -> bool:
    """Does one sentence tell the other's act in the passive, and nothing else?

    "Hay was beaten by Elm" tells "Elm beat Hay".
    """
    return _other_words(passive) == _other_words(active) and any(
        before & other_behind and behind & other_before
        for (before, behind), (other_before, other_behind) in _same_acts(passive, active)
    )


def _other_words(part: ParsedSentence) -> list[str]:
    """Returns the words that a change to the passive does not bring: stems, and words such as "may"."""
    words = [word.stem or word.text.lower() for word in part.words]
    return sorted(word for word in words if word not in _PASSIVE_WORDS)


def _same_acts(passive: ParsedSentence, active: ParsedSentence) -> Iterator[tuple[_Sides, _Sides]]:
    """Yields the words before and behind each verb with an agent, and those around the other's same verb."""
    for verb, place, has_agent in _passive_verbs(passive):
        acting = _active_verb(active, verb) if has_agent else None
        if acting is not None:
            yield (
                (_nearest(passive, place.start, before=True), _nearest(passive, place.end, before=False)),
                (_nearest(active, acting.start, before=True), _nearest(active, acting.end, before=False)),
            )


def verb_with_other_agent(claim: ParsedSentence, evidence: Sequence[ParsedSentence]) -> Span | None:
    """Returns the verb of the claim, in the active, whose agent is another one in all sentences of the act.

    "Hay dismissed the claim" is not told by "the claim of Hay was dismissed by the court", and "Hay sold the
    mill" not by "the mill was sold to Hay". None if a sentence has the claim's words in its order, or does
    not name the agent.
    """
    if any(has_words_in_order(claim, part) for part in evidence):
        return None
    return next(filter(None, (_passive_act(claim, part) for part in evidence)), None)


def has_words_in_order(claim: ParsedSentence, evidence: ParsedSentence) -> bool:
    """Has the sentence of the evidence all words of the claim with meaning, in their order?"""
    stems = iter([word.stem for word in evidence.content])
    return all(word.stem in stems for word in claim.content)


def _passive_act(claim: ParsedSentence, evidence: ParsedSentence) -> Span | None:
    """Returns a verb of the claim that the evidence has in the passive, done by somebody else."""
    for verb, place, has_agent in _passive_verbs(evidence):
        acting = _active_verb(claim, verb)
        if acting is None:
            continue
        agent, acted_on = _words_around(claim, acting)
        other_acted_on, other_agent = _words_around(evidence, place)
        if not has_agent:
            is_other = not agent.isdisjoint(_nearest(evidence, place.end, before=False))
        else:
            is_other = bool(agent and other_agent) and agent.isdisjoint(other_agent)
        if is_other and acted_on & other_acted_on:
            return Span(acting.start, acting.end)
    return None


def _words_around(part: ParsedSentence, verb: Token | Span) -> tuple[set[str], set[str]]:
    """Returns the stems of the words before the verb, and of those behind it."""
    before = {word.stem for word in part.content if word.end <= verb.start}
    return before, {word.stem for word in part.content if word.start >= verb.end}


def _passive_verbs(part: ParsedSentence) -> Iterator[_PassiveVerb]:
    for match in _PASSIVE.finditer(part.text):
        place = Span(*match.span("verb"))  # with the underscores of emphasis
        verb = next((word for word in part.words if place.start <= word.start < place.end), None)
        if verb is not None and verb.stem:
            yield _PassiveVerb(verb, Span(*match.span()), match["before"].lower() == "by")


def _active_verb(part: ParsedSentence, verb: Token) -> Token | None:
    """Returns the word with the stem of a verb; None if the sentence has it in the passive too."""
    is_passive = any(other.text.lower() == verb.text.lower() for other, _, _ in _passive_verbs(part))
    same = (word for word in part.content if word.stem == verb.stem and not _BY.match(part.text, word.end))
    return None if is_passive else next(same, None)  # "the mill built by Hay" is no act of the mill


def _nearest(part: ParsedSentence, place: int, *, before: bool) -> frozenset[str]:
    """Returns the stem of the nearest content word before or behind a place, without adverbs.

    Behind "the borrower" in "the borrower, Tomas Lind", also that of the name.
    """
    words = [word for word in part.content if not word.text.endswith("ly")]
    if before:
        return frozenset(word.stem for word in [word for word in words if word.end <= place][-1:])
    first, second = ([word for word in words if word.start >= place] + [None, None])[:2]
    near = [first] if first else []
    if first and second and second.text[:1].isupper() and part.text[first.end : second.start] == ", ":
        near.append(second)
    return frozenset(word.stem for word in near)

"""Compares the events that two clauses tell, such as "opened" and "closed", and words such as "former"."""

from itertools import pairwise

from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.values import Value
from rarr.backends.rules.words import stem

# One event a line. A clause that tells only one of two events says nothing about the other event.
_EVENTS = """
plan planned propose proposed
begin start found establish
complete completed finish
open opened inaugurate
close closed demolish demolished dissolve dissolved abolish abolished
born
die
marry
divorce divorced
join joined enter entered
leave left depart departed quit resign resigned retire retired
win
lose
buy
sell
import imported imports
export exported exports
publish release
elect
appoint
dismiss dismissed fired
arrive arrived
increase rise grow
decrease fall drop decline
""".strip()
_EVENT = {stem(word): number for number, line in enumerate(_EVENTS.splitlines()) for word in line.split()}
_AGAIN = (
    "increase rise grow decrease fall drop win lose play export import earn sell produce host visit report"
)
# Events that may happen in several years, so that two years do not contradict each other.
_RECURRING = {stem(word) for word in _AGAIN.split()}
_ALTERING = """
former formerly deputy vice acting interim assistant honorary founding alleged almost planned proposed
"""
_QUALIFIERS = set(_ALTERING.split())
_NEGATIONS = {"not", "never"}
_AUXILIARIES = {
    "is",
    "was",
    "are",
    "were",
    "do",
    "does",
    "did",
    "has",
    "had",
    "have",
    "will",
    "would",
    "can",
    "could",
}


def is_another_event(claim: ParsedSentence, value: Value, evidence: ParsedSentence, other: Value) -> bool:
    """Do the clauses of the two values tell different events, or have different words such as "former"?

    Also if only one of the two clauses denies its verb.
    """
    claim_words, evidence_words = _clause(claim, value), _clause(evidence, other)
    events, evidence_events = _events(claim_words), _events(evidence_words)
    if events and evidence_events and events.isdisjoint(evidence_events):
        return True
    if _QUALIFIERS & claim_words != _QUALIFIERS & evidence_words:
        return True
    return _is_denied(claim, value) != _is_denied(evidence, other)


def is_recurring(claim: ParsedSentence, value: Value) -> bool:
    """Is the event of the value's clause one that may happen in any year?"""
    return any(stem(word) in _RECURRING for word in _clause(claim, value))


def _is_denied(part: ParsedSentence, value: Value) -> bool:
    """Is the verb of the value's clause denied? "Named after A, not after B" does not deny A."""
    words = [w.text.lower() for w in part.words if part.clause(w.start) == part.clause(value.start)]
    return any(word in _AUXILIARIES and next_word in _NEGATIONS for word, next_word in pairwise(words))


def _clause(part: ParsedSentence, value: Value) -> set[str]:
    """Returns the words of the value's clause, in lower case, without those of the value."""
    number = part.clause(value.start)
    return {
        word.text.lower()
        for word in part.words
        if part.clause(word.start) == number and not value.start <= word.start < value.end
    }


def _events(words: set[str]) -> set[int]:
    return {_EVENT[stem(word)] for word in words if stem(word) in _EVENT}

"""Clauses that tell of another event, or of it with another qualifier, are no answer."""

import pytest

from rarr.backends.rules.event_comparison import is_another_event, is_recurring
from rarr.backends.rules.parsed_sentence import ParsedSentence, parsed_sentence
from rarr.backends.rules.values import Value


def value(part: ParsedSentence, words: str) -> Value:
    return next(v for v in part.values if part.text[v.start : v.end] == words)


@pytest.mark.parametrize(
    ("claim", "claim_value", "evidence", "evidence_value"),
    [
        (
            "Orla Quist left the institute in 1940.",
            "1940",
            "Orla Quist joined the institute in 1931.",
            "1931",
        ),
        ("Anders Holm lost the cup in 2001.", "2001", "Anders Holm won the cup in 1999.", "1999"),
        ("The dam was planned in 1928.", "1928", "The dam opened in 1936.", "1936"),
        (
            "The former mayor is Karl Stenman.",
            "Karl Stenman",
            "The mayor is Oskar Lindqvist.",
            "Oskar Lindqvist",
        ),
        ("The bridge is not 412 metres long.", "412", "The bridge is 400 metres long.", "400"),
    ],
)
def test_clauses_about_different_events(
    claim: str, claim_value: str, evidence: str, evidence_value: str
) -> None:
    first, second = parsed_sentence(claim), parsed_sentence(evidence)
    assert is_another_event(first, value(first, claim_value), second, value(second, evidence_value))


@pytest.mark.parametrize(
    ("claim", "claim_value", "evidence", "evidence_value"),
    [
        ("The bridge opened in 1936.", "1936", "The bridge was opened in 1937.", "1937"),
        (
            "He named it after Ruby Hill, not after a stone.",
            "Ruby Hill",
            "He named it after Ruby Lane.",
            "Ruby Lane",
        ),
        ("The bridge is 412 metres long.", "412", "It opened in 1937 and is 400 metres long.", "400"),
    ],
)
def test_clauses_about_the_same_event(
    claim: str, claim_value: str, evidence: str, evidence_value: str
) -> None:
    first, second = parsed_sentence(claim), parsed_sentence(evidence)
    assert not is_another_event(first, value(first, claim_value), second, value(second, evidence_value))


@pytest.mark.parametrize(
    ("claim", "again"), [("Exports grew in 2019.", True), ("It was founded in 2019.", False)]
)
def test_event_that_may_recur(claim: str, again: bool) -> None:
    part = parsed_sentence(claim)
    assert is_recurring(part, value(part, "2019")) == again

"""A bound in the evidence is no value: it corrects nothing that the text states exactly."""

import pytest
from makers import evidence

from rarr.backends.rules.agreement import query_agreement
from rarr.backends.rules.questions import value_questions
from rarr.records import Query


def verdict(text: str, passage: str, value: str) -> str:
    (question,) = [
        candidate
        for candidate in value_questions(text, None)
        if text[candidate.start : candidate.end] == value
    ]
    return query_agreement(text, None, Query(id="q1", **question.model_dump()), evidence(passage)).verdict


BOUNDS = [
    ("was completed in 1958", "1958", "was completed before 1961"),
    ("was completed in 1958", "1958", "was completed prior to 1961"),
    ("was closed in 1989", "1989", "was closed after 1988"),
    ("was begun in 1900", "1900", "was begun by 1902"),
    ("was burned in 1943", "1943", "was burned no later than 1934"),
    ("was opened in 1901", "1901", "was opened not earlier than 1899"),
    ("was sold on 2 May 1990", "2 May 1990", "was sold before 3 May 1990"),
    ("was built in 1712", "1712", "was built before the end of 1715"),
    ("has 80 cranes", "80", "has at most 90 cranes"),
    ("uses 40 pumps", "40", "uses a minimum of 35 pumps"),
    ("had 18 boilers", "18", "had up to 16 boilers"),
    ("holds 300 boats", "300", "holds more than 250 boats"),
    ("holds 300 boats", "300", "holds 350 boats or fewer"),
    ("works at 20 °C", "20", "works at between 5 and 35 °C"),
    ("works at 40 °C", "40", "works at 5 to 35 °C"),
    ("works at 40 °C", "40", "works at 5–35 °C"),
    ("works at 40 °C", "40", "works at 5-35 °C"),
    ("takes 38 minutes", "38", "takes five to ten minutes"),
]


@pytest.mark.parametrize(("claim", "value", "fact"), BOUNDS)
def test_bound_contradicts_no_exact_value(claim: str, value: str, fact: str) -> None:
    assert verdict(f"The Grenna Dam {claim}.", f"The Grenna Dam {fact}.", value) != "disagrees"


@pytest.mark.parametrize(
    ("claim", "value", "fact"),
    [
        ("was completed in 1958", "1958", "was completed in 1961"),
        ("has 80 cranes", "80", "has 90 cranes"),
        ("fell to 40 metres", "40", "fell from 90 metres to 60 metres"),
    ],
)
def test_value_without_a_bound_is_compared(claim: str, value: str, fact: str) -> None:
    assert verdict(f"The Grenna Dam {claim}.", f"The Grenna Dam {fact}.", value) == "disagrees"

"""Random edits over random evidence: the gate accepts none after which the text gives another answer.

Whether an edit is right is told here without the code of the package: by a few lines of arithmetic for
measures, and by the words themselves for dates, names and directions.
"""

import asyncio
import re
from typing import NamedTuple

import pytest
from hypothesis import Phase, given, settings, strategies as st

from ledger.test_edit_gate import refusal

METRES = {"metres": 1.0, "kilometres": 1000.0, "feet": 0.3048, "miles": 1609.344}
MONTHS = ("January", "March", "April", "June", "August", "October")
PEOPLE = ("Anna Reed", "Ida Lunde", "Tom Holt", "Piet Brandl", "Mara Koss")
WAYS = ("north", "south", "east", "west")
NOISE = (
    "not", "never", "hardly", "about", "over", "at least", "almost", "perhaps", "or so", "unsafe", "closed",
    "evil.example", "and", "former", "without", "nearly", "up to", "formerly", "except", "per year", "each",
)  # fmt: skip


class Case(NamedTuple):
    """A sentence that says `wrong`, evidence that says `right` there and `other` elsewhere."""

    kind: str
    text: str
    says: str
    wrong: str
    right: str
    other: str


amounts = st.integers(min_value=11, max_value=9_899)


@st.composite
def measures(draw: st.DrawFn) -> Case:
    unit = draw(st.sampled_from(sorted(METRES)))
    wrong, right, other = draw(st.lists(amounts, min_size=3, max_size=3, unique=True))
    return Case(
        "measure",
        f"The Vell Tunnel is {wrong} {unit} long and was dug by hand.",
        f"The Vell Tunnel, dug by hand, is {right} {unit} long. The Oslen Tunnel is {other} {unit} long.",
        *(f"{amount} {unit}" for amount in (wrong, right, other)),
    )


@st.composite
def dates(draw: st.DrawFn) -> Case:
    days = st.tuples(st.integers(1, 28), st.sampled_from(MONTHS), st.integers(1600, 2020))
    wrong, right, other = (
        f"{day} {month} {year}"
        for day, month, year in draw(st.lists(days, min_size=3, max_size=3, unique=True))
    )
    return Case(
        "words",
        f"The Vell Tunnel was opened on {wrong} by the mayor.",
        f"The mayor opened the Vell Tunnel on {right}. It was never closed, except on {other}.",
        *(wrong, right, other),
    )


@st.composite
def people(draw: st.DrawFn) -> Case:
    wrong, right, other = draw(st.permutations(PEOPLE))[:3]
    return Case(
        "words",
        f"The old tunnel of Vell was designed by {wrong} for a mill.",
        f"The old tunnel of Vell was designed by {right} for a mill. It was not painted by {other}.",
        *(wrong, right, other),
    )


@st.composite
def ways(draw: st.DrawFn) -> Case:
    wrong, right, other = draw(st.permutations(WAYS))[:3]
    return Case(
        "words",
        f"The mill lies to the {wrong} of the tunnel.",
        f"The mill lies to the {right} of the tunnel, and to the {other} of a closed quarry.",
        *(wrong, right, other),
    )


cases = st.one_of(measures(), dates(), people(), ways())


@st.composite
def edits(draw: st.DrawFn, case: Case) -> str:
    """What an editor might write: near the right answer, from the evidence, or anything."""
    words = case.says.replace(".", "").replace(",", "").split()
    digit = st.sampled_from("0123456789.-,% ")
    place = st.integers(0, len(case.right))
    at = draw(place)
    made: st.SearchStrategy[str] = st.one_of(
        st.just(case.right),
        st.just(case.other),
        st.builds(lambda c: case.right[:at] + c + case.right[at:], digit),
        st.just(case.right[:at] + case.right[at + 1 :]),
        st.builds(lambda n: f"{n} {case.right}", st.sampled_from(NOISE)),
        st.builds(lambda n: f"{case.right} {n}", st.sampled_from(NOISE)),
        st.builds(lambda n, u: f"{n} {u}", amounts, st.sampled_from(sorted(METRES))),
        st.builds(lambda u: f"{case.right.split()[0]} {u}", st.sampled_from(sorted(METRES))),
        st.lists(st.sampled_from(words), max_size=5).map(" ".join),
        st.sampled_from((f"{case.wrong} or {case.right}", f"{case.right}, not {case.wrong},", case.wrong)),
        st.text(max_size=12),
    )
    return draw(made)


def is_right(case: Case, new: str) -> bool:
    """Does `new` say what the evidence says?"""
    new = " ".join(new.casefold().split()).strip(".,'’–- ")
    if case.kind == "words":
        new = re.sub(r"\b0(?=\d)", "", new)  # "01 January" is the first of January
        return _words(new) in (
            _words(case.right),
            _words(re.sub(r"^(\d+) (\w+) (\d+)$", r"\2 \1 \3", case.right)),
        )
    measure = re.fullmatch(r"(?:a |an |the )?(\d+(?:\.0*)?)[ -](\w+)", new.replace(",", ""))
    plural = {"metre": "metres", "kilometre": "kilometres", "mile": "miles", "foot": "feet"}
    written = plural.get(measure[2], measure[2]) if measure else ""
    if measure is None or written not in METRES:
        return False
    wanted, unit = case.right.split()
    if written == unit:
        return float(measure[1]) == float(wanted)
    length, wanted_length = float(measure[1]) * METRES[written], float(wanted) * METRES[unit]
    return abs(length - wanted_length) <= 0.06 * wanted_length  # another unit may be rounded


def _words(answer: str) -> list[str]:
    """Its words without a leading article, months by their first three letters."""
    words = re.findall(r"\w+", re.sub(r"^(a|an|the) ", "", answer.casefold()))
    return [word[:3] if word.capitalize() in MONTHS else word for word in words]


# CI fails for what changed alone. To explain a failure, hypothesis would read files on the event loop.
fixed = settings(deadline=None, derandomize=True, phases=set(Phase) - {Phase.explain})


@given(st.data())
@settings(fixed, max_examples=100)
def test_gate_accepts_no_edit_whose_answer_is_not_the_evidences(data: st.DataObject) -> None:
    assert_sound(data)


@pytest.mark.slow
@given(st.data())
@settings(fixed, max_examples=3000)
def test_gate_accepts_no_wrong_edit_of_many(data: st.DataObject) -> None:
    assert_sound(data)


def assert_sound(data: st.DataObject) -> None:
    case = data.draw(cases)
    new = data.draw(edits(case))
    refused = asyncio.run(
        refusal(case.wrong, new, text=case.text, says=case.says, claim=case.wrong, answer=case.right)
    )
    assert refused or is_right(case, new)


@pytest.mark.slow
@given(cases)
@settings(fixed, max_examples=60)
def test_gate_accepts_the_evidences_own_words(case: Case) -> None:
    made = refusal(
        case.wrong, case.right, text=case.text, says=case.says, claim=case.wrong, answer=case.right
    )
    assert asyncio.run(made) == ""

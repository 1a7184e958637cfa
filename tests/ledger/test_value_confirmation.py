"""A value confirms another value only if it says as much."""

import pytest

from rarr.backends.rules.counterparts import parsed_passage
from rarr.backends.rules.parsed_sentence import parsed_sentence
from rarr.backends.rules.values import checkable_values
from rarr.ledger.value_confirmation import (
    confirms_value,
    confirms_values,
    is_another_kind,
    is_direction_reversed,
)


def confirmed(claim: str, passage: str) -> bool:
    claim_values, passage_values = (
        [value for value in checkable_values(text) if value.kind != "term"] for text in (claim, passage)
    )
    return confirms_value(passage_values[0], claim_values[0], parsed_passage(passage, ""))


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("1937", "27 May 1937"),
        ("the 1930s", "1936"),
        ("about 3,000 people", "2,987 people"),
        ("221 metres", "726 feet"),
        ("two dozen", "24"),
        ("J. R. Ashdown", "John Robert Ashdown"),
        ("Crowe", "Frank Crowe"),
    ],
)
def test_passage_that_says_as_much_confirms(claim: str, passage: str) -> None:
    assert confirmed(claim, passage)


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("27 May 1937", "1937"),
        ("5 mg", "5 mg/kg"),
        ("1936", "the 1930s"),
        ("2,987 people", "about 3,000 people"),
        ("at least 30 people", "at least 20 people"),
        ("Joe Saunders House", "Jane Austen House"),
    ],
)
def test_passage_that_says_less_does_not_confirm(claim: str, passage: str) -> None:
    assert not confirmed(claim, passage)


def test_first_name_may_stand_elsewhere_in_the_passage() -> None:
    [full], [short] = checkable_values("Tyra Swinton"), checkable_values("Swinton")
    assert confirms_value(short, full, parsed_passage("Life-Size starred Tyra Swinton. Swinton sang.", ""))
    assert not confirms_value(short, full, parsed_passage("Swinton sang.", ""))


def test_value_without_another_of_its_kind_must_stand_in_the_passage() -> None:
    year, answer = checkable_values("1937"), checkable_values("Georgia")
    assert confirms_values(year, answer, parsed_passage("She left Georgia in 1937.", ""))
    assert not confirms_values(year, answer, parsed_passage("She left Georgia.", ""))


def test_number_of_a_title_does_not_stand_in_the_passage() -> None:
    [year], answer = checkable_values("1937"), checkable_values("Georgia")
    assert not confirms_values([year], answer, parsed_passage("It is in Georgia.", "Bridges of 1937"))


@pytest.mark.parametrize(
    ("claim", "passage", "expected"),
    [
        ("It rose to 412.", "It rose from 412 to 530.", True),
        ("It rose from 412.", "It rose from 412 to 530.", False),
        ("It rose by 412.", "It rose from 412 to 530.", False),
        ("It rose to 412.", "It has 412.", False),
    ],
)
def test_reversed_direction_is_found(claim: str, passage: str, expected: bool) -> None:
    value = next(candidate for candidate in checkable_values(claim) if candidate.kind == "number")
    assert is_direction_reversed(claim[: value.start], value, parsed_passage(passage, "")) is expected


@pytest.mark.parametrize(
    ("claim", "passage", "expected"),
    [
        ("The band Northlight toured.", "Northlight is a magazine.", True),
        ("The band Northlight toured.", "Northlight is a band.", False),
        ("Northlight toured.", "Northlight is a magazine.", False),
    ],
)
def test_thing_of_another_kind_is_a_namesake(claim: str, passage: str, expected: bool) -> None:
    assert is_another_kind(parsed_sentence(claim), parsed_passage(passage, "")) is expected


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("She began to paint in 1904.", True),
        ("She ceased to paint in 1904.", False),
        ("She began to paint in 1898.", False),
        ("She ceased to paint in 1898.", True),
        ("She painted in 1904.", False),
    ],
)
def test_end_of_a_time_is_not_its_beginning(claim: str, expected: bool) -> None:
    [year] = [value for value in checkable_values(claim) if value.kind == "date"]
    passage = parsed_passage("From 1898 to 1904 she painted in Olm.", "")
    assert is_direction_reversed(claim[: year.start], year, passage) is expected

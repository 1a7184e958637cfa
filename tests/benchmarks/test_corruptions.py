"""Sentences that are made wrong, by rule."""

import random

import pytest

from benchmarks.corruptions import Corruption, Kind, changed, sample

PEOPLE = ["Mary Jones", "Mary Smith", "Peter Brown"]
PAGE = (
    "The library of the town was opened to the public in March 1954. "
    "It has held more than 12,500 books since it was moved to the hall. "
    "The first head of the house was Peter Brown, who came from the north. "
    "In the 1990s it was shut for the repair of the roof and of the walls. "
    "No value stands in this sentence, which is as long as the others are."
)


def sampled(*pages: str, seed: int = 0) -> list[Corruption]:
    rows = [{"id": f"p{number}", "text": page} for number, page in enumerate(pages)]
    return sample([*rows, {"id": "other", "text": "It was Mary Jones of the town."}], 5, seed)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(
    ("kind", "old"), [("date", "1954"), ("number", "1"), ("number", "12,500"), ("number", "3.5")]
)
def test_value_becomes_another_one_in_the_same_form(kind: Kind, old: str, seed: int) -> None:
    new = changed(kind, old, PEOPLE, random.Random(seed))
    assert float(new.replace(",", "")) not in (0, float(old.replace(",", "")))
    assert ("," in new, len(new.partition(".")[2])) == ("," in old, len(old.partition(".")[2]))


def test_year_moves_by_3_to_9() -> None:
    years = {int(changed("date", "1954", PEOPLE, random.Random(seed))) for seed in range(200)}
    assert {abs(year - 1954) for year in years} == {3, 4, 5, 6, 7, 8, 9}


def test_person_becomes_one_with_no_name_in_common() -> None:
    assert {changed("name", "Mary Jones", PEOPLE, random.Random(seed)) for seed in range(9)} == {
        "Peter Brown"
    }


def test_one_sentence_of_each_kind_is_changed_in_one_place() -> None:
    corruptions = sampled(PAGE)
    assert [(corruption.kind, corruption.old) for corruption in corruptions] == [
        ("date", "1954"),
        ("number", "12,500"),
        ("name", "Peter Brown"),
    ]
    for corruption in corruptions:
        assert PAGE[corruption.start :].startswith(corruption.sentence)
        assert corruption.sentence.replace(corruption.old, corruption.new) == corruption.changed


def test_sentence_that_pages_share_is_taken_once() -> None:
    assert len(sampled(PAGE, PAGE)) == 3


def test_page_in_another_language_is_left_out() -> None:
    assert sampled("Die Bibliothek der kleinen Stadt wurde im Herbst um March 1954 feierlich eröffnet.") == []


def test_sample_is_the_same_every_time() -> None:
    assert sampled(PAGE, seed=3) == sampled(PAGE, seed=3)

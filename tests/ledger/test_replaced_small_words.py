"""Conjunctions and pronouns of a claim are compared with those of the passages."""

import pytest

from rarr.backends.rules.counterparts import parsed_passage
from rarr.backends.rules.parsed_sentence import parsed_sentence
from rarr.ledger.replaced_small_words import replaced_small_words

REPLACED = [
    ("The sale needs the consent of the region or the railway.", "or",
     "The sale needs the consent of the region and of the railway."),
    ("The tenant and the guarantor owe the rent.", "and", "The tenant or the guarantor owes the rent."),
    ("Bring a passport or a birth certificate.", "or", "Bring a passport, a photo and a birth certificate."),
    ("Take it with milk and water.", "and", "Take it with water or milk."),
    ("The board elects a chair and a treasurer.", "and", "Each year the board elects a chair or treasurer."),
    ("Dana Reed wrote his biography.", "his", "Dana Reed later wrote her biography."),
    ("Ulm met her sister in Graz.", "her", "In Graz, Ulm met his sister."),
    ("Holm left in 2009, and his brother Lukas took his place.", "his",
     "Holm left in 2009; Senn's brother Lukas took his place."),
    ("Orin sold the mill to its founder.", "its", "Orin sold the mill to Tarn's founder."),
    ("Ada Lund paid for her younger son.", "her", "Ada Lund paid for Vera Holt's younger son."),
]  # fmt: skip
KEPT = [
    ("The sale needs the consent of the region and the railway.",
     "The sale needs the consent of the region and of the railway."),
    ("Do not take it with milk or water.", "Do not take it with milk and do not take it with water."),
    ("The region and the railway built it.", "The region built it. It needs money or land."),
    ("Bring a passport or a birth certificate.", "Bring a birth certificate or a passport."),
    ("Dana Reed wrote his biography.", "Dana Reed wrote the biography of Holm."),
    ("Holm left in 2009, and his brother Lukas came.", "Holm's brother Lukas came in 2009."),
    ("His brother Lukas came in 2009.", "Holm's brother Lukas came in 2009."),
    ("The mill lost its roof.", "In 1909 the mill lost its roof."),
    ("Ada Lund met her son and his wife.", "Ada Lund met her son and his wife."),
    ("Tarn sold its mill in 1990.", "Tarn sold its mill in 1990. Orm's mill was sold in 1991."),
    ("The lake is over 40 metres deep.", "The lake is more than 40 metres deep."),
    ("Ada Lund became director.", "Ada Lund was appointed director."),
    ("The road goes over the hill.", "The road runs across the hill."),
    ("The Salt Stair, a later novel, has nine parts.", "The novel The Salt Stair has nine parts."),
    ("Nine ships make up the fleet of Tarn.", "Tarn has a fleet of nine ships."),
    ("The army, under King Orm, lost the battle.", "The army of King Orm lost the battle."),
]  # fmt: skip


def replaced(claim: str, passage: str) -> list[str]:
    places = replaced_small_words(parsed_sentence(claim), [parsed_passage(passage, "")])
    return [place.of(claim) for place in places]


@pytest.mark.parametrize(("claim", "word", "passage"), REPLACED)
def test_another_small_word_is_found(claim: str, word: str, passage: str) -> None:
    assert replaced(claim, passage) == [word]


@pytest.mark.parametrize(("claim", "passage"), KEPT)
def test_same_meaning_is_left(claim: str, passage: str) -> None:
    assert replaced(claim, passage) == []


UNSAID = [
    ("More people came to the fair in 1990.", "More", "In 1990 fewer people came to the fair."),
    ("The mill was sold because the roof fell.", "because", "The mill was sold, and the roof fell."),
    ("Clean the filter once a week.", "once", "Clean the filter twice a week."),
    ("The two meet in the same hall.", "same", "The two meet in different halls of the town."),
    ("Lund was elected chair again in 1999.", "again", "Lund was elected chair in 1999."),
    ("The mill is still open.", "still", "The mill is open in May."),
    ("The price of milk went up in May.", "up", "The price of milk went down in May."),
]
SAID = [
    ("More people came to the fair in 1990.", "In 1990 more people than before came to the fair."),
    ("The mill was sold because the roof fell.", "Since the roof fell, the mill was sold."),
    ("The mill was later sold to Tarn.", "Afterwards the mill was sold to Tarn."),
    ("Ida turned down the plan of the mayor.", "Ida Holm rejected a plan."),
]


@pytest.mark.parametrize(("claim", "word", "passage"), UNSAID)
def test_missing_small_word_is_found(claim: str, word: str, passage: str) -> None:
    assert word in replaced(claim, passage)


@pytest.mark.parametrize(("claim", "passage"), SAID)
def test_small_word_that_is_said_or_in_other_words_is_left(claim: str, passage: str) -> None:
    assert replaced(claim, passage) == []

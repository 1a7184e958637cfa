"""A plan, a hope, a permission or a condition of a passage is no fact."""

import pytest

from rarr.backends.rules.counterparts import parsed_passage
from rarr.backends.rules.parsed_sentence import parsed_sentence
from rarr.ledger.plans_stated_as_facts import unreal_place

UNREAL = [
    ("The Sund clinic opened in May 2024.", "The Sund clinic will open in May 2024."),
    ("The Sund clinic opened in May 2024.", "The Sund clinic is to open in May 2024."),
    ("Harl Foods bought three mills.", "Harl Foods plans to buy three mills."),
    ("Harl Foods bought three mills.", "Harl Foods wanted to buy three mills."),
    ("The port was closed in 2019.", "The port would be closed in 2019 if the lock failed."),
    ("Eva Lind left the board in March.", "Eva Lind intends to leave the board in March."),
    ("The union lost 60 members.", "The union could lose 60 members."),
    ("The bridge was finished in 1904.", "The bridge was almost finished in 1904."),
    ("Sales reached 40 million euros in 2024.", "The firm expects sales of 40 million euros in 2024."),
    ("The council sold the field to Orm.", "The council has promised to sell the field to Orm."),
    ("The vault was repainted in June.", "It is proposed that the vault is repainted in June."),
    ("Guests use the south door.", "Guests may use the south door."),
    ("Members can borrow the boat.", "Members can borrow the boat if a trainer is present."),
    ("The cook may leave early.", "The cook may leave early with the written consent of the owner."),
    ("The mill is run by Norby.", "Before 2011 the mill was run by Norby; since then Tarn runs it."),
    ("The museum is run by Elm Trust.", "The museum was formerly run by Elm Trust."),
    ("Either side may end the contract.", "Either side may end the contract after two years."),
    ("Members can vote at the assembly.", "Members can vote at the assembly once they have paid."),
    ("Staff are entitled to a bonus.", "After six months, staff are entitled to a bonus."),
    ("The landlord repairs the roof.", "The landlord shall repair the roof."),
    ("Harl Foods offers a blue tin of tea.", "Harl Foods plans to offer a blue tin of tea from 2030."),
    ("The lock is due for repair.", "The lock is due to be repaired if money is found."),
    ("Visitors may leave the hall.", "Visitors may leave the hall at four at the earliest."),
    (
        "You may swim while the guard is away.",
        "Swim in the day. The guard is away. You may swim while the guard is away if a trainer is present.",
    ),
    (
        "The line has ordered two ferries, which will sail to Orm.",
        "The line plans to order two ferries, which will sail to Orm.",
    ),
    (
        "The council bought the mill at Norby, but the lock may be sold to Tarn.",
        "The council intends to buy the mill at Norby, but the lock may be sold to Tarn.",
    ),
]
REAL = [
    ("The Sund clinic opened in May 2024.", "In May 2024 the Sund clinic opened. It will grow in 2026."),
    ("The bridge was rebuilt in 1950.", "The bridge was rebuilt in 1950, after the flood."),
    (
        "After two years, either side may end the contract.",
        "Either side may end the contract after two years.",
    ),
    ("You must call the guard after the alarm.", "After the alarm, you must call the guard."),
    ("The Sund clinic will open in May 2026.", "The Sund clinic is to open in May 2026."),
    ("Harl Foods plans to buy three mills.", "Harl Foods intends to buy three mills."),
    ("The union could lose 60 members.", "The union could lose 60 members."),
    ("Guests may use the south door.", "Guests can use the south door."),
    (
        "Members can borrow the boat if a trainer is present.",
        "If a trainer is present, members can borrow it.",
    ),
    ("The landlord must repair the roof.", "The landlord shall repair the roof."),
    ("The council sold the ferry Orrin.", "The ferry Orrin of the council was sold to Tarn in May."),
    ("The council let the field.", "The field of the council was let to local farmers."),
    ("The fair lies to the north of Orm.", "The fair is to the north of Orm."),
    ("Tarn won the cup in 1998.", "The plan for Tarn will be drawn later. Tarn won the cup in 1998."),
    ("Whales feed on krill.", "The committee will meet on Friday."),
    (
        "The line plans to order a ferry, and open a new quay in Orm.",
        "The line plans to open a new quay in Orm and to order a ferry.",
    ),
    (
        "The line has ordered two ferries, which will sail to Orm.",
        "The line ordered two ferries, which are to sail to Orm.",
    ),
    (
        "The council bought the mill at Norby, but the lock may be sold to Tarn.",
        "The council bought the mill at Norby. The lock may be sold to Tarn.",
    ),
]


@pytest.mark.parametrize(("claim", "passage"), UNREAL)
def test_claim_states_more_than_the_passage(claim: str, passage: str) -> None:
    place = unreal_place(parsed_sentence(claim), [parsed_passage(passage, "")])
    assert place is not None and place.of(claim).isalpha()


@pytest.mark.parametrize(("claim", "passage"), REAL)
def test_claim_states_no_more_than_the_passage(claim: str, passage: str) -> None:
    assert unreal_place(parsed_sentence(claim), [parsed_passage(passage, "")]) is None


def test_one_passage_that_states_it_is_enough() -> None:
    claim = parsed_sentence("The Sund clinic opened in May 2024.")
    planned, told = "The Sund clinic will open in May 2024.", "The Sund clinic opened in May 2024."
    assert unreal_place(claim, [parsed_passage(text, "") for text in (planned, told)]) is None

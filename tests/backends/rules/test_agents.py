"""Who acts in a claim is compared with who acts in the evidence."""

import pytest

from rarr.backends.rules.agents import name_of_other_agent
from rarr.backends.rules.parsed_sentence import parsed_sentence

OTHERS = [
    ("In May Hay Ltd bought the mill for 400 crowns.", "Hay Ltd", "In May Elm bought the mill from Hay Ltd."),
    ("Marlow paid a deposit of 900 pounds.", "Marlow", "The tenant paid Marlow a deposit of 900 pounds."),
    ("Robert Orm wrote the life of Ada Lund.", "Robert Orm", "Orm taught Ada Lund, who later wrote it."),
    ("Ruben Tarn painted the portrait of Ida Holm.", "Ruben Tarn",
     "The portrait shows Ruben Tarn. The portrait was painted by his niece Ida Holm."),
    ("The plans of the lock were drawn by Clement Orm.", "Clement Orm",
     "Harold Lund drew the plans and Clement Orm managed the men."),
    ("Tarn Ltd rejected the offer in May.", "Tarn Ltd", "In May the board rejected an offer of Tarn."),
    ("Vera Holt discovered the comet in 1901.", "Vera Holt", "The comet was discovered by Otto Lind."),
    ("Norby has sued the council over the lock.", "Norby", "The council sued Norby over the lock."),
    ("In 1950 Hale trained the horse Bess.", "Hale", "The horse Bess, which Orm trained, won for Hale."),
    ("Elm later sold the farm.", "Elm", "Hay then sold the farm to Elm."),
    ("The farm was sold in 1990 by Elm to Hay.", "Elm", "The farm was sold in 1990 to Elm by Hay."),
]  # fmt: skip
SAME = [
    ("In May Elm bought the mill.", "In May Elm bought the mill from Hay Ltd."),
    ("Elm bought the mill.", "In 1950 it bought the mill, and Elm was glad."),  # "it" may be Elm
    ("Tarn painted the portrait.", "The portrait was painted by the young Ruben Tarn in May."),
    ("The portrait was painted by Tarn.", "Ruben Tarn painted the portrait in May."),
    ("Ida Holm translated the play.", "The play was translated by her."),
    ("Elm sold the farm.", "The farm was sold in May."),
    ("The valve of the Elm opens at 7 bar.", "Its valve opens at 7 bar."),
    ("Elm has nine ships.", "The fleet has nine ships."),
    ("Ada Lund, a painter, sold the farm.", "The painter sold the farm."),  # no name right before the verb
    ("Orm planned the bridge.", "The plan of the council for the bridge was old."),
    ("Elm bought a boat.", "Hay bought a mill."),
    ("The software firm Quill was founded by Tom Orm.", "The band Quill was founded by Ada Lind."),
    ("Ada Lind founded the school in 1950.", "Ada Lind and Tom Orm founded the school in 1950."),
    ("Tom Orm founded the school.", "The school was founded by Ada Lind, Tom Orm and Kai Berg."),
    ("Ada Lind and Tom Orm founded the school.", "Tom Orm and Ada Lind founded the school."),
    ("The Elm bridge opened in 1990.", "The new bridge in Elm opened in 1990."),
    ("Tarn Ltd released the phone in 2007.", "The company released the phone in 2007."),  # may be Tarn Ltd
    ("Ada Lind painted the hall.", "The hall was painted by the young teacher and painter Ada Lind."),
    ("Kim Orm won the race in 1990.", "In 1990 the race was won by a wide margin by Kim Orm."),
    ("The United Kingdom signed the treaty.", "Britain signed the treaty in May."),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "agent", "evidence"), OTHERS)
def test_another_agent_is_found(claim: str, agent: str, evidence: str) -> None:
    told = [parsed_sentence(part) for part in evidence.split(". ")]
    place = name_of_other_agent(parsed_sentence(claim), told)
    assert (place and place.of(claim)) == agent


@pytest.mark.parametrize(("claim", "evidence"), SAME)
def test_same_or_unnamed_agent_is_left(claim: str, evidence: str) -> None:
    assert name_of_other_agent(parsed_sentence(claim), [parsed_sentence(evidence)]) is None


def test_one_sentence_with_the_same_agent_is_enough() -> None:
    told = [
        parsed_sentence(text) for text in ("Hay sold the farm to Elm.", "In 1990 Elm sold the farm again.")
    ]
    assert name_of_other_agent(parsed_sentence("Elm sold the farm."), told) is None

"""A word such as "not", "may" or "all" is put right where a passage nearly quotes its sentence."""

from collections.abc import Iterator

import pytest

from rarr import Passage, Reviser, Settings
from rarr.testing import InMemoryRetriever
from rarr.testing.doubles import RETRIEVED_AT

pytestmark = pytest.mark.slow

LEAFLET = (
    "Patients must not drive for 24 hours after the injection. They may shower after two days. The "
    "tablets should be swallowed with water and never chewed. Children under six must not take "
    "Lorvan. Children over six may take half a tablet. Before the operation, patients stop taking "
    "aspirin. After the operation, aspirin may be taken again. Most patients feel better within a "
    "week. Some patients report a dry mouth. Lorvan is not suitable for people with kidney disease. "
    "The tablets can be kept without refrigeration. Lorvan increases blood pressure in a few "
    "patients. Never take more than four tablets a day."
)
LEASE = (
    "The tenant pays the rent in advance. The landlord repairs the roof and the tenant repairs the "
    "windows. The tenant may not sublet the shop. Pets are allowed with written consent. The deposit "
    "is returned after the final inspection. All keys must be handed back. The lease does not end "
    "automatically. Smoking is forbidden in the cellar. The tenant must insure the stock. The shop "
    "opens before nine on weekdays. The first year is rent-free for the storeroom. Signs are "
    "permitted only above the door."
)
TURNED = [
    ("Before the operation, aspirin may be taken again.", "After the operation, aspirin may be taken again."),
    ("All patients report a dry mouth.", "Some patients report a dry mouth."),
    (
        "Lorvan is suitable for people with kidney disease.",
        "Lorvan is not suitable for people with kidney disease.",
    ),
    ("The tablets cannot be kept without refrigeration.", "The tablets can be kept without refrigeration."),
    (
        "Lorvan decreases blood pressure in a few patients.",
        "Lorvan increases blood pressure in a few patients.",
    ),
    ("The tenant may sublet the shop.", "The tenant may not sublet the shop."),
    ("Pets are forbidden with written consent.", "Pets are allowed with written consent."),
    ("Smoking is allowed in the cellar.", "Smoking is forbidden in the cellar."),
    (
        "The deposit is returned before the final inspection.",
        "The deposit is returned after the final inspection.",
    ),
    ("The lease ends automatically.", "The lease does not end automatically."),
    ("Signs are permitted only below the door.", "Signs are permitted only above the door."),
]
RIGHT = [
    "Children under six may not take Lorvan.",
    "Children below six must not take Lorvan.",
    "After the operation, aspirin may be taken again.",
    "Aspirin may be taken again after the operation.",
    "Some patients report a dry mouth.",
    "Lorvan is unsuitable for people with kidney disease.",
    "The tablets can be stored without refrigeration.",
    "The tablets can be kept with no refrigeration.",
    "Never take more than four tablets a day.",
    "Do not take more than four tablets a day.",
    "Many patients feel better within a week.",
    "Patients cannot drive for 24 hours after the injection.",
    "The tenant must not sublet the shop.",
    "The tenant is not allowed to sublet the shop.",
    "Pets are permitted with written consent.",
    "Pets are not allowed without written consent.",
    "Smoking is not permitted in the cellar.",
    "Smoking is not allowed in the cellar.",
    "The tenant has to insure the stock.",
    "Every key must be handed back.",
    "The landlord repairs the roof.",
    "Signs are allowed only above the door.",
    "The lease doesn't end automatically.",
    "The deposit is given back after the final inspection.",
]


@pytest.fixture(scope="module")
def reviser() -> Iterator[Reviser]:
    pages = {"Lorvan tablets": LEAFLET, "Lease of the Harrow Street shop": LEASE}
    passages = [
        Passage(text=text, title=title, source=title, start=0, end=len(text), retrieved_at=RETRIEVED_AT)
        for title, text in pages.items()
    ]
    with Reviser(Settings(search=InMemoryRetriever(passages), trace=False)) as made:
        yield made


@pytest.mark.parametrize(("text", "expected"), TURNED)
def test_turned_word_is_corrected(text: str, expected: str, reviser: Reviser) -> None:
    assert reviser.revise(text).text == expected


@pytest.mark.parametrize("text", RIGHT)
def test_right_sentence_is_neither_changed_nor_contradicted(text: str, reviser: Reviser) -> None:
    revision = reviser.revise(text)
    assert not revision.changed
    assert revision.report.sentences[0].status != "contradicted"

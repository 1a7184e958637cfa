"""By default, a bound in a source neither corrects nor contradicts an exact value."""

from collections.abc import Iterator

import pytest
from families import few

from rarr import Reviser, Settings
from rarr.testing import InMemoryRetriever

FACTS = (
    "The Grenna Dam was completed before 1961. The Grenna Dam was closed after 1988."
    " The Grenna Dam was begun by 1902. The Grenna Dam has at most 90 cranes."
    " The Grenna Dam uses a minimum of 35 pumps. The Grenna Dam had up to 16 boilers."
)


@pytest.fixture(scope="module")
def reviser() -> Iterator[Reviser]:
    with Reviser(Settings(search=InMemoryRetriever([FACTS]), trace=False)) as made:
        yield made


@pytest.mark.parametrize(
    "text",
    few(
        [
            "The Grenna Dam was completed in 1958.",
            "The Grenna Dam was closed in 1989.",
            "The Grenna Dam was begun in 1900.",
            "The Grenna Dam has 80 cranes.",
            "The Grenna Dam uses 40 pumps.",
            "The Grenna Dam had 18 boilers.",
        ],
        every=3,
    ),
)
def test_exact_value_beside_a_bound_is_unconfirmed(reviser: Reviser, text: str) -> None:
    revision = reviser.revise(text)
    assert revision.text == text
    assert [sentence.status for sentence in revision.report.sentences] == ["unconfirmed"]


def test_same_bound_is_supported(reviser: Reviser) -> None:
    revision = reviser.revise("The Grenna Dam was completed before 1961.")
    assert revision.report.sentences[0].status == "supported"

"""What a passage denies or doubts neither supports a sentence nor mends one; what it states still does."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from families import few

from rarr import Reviser, Revision, Settings

# A passage that calls a value untrue, and two values: one that it names, and one that it does not.
UNTRUE = [
    (
        "Some say the Ost Pier was opened in 1898, which is false.",
        "was opened in 1898",
        "was opened in 1888",
    ),
    (
        "It is wrong to say that the Ost Pier is 310 metres long.",
        "is 310 metres long",
        "is 320 metres long",
    ),
    (
        "The claim that the Ost Pier is 310 metres long is false.",
        "is 310 metres long",
        "is 340 metres long",
    ),
    ("A rumour says that the Ost Pier has 12 lamps.", "has 12 lamps", "has 13 lamps"),
    ("It is a myth that the Ost Pier cost 40,000 crowns.", "cost 40,000 crowns", "cost 45,000 crowns"),
    ("The Ost Pier was allegedly built by Ida Lunde.", "was built by Ida Lunde", "was built by Otto Reed"),
    ("Contrary to what is told, the Ost Pier closed in 1950.", "closed in 1950", "closed in 1951"),
    ("The Ost Pier was not opened in 1898.", "was opened in 1898", "was opened in 1888"),
    ("The Ost Pier never had 12 lamps.", "had 12 lamps", "had 14 lamps"),
]
BRIDGE = (
    "The Merrow Bridge is 221 metres long. The Merrow Bridge was opened on 4 May 1931 by Edith Larkin. "
    "It has nine arches. The Merrow Bridge cost 3 million crowns. The Merrow Bridge carries 4,200 cars a day."
)
TURNED = [
    "The Merrow Bridge is not exactly 221 metres long.",
    "The Merrow Bridge fails to be 221 metres long.",
    "It is false that the Merrow Bridge is 221 metres long.",
    "The claim that the Merrow Bridge is 221 metres long is wrong.",
    "Nobody believes that the Merrow Bridge is 221 metres long.",
    "It is wrong to say that the Merrow Bridge cost 3 million crowns.",
    "The Merrow Bridge is less than 221 metres long.",
    "The Merrow Bridge is longer than 221 metres.",
    "The Merrow Bridge is more than 221 metres long.",
    "The Merrow Bridge is almost 221 metres long.",
    "The Merrow Bridge would be 221 metres long.",
    "The Merrow Bridge carries fewer than 4,200 cars a day.",
    "The Merrow Bridge carries more than 4,200 cars a day.",
    "The Merrow Bridge carries 4,200 trains a day.",
    "The Merrow Bridge is 221 metres wide.",
    "The Merrow Bridge is 221 metres tall.",
]
SAID = [
    "The Merrow Bridge is 221 metres long.",
    "The Merrow Bridge was opened on 4 May 1931.",
    "The Merrow Bridge carries more than 4,000 cars a day.",
    "The Merrow Bridge carries 4,200 cars a day.",
]
RANGES = [
    "The Merrow Bridge is 221 to 230 metres long.",
    "The Merrow Bridge is 230 to 240 metres long.",
    "The Merrow Bridge is between 230 and 240 metres long.",
    "The Merrow Bridge carries 4,300 to 4,500 cars a day.",
]


@pytest.fixture(scope="module")
def bridge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reviser]:
    with reviser(BRIDGE, "Merrow Bridge", tmp_path_factory.mktemp("bridge")) as made:
        yield made


def reviser(evidence: str, title: str, folder: Path) -> Reviser:
    corpus = folder / "passage.json"
    corpus.write_text(json.dumps({"text": evidence, "title": title, "source": "page"}), encoding="utf-8")
    return Reviser(Settings(corpus=corpus, home=folder / "home", trace=False))


def status(revision: Revision) -> str:
    [sentence] = revision.report.sentences
    return sentence.status


@pytest.mark.parametrize(("evidence", "named", "other"), few(UNTRUE, every=9))
def test_passage_that_denies_a_sentence_does_not_support_it(
    evidence: str, named: str, other: str, tmp_path: Path
) -> None:
    with reviser(evidence, "Ost Pier", tmp_path) as made:
        denied, unsaid = [made.revise(f"The Ost Pier {claimed}.") for claimed in (named, other)]
    assert denied.text == evidence if denied.changed else status(denied) != "supported"
    assert not unsaid.changed
    assert status(unsaid) not in ("supported", "contradicted")


@pytest.mark.parametrize("text", few(TURNED, every=4))
def test_a_bound_or_a_denial_of_the_text_is_not_supported(text: str, bridge: Reviser) -> None:
    revision = bridge.revise(text)
    assert revision.changed or status(revision) != "supported"
    assert revision.changed or revision.report.sentences[0].open_words


@pytest.mark.parametrize("text", SAID)
def test_sentence_that_the_passage_says_is_supported(text: str, bridge: Reviser) -> None:
    assert status(bridge.revise(text)) == "supported"


@pytest.mark.parametrize("text", RANGES)
def test_half_of_a_range_is_not_replaced(text: str, bridge: Reviser) -> None:
    assert not bridge.revise(text).changed

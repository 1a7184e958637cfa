"""What a passage only nearly says, or says of a namesake, neither supports nor changes a sentence."""

import pytest

from rarr import Passage, Revision, revise
from rarr.testing import RETRIEVED_AT, InMemoryRetriever

BAND = ("Northlight (band)", "Northlight is a band of 5 people. Northlight was founded in 1994.")
TOWN = ("Northlight (town)", "Northlight is a harbour town. Northlight was founded in 1850.")


def revised(text: str, *pages: tuple[str, str]) -> Revision:
    passages = [
        Passage(text=page, title=title, source=f"{n}.md", start=0, end=len(page), retrieved_at=RETRIEVED_AT)
        for n, (title, page) in enumerate(pages)
    ]
    return revise(text, search=InMemoryRetriever(passages), trace=False)


@pytest.mark.parametrize(
    ("text", "page", "after", "status"),
    [
        ("The lease ends in 2023.", ("", "The lease ends in 2026."), "The lease ends in 2026.", "supported"),
        ("The Ost Pier was opened in 1888.", ("", "The Ost Pier was not opened in 1898."), "", "unconfirmed"),
        ("Northlight is a harbour town of 4,200 people.", BAND, "", "unconfirmed"),
        ("The band Northlight was founded in 1994.", BAND, "", "supported"),
    ],
)
def test_only_what_a_passage_says_supports_or_corrects(
    text: str, page: tuple[str, str], after: str, status: str
) -> None:
    revision = revised(text, page, TOWN)
    assert (revision.text, revision.report.sentences[0].status) == (after or text, status)


def test_both_namesakes_are_quoted_where_nothing_tells_them_apart() -> None:
    revision = revised("Northlight was founded in 1994.", BAND, TOWN)
    titles = {evidence.id: evidence.title for evidence in revision.evidence}
    (sentence,) = revision.report.sentences
    assert (revision.changed, sentence.status) == (False, "contradicted")
    assert {titles[name] for name in sentence.evidence_ids} == {BAND[0], TOWN[0]}

"""What a passage only nearly says, denies, or says of a namesake neither supports nor changes a sentence."""

import pytest
from families import few

from rarr import Passage, Revision, revise
from rarr.testing import RETRIEVED_AT, InMemoryRetriever

# The sentence, and a passage that does not say it.
NEARLY = [
    ("Brenix may be taken with grapefruit juice.", "Brenix must not be taken with grapefruit juice."),
    ("The Pellan trial found a benefit.", "The Pellan trial failed to find a benefit. It had 412 patients."),
    ("The Tessin road leads from Varn to Olm.", "The Tessin road leads from Olm to Varn."),
    ("Castor Foods fell from 31 to 44 million euros.", "Castor Foods fell from 44 to 31 million euros."),
    ("The novel Harrow Lane appeared in 1956.", "Harrow Lane is a film that appeared in 1956."),
    ("The Vell Tower is rarely 135 metres high.", "The Vell Tower is 135 metres high. It was painted green."),
    ("The lease ends on 1 March 2023.", "The lease begins on 1 March 2023 and ends on 28 February 2026."),
    ("The board voted 5 to 2 in favour of the new roof.", "The board voted 5 to 2 against the new roof."),
    ("Tolk Tower is 224 m high.", "Tolk Tower is 221 metres high."),
    ("Tolk House has a large garden.", "It is a myth that Tolk House has a large garden."),
    ("The Ost Pier was opened in 1898.", "Some say the Ost Pier was opened in 1898, which is false."),
    ("The Merrow Bridge is less than 221 metres long.", "The Merrow Bridge is 221 metres long."),
    ("Il ponte Lorrin è aperto al traffico.", "Il ponte Lorrin non è aperto al traffico."),
]
# The sentence, and a passage beside which it stays as it is, and is not contradicted.
UNDECIDED = [
    ("The Grenna Dam was completed in 1958.", "The Grenna Dam was completed before 1961."),
    ("The Merrow Bridge is 230 to 240 metres long.", "The Merrow Bridge is 221 metres long."),
    ("The Ost Pier was opened in 1888.", "The Ost Pier was not opened in 1898."),
    ("Tolk Bridge has 12 arches.", "Tolk Bridge has arches of granite."),
    ("The painter Jon Tarv was born in Lisk.", "Ida Brandt was born in Lisk. She taught at Lisk."),
    ("The Lorrin Bridge opened in 1938.", "Die Lorrin-Brücke wurde 1937 für den Verkehr freigegeben."),
]
# The sentence, and the title and page of a namesake.
NAMESAKES = [
    (
        "Northlight is a harbour town of 4,200 people.",
        "Northlight (band)",
        "Northlight is a band of 5 people.",
    ),
    (
        "Marrow Hill opened as a station in 1861.",
        "Marrow Hill (film)",
        "Marrow Hill opened in cinemas in 1987.",
    ),
    ("The ship Orpheon sank in 1911.", "Orpheon (cinema)", "Orpheon closed in 1974. It opened in 1921."),
    ("The language Tamor has 9 vowels.", "Tamor (card game)", "Tamor has 52 cards and 4 players."),
]
MENDED = [
    ("The tenant may sublet the shop.", "The tenant may not sublet the shop."),
    ("The Lorrin Bridge was opened to traffic in 1938.", "The Lorrin Bridge was opened to traffic in 1937."),
    ("Die Brücke wurde 1938 freigegeben.", "Die Brücke wurde 1937 freigegeben."),
    ("The Lorrin shop closes at 5 p.m.", "The Lorrin shop closes at 6 p.m."),
]


def revised(text: str, *pages: tuple[str, str]) -> Revision:
    passages = [
        Passage(text=page, title=title, source=f"{n}.md", start=0, end=len(page), retrieved_at=RETRIEVED_AT)
        for n, (title, page) in enumerate(pages)
    ]
    return revise(text, search=InMemoryRetriever(passages), trace=False)


def status(revision: Revision) -> str:
    [sentence] = revision.report.sentences
    return sentence.status


@pytest.mark.parametrize(("text", "page"), few(NEARLY, every=3))
def test_sentence_that_a_passage_only_nearly_says_is_not_supported(text: str, page: str) -> None:
    revision = revised(text, ("", page))
    assert revision.changed or status(revision) != "supported"


@pytest.mark.parametrize(("text", "page"), few(UNDECIDED, every=2))
def test_passage_that_does_not_decide_changes_nothing(text: str, page: str) -> None:
    revision = revised(text, ("", page))
    assert (revision.text, status(revision) in ("unconfirmed", "no_evidence")) == (text, True)


@pytest.mark.parametrize(("text", "title", "page"), few(NAMESAKES, every=2))
def test_page_of_a_namesake_corrects_no_text(text: str, title: str, page: str) -> None:
    revision = revised(text, (title, page))
    assert (revision.text, status(revision) != "supported") == (text, True)


@pytest.mark.parametrize(("text", "page"), MENDED)
def test_word_or_value_is_put_right_where_a_passage_nearly_quotes_the_sentence(text: str, page: str) -> None:
    revision = revised(text, ("", page))
    assert (revision.text, status(revision)) == (page, "supported")


def test_both_namesakes_are_quoted_where_nothing_tells_them_apart() -> None:
    band = ("Northlight (band)", "Northlight is a band of 5 people. Northlight was founded in 1994.")
    town = ("Northlight (town)", "Northlight is a harbour town. Northlight was founded in 1850.")
    revision = revised("Northlight was founded in 1994.", band, town)
    titles = {evidence.id: evidence.title for evidence in revision.evidence}
    (sentence,) = revision.report.sentences
    assert (revision.changed, sentence.status) == (False, "contradicted")
    assert {titles[name] for name in sentence.evidence_ids} == {band[0], town[0]}
    assert status(revised("The band Northlight was founded in 1994.", band, town)) == "supported"

"""The page of a namesake corrects nothing: another town, film, band or person of the name.

The second half was written before the first was run, and is only measured.
"""

import json
from pathlib import Path

import pytest
from families import few

from rarr import Reviser, Revision, Settings

WORKED_WITH = [
    # text, the title and page of a namesake, the title and page of its own, and the right value
    ("Northlight is a harbour town of 4,200 people.", "Northlight (band)",
     "Northlight is a band of 5 people. Northlight was founded in 1994.",
     "Northlight (town)", "Northlight is a harbour town of 2,400 people.", "2,400"),
    ("Marrow Hill opened as a station in 1861.", "Marrow Hill (film)",
     "Marrow Hill opened in cinemas in 1987.",
     "Marrow Hill (station)", "Marrow Hill opened as a station in 1868.", "1868"),
    ("The river Aldra is 48 kilometres long.", "Aldra (novel)",
     "Aldra is 412 pages long. Aldra was written by Ines Maro in 1952.",
     "Aldra (river)", "The river Aldra is 84 kilometres long.", "84"),
    ("The comet Sellen was found by Ruth Okafor.", "Sellen (software)",
     "Sellen was written by Dev Patel. Sellen was released in 2012.",
     "Sellen (comet)", "The comet Sellen was found by Mara Lind.", "Mara Lind"),
    ("The painter Jon Tarv was born in Lisk in 1830.", "Jon Tarv (footballer)",
     "Jon Tarv was born in Odda in 1977. Jon Tarv played for Lisk.",
     "Jon Tarv (painter)", "Jon Tarv was born in Lisk in 1803. He was a painter.", "1803"),
    ("Corvane, a medicine, was approved in 2009.", "Corvane (company)",
     "Corvane was founded in 1999. Its head office was approved in 2001.",
     "Corvane (medicine)", "Corvane was approved in 2006. It is a medicine for gout.", "2006"),
]  # fmt: skip
ONLY_MEASURED = [
    ("The village of Hask has 310 inhabitants.", "Hask (island)", "Hask has 1,900 inhabitants.",
     "Hask (village)", "The village of Hask has 130 inhabitants.", "130"),
    ("The ship Orpheon sank in 1911.", "Orpheon (cinema)", "Orpheon closed in 1974. It opened in 1921.",
     "Orpheon (ship)", "The ship Orpheon sank in 1917.", "1917"),
    ("The opera Velda was first performed in Turin.", "Velda (play)", "Velda was first performed in Leeds.",
     "Velda (opera)", "The opera Velda was first performed in Genoa.", "Genoa"),
    ("The mountain Kessa is 3,120 metres high.", "Kessa (tower)", "Kessa is 132 metres high.",
     "Kessa (mountain)", "The mountain Kessa is 3,210 metres high.", "3,210"),
    ("The chess player Lena Broz died in 1958.", "Lena Broz (singer)", "Lena Broz died in 2003.",
     "Lena Broz (chess player)", "The chess player Lena Broz died in 1985.", "1985"),
    ("The language Tamor has 9 vowels.", "Tamor (card game)", "Tamor has 52 cards and 4 players.",
     "Tamor (language)", "The language Tamor has 6 vowels.", "6"),
]  # fmt: skip
Case = tuple[str, str, str, str, str, str]


def revised(folder: Path, text: str, *pages: tuple[str, str]) -> Revision:
    rows = [{"title": title, "text": page, "source": title} for title, page in pages]
    (folder / "pages.jsonl").write_text("\n".join(map(json.dumps, rows)))
    with Reviser(Settings(corpus=folder / "pages.jsonl", home=folder / "home", trace=False)) as reviser:
        return reviser.revise(text)


@pytest.mark.parametrize(
    "case", few([(case,) for case in (*WORKED_WITH, *ONLY_MEASURED)], every=6), ids=lambda case: case[1]
)
def test_page_of_a_namesake_corrects_no_text(tmp_path: Path, case: Case) -> None:
    text, title, page, *_ = case
    revision = revised(tmp_path, text, (title, page))
    assert revision.text == text
    assert "supported" not in [sentence.status for sentence in revision.report.sentences]


@pytest.mark.slow
@pytest.mark.parametrize(
    "cases", few([WORKED_WITH, ONLY_MEASURED], every=2), ids=["worked with", "only measured"]
)
def test_right_page_beside_a_namesake_corrects_most_texts(tmp_path: Path, cases: list[Case]) -> None:
    right = 0
    for number, (text, title, page, own_title, own_page, value) in enumerate(cases):
        folder = tmp_path / str(number)
        folder.mkdir()
        revision = revised(folder, text, (title, page), (own_title, own_page))
        right += value in revision.text
        assert revision.text == text or value in revision.text
    assert right >= 0.6 * len(cases)


@pytest.mark.parametrize(
    "text",
    [
        "The painter Jon Tarv was born in Lisk.",
        "In Lisk, Jon Tarv was born.",
        "In 1830 Jon Tarv taught at Lisk.",
    ],
)
def test_page_of_another_person_replaces_no_subject(tmp_path: Path, text: str) -> None:
    revision = revised(tmp_path, text, ("Ida Brandt", "Ida Brandt was born in Lisk. She taught at Lisk."))
    assert (revision.text, revision.edits) == (text, ())
    assert revision.report.sentences[0].status in ("unconfirmed", "no_evidence")


BAND = ("Northlight (band)", "Northlight is a band of 5 people. Northlight was founded in 1994.")
TOWN_PAGE = "Northlight is a harbour town of 2,400 people. Northlight was founded in 1850."
TOWN, PLAIN = ("Northlight (town)", TOWN_PAGE), ("Northlight", TOWN_PAGE)


@pytest.mark.parametrize(
    ("text", "other", "status"),
    [
        ("Northlight was founded in 1994.", TOWN, "contradicted"),
        ("Northlight was founded in 1931.", TOWN, "unconfirmed"),
        ("Northlight was founded in 1994.", PLAIN, "contradicted"),
    ],
)
def test_both_namesakes_are_quoted_where_nothing_tells_them_apart(
    tmp_path: Path, text: str, other: tuple[str, str], status: str
) -> None:
    revision = revised(tmp_path, text, BAND, other)
    (sentence,) = revision.report.sentences
    titles = {evidence.id: evidence.title for evidence in revision.evidence}
    assert (revision.text, sentence.status) == (text, status)
    assert {titles[name] for name in sentence.evidence_ids} == {BAND[0], other[0]}


@pytest.mark.parametrize(
    ("text", "pages"),
    [
        ("The band Northlight was founded in 1994.", [BAND, TOWN]),
        ("Northlight was founded in 1994.", [BAND]),
    ],
)
def test_sentence_about_one_of_the_namesakes_is_supported(
    tmp_path: Path, text: str, pages: list[tuple[str, str]]
) -> None:
    revision = revised(tmp_path, text, *pages)
    assert [sentence.status for sentence in revision.report.sentences] == ["supported"]

"""Values that changed places do no harm: the text stays, or is put right."""

from pathlib import Path

import pytest
from families import few

from rarr import Reviser, Revision, Settings

# The text, the evidence, and the text as it should be.
TUNED = [
    (
        "Tickets cost 18 euros for members and 12 euros for guests.",
        "Members pay 12 euros and guests pay 18 euros.",
        "Tickets cost 12 euros for members and 18 euros for guests.",
    ),
    (
        "Profit fell from 9.7 million to 11.2 million in 2024.",
        "Profit fell from 11.2 million to 9.7 million in 2024.",
        "Profit fell from 11.2 million to 9.7 million in 2024.",
    ),
    (
        "Ida Lunde defeated Anna Reed in 1931.",
        "Anna Reed defeated Ida Lunde in 1931.",
        "Anna Reed defeated Ida Lunde in 1931.",
    ),
    (
        "The line runs from Tarn to Oslen in an hour.",
        "The line runs from Oslen to Tarn in an hour.",
        "The line runs from Oslen to Tarn in an hour.",
    ),
    (
        "When it is full, the lamp turns from red to blue.",
        "The lamp turns from blue to red when it is full.",
        "When it is full, the lamp turns from blue to red.",
    ),
]
# For measuring alone.
HELD_OUT = [
    (
        "A seat is 40 crowns in the stalls and 25 crowns in the gallery.",
        "Seats in the stalls cost 25 crowns, and seats in the gallery cost 40 crowns.",
        "A seat is 25 crowns in the stalls and 40 crowns in the gallery.",
    ),
    (
        "The dose went from 50 mg to 20 mg in May.",
        "The dose went from 20 mg to 50 mg in May.",
        "The dose went from 20 mg to 50 mg in May.",
    ),
    (
        "Harlow sold the yard to Merrick in 1988.",
        "In 1988 Merrick sold the yard to Harlow.",
        "Merrick sold the yard to Harlow in 1988.",
    ),
    (
        "The ferry goes from Askey to Dunmore at noon.",
        "At noon the ferry goes from Dunmore to Askey.",
        "The ferry goes from Dunmore to Askey at noon.",
    ),
    (
        "The pump gives 3 bar by day and 5 bar by night.",
        "- By day: 5 bar\n- By night: 3 bar",
        "The pump gives 5 bar by day and 3 bar by night.",
    ),
    (
        "The wall was painted from green to white in 2019.",
        "The wall was painted from white to green in 2019.",
        "The wall was painted from white to green in 2019.",
    ),
]
UNCHANGED = [
    ("Guests pay 18 euros, members 12.", "Members pay 12 euros and guests pay 18 euros."),
    (
        "The library is owned and run by the Orrel Trust.",
        "The Orrel Trust owns the Orrel Library and runs it.",
    ),
    ("Anna Reed beat Ida Lunde in 1931.", "Ida Lunde was beaten by Anna Reed in 1931."),
    ("Oslen is reached from Tarn in an hour.", "The line runs from Tarn to Oslen in an hour."),
    ("It has 16 bolts and 24 screws.", "The kit has 24 screws and 16 bolts."),
    ("Profit was 9.7 million after 11.2 million.", "Profit fell from 11.2 million to 9.7 million."),
    ("Lund and Holt founded the band.", "Holt and Lund founded the band."),
    ("By night it gives 3 bar, by day 5.", "- By day: 5 bar\n- By night: 3 bar"),
]


def revised(text: str, evidence: str, folder: Path) -> Revision:
    corpus = folder / "notes"
    corpus.mkdir()
    (corpus / "page.txt").write_text(f"{evidence}\n\nIt was written in spring.", encoding="utf-8")
    with Reviser(Settings(corpus=corpus, home=folder / "home", trace=False)) as reviser:
        return reviser.revise(text)


@pytest.mark.slow
@pytest.mark.parametrize("cases", [TUNED, HELD_OUT], ids=["tuned", "held out"])
def test_no_text_is_damaged(cases: list[tuple[str, str, str]], tmp_path: Path) -> None:
    texts = []
    for number, (text, evidence, _) in enumerate(cases):
        folder = tmp_path / str(number)
        folder.mkdir()
        texts.append(revised(text, evidence, folder).text)
    assert all(after in (text, right) for after, (text, _, right) in zip(texts, cases, strict=True))


@pytest.mark.parametrize(("text", "evidence"), few(UNCHANGED, every=4))
def test_right_texts_in_another_order_stay(text: str, evidence: str, tmp_path: Path) -> None:
    revision = revised(text, evidence, tmp_path)
    assert revision.text == text
    assert not any(edit.state == "suggested" for edit in revision.edits)

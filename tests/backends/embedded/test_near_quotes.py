"""Near quotations: what a line supports, what it corrects, and what stays open."""

from collections.abc import Sequence

import pytest
from hypothesis import given, strategies as st
from makers import evidence

from rarr.backends.embedded.items import lines_of
from rarr.backends.embedded.near_quote_reader import near_quote_cards
from rarr.backends.embedded.near_quotes import card_of
from rarr.backends.source_lines import labelled_excerpts, lead_line
from rarr.components import BlockPiece, RawCard, ReadingBlock
from rarr.records import Evidence
from rarr.tools.text.blocks_and_sentences import split_sentences

DOSE, TICKET, IN_VARN = "The dose is 3 g.", "Die Karte kostet 9 Euro.", "The family lived in Varn."
TOWERS = "The architect {} gave the towers their lines and chose the red paint colour of it."
LONG = "The early northern express train stops every weekday morning for ten minutes"


def verdicts(sentences: Sequence[str], *found: Evidence, question: str = "", lead: str = "") -> list[str]:
    """Returns the verdict about each sentence of a block beside the evidence."""
    pieces = tuple(BlockPiece(words, number) for number, words in enumerate(sentences, start=1))
    cards = near_quote_cards(ReadingBlock(question, "", pieces, labelled_excerpts(found), lead))
    return [card.verdict for card in cards.values()]


@pytest.mark.parametrize(
    ("question", "title", "source", "is_read"),
    [
        ("Which dose has Ada Brandt (painter)?", "Ada Brandt (painter)", DOSE, True),
        ("Which dose has the lawyer Holt?", "Ada Brandt (painter)", DOSE, False),
        ("Which dose has the Zelaprin leaflet?", "Zelaprin leaflet", DOSE, True),
        ("Which dose has aspirin?", "Zelaprin leaflet", DOSE, False),
        ("Hi", "Zelaprin leaflet", DOSE, True),
        ("Which dose has Quorix?", "", f"Zelaprin is a tablet. {DOSE}", False),
        ("Which dose has Zelaprin?", "", f"Zelaprin is a tablet. {DOSE}", True),
        ("Which dose has Zelaprin 10 mg?", "Zelaprin 5 mg", DOSE, False),
        ("Which dose has Zelaprin 10 mg?", "Zelaprin 10 mg", DOSE, True),
    ],
)
def test_page_about_another_thing_is_not_read(question: str, title: str, source: str, is_read: bool) -> None:
    found = verdicts([DOSE], evidence(source, title=title), question=question)
    assert found == ["yes" if is_read else "open"]


@pytest.mark.parametrize(
    ("above", "sentence", "title", "source", "verdict"),
    [
        ("Zelaprin is old.", DOSE, "Zelaprin leaflet", DOSE, "yes"),
        ("Quorix is old.", DOSE, "Zelaprin leaflet", DOSE, "open"),
        ("Zelaprin is old.", "Keep dry below 30 °C.", "", "Zelaprin is a pill. Keep dry below 20 °C.", "no"),
        ("Quorix is old.", "Keep dry below 30 °C.", "", "Zelaprin is a pill. Keep dry below 20 °C.", "open"),
        ("Quorix is old.", "Keep dry below 30 °C.", "", "Keep dry below 20 °C.", "no"),
        ("Die Oper ist alt.", "Die Karte kostet 4 Euro.", "Oper Varn", "Die Karte kostet 9 Euro.", "no"),
        ("Der Zoo ist alt.", "Die Karte kostet 4 Euro.", "Oper Varn", "Die Karte kostet 9 Euro.", "open"),
        ("Ann Holt is ill.", DOSE, "", f"Ann Holt is ill. {DOSE}", "yes"),
        ("# Patient Ann Holt\n", DOSE, "", f"# Patient Eva Holt\n\n{DOSE}", "open"),
        ("# Lease of Berg AG\n", "The rent is 9 euros.", "Lease of Tal AG", "The rent is 6 euros.", "open"),
        ("## Type A\n", DOSE, "", f"## Type B\n\n{DOSE}", "open"),
        ("## Type A\n", DOSE, "", f"## Type A\n\n{DOSE}", "yes"),
        ("Pump 11 is old.", DOSE, "Pump 12", DOSE, "open"),
        ("# Quillbase\n\nThe price is low.", DOSE, "", f"# Zelaprin\n\n{DOSE}", "open"),
        ("Ann Holt is ill.\n\nTreatment started.", DOSE, "", f"Eva Holt is ill. {DOSE}", "open"),
        ("For adults, it is simple.", DOSE, "", f"For children, it is simple. {DOSE}", "open"),
        ("Das Museum Unterau ist alt.", TICKET, "Museum Orla", TICKET, "open"),
        ("Frau Ann Holt ist Mieterin.", TICKET, "Frau Eva Holt", TICKET, "open"),
        # A name behind the verb does not tell what a sentence is about.
        ("Ann Holt was old.", IN_VARN, "", f"Eva Holt was old. {IN_VARN}", "open"),
        ("Ann Holt was old.", IN_VARN, "", f"Ann Holt was old. {IN_VARN}", "yes"),
        ("Ida Lund is old.", TOWERS.format("Ida Lund"), "", TOWERS.format("Jon Tarv"), "open"),
        ("The town is old.", TOWERS.format("Ida Lund"), "", TOWERS.format("Jon Tarv"), "no"),
    ],
)
def test_names_above_are_meant(above: str, sentence: str, title: str, source: str, verdict: str) -> None:
    assert verdicts([above, sentence], evidence(source, title=title))[1] == verdict


def test_heading_that_names_one_of_several_groups_leaves_its_lines_open() -> None:
    parts = "Zelotan arm\n\nNausea was mild.", "Placebo arm\n\nNausea was rare.", "Results\n\nPain was rare."
    found = [evidence(part, source=f"{part[:3]}.md") for part in parts]
    sentences = "Nausea was rare.", "In the placebo arm nausea was rare.", "Pain was rare."
    assert [verdicts([it], *found) for it in sentences] == [["open"], ["open"], ["yes"]]


def test_list_that_goes_on_in_the_next_block_keeps_its_lead_line() -> None:
    text = f"Do not believe this:\n\n- {DOSE}\n- {FRUIT}"
    lead = lead_line(text, text.index(FRUIT))
    assert lead == "Do not believe this:"
    assert [verdicts([FRUIT], evidence(FRUIT), lead=it) for it in ("", lead)] == [["yes"], ["open"]]
    assert lead_line(f"{FRUIT}\n\n- {DOSE}", len(FRUIT) + 4) == lead_line(text, 0) == ""


FRUIT, FEWER = "Ripe pears cost 4 euros.", "Ripe pears cost 3 euros."


@pytest.mark.parametrize(
    ("text", "title", "source", "expected"),
    [
        # A line that introduces a list states nothing, and limits its items.
        ("Eat it if:\n\n- you are well.", "", "Eat it if:\n\n- you are well.", ["none", "yes"]),
        ("Eat it if:\n\n- you are well.", "", "Do not eat it if:\n\n- you are well.", ["none", "no"]),
        (f"In winter:\n\n- {FEWER}", "", f"In summer:\n\n- {FEWER}", ["none", "open"]),
        (f"In winter:\n\n- {FEWER}", "", f"In winter:\n\n- {FRUIT}", ["none", "no"]),
        (f"Do not:\n\n## Fruit\n\n- {FRUIT}", "", FRUIT, ["none", "yes"]),
        # Below another heading or title, a line is about another case.
        (f"## Adults\n\n{FRUIT}", "", f"## Adults\n\n{FRUIT}", ["yes"]),
        (f"## Prices\n\n{FRUIT}", "", FRUIT, ["yes"]),
        (FRUIT, "", f"## Prices\n\n{FRUIT}", ["yes"]),
        (f"## Adults\n\n{FRUIT}", "", f"## Children\n\n{FRUIT}", ["open"]),
        (f"## Adults\n\n{FEWER}", "", f"## Children\n\n{FRUIT}", ["open"]),
        (f"# Model B\n\n{FRUIT}", "Model A", FRUIT, ["open"]),
    ],
)
def test_lead_lines_and_headings_limit_lines(text: str, title: str, source: str, expected: list[str]) -> None:
    excerpts = labelled_excerpts([evidence(source, title=title)])
    spans, at, pieces = split_sentences(text), 0, list[BlockPiece]()
    for number, span in enumerate(spans, start=1):
        pieces += [BlockPiece(text[at : span.start]), BlockPiece(span.of(text), number)]
        at = span.end
    cards = near_quote_cards(ReadingBlock("", "", tuple(pieces), excerpts))
    assert [card.verdict for card in cards.values()] == expected
    assert not any(edit.old in "winter Eat" for card in cards.values() for edit in card.edits)


@pytest.mark.parametrize(
    ("file", "verdict"), [("p.md#1", "yes"), ("a/pears_draft-3.md", "open"), ("superseded.docx", "open")]
)
def test_file_whose_name_calls_it_a_draft_or_not_valid_is_not_read(file: str, verdict: str) -> None:
    assert verdicts([FRUIT], evidence(f"# Pears\n\n{FRUIT}", source=file)) == [verdict]


def read(sentence: str, source: str, *, title: str = "", above: str = "") -> RawCard:
    [excerpt] = labelled_excerpts([evidence(source, title=title)])
    return card_of(sentence, above, lines_of(excerpt))


def corrected(sentence: str, card: RawCard) -> str:
    for edit in card.edits:
        assert sentence.count(edit.old) == 1
        sentence = sentence.replace(edit.old, edit.new)
    return sentence


TOWER = "Der Turm wurde 1932 erneuert."
TWO_LINES = "Selby weir opened in 1958.\n\nSelby weir has nine gates."
# What a reader makes of a sentence beside a source.
CASES = {
    "yes": [
        ("The Selby weir was rebuilt in 1958.", "The Selby weir was rebuilt in 1958 by Ida Lund."),
        ("The Orle is about 42 km long.", "The Orle is 41.7 km long."),
        ("Das Wehr wurde 1958 erneuert.", "Das Wehr wurde 1958 erneuert und hat neun Tore."),
        ("The test is Rh−, not HIV+.", "- **The test is Rh-**, not “HIV+”."),
        ("Selby weir opened in 1958 and has nine gates.", TWO_LINES),
    ],
    "corrected": [
        ("Only 12 boats pass.", "Only 21 boats pass."),
        ("The drug causes fever.", "The drug may cause fever."),
        ("Two of the gates are open.", "Three of the gates are open."),
        ("The lock is non-public.", "The lock is public."),
        ("The weir is open in winter.", "The weir is not open in winter."),
        ("About 300 people live at the weir.", "About 800 people live at the weir."),
        ("Das Wehr kostete 1,5 Mrd. Euro.", "Das Wehr kostete 1,7 Mio. Euro."),
        ("The shop closes at 5 p.m.", "The shop closes at 6 p.m."),
        ("The trip lasts 3 hours.", "The trip lasts 1 hour."),
        ("The loan has a 24-month term.", "The loan has an 18-month term."),
        ("The trip begins at 5 p.m.", "The trip begins at 6 pm."),
        ("The limit is 5 mol/l.", "The limit is 5 mmol/l."),
        ("The pump is tested weekly.", "The pump is tested daily."),
        ("The tenant must pay the rent in cash.", "The tenant may pay the rent in cash."),
    ],
    "open": [
        ("The tenant shall pay the rent in cash.", "The tenant must pay the rent in cash."),
        ("Only 12 boats pass.", "12 boats pass."),
        ("12 boats pass.", "Nur 12 boats pass."),
        ("The weir has 6 gates.", "The weir has 4 gates. The weir had 6 gates until 1958."),
        ("The weir burst and cost 9 crowns.", "The weir was painted and cost 9 crowns."),
        ("The Selby weir opened in 1958.", "The museum of the Selby weir opened in 1958."),
        ("The Selby weir opened in 1958.", "The Arle weir opened in 1985."),
        ("The fault is CVE-2021-1234.", "The fault is CVE-2021-4321."),
        ("Ann Holt hired Ida Lund.", "Ida Lund hired Ann Holt."),
        ("The weir was built by Ann Holt.", "The weir was built by Ida Lund."),
        (f"{LONG} in Orle.", f"{LONG} in Varn."),
        ("The Selby weirs were rebuilt in 1958.", "The Selby weir was rebuilt in 1958."),
        ("The fee is 9 euros.", "Her fee is 9 euros."),
        ("The fee is 9 euros.", "Then the fee is 9 euros."),
        ("The weir is open to boats.", "The weir is open to boats and this is wrong."),
        ("Revenue was 9 million euros in 1958.", "Revenue was 9 million euros in 1959."),
        ("Le barrage n'a neuf portes.", "Le barrage n'a que neuf portes."),
        ("Pump 11 was moved from Orle in 1958.", "Pump 12 was moved from Orle in 1985."),
        ("The toll is 9 crowns.", "The toll was 6 crowns."),
        ("Inject 10 ml daily.", "Inject 9.6 ml daily."),
        ("The lock raises boats.", "The lock raised boats."),
        ("The court has sued the miller.", "The court has been sued by the miller."),
        ("Das Wehr wurde 1958 erneuert.", "Das Wehr soll 1958 erneuert worden sein."),
        ("The weir was sold to Karl Holt II.", "The weir was sold to Karl Holt III."),
        ("The upper lock was built in 1958.", "The lower lock was built in 1958."),
        ("The board approved the 1958 report.", "The board approved the 1985 report."),
        ("The tower is 30 metres high.", "The tower is 30 metres higher than the church."),
        ("The buyer may pay even if it rains.", "The buyer may pay only if it rains."),
        ("Brenix may be taken with juice.", "Brenix must not be taken with juice."),
        ("The trial found a benefit.", "The trial failed to find a benefit. It had 412 patients."),
        ("The novel Harrow Lane appeared in 1956.", "Harrow Lane is a film that appeared in 1956."),
        ("The lease ends on 1 March 2023.", "The lease begins on 1 March 2023 and ends on 2 March 2026."),
        ("The board voted 5 to 2 in favour of it.", "The board voted 5 to 2 against it."),
        ("The bridge is less than 221 metres long.", "The bridge is 221 metres long."),
        ("The bridge is 230 to 240 metres long.", "The bridge is 221 metres long."),
        ("Il ponte Lorrin è aperto al traffico.", "Il ponte Lorrin non è aperto al traffico."),
        ("The painter Jon Tarv was born in Lisk.", "Ida Brandt was born in Lisk. She taught at Lisk."),
        ("The bridge opened in 1938.", "Die Brücke wurde 1937 für den Verkehr freigegeben."),
        ("The blood group is A+.", "The blood group is A-."),
        ("[x] Fever was seen", "[ ] Fever was seen"),
        ("The box says ☒ yes ☐ no.", "The box says ☐ yes ☒ no."),
        ("Arm A > arm B in the trial.", "Arm A < arm B in the trial."),
        ("The tool is written in C++.", "The tool is written in C."),
        ("The pipe is 5' wide.", "The pipe is 5'' wide."),
        ("The slope is y = -x here.", "The slope is y = x here."),
        ("The ion is Ca²⁺ in it.", "The ion is Ca²⁻ in it."),
        (f"The key is {'7' * 5000}.", f"The key is {'7' * 4999}8."),
        ("The load is 15 barn.", "The load is 15 bar."),
        ("Sie hat 2 Billionen Euro.", "Sie hat 2 billion Euro."),
        ("Children under 6 years take 5 ml.", "Children under 12 years take 10 ml."),
        ("Der Kläger zu 1 erhält 500 Euro.", "Der Kläger zu 2 erhält 500 Euro."),
        ("The drug does not decrease the dose.", "The drug does not increase the dose."),
        ("Keep it at 70 °C.", "Keep it at – 70 °C."),
        ("It has 150 × 109/L.", "It has 150 × 10⁹/L."),
        ("It has 10<sup>6</sup> cells.", "It has 10<sup>9</sup> cells."),
        ("Few of them left.", "A few of them left."),
        ("A tablet has 5 mg of zelvit.", "Each tablet has 5 mg of zelvit."),
        ("The weir is closed on 2 May.", "The weir is closed on 1 June."),
        ("Boats under 5 metres may pass.", "Boats under 9 metres may pass."),
        ("Die Packung mit 20 Stück kostet 9 Euro.", "Die Packung mit 50 Stück kostet 9 Euro."),
        ("The permit is valid.", "The permit is valid and lapsed in 2021."),
        ("Der Mieter verklagte den Bauherrn.", "Den Mieter verklagte der Bauherr."),
        ("Der Turm gehört der Bank.", "Der Turm gehört dem Land."),
        ("The board approved her plan.", "The board approved his plan."),
        ("In 1958 she mended the weir.", "In 1958 he mended the weir."),
        ("Selby weir opened in 1968 and has nine gates.", TWO_LINES),
        # The next line tells of a correction or an exception.
        (TOWER, f"{TOWER} Anderen Quellen zufolge wurde der Turm 1942 erneuert."),
        ("The dam is 221 metres high.", "The dam is 221 metres high. In truth, it is 212 metres high."),
        ("The fee is 9 euros.", "The fee is 9 euros. For students, the fee is 6 euros."),
        ("The fee is not refunded.", "The fee is not refunded. If it rains, the fee is refunded."),
        ("The fee is 9 euros.", "# Adults\n\nThe fee is 9 euros.\n\n# Children\n\nThe fee is 6 euros."),
    ],
    "contradicted without an edit": [
        ("The weir opened in the 1930s.", "The weir opened in 1942."),
        ("The mill has one floor.", "The mill has 12 floors."),
        ("The child takes 1 tablet.", "The child takes 2 tablets."),
        ("Open the gate in winter.", "Do not open the gate in winter."),
        ("Use the lock if the gate is open.", "Do not use the lock if:\n\n- the gate is open\n- it freezes"),
    ],
    "none": [("Well.", "The weir opened in 1958.")],
}


@pytest.mark.parametrize(
    ("outcome", "sentence", "source"), [(it, *pair) for it, pairs in CASES.items() for pair in pairs]
)
def test_near_quotation(outcome: str, sentence: str, source: str) -> None:
    card, is_corrected = read(sentence, source), outcome == "corrected"
    verdicts = {"corrected": "no", "contradicted without an edit": "no"}
    assert (card.verdict, bool(card.edits)) == (verdicts.get(outcome, outcome), is_corrected)
    assert bool(card.open) == (outcome == "open")
    assert not is_corrected or corrected(sentence, card) == source


@pytest.mark.parametrize(
    "source",
    [
        "In the novel Dusk, the weir opened in {}.",
        "The weir, so the legend says, opened in {}.",
        "The weir opened in {}, Holt wrongly believed.",
        "The weir opened in {}, which is wrong.",
        "Was the weir opened in {}?",
        "“The weir opened in {}.”",
        "The guides say:\n\n- The weir opened in {}.",
        "The weir opened in {} and 1999.",
        "The weir opened in {} (others say 1999).",
        "The weir opened in {}. This is false.",
        "The weir opened in {}. The court rejected this.",
        "The weir opened in {}. Holt mended it, this time alone.",
        "# After the appeal\n\nThe judgment was reversed\n\nThe weir opened in {}.",
        "# In a dream\n\nThe weir opened in {}.",
        "# Weirs under 12 metres\n\nThe weir opened in {}.",
        "The weir opened in {}. Dieser Antrag fand keine Mehrheit.",
        "The weir was opened in {}. The opening was put off.",
        "Until 2020 the following applied. The weir opened in {}.",
        "# Claims of the tenant\n\nThe weir opened in {}.",
        "# Old plan, valid until 2019\n\nThe weir opened in {}.",
        "The weir opened in {}. But that was never so.",
        "The following is untrue. The weir opened in {}.",
        "# Myths\n\n## Of old\n\nThe weir opened in {}.",
        "~~The weir is old. The weir opened in {}.~~",
        "<del>The weir opened in {}.</del>",
        "# What never happened\n\nThe weir opened in {}.",
        "# Forbidden words\n\nThe weir opened in {}.",
        "# Anklageschrift\n\nThe weir opened in {}.",
        "Never say:\n\n1. The weir is old.\n2. The weir opened in {}.",
        "Incorrect. The weir opened in {}.",
        "No. Selby weir is old. No. The weir opened in {}.",
        "Which of these is wrong?\n\n- The weir is old.\n- The weir opened in {}.",
    ],
)
def test_words_that_may_tell_who_says_it_or_in_which_world_leave_it_open(source: str) -> None:
    for year in (1958, 1985):
        card = read("The weir opened in 1958.", source.format(year))
        assert (card.verdict, card.edits) == ("open", ())


@pytest.mark.parametrize(
    "after", ["This weir has 4 gates.", "These days it has 4.", "Not surprisingly, Holt died.", "It holds."]
)
@pytest.mark.parametrize("heading", ["Plan of the valley", "How it was built", "In 1958", ""])
def test_ordinary_line_beside_it_leaves_it_a_statement(heading: str, after: str) -> None:
    before = f"# {heading}\n\n" if heading else "The following day it rained. "
    page = f"{before}The weir opened in 1958. {after}"
    assert [read(f"The weir opened in {it}.", page).verdict for it in (1958, 1985)] == ["yes", "no"]


LINE, SELBY = "It opened in 1958.", "The Selby weir opened in 1958."
BORN = "Ann Holt was born in 1958."
MOVED, MOVED_LATER = "was moved from the Orle hall in 1958.", "It was moved from the Orle hall in 1985."
MUSEUM = "Selby museum"
_HOURS = "Opening times\n\n| Friday | 9:00 - 17:30 |\n| Sunday | closed |"


@pytest.mark.parametrize(
    ("sentence", "source", "title", "above", "verdict"),
    [
        (SELBY, LINE, "Selby weir", "", "yes"),
        (SELBY, LINE, "Arle weir", "", "open"),
        (SELBY, f"The Selby weir and the Arle weir are old. {LINE}", "", "", "open"),
        ("Arle opened in 1958.", f"The Selby weir is near Arle. {LINE}", "", "", "open"),
        # A pronoun of the sentence needs its name in the source.
        ("It opened in 1985.", LINE, "Selby weir", "Tell me about the Selby weir.", "no"),
        ("It opened in 1985.", LINE, "Selby weir", "Tell me about the Arle lock.", "open"),
        # A number in a name is part of it.
        (f"Pump 11 {MOVED}", MOVED_LATER, "Pump 11", "", "no"),
        (f"Pump 11 {MOVED}", MOVED_LATER, "Pump 12", "", "open"),
        (f"It {MOVED}", MOVED_LATER, "Pump 12", "Pump 11 is old.", "open"),
        # It stands for the subject before it, if nothing else is named.
        ("It opened in 1985.", SELBY, "", "The Selby weir lies on the Orle. It has 4 gates.", "no"),
        ("It opened in 1985.", SELBY, "", "The museum of the Selby weir is old.", "open"),
        ("It opened in 1985.", SELBY, "", "The Selby weir has a mill.", "open"),
        ("In 1985 it opened.", "In 1958 it opened.", "Selby weir", "The Arle lock is old.", "open"),
        ("He was born in 1985.", BORN, "", "Ann Holt met Jon Tarv.", "open"),
        ("She was born in 1985.", BORN, "", "Ann Holt's aunt is a nurse.", "open"),
        ("She was born in 1985.", BORN, "", "What did the aunt of Ann Holt do?", "open"),
        ("She was born in 1985.", BORN, "", "Who is Ann Holt?", "no"),
        ("She was born in 1985.", BORN, "", "Ann Holt is a nurse.", "no"),
        ("Sie zahlt 6 Euro.", "Ann Holt zahlt 9 Euro.", "", "Ann Holt hat eine Tante.", "open"),
        ("Sie zahlt 6 Euro.", "Ann Holt zahlt 9 Euro.", "", "Ann Holt wohnt in Varn.", "no"),
        (BORN, "Ann Holt has a son. He was born in 1958.", "", "", "open"),
        (BORN, "Ann Holt was sued by Jon Tarv. He was born in 1958.", "", "", "open"),
        (BORN, "# Ann Holt\n\nThe nurse is old. She was born in 1958.", "", "", "open"),
        (BORN, "Ann Holt is a nurse. She was born in 1958.", "", "", "yes"),
        # A row is read with the heading of its table and the title.
        ("On Friday the Selby museum is open from 9:00 to 17:30.", _HOURS, MUSEUM, "", "yes"),
        ("On Friday the Selby museum is open from 9:00 to 18:30.", _HOURS, MUSEUM, "", "no"),
        ("On Friday the Selby museum is not open from 9:00 to 17:30.", _HOURS, MUSEUM, "", "open"),
        ("On Sunday the Selby museum is open.", _HOURS, MUSEUM, "", "open"),
        ("On Friday the Arle museum is open from 9:00 to 17:30.", _HOURS, MUSEUM, "", "open"),
    ],
)
def test_subject_is_told_nearby(sentence: str, source: str, title: str, above: str, verdict: str) -> None:
    assert read(sentence, source, title=title, above=above).verdict == verdict


@given(st.text(max_size=200), st.text(min_size=1, max_size=200))
def test_any_text_is_read(sentence: str, source: str) -> None:
    card = read(sentence, source)
    assert all(edit.old in sentence for edit in card.edits)


@pytest.mark.parametrize(
    ("lines", "quotes", "against"),
    [
        ("The dam is 221 metres high. The dam is 212 metres high.", 1, 1),
        ("The dam is 221 metres high. The dam is not 221 metres high.", 1, 1),
        ("The dam is 202 metres high. The dam is 212 metres high, others say.", 0, 2),
    ],
)
def test_lines_that_disagree_are_quoted_without_an_edit(lines: str, quotes: int, against: int) -> None:
    card = read("The dam is 221 metres high.", lines)
    assert (card.verdict, len(card.quotes), len(card.against), card.edits) == ("mixed", quotes, against, ())

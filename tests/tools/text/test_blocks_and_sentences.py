"""Blocks, sentences, protected parts and languages of texts as people, models and tools write them."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from rarr.tools.text.blocks_and_sentences import blocks, protected_spans, sentences, split_sentences
from rarr.tools.text.language_detection import text_language


def document_sentences(text: str) -> list[str]:
    return [span.of(text) for span in split_sentences(text)]


def own_sentences(text: str) -> list[str]:
    return [span.of(text) for span in sentences(text)]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("# Title\n\nText.", ["heading", "prose"]),
        ("| a | b |\n|---|---|\n| c | d |\n", ["table"]),
        ("```\ncode\n```\n", ["code"]),
        ("    code = 1\n", ["code"]),
        ("    The dam is high. It is old.\n", ["prose"]),
        ("Text.\n\n    The dam is high. It is old.\n", ["prose", "code"]),
        ("- Text.\n\n    The dam is high.\n", ["prose", "prose"]),
        ("<div>\nhtml\n</div>\n", ["code"]),
        ("- one\n- two\n", ["prose", "prose"]),
        ("---\n", []),
    ],
)
def test_kinds_of_blocks(text: str, kinds: list[str]) -> None:
    assert [block.kind for block in blocks(text)] == kinds


NOTES = [f"Note {number} is long enough for a line that is not broken, and ends in etc." for number in "ab"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is high.\r\nIt is old.\r\n\r\nIt stands.", ["It is high.", "It is old.", "It stands."]),
        ("- It is high.\n- [x] It is old.\n", ["It is high.", "[x] It is old."]),
        ("# Title\n\nIt is high.", ["It is high."]),
        ("Dr. Lee left at 3.5 km. She ran.", ["Dr. Lee left at 3.5 km.", "She ran."]),
        ("The board said no. Ida left room no. 5.", ["The board said no.", "Ida left room no. 5."]),
        ("No. Holt left. See No. 5.", ["No.", "Holt left.", "See No. 5."]),
        ("See no. IV and no. Ab12 of it.", ["See no. IV and no. Ab12 of it."]),
        ("It is high 🎉. It is old 🧱.", ["It is high 🎉.", "It is old 🧱."]),
        ("السد عال. وهو قديم.", ["السد عال.", "وهو قديم."]),
        ("***", []),
        ("It is.\n\n| a | b |\n|---|---|\n| c | 5 m |\n\nIt was.", ["It is.", "5 m", "It was."]),
        ("Norvik Water Board\nAnnual report", ["Norvik Water Board", "Annual report"]),
        ("12 apples\n13 pears", ["12 apples", "13 pears"]),
        ("Known since 2009\n4. Allergies\n5. Falls", ["Known since 2009", "4. Allergies", "5. Falls"]),
        ("Days\n6 March    10 March\n8 June    9 June", ["Days", "6 March    10 March", "8 June    9 June"]),
        ("User: What is it?\nAssistant: It is a dam.\n", ["What is it?", "It is a dam."]),
        ("**User:** Hi there.\n\n**AI:** It is a dam.", ["Hi there.", "It is a dam."]),
        ("[00:12:03] Ida Lunde: It fell.\n[01:14] So.", ["It fell.", "So."]),
        ("1\n00:00:12,000 --> 00:00:14,000\nIt fell.\n", ["It fell."]),
        ("Price: 5 euros.\nHeight: 3 m.", ["Price: 5 euros.", "Height: 3 m."]),
        ("10:00 Opening of the fair: by Ida.", ["10:00 Opening of the fair: by Ida."]),
        (f"It stands.\n\n[1] [2]\n\n[^a]: {NOTES[0]}\n[^b]: {NOTES[1]}", ["It stands.", *NOTES]),
    ],
)
def test_sentences_have_no_markup_roles_times_or_labels_of_notes(text: str, expected: list[str]) -> None:
    assert own_sentences(text) == expected


def test_marks_behind_a_stop_belong_to_the_sentence_before_them() -> None:
    for mark in ("[1][2]", "[^1]", "【2†L10】", " (Source 1)", "¹", "<sup>2</sup>", " [1, 2]"):
        text = f"It is old.{mark} It stands."
        assert document_sentences(text) == [f"It is old.{mark}", "It stands."]
        assert mark.strip() in "".join(span.of(text) for span in protected_spans(text, 0, len(text)))


PROTECTED = [
    "`code`", "[label](https://a.example)", "![image](a.png)", "[label][ref]", "[3]", "[3, 4–6]", "[^note]",
    "<https://a.example>", "<b>", "</b>", "<!-- b -->", "https://a.example/b?c=1", "www.a.example",
    "me@a.example", "$$x^2$$", r"\(x^2\)", "(Lee, 2019)", "【3】", "(Source 3)", "[citation:3]", "\\[3\\]",
    "(see Lee and Smith, 2019a)", "(Lee et al., 2019)",
]  # fmt: skip
EDITED = ["It (which is old) stands.", "It costs $5 or $6.", "*It* stands.", "a < b, c > d", "1 <2 and 3> 2"]


def test_protected_parts_are_found_and_prose_is_not_protected() -> None:
    for part in PROTECTED:
        text = f"It says {part} here."
        assert part in [span.of(text) for span in protected_spans(text, 0, len(text))]
    assert [text for text in EDITED if protected_spans(text, 0, len(text))] == []


def assert_ordered(text: str, spans: Sequence[tuple[int, int]]) -> None:
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(span[1] <= other[0] for span, other in pairwise(spans))


@given(st.text() | st.text(alphabet="aA1 .\n\r>-|`#[]()*_<$\t"))
def test_spans_are_ordered_apart_and_inside(text: str) -> None:
    assert_ordered(text, split_sentences(text))
    assert_ordered(text, [(block.start, block.end) for block in blocks(text)])
    assert_ordered(text, protected_spans(text, 0, len(text)))


def test_a_hostile_text_is_split_quickly() -> None:
    for text in ((unit * 200_000)[:200_000] for unit in ("[ ", "`", "> ", "a", "1. ")):
        assert_ordered(text, split_sentences(text))
        assert_ordered(text, protected_spans(text, 0, len(text)))


@pytest.mark.parametrize(
    "expected",
    [
        ["It is so\nhigh that it is seen."],
        ["It was built in\n1974 by the town."],
        ["They sail on the ferry of\nHaskvik."],
        ["The bridge was opened on 3 May\n1931."],
        ["The dam is 412\nmetres long and cost\n€ 5 million."],
        ["It was opened by the director Ida\nLunde in the year of the storm\nthat hit Varn."],
        ["Das Haus wurde nicht von der Stadt am\n29. Juli 1990 eröffnet."],
        *([f"It has 2.55 {unit}. of the ore as a whole.", "The mill is old."] for unit in ("kg", "fl. oz")),
        *([f"It has 2.55 {unit}.", "Workers took it away."] for unit in ("m", "km/h")),
        ["He took 2.55 g. of salt, 3 ml. of oil and 4 kg. of flour."],
        ["It weighs 5 kg.", "iPhones weigh less."],
        ["It needs vitamin K.", "The book of Ursula K. Le Guin says so.", "It is old."],
        ["The block of the old mill by the river has a weight of about 5 kg.\nof stone."],
        ["Es wurde am 29. Juli 1990 eröffnet.", "Nach Abs. 3 gilt das nicht."],
        ["Der Turm ist niedrig.", "12 Stufen führen laut Bd. 2 Zeile 3 in den Keller.", "20 Leute waren da."],
        *([f"Es ist in {it} Haus und nicht hier."] for it in ("Hauptstr. 5", "Jahrg. 12", "Abschn. 3")),
        ["Der 2. Weltkrieg endete, und das Haus ist 3 m hoch, nicht 5 m.", "Es ist alt."],
        ["Das ist nicht die Orgel mit 14 Registern.", "1868 setzte er sie um."],
        *([f"Er starb am 14. {month} 1789.", "Sie lebte."] for month in ("Juli", "April", "Dezember")),
    ],
)
def test_hard_wrapped_lines_and_stops_of_units_and_german_days(expected: list[str]) -> None:
    text = " ".join(expected)
    assert document_sentences(text) == own_sentences(text) == expected


LANGUAGES = {
    "en": "The lift was opened in 1881, and it has been run by volunteers since then.",
    "de": "Das Hebewerk wurde 1881 eröffnet und wird seit dem Krieg von Freiwilligen betrieben.",
    "fr": "L’ascenseur a ouvert en 1881 et il est géré par des bénévoles depuis la guerre.",
    "es": "El ascensor se inauguró en 1881 y desde la guerra lo manejan los voluntarios del pueblo.",
    "sv": "Hissen öppnades 1881 och drivs av frivilliga som inte har betalt för det.",
    "ru": "Подъёмник был открыт в 1881 году, и с тех пор им управляют добровольцы.",
    "zh": "升船机于1881年启用，此后由志愿者运营。",
    "ja": "昇降機は1881年に開業し、それ以来ボランティアが運営しています。",
}
UNCLEAR = [
    *("", "1881", "Der Spiegel", "`le la les` opened", "Querrin lift: 1881."),
    "The paper Die Zeit and the band Los Lobos met in the town of El Paso.",
]


def test_language_is_found_and_an_unclear_text_may_be_english() -> None:
    assert [text_language(text) for text in LANGUAGES.values()] == list(LANGUAGES)
    assert {text_language(text) for text in UNCLEAR} == {"en"}

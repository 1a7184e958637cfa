"""The citations of a text, and its list of sources."""

import pytest

from rarr.tools.text.blocks_and_sentences import sentences, source_entries
from rarr.tools.text.citation_marks import citation_marks, numbered_marks


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is red.[1][2] It is long.[3]", ["1", "2", "3"]),
        ("It is red [1, 3; 5].", ["1", "3", "5"]),
        ("It is red [2–4].", ["2", "3", "4"]),
        ("It is red.[^a]", ["^a"]),
        ("It is [red](https://x.org/a 'title').", ["https://x.org/a"]),
        ("It is [red][1].\n\n[1]: https://x.org", ["1"]),
        ("It is red (https://x.org/a), see https://x.org/b_(c).", ["https://x.org/a", "https://x.org/b_(c)"]),
        ("It is ![red](red.png) in `[1]`.", []),
        ("It was red in [2019].", []),
        ("It is red.\n\n- [1] Red things, a.md\n", []),
        ("It is red【1】. It is long【2†L10-L12】.", ["1", "2"]),
        ("It is red \\[1\\]. It is long\\[2, 3\\].", ["1", "2", "3"]),
        ("It is red¹. It is long.² It is <b>old</b><sup>3</sup>.", ["1", "2", "3"]),
        ("It is 5 m² or 10<sup>6</sup> mm² or 3 m<sup>2</sup>.", []),
    ],
)
def test_labels_of_marks(text: str, expected: list[str]) -> None:
    assert [mark.label for mark in citation_marks(text)] == expected


def test_mark_belongs_to_the_sentence_before_it() -> None:
    for text, sentence in (
        ("It is red. [1] It is long.", "It is red. [1]"),
        ("It is red.[a](b.md) It is long.", "It is red."),
        ("It is red. It is, as [1] says, long.", "It is, as [1] says, long."),
    ):
        assert [mark.sentence.of(text) for mark in citation_marks(text)] == [sentence]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It.\n\n[^a]: Red, a.md\n", [("^a", "Red, a.md")]),
        ("It.\n\n[1]: https://x.org\n[2]: b.md\n", [("1", "https://x.org"), ("2", "b.md")]),
        ("It.\r\n\r\n[1] Red\r\n[2] Blue\r\n", [("1", "Red"), ("2", "Blue")]),
        ("It.\n\nSources:\n\n- [4] Red\n", [("4", "Red")]),
        ("It.\n\n## References\n\n1. Red\n2. Blue\n\n## More\n\n3. No\n", [("1", "Red"), ("2", "Blue")]),
        ("1. First step\n2. Second step\n", []),
    ],
)
def test_entries(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(entry.label, entry.text) for entry in source_entries(text)] == expected


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("It is [1].\n\n[1] Ash J. The dam. 2020.\n[2] Lease, 4 May 2023", ["It is [1]."]),
        ("It is.\n\n[1] Lease of the Mill", ["It is."]),
        ("[1] It is.\n\n[2] It was.", ["[1] It is.", "[2] It was."]),  # marks that stand first
        ("So:\n\n- [1] It is old\n", ["So:", "[1] It is old"]),
        ("It is.[^1]\n\n[^1]: It was.\n[^2]: Lease, a.md", ["It is.[^1]", "It was."]),
        ("**Quellen:**\n\n* Bericht, 2023\n\nIt is.\n\n1. It was.", ["It is.", "It was."]),
        ("## References\n\n1. Ash J. The dam,\n   Dams.\n2. Oak. Mills.\n\n## More\n\nIt is.", ["It is."]),
        ("Notes:\n\n- 40 mg a day at most\n1. Take 40 mg.", ["40 mg a day at most", "Take 40 mg."]),
    ],
)
def test_list_of_sources_claims_nothing_and_a_note_may(text: str, claims: list[str]) -> None:
    assert [span.of(text) for span in sentences(text) if span.of(text) != "Notes:"] == claims


def test_numbered_marks_are_found_anywhere_but_in_code() -> None:
    text = "It is red [1]. [2, 4] It is old.[^3] From [2-4] on: `a[1]`, [link](x), [^note], [no number]."
    found = [(place.of(text), numbers) for place, numbers in numbered_marks(text)]
    assert found == [("[1]", (1,)), ("[2, 4]", (2, 4)), ("[^3]", (3,)), ("[2-4]", (2, 3, 4))]


def test_marks_of_a_hostile_text_are_found_quickly() -> None:
    for unit in ("```\n", "[1] ", "[^a", "references\n", "- [a] b\n"):
        text = unit * (30_000 // len(unit))
        citation_marks(text)
        source_entries(text)

"""Drafts become one text without marks, and each sentence keeps what it cites."""

import pytest

from rarr.ledger.article_text import article_text, unmarked
from rarr.records.articles import PlannedSection, SectionDraft

ONE = "The dam was opened in 1936."
TWO = "It is 221 metres high."


def draft(text: str, heading: str = "History", section_id: str = "s1") -> SectionDraft:
    return SectionDraft(section_id=section_id, heading=heading, text=text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The dam was opened in 1936 [1]. It is 221 metres high [2].", [["1"], ["2"]]),
        ("The dam was opened in 1936. [1] It is 221 metres high. [2]", [["1"], ["2"]]),
        ("The dam was opened in 1936.[1][2] It is 221 metres high.", [["1", "2"], []]),
        ("The dam was opened in 1936 [1, 2]. It is 221 metres high [1-3].", [["1", "2"], ["1", "2", "3"]]),
        ("The dam was opened in 1936.[^1] It is 221 metres high.[^12]", [["1"], ["12"]]),
        ("The dam [3] was opened in 1936 [1]. It is 221 metres high.", [["3", "1"], []]),
        ("[4] The dam was opened in 1936. It is 221 metres high [2].", [["4"], ["2"]]),
        ("The dam was opened in 1936 [1][1]. It is 221 metres high.", [["1"], []]),
    ],
)
def test_sentences_keep_their_labels(text: str, expected: list[list[str]]) -> None:
    clean, sentences = unmarked(draft(text))
    assert clean == f"{ONE} {TWO}"
    assert [span.of(clean) for span, _ in sentences] == [ONE, TWO]
    assert [list(labels) for _, labels in sentences] == expected


@pytest.mark.parametrize(
    "text",
    [
        f"## History\n\n{ONE}",
        f"{ONE}\n\nSources:\n\n[1] dam.md\n[2] other.md",
        f"**History**\n\n{ONE}\n\n## References\n\n1. dam.md\n",
    ],
)
def test_own_heading_and_list_of_sources_are_removed(text: str) -> None:
    clean, _ = unmarked(draft(text))
    assert clean in (ONE, f"**History**\n\n{ONE}")


def test_quotation_and_its_sentence_keep_their_labels_apart() -> None:
    """With the marks in it, the text would be split into other sentences."""
    clean, sentences = unmarked(draft("“It opened in 1936.” [1] It is high. [2]\n\n[3] It is red."))
    assert [(span.of(clean), labels) for span, labels in sentences] == [
        ("“It opened in 1936.”", ("1",)),
        ("It is high.", ("2",)),
        ("It is red.", ("3",)),
    ]


def test_addresses_and_code_are_no_numbers_of_passages() -> None:
    clean, [(_, labels)] = unmarked(draft("The value `a[1]` stands at https://x.org/a in the file."))
    assert (clean, labels) == ("The value `a[1]` stands at https://x.org/a in the file.", ())


def test_article_has_each_section_at_its_place() -> None:
    sections = [PlannedSection(id=f"s{n}", heading=name, query_id=f"q{n}") for n, name in enumerate("ABC")]
    drafts = {"s0": draft(f"{ONE[:-1]} [1].", "A", "s0"), "s2": draft(TWO, "C", "s2")}
    article = article_text("The\nDam", sections, drafts, {"s1": "not written: no source was found"})
    assert article.text == (
        f"# The Dam\n\n## A\n\n{ONE}\n\n## B\n\n(not written: no source was found)\n\n## C\n\n{TWO}\n"
    )
    assert [article.places[name].of(article.text) for name in ("s0", "s2")] == [ONE, TWO]
    assert [(each.span.of(article.text), each.section_id, each.labels) for each in article.sentences] == [
        (ONE, "s0", ("1",)),
        (TWO, "s2", ()),
    ]

"""Drafts are joined into a text without marks, and each sentence keeps its citations."""

import pytest

from rarr.nodes.assemble import article_text, unmarked_draft
from rarr.records.citations import OutlineSection
from rarr.state import State

ONE = "The dam was opened in 1936."
TWO = "It is 221 metres high."
CODE = "The value `a[1]` stands at https://x.org/a here."


@pytest.mark.parametrize(
    ("draft", "expected"),
    [
        ("The dam was opened in 1936 [1]. It is 221 metres high [2].", [["1"], ["2"]]),
        ("The dam was opened in 1936.[1][2] It is 221 metres high.", [["1", "2"], []]),
        ("The dam was opened in 1936 [1, 2]. It is 221 metres high [1-3].", [["1", "2"], ["1", "2", "3"]]),
        ("The dam was opened in 1936.[^1] It is 221 metres high.[^12]", [["1"], ["12"]]),
        ("The dam [3] was opened in 1936 [1][1]. It is 221 metres high.", [["3", "1"], []]),
        ("[4] The dam was opened in 1936. It is 221 metres high [2].", [["4"], ["2"]]),
    ],
)
def test_sentences_keep_their_labels(draft: str, expected: list[list[str]]) -> None:
    clean, sentences = unmarked_draft(draft, "History")
    assert clean == f"{ONE} {TWO}"
    assert [span.of(clean) for span, _ in sentences] == [ONE, TWO]
    assert [list(labels) for _, labels in sentences] == expected


@pytest.mark.parametrize(
    ("draft", "expected"),
    [
        (f"## History\n\n{ONE}", ONE),
        (f"{ONE}\n\nSources:\n\n[1] dam.md\n[2] other.md", ONE),
        (f"{ONE}\n\n## References\n\n1. dam.md\n", ONE),
        (CODE, CODE),
    ],
)
def test_own_heading_and_list_of_sources_are_removed_and_no_code(draft: str, expected: str) -> None:
    assert unmarked_draft(draft, "History")[0] == expected


def test_quotation_and_its_sentence_keep_their_labels_apart() -> None:
    """A text that still had its marks would be split into other sentences."""
    clean, sentences = unmarked_draft("“It opened in 1936.” [1] It is high. [2]\n\n[3] It is red.", "History")
    found = [(span.of(clean), *labels) for span, labels in sentences]
    assert found == [("“It opened in 1936.”", "1"), ("It is high.", "2"), ("It is red.", "3")]


def test_article_has_each_section_at_its_place() -> None:
    sections = [OutlineSection(id=f"s{n}", heading=name, query_id=f"q{n}") for n, name in enumerate("ABC")]
    state: State = {"topic": "A\nDam", "original": "", "sections": sections}
    made = article_text({**state, "drafts": {"s0": f"{ONE[:-1]} [1].", "s2": TWO}})
    missing = "(not written: no source was found)"
    assert made.text == f"# A Dam\n\n## A\n\n{ONE}\n\n## B\n\n{missing}\n\n## C\n\n{TWO}\n"
    assert [made.places[name].of(made.text) for name in ("s0", "s2")] == [ONE, TWO]
    found = [(each.span.of(made.text), each.section.id, each.labels) for each in made.sentences]
    assert found == [(ONE, "s0", ("1",)), (TWO, "s2", ())]

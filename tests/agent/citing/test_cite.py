"""Citing texts with the embedded default: which sentences are cited, by which passages, and the rest."""

from pathlib import Path
from typing import Any

import pytest

from rarr import Cited, InputError, Passage, Reviser, Settings, cite
from rarr.testing import RETRIEVED_AT, InMemoryRetriever

HEIGHT = "Hoover Dam is 221 metres high and 379 metres long."
YEAR = "Hoover Dam was completed in 1936."
TEXT = "The Hoover Dam is 221 metres high. It was completed in 1936. It was painted in 1950."


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RARR_HOME", str(tmp_path / "home"))


def body(cited: Cited) -> str:
    return cited.text[: cited.list_start]


def test_supported_sentences_are_cited_by_their_passages() -> None:
    cited = cite(TEXT, sources=[HEIGHT, YEAR])
    assert body(cited) == (
        "The Hoover Dam is 221 metres high.[1] It was completed in 1936.[2] It was painted in 1950."
    )
    assert [(each.number, each.passage.text) for each in cited.citations] == [(1, HEIGHT), (2, YEAR)]
    assert [(each.number, each.source) for each in cited.sources] == [(1, "passage 1"), (2, "passage 2")]
    assert [TEXT[each.sentence_start : each.at] for each in cited.citations] == [
        "The Hoover Dam is 221 metres high.",
        "It was completed in 1936.",
    ]
    assert [cited.text[each.start : each.end] for each in cited.citations] == ["[1]", "[2]"]
    assert cited.without_citations() == TEXT


def test_wrong_sentence_is_neither_cited_nor_edited() -> None:
    cited = cite("The Hoover Dam is 212 metres high.", sources=[HEIGHT])
    assert cited.text == "The Hoover Dam is 212 metres high."
    assert cited.research.report.sentences[0].status == "contradicted"
    assert cited.research.edits == ()


def test_sentences_without_support_are_marked_on_request() -> None:
    cited = cite(TEXT, sources=[HEIGHT], mark_unsupported=True)
    assert body(cited) == (
        "The Hoover Dam is 221 metres high.[1] It was completed in 1936.[citation needed]"
        " It was painted in 1950.[citation needed]"
    )
    assert cited.without_citations() == TEXT


def test_passage_record_keeps_its_source_and_offsets() -> None:
    passage = Passage(
        text=HEIGHT, source="https://dams.org/hoover", title="Hoover Dam", start=100, end=100 + len(HEIGHT),
        retrieved_at=RETRIEVED_AT,
    )  # fmt: skip
    cited = cite("The Hoover Dam is 221 metres high.", sources=[passage], style="footnotes")
    assert cited.text.endswith("\n\n[^1]: Hoover Dam, https://dams.org/hoover\n")
    (citation,) = cited.citations
    assert (citation.passage.start, citation.passage.source) == (100, "https://dams.org/hoover")


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("The Hoover Dam is 221 metres high [1].", ["supported"]),
        ("The Hoover Dam is 221 metres high [2].", ["not_supported"]),
        ("The Hoover Dam is 221 metres high [7].", ["source_not_found"]),
        ("The Hoover Dam is 221 metres high.[^a]\n\n[^a]: passage 1", ["supported"]),
        ("The Hoover Dam is 221 metres high.[^a]\n\n[^a]: passage 9", ["source_not_found"]),
        ("The Hoover Dam is 221 metres high [2].\n\n[1] A book about dams\n", ["source_not_found"]),
        ("The Hoover Dam is [221 metres](https://x.org) high.", ["source_not_found"]),
        ("The Hoover Dam is 221 metres high [1, 2].", ["supported", "not_supported"]),
    ],
)
def test_citations_of_the_text_are_checked(text: str, states: list[str]) -> None:
    cited = cite(text, sources=[HEIGHT, YEAR])
    assert [check.state for check in cited.existing] == states
    assert bool(cited.citations) == ("supported" not in states)
    assert all(text[check.start : check.end] == check.text for check in cited.existing)


@pytest.mark.parametrize("style", ["numbered", "footnotes"])
def test_cited_text_is_not_cited_again(style: Any) -> None:
    once = cite(TEXT, sources=[HEIGHT, YEAR], style=style)
    again = cite(once.text, sources=[HEIGHT, YEAR], style=style)
    assert [check.state for check in again.existing] == ["supported", "supported"]
    assert again.text == once.text


def test_source_is_found_by_title_file_name_and_address(tmp_path: Path) -> None:
    corpus = tmp_path / "notes"
    corpus.mkdir()
    (corpus / "dam.md").write_text(f"# The Great Dam\n\n{HEIGHT}\n")
    (corpus / "other.md").write_text("# Other\n\nThe bridge is 12 metres high.\n")
    entries = ["See The Great Dam (2020)", "dam.md", f"Dams, {corpus / 'dam.md'}", "Other"]
    states = []
    with Reviser(Settings(corpus=corpus)) as reviser:
        for entry in entries:
            cited = reviser.cite(f"The Hoover Dam is 221 metres high [1].\n\n[1] {entry}\n")
            states.append(cited.existing[0].state)
    assert states == ["supported", "supported", "supported", "not_supported"]


def test_usage_counts_the_check_of_citations() -> None:
    usage = cite("The Hoover Dam is 221 metres high [1].", sources=[HEIGHT]).research.usage
    assert (usage.by_node["cite"].calls, usage.by_node["edit"].calls) == (1, 1)


def test_reviser_still_edits_after_it_has_cited() -> None:
    with Reviser(Settings(search=InMemoryRetriever([HEIGHT]))) as reviser:
        assert reviser.cite("The Hoover Dam is 212 metres high.").text == "The Hoover Dam is 212 metres high."
        assert (
            reviser.revise("The Hoover Dam is 212 metres high.").text == "The Hoover Dam is 221 metres high."
        )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sources": "one text"}, "sources is a str: give a list, such as \\[text\\]"),
        ({"sources": [" "]}, "passage 1 is empty"),
        ({"sources": [3]}, "passage 1 is an int"),
        ({"sources": [YEAR], "style": "apa"}, "style is 'apa': give one of 'numbered'"),
    ],
)
def test_wrong_calls(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        cite(TEXT, **arguments)

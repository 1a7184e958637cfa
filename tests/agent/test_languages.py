"""A text that is not English comes back as it is, unjudged, and the revision says why."""

from pathlib import Path

import pytest

from rarr import revise

GERMAN = "Die Lorrin-Brücke wurde 1938 für den Verkehr freigegeben. Sie ist 212 Meter hoch."
CORPUS = {
    "de.md": "# Lorrin-Brücke\n\nDie Lorrin-Brücke wurde 1937 für den Verkehr freigegeben. Sie ist hoch.",
    "en.md": "# Lorrin Bridge\n\nThe Lorrin Bridge was opened to traffic in 1937. It is 212 metres high.",
}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    (tmp_path / "corpus").mkdir()
    for name, text in CORPUS.items():
        (tmp_path / "corpus" / name).write_text(text, encoding="utf-8")
    return tmp_path / "corpus"


@pytest.mark.parametrize("model", ["rules", "embedded"])
def test_a_german_text_is_unjudged(corpus: Path, tmp_path: Path, model: str) -> None:
    revision = revise(GERMAN, corpus=corpus, home=tmp_path, model=model)
    assert not revision.changed
    assert {sentence.status for sentence in revision.report.sentences} == {"unjudged"}
    assert "not_english" in [warning.code for warning in revision.warnings]


def test_the_english_part_of_a_mixed_text_is_revised(corpus: Path, tmp_path: Path) -> None:
    english = "The Lorrin Bridge was opened to traffic in 1938."
    revision = revise(f"{english}\n\n{GERMAN}", corpus=corpus, home=tmp_path)
    assert revision.text == f"{english.replace('1938', '1937')}\n\n{GERMAN}"
    assert [sentence.status for sentence in revision.report.sentences] == [
        "supported",
        "unjudged",
        "unjudged",
    ]


def test_english_sentence_with_german_evidence_alone_is_unjudged(corpus: Path, tmp_path: Path) -> None:
    text = "The Lorrin Bridge was opened to traffic in 1938."
    revision = revise(text, corpus=corpus / "de.md", home=tmp_path)
    assert [sentence.status for sentence in revision.report.sentences] == ["unjudged"]
    [notice] = [warning for warning in revision.warnings if warning.code == "not_english"]
    assert notice.message.startswith("passages that are not in English (de)")

"""Texts in other languages: near quotations are read, and a value is corrected; all else stays open."""

from pathlib import Path

import pytest

from rarr import revise

ENGLISH = "The Lorrin Bridge was opened to traffic in 1938."
GERMAN = "Die Lorrin-Brücke wurde 1938 für den Verkehr freigegeben."
CORPUS = {
    "de.md": "# Lorrin-Brücke\n\nDie Lorrin-Brücke wurde 1937 für den Verkehr freigegeben. Sie ist hoch.",
    "en.md": "# Lorrin Bridge\n\nThe Lorrin Bridge was opened to traffic in 1937. It is 212 metres high.",
    "it.md": "# Ponte Lorrin\n\nIl ponte Lorrin non è aperto al traffico.",
}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    (tmp_path / "corpus").mkdir()
    for name, text in CORPUS.items():
        (tmp_path / "corpus" / name).write_text(text, encoding="utf-8")
    return tmp_path / "corpus"


def test_values_of_a_mixed_text_are_corrected_in_both_languages(corpus: Path, tmp_path: Path) -> None:
    revision = revise(f"{ENGLISH}\n\n{GERMAN}", corpus=corpus, home=tmp_path)
    assert revision.text == f"{ENGLISH}\n\n{GERMAN}".replace("1938", "1937")
    assert {sentence.status for sentence in revision.report.sentences} == {"supported"}


@pytest.mark.parametrize("text", ["Il ponte Lorrin è aperto al traffico.", "Die Lorrin-Brücke ist rot."])
def test_what_no_line_repeats_is_not_supported(text: str, corpus: Path, tmp_path: Path) -> None:
    revision = revise(text, corpus=corpus, home=tmp_path)
    assert not revision.changed
    assert "supported" not in [sentence.status for sentence in revision.report.sentences]


def test_evidence_in_another_language_decides_nothing(corpus: Path, tmp_path: Path) -> None:
    revision = revise(ENGLISH, corpus=corpus / "de.md", home=tmp_path)
    assert [sentence.status for sentence in revision.report.sentences] == ["unconfirmed"]

"""Whole sentences by a model's choice among contrasts, from end to end: statuses, parts and suggestions."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rarr import Reviser, Revision, Settings
from rarr.prompts import load
from rarr.testing import Asked, RuleModel, ScriptedModel

DOCUMENT = """# Orrel Bridge

The Orrel Bridge opened in 1936. Ever since, those on foot have had it to themselves. It was drawn by Ida
Lunde, who had learned the trade from Nora Vinter.
"""
ALONE = "The Orrel Bridge is reserved for pedestrians."
ALONE_IN = "Ever since, those on foot have had it to themselves."
TAUGHT = "Ida Lunde taught Nora Vinter the trade."
RIGHT = "Nora Vinter taught Ida Lunde the trade."
LEARNED = "who had learned the trade from Nora Vinter"
TEXT = f"# Orrel Bridge\n\n{ALONE} {TAUGHT}"
CONTRASTS = {
    ALONE: [
        "The Orrel Bridge is closed to pedestrians.",
        "The Orrel Bridge is not reserved for pedestrians.",
    ],
    TAUGHT: [RIGHT, "Ida Lunde sold Nora Vinter the trade."],
    RIGHT: [TAUGHT],
}
QUOTES = {ALONE: ALONE_IN, RIGHT: LEARNED}


class Reader:
    """A model that knows which statements the document says, and mends the roles; `edit` is its edit."""

    def __init__(
        self, edit: tuple[str, str] = ("Ida Lunde taught Nora Vinter", "Nora Vinter taught Ida Lunde")
    ):
        self._edit, self._rules = edit, RuleModel()

    def __call__(self, asked: Asked) -> Any:
        variables = load(str(asked.prompt)).parse(asked.user) or {}
        if asked.prompt == "write_contrasts":
            return {"contrasts": CONTRASTS.get(variables["sentence"], [])}
        if asked.prompt == "choose_statement":
            lines = {line[3:]: line[0] for line in variables["statements"].splitlines()}
            said = next((line for line in QUOTES if line in lines), None)
            return {"quote": QUOTES[said], "answer": lines[said]} if said else {"quote": "", "answer": "none"}
        if asked.prompt == "edit":
            return dict(zip(("span", "revision"), self._edit, strict=True))
        return self._rules(asked)


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.delenv("RARR_BLIND")  # the default
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "bridge.md").write_text(DOCUMENT)
    yield folder


def revised(corpus: Path, model: Reader, text: str = TEXT, **settings: Any) -> Revision:
    given = Settings(corpus=corpus, model=ScriptedModel(model), trace=False, rounds=1, **settings)
    with Reviser(given) as reviser:
        return reviser.revise(text)


def test_sentence_in_other_words_is_supported_by_the_words_that_the_model_quotes(corpus: Path) -> None:
    sentence = revised(corpus, Reader()).report.sentences[0]
    assert sentence.status == "supported"
    assert {(part.state, part.says) for part in sentence.parts} == {("confirmed", ALONE_IN)}


def test_without_contrasts_the_same_sentence_is_unconfirmed(corpus: Path) -> None:
    statuses = [sentence.status for sentence in revised(corpus, Reader(), contrasts=False).report.sentences]
    assert statuses == ["unconfirmed", "unconfirmed"]


def test_sentence_whose_contrast_is_said_is_contradicted_and_its_correction_suggested(corpus: Path) -> None:
    revision = revised(corpus, Reader())
    assert revision.text == TEXT
    assert revision.report.sentences[1].status == "contradicted"
    [edit] = revision.edits
    assert edit.state == "suggested"
    assert revision.accept(edit.id).text == TEXT.replace(TAUGHT, RIGHT)


@pytest.mark.parametrize("edit", [("taught", "did not teach"), ("trade", "craft")])
def test_edit_that_the_model_does_not_choose_then_is_not_suggested(
    corpus: Path, edit: tuple[str, str]
) -> None:
    revision = revised(corpus, Reader(edit))
    assert not any(edit.state == "suggested" for edit in revision.edits)
    assert revision.report.sentences[1].status == "contradicted"


def test_number_that_no_reading_confirms_stays_open_though_the_sentence_is_chosen(
    corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = "The Orrel Bridge has been reserved for pedestrians for 80 years."
    monkeypatch.setitem(CONTRASTS, counted, [counted.replace("reserved", "closed")])
    monkeypatch.setitem(QUOTES, counted, ALONE_IN)
    [sentence] = revised(corpus, Reader(), counted).report.sentences
    assert sentence.status == "unconfirmed"
    assert [counted[part.start : part.end] for part in sentence.parts if part.state == "open"] == ["80"]


def test_number_elsewhere_in_the_passage_confirms_nothing(
    corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sold = "In 1936 the Orrel Bridge was given to those on foot."
    (corpus / "bridge.md").write_text(DOCUMENT.replace("opened in 1936", "was begun in 1936"))
    monkeypatch.setitem(CONTRASTS, sold, [sold.replace("given to", "taken from")])
    monkeypatch.setitem(QUOTES, sold, "those on foot have had it to themselves")
    rules = RuleModel()
    model = Reader()
    monkeypatch.setattr(
        model,
        "_rules",
        lambda asked: {"answer": "not stated"} if asked.prompt == "fill_blank" else rules(asked),
    )
    [sentence] = revised(corpus, model, sold).report.sentences
    assert sentence.status == "unconfirmed"
    assert "1936" in {sold[part.start : part.end] for part in sentence.parts if part.state == "open"}

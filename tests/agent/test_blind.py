"""Blind reading from end to end: a model that reads, and code that compares, edits and asks again."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rarr import Reviser, Revision, Settings
from rarr.testing import RuleModel, ScriptedModel
from rarr.tools.models.chat import CallFailure
from rarr.tools.text.warning_lines import nothing_checked

TEXT = "The Orrel Bridge opened in 1932. The Orrel Bridge was designed by Ida Lunde."
DOCUMENT = "# Orrel Bridge\n\nThe Orrel Bridge opened in 1936. The Orrel Bridge was designed by Ida Lunde."


IN_OTHER_WORDS = "# Orrel Bridge\n\nTraffic first went over the Orrel Bridge in 1936. Ida Lunde drew it."


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.delenv("RARR_BLIND")  # the default
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "bridge.md").write_text(DOCUMENT)
    yield folder


def revised(corpus: Path, model: Any, **settings: Any) -> Revision:
    with Reviser(Settings(corpus=corpus, model=model, trace=False, **settings)) as reviser:
        return reviser.revise(TEXT)


def prompts(model: ScriptedModel) -> list[str]:
    return [call.name for call in model.calls]


def reading(answer: str) -> ScriptedModel:
    """A model that reads the same answer in every source."""
    return ScriptedModel(lambda asked: {"question" if asked.prompt == "write_question" else "answer": answer})


def test_an_error_is_mended_by_what_the_model_reads(corpus: Path) -> None:
    model = ScriptedModel(RuleModel())
    revision = revised(corpus, model)
    assert revision.text == TEXT.replace("1932", "1936")
    assert set(prompts(model)) == {"fill_blank", "write_contrasts"}  # the rules read the same


def test_an_edit_makes_no_reading_stale(corpus: Path) -> None:
    model = ScriptedModel(RuleModel())
    revision = revised(corpus, model, rounds=1)
    assert revision.changed
    asked = [call.messages for call in model.calls if call.name == "fill_blank"]
    assert len(asked) == len(set(asked))


@pytest.mark.parametrize("answer", ["1940", "Anna Reis", "not stated", "The bridge is fine."])
def test_what_stands_in_no_passage_changes_nothing(corpus: Path, answer: str) -> None:
    (corpus / "bridge.md").write_text(IN_OTHER_WORDS)
    revision = revised(corpus, reading(answer))
    assert revision.text == TEXT
    assert not any(check.verdict in ("agrees", "disagrees") for check in revision.checks)


def test_paper_asks_with_the_text_in_view(corpus: Path) -> None:
    model = ScriptedModel(RuleModel())
    revised(corpus, model, preset="paper")
    assert "check_agreement" in prompts(model)
    assert "read_evidence" not in prompts(model)


def test_model_that_writes_no_question_answers_that_of_the_rules(corpus: Path) -> None:
    (corpus / "bridge.md").write_text(IN_OTHER_WORDS)
    model = ScriptedModel(
        lambda asked: {"question": ""} if asked.prompt == "write_question" else {"answer": "1936"}
    )
    revised(corpus, model, rounds=1)
    asked = [call.messages[-1].content for call in model.calls if call.name == "read_evidence"]
    assert any("The Orrel Bridge opened when?" in question for question in asked)


def test_a_model_that_answers_nothing_has_checked_nothing(corpus: Path) -> None:
    down = CallFailure("connection", "scripted: nobody listens")
    revision = revised(corpus, ScriptedModel({}, failures=[down] * 200), attempts=1)
    assert revision.text == TEXT
    assert "nobody listens" in nothing_checked(revision)

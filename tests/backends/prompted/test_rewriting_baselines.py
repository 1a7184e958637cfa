"""The baselines that ask a language model, from end to end."""

from pathlib import Path
from typing import Any

import pytest

from backends.prompted.helpers import PROMPTS, answering, language_model
from rarr import Reviser, Revision, Settings, SettingsError
from rarr.agent.wiring.components import wire
from rarr.backends.prompted.paper import PromptedSearches
from rarr.components import Baseline, EditorKind, Lacking
from rarr.testing import RuleModel, ScriptedModel

TEXT = "The Orrel Bridge opened in 1932. It is 300 m long."
FACT = "# Orrel Bridge\n\nThe Orrel Bridge opened in 1936. It is 300 m long."


def rewritten(folder: Path, editor: EditorKind, **settings: Any) -> tuple[Revision, list[str]]:
    (folder / "bridge.md").write_text(FACT)
    model = ScriptedModel(RuleModel())
    chosen = Settings(model=model, corpus=folder, home=folder, **settings)
    with Reviser(components=wire(chosen, baseline=Baseline(editor=editor))) as reviser:
        return reviser.revise(TEXT), [ask.name for ask in model.calls]


@pytest.mark.parametrize(("editor", "prompt"), [("efec", "correct_text"), ("lamda", "rewrite_text")])
def test_paper_baselines_rewrite_the_whole_text_from_all_its_evidence(
    tmp_path: Path, editor: EditorKind, prompt: str
) -> None:
    revision, asked = rewritten(tmp_path, editor)
    assert revision.text == TEXT.replace("1932", "1936")
    assert asked.count(prompt) == 1
    assert not {"check_agreement", "edit"} & set(asked)
    assert revision.scores.attribution_after is not None


def test_paper_lamda_writes_its_own_searches_and_reports_all_its_evidence(tmp_path: Path) -> None:
    for n in range(3):
        (tmp_path / f"{n}.md").write_text(f"The Orrel Bridge is in town {n}. It is long.")
    revision, asked = rewritten(tmp_path, "lamda", report_size=2)
    assert asked.count("search_queries") == 1
    assert "generate_queries" not in asked
    assert [query.text for query in revision.queries] == [
        "The Orrel Bridge opened in 1932.",
        "It is 300 m long.",
    ]
    places = {(item.source, item.start, item.end) for item in revision.evidence}
    assert len(revision.report.evidence_ids) == len(places) > 2
    limited, _ = rewritten(tmp_path, "efec", report_size=2)
    assert len(limited.report.evidence_ids) == 2


async def test_searches_are_at_most_four_and_each_once() -> None:
    chat = answering({"queries": ["a", " a ", "", "b", "c", "d", "e"]})
    searches = PromptedSearches(language_model(chat), PROMPTS)
    assert [query.text for query in await searches.generate("One.", None)] == ["a", "b", "c", "d"]
    assert await searches.target("One.", None, Lacking([])) == ()


@pytest.mark.parametrize("editor", ["efec", "lamda"])
def test_rewriting_needs_a_language_model(tmp_path: Path, editor: EditorKind) -> None:
    with pytest.raises(SettingsError, match="needs a language model for edit: name it"):
        wire(Settings(corpus=tmp_path), baseline=Baseline(editor=editor))


def test_no_edit_leaves_the_text_and_scores_it(tmp_path: Path) -> None:
    revision, _ = rewritten(tmp_path, "none")
    assert (revision.text, revision.scores.preservation) == (TEXT, 1.0)
    assert revision.scores.attribution_after is not None

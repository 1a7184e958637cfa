"""The baselines that ask a language model, from end to end."""

from pathlib import Path

import pytest

from rarr import Reviser, Revision, Settings, SettingsError
from rarr.agent.wiring.components import wire
from rarr.components import Baseline, EditorKind
from rarr.testing import RuleModel, ScriptedModel

TEXT = "The Orrel Bridge opened in 1932. It is 300 m long."
FACT = "# Orrel Bridge\n\nThe Orrel Bridge opened in 1936. It is 300 m long."


def rewritten(folder: Path, editor: EditorKind) -> tuple[Revision, list[str]]:
    (folder / "bridge.md").write_text(FACT)
    model = ScriptedModel(RuleModel())
    settings = Settings(model=model, corpus=folder, home=folder)
    with Reviser(components=wire(settings, baseline=Baseline(editor=editor))) as reviser:
        return reviser.revise(TEXT), [ask.name for ask in model.calls]


@pytest.mark.parametrize(("editor", "prompt"), [("efec", "rewrite_sentence"), ("lamda", "rewrite_text")])
def test_text_is_rewritten_from_the_evidence(tmp_path: Path, editor: EditorKind, prompt: str) -> None:
    revision, asked = rewritten(tmp_path, editor)
    assert revision.text == TEXT.replace("1932", "1936")
    assert asked.count(prompt) == (1 if editor == "lamda" else 2)
    assert not {"check_agreement", "edit"} & set(asked)
    assert revision.scores.attribution_after is not None


@pytest.mark.parametrize("editor", ["efec", "lamda"])
def test_rewriting_needs_a_language_model(tmp_path: Path, editor: EditorKind) -> None:
    with pytest.raises(SettingsError, match="needs a language model: name it with model"):
        wire(Settings(corpus=tmp_path), baseline=Baseline(editor=editor))


def test_no_edit_leaves_the_text_and_scores_it(tmp_path: Path) -> None:
    revision, _ = rewritten(tmp_path, "none")
    assert (revision.text, revision.scores.preservation) == (TEXT, 1.0)
    assert revision.scores.attribution_after is not None

"""The prompts of a reviser: its own folder over the package's, all read before anything is asked."""

import shutil
from pathlib import Path

import pytest

from rarr import prompts
from rarr.backends.prompted.prompts import Prompts
from rarr.errors import InputError

OWN = (prompts.FOLDER / "edit.md").read_text(encoding="utf-8")


def test_context_chooses_the_contextual_form() -> None:
    plain, variables = Prompts().of("edit", None, text="x")
    assert (plain.name, variables) == ("edit", {"text": "x"})
    contextual, variables = Prompts().of("edit", "Who?", text="x")
    assert (contextual.name, variables) == ("edit_in_context", {"context": "Who?", "text": "x"})


def test_folder_overrides_the_prompts_that_it_holds(tmp_path: Path) -> None:
    (tmp_path / "edit.md").write_text(OWN.replace("Correct the text", "Mend the text"))
    shutil.copy(prompts.FOLDER / "edit_in_context.md", tmp_path)
    own = Prompts(tmp_path)
    assert "Mend the text" in own["edit"].system
    assert own["check_agreement"] == Prompts()["check_agreement"]


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("judge_attribution.md", "", "no header"),
        ("edits.md", OWN, "overrides no prompt"),
        ("edit.md", OWN, "no edit_in_context.md beside it"),
    ],
)
def test_override_that_cannot_be_used_is_an_error_at_once(
    tmp_path: Path, file: str, text: str, message: str
) -> None:
    (tmp_path / file).write_text(text)
    with pytest.raises(InputError, match=message):
        Prompts(tmp_path)

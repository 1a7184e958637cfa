"""The prompts of a reviser: its own folder over the package's, all read before anything is asked."""

from pathlib import Path

import pytest

from rarr import prompts
from rarr.backends.prompted.prompts import Prompts
from rarr.errors import InputError

OWN = (prompts.FOLDER / "edit.md").read_text(encoding="utf-8")


def test_folder_overrides_the_prompts_that_it_holds(tmp_path: Path) -> None:
    (tmp_path / "edit.md").write_text(OWN.replace("Correct the text", "Mend the text"))
    own = Prompts(tmp_path)
    assert "Mend the text" in own["edit"].system
    assert own["check_agreement"] == Prompts()["check_agreement"]


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [("judge_attribution.md", "", "no header"), ("edits.md", OWN, "overrides no prompt")],
)
def test_override_that_cannot_be_used_is_an_error_at_once(
    tmp_path: Path, file: str, text: str, message: str
) -> None:
    (tmp_path / file).write_text(text)
    with pytest.raises(InputError, match=message):
        Prompts(tmp_path)

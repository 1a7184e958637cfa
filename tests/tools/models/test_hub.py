"""Which names can be models, and what an error says on one line; the rest is tested where it is used."""

from pathlib import Path

import pytest

from rarr.tools.models.hub import can_be_model, one_line


@pytest.mark.parametrize(("name", "can"), [("a/b", True), ("", False), ("a", False), ("a/b/c", False)])
def test_model_name_needs_an_owner(name: str, can: bool) -> None:
    assert can_be_model(name) is can


def test_any_folder_can_be_a_model(tmp_path: Path) -> None:
    assert can_be_model(str(tmp_path))


@pytest.mark.parametrize(
    ("error", "line"),
    [(OSError("a\n b"), "a b"), (KeyError(), "KeyError"), (OSError("x" * 300), "x" * 199 + "…")],
)
def test_error_is_one_short_line(error: Exception, line: str) -> None:
    assert one_line(error) == line

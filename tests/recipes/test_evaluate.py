"""The command: what is measured, printed and written."""

import sys
from pathlib import Path

import pytest

from rarr.evals.metrics import Measured
from recipes import evaluate
from recipes.measures.context import TRAINED, Context, Figure, Results

PAGE = "".join(f"<!-- begin: {name} -->\n<!-- end: {name} -->\n" for name in ("run", "targets", "its"))


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page with places for what one fake measure says."""

    def measure(context: Context) -> Results:
        context.kept("fake").add(("a",), 1)
        return Results([Figure("its figure", TRAINED, Measured(value=0.5))], {"its": f"of {context.limit}"})

    page = tmp_path / "page.md"
    page.write_text(PAGE)
    monkeypatch.setattr(evaluate, "MEASURES", {"fake": measure})
    monkeypatch.setattr(evaluate, "PAGE", page)
    monkeypatch.setattr(sys, "argv", ["evaluate", "--folder", str(tmp_path / "kept"), "--limit", "3"])
    return page


def test_targets_are_printed_and_results_kept(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evaluate.main()
    printed = capsys.readouterr().out
    assert "| its figure | - | 0.500 | - | - | - |" in printed
    assert "## its\n\nof 3" in printed
    assert "Not measured, for want of what it needs: rules, MiniLM cosine." in printed
    assert len(list((page.parent / "kept").glob("*/fake.jsonl"))) == 1
    assert page.read_text() == PAGE


def test_page_is_written_on_request(page: Path) -> None:
    sys.argv.append("--write")
    evaluate.main()
    written = page.read_text()
    assert "<!-- begin: its -->\n\nof 3\n\n<!-- end: its -->" in written
    assert "**Of each set the first 3 rows alone.**" in written


def test_page_is_not_written_for_a_partial_run(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sys.argv += ["--write", "--only", "fake"]
    with pytest.raises(SystemExit):
        evaluate.main()
    assert "--write needs every measure" in capsys.readouterr().err
    assert page.read_text() == PAGE

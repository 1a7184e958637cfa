"""Sections that are rewritten for fluency: their citations are checked, and no section is lost."""

from agent.writing.bridges import (
    BUILT,
    CLOSED,
    cited,
    labels,
    written,
)  # fmt: skip
from rarr import Settings
from rarr.testing import (
    ScriptedWriter,
)


def test_smoothed_section_is_checked() -> None:
    smoothing = ScriptedWriter({"History": f"{BUILT} [1]"}, smoothing=lambda text: f"{CLOSED} [1]")
    article = written({}, writer=smoothing, settings=Settings(smooth=True))
    assert (labels(article), cited(article)) == ([[("1", False)]], [["trains.md"]])


def test_smoothing_that_loses_a_citation_is_refused() -> None:
    smoothing = ScriptedWriter({"History": f"{BUILT} [1]"}, smoothing=lambda text: CLOSED)
    article = written({}, writer=smoothing, settings=Settings(smooth=True))
    assert BUILT in article.text
    assert "smooth_refused" in {warning.code for warning in article.warnings}


def test_smoothing_to_nothing_is_refused() -> None:
    smoothing = ScriptedWriter({"History": BUILT}, smoothing=lambda text: "")
    article = written({}, writer=smoothing, settings=Settings(smooth=True))
    assert BUILT in article.text
    assert "smooth_refused" in {warning.code for warning in article.warnings}

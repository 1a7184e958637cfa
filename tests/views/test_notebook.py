"""Pages in notebooks: edits in place, marks at their characters, and HTML that nothing can break out of."""

from typing import Any

from hypothesis import example, given, strategies as st
from makers import VALID, edit, edited, evidence, revision
from parsing import Page

from rarr.records import Edit, Notice
from rarr.tools.pages.html_rendering import escape_invisible
from rarr.views.pages import marked_sentences, revision_html

TAGS = {"a", "b", "bdi", "code", "del", "details", "div", "ins", "li", "p", "span", "summary", "ul"}
HOSTILE = "<script>alert('x')</script>\"onmouseover=\"x' & [red]"


@given(edited(st.sampled_from("ab1*_`~[]()<>&;#|-+\\!:\"' \n\r\t\u202e") | VALID, longest=60))
@example((HOSTILE, [edit(0, 0, HOSTILE)]))
def test_any_text_is_shown_and_leaves_only_known_closed_tags(case: tuple[str, list[Edit]]) -> None:
    original, edits = case
    known: dict[str, Any] = {"evidence": (evidence(source=original or "a", title=original),)}
    known["warnings"] = (Notice(code="c", message=original, node="n"),)
    made = revision(original, *edits, statuses=("contradicted", "unconfirmed", "supported"), **known)
    page = Page(revision_html(made))
    assert page.open == []
    assert {tag for tag, _ in page.tags} <= TAGS
    assert {name for _, attrs in page.tags for name in attrs} <= {
        "style", "dir", "title", "open", "href", "rel", "class", "start",
    }  # fmt: skip
    styles = {str(attrs["style"]) for _, attrs in page.tags if "style" in attrs}
    assert not any("url" in style or "expression" in style for style in styles)
    runs = [run for each in marked_sentences(original, edits, made.report.sentences) for run in each.pieces]
    for text in (original, *(run.text for run in runs)):  # the warning has the whole text
        assert "".join(escape_invisible(text).split()) in "".join(page.text.split())
    assert "".join(run.text for run in runs if run.kind != "inserted") == original
    assert "".join(run.text for run in runs if run.kind != "deleted") == made.text

"""Pages in notebooks: edits in place, marks at their characters, and HTML that nothing can break out of."""

from hypothesis import given, strategies as st
from makers import VALID, edit, edited, evidence, revision
from parsing import Page

from rarr.records import Edit, Notice, with_edits
from rarr.tools.pages.html_rendering import seen
from rarr.tools.text.edit_segments import traced
from rarr.views.pages import marked, revision_html

TAGS = {"a", "b", "bdi", "code", "del", "details", "div", "ins", "li", "p", "span", "summary", "ul"}
HOSTILE = "<script>alert('x')</script>\"onmouseover=\"x' & [red]"


@given(edited(st.sampled_from("ab1*_`~[]()<>&;#|-+\\!:\"' \n\r\t\u202e") | VALID, longest=60))
def test_any_text_leaves_only_known_closed_tags(case: tuple[str, list[Edit]]) -> None:
    original, edits = case
    made = revision(original, *edits, statuses=("contradicted", "unconfirmed", "supported"))
    page = Page(revision_html(made))
    assert page.open == []
    assert {tag for tag, _ in page.tags} <= TAGS
    assert {name for _, attrs in page.tags for name in attrs} <= {
        "style", "dir", "title", "open", "href", "rel", "class", "start",
    }  # fmt: skip
    styles = {str(attrs["style"]) for _, attrs in page.tags if "style" in attrs}
    assert not any("url" in style or "expression" in style for style in styles)
    for piece in traced(original, edits):
        if piece.kind == "deleted":
            assert "".join(seen(piece.text).split()) in "".join(page.text.split())


def test_hostile_texts_are_escaped() -> None:
    made = revision(
        HOSTILE,
        edit(0, 0, HOSTILE),
        statuses=("supported",),
        evidence=(evidence(source=HOSTILE, title=HOSTILE),),
        warnings=(Notice(code="c", message=HOSTILE, node="n"),),
    )
    page = Page(revision_html(made))
    assert page.text.count(HOSTILE) == 5  # the text twice, title, source, warning
    assert not {"script", "a", "img"} & {name for name, _ in page.tags}
    assert not any(name.startswith("on") for _, attrs in page.tags for name in attrs)


@given(edited())
def test_runs_are_the_text_before_and_after(case: tuple[str, list[Edit]]) -> None:
    original, edits = case
    runs = [run for each in marked(original, edits, []) for run in each.runs]
    assert "".join(run.text for run in runs if run.kind != "inserted") == original
    assert "".join(run.text for run in runs if run.kind != "deleted") == with_edits(original, edits)

"""Pages in notebooks: edits in place, marks at their characters, and HTML that nothing can break out of."""

from datetime import UTC, datetime
from typing import Any

from hypothesis import given, strategies as st
from makers import VALID
from parsing import Page

from rarr.records import Edit, Evidence, Notice, Report, Revision, Sentence, with_edits
from rarr.tools.pages.html_rendering import seen
from rarr.tools.text.edit_segments import traced
from rarr.views.pages import marked, revision_html

TAGS = {"a", "b", "bdi", "code", "del", "details", "div", "ins", "li", "p", "span", "summary", "ul"}
HOSTILE = "<script>alert('x')</script>\"onmouseover=\"x' & [red]"


def edit(start: int, end: int, new: str, **fields: Any) -> Edit:
    ids = {"id": "e1", "query_id": "q1", "evidence_id": "v1"}
    known = {"old": "", "reason": "so", "state": "accepted"}
    return Edit(**(ids | known | fields), start=start, end=end, new=new)


def evidence(**fields: Any) -> Evidence:
    known = {"id": "v1", "query_id": "q1", "text": "It opened in 1937.", "source": "bridge.md", "title": ""}
    place = {"start": 0, "end": 18, "relevance": 1.0, "retrieved_at": datetime(2026, 1, 1, tzinfo=UTC)}
    return Evidence(**(known | place | fields))


def revision(original: str, *edits: Edit, statuses: tuple[Any, ...] = (), **fields: Any) -> Revision:
    """A revision whose sentences are its lines, in these statuses, each supported by v1."""
    text, sentences, at = with_edits(original, edits), [], 0
    for line, status in zip(text.splitlines(keepends=True), statuses, strict=False):
        span = {"text": line.strip(), "start": at, "end": at + len(line.rstrip())}
        sentences.append(Sentence(**span, status=status, evidence_ids=("v1",), support=0.9))
        at += len(line)
    report = Report(evidence_ids=("v1",), sentences=tuple(sentences))
    known = {"run_id": "r1", "report": report, "evidence": (evidence(),)} | fields
    return Revision(original=original, text=text, changed=text != original, edits=edits, **known)


@st.composite
def edited(
    draw: st.DrawFn, alphabet: st.SearchStrategy[str] = VALID, longest: int = 20
) -> tuple[str, list[Edit]]:
    original = current = draw(st.text(alphabet, max_size=longest))
    edits: list[Edit] = []
    for _ in range(draw(st.integers(0, 5))):
        start, end = sorted(draw(st.tuples(*[st.integers(0, len(current))] * 2)))
        edits.append(edit(start, end, draw(st.text(alphabet, max_size=5)), accepted=draw(st.booleans())))
        current = with_edits(current, edits[-1:])
    return original, edits


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

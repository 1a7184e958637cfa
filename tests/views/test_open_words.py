"""An unconfirmed sentence says which of its words no passage confirms, wherever it is shown."""

from rarr.records import Part, Report, Revision, Sentence
from rarr.views.notebook import revision_html
from rarr.views.terminal.revision import render

TEXT = "It <b> opened in 1937."
PARTS = (
    Part(start=3, end=6, state="open"),
    Part(start=17, end=21, state="confirmed", evidence_id="v1", says="1937"),
)
SENTENCE = Sentence(text=TEXT, start=0, end=len(TEXT), status="unconfirmed", support=0.6, parts=PARTS)
REVISION = Revision(
    run_id="r1", original=TEXT, text=TEXT, changed=False, report=Report(sentences=(SENTENCE,))
)


def test_open_words_belong_to_unconfirmed_parts() -> None:
    assert SENTENCE.open_words == ("<b>",)


def test_terminal_names_the_open_words() -> None:
    shown = render(REVISION, terminal=False)
    assert f"  1. unconfirmed 0.60  {TEXT}\n      not confirmed: “<b>”\n" in shown


def test_notebook_names_the_open_words_escaped() -> None:
    shown = revision_html(REVISION)
    assert 'title="unconfirmed, support 0.60; not confirmed: &lt;b&gt;"' in shown
    assert "unconfirmed</span>: 1" in shown

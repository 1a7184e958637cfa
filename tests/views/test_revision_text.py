"""What a person reads on a terminal, in a pipe, as a diff, in tables and while waiting."""

import re
from typing import Any

import pytest

from rarr.evals.statistics import Measured
from rarr.records import Notice, Part, Query, Report, Scores, Sentence
from rarr.records.card import Quote
from rarr.records.document_checks import DocumentChecks
from rarr.views.report_tables import as_tables
from rarr.views.revision_text import render, render_diff
from views.test_notebook import edit, evidence, revision

ANSI = re.compile(r"\x1b\[[0-9;]*m")
QUERY = Query(id="q1", text="When did it open?", start=0, end=2)
REVISED = revision(
    "It opened in 1935.\r\n",
    edit(13, 17, "1937", old="1935", reason="the evidence says 1937"),
    edit(0, 2, "They", old="It", id="e2", state="refused", reason="support did not rise"),
    statuses=("supported",),
    queries=(QUERY,),
    evidence=(evidence(text="It is red. It opened in 1937.", title="Bridges"),),
    scores=Scores(
        attribution_before=0.0, attribution_after=0.9,
        preservation=0.95, f1_ap=0.92,
    ),
    warnings=(Notice(code="check_failed", message="no answer", node="check_agreement"),) * 2,
)  # fmt: skip


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A colour terminal, 100 columns wide, whatever runs the tests."""
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "100")
    return monkeypatch


def test_text_comes_first_then_a_line_for_each_change_and_sentence_a_count_and_the_cost(
    terminal: pytest.MonkeyPatch,
) -> None:
    terminal.setenv("FORCE_COLOR", "1")  # a pipe gets no escape sequence even then
    assert render(REVISED, terminal=False).split("\n") == [
        "It opened in 1937.\r",
        "",
        "Changes",
        "  e1  “1935” → “1937”",
        "",
        "Sentences",
        "  1. supported 0.90  It opened in 1937.  ← “It opened in 1937.” (Bridges, bridge.md)",
        "",
        "1 sentence: 1 supported; 1 change; attribution 0.00 → 0.90",
        "1 query, 1 passage of evidence, 0 model calls, 0.0 seconds",
        "warning: check_failed: no answer (2 times)",
        "",
    ]
    coloured = render(REVISED, terminal=True)
    assert coloured.startswith("It opened in \x1b[9;31m1935\x1b[0m\x1b[1;32m1937\x1b[0m.")


def sentence(text: str, **fields: Any) -> Sentence:
    return Sentence(**({"text": text, "start": 0, "end": len(text), "status": "supported"} | fields))


def sentences(made: Any, *, verbose: bool = False) -> list[str]:
    shown = render(made, terminal=False, verbose=verbose).partition("Sentences\n")[2].partition("\n\n")[0]
    return shown.split("\n")


def test_quotes_are_shown_and_without_any_the_nearest_sentences_of_three_sources() -> None:
    windows = evidence(), evidence(id="v2"), *(evidence(id=f"v{n}", source=f"{n}.md") for n in range(3, 7))
    spoken = sentence("It opened.", evidence_ids=tuple(each.id for each in windows))
    made = revision("It opened.", evidence=windows, report=Report(sentences=(spoken,)))
    said = "“It opened in 1937.”"
    first, *others = sentences(made, verbose=True)
    assert first == f"  1. supported  It opened.  ← {said} (bridge.md)"
    assert others == [f"      {said} (3.md)", f"      {said} (4.md)"]
    assert sentences(made) == [first]
    texts = ("It is.", "It was.", "It is.")
    quotes = tuple(Quote(evidence_id="v5", start=0, end=5, text=text) for text in texts)
    cited = spoken.model_copy(update={"quotes": quotes})
    made = revision("It opened.", evidence=windows, report=Report(sentences=(cited,)))
    assert sentences(made) == ["  1. supported  It opened.  ← “It is.” … “It was.” (5.md)"]


def test_deciding_words_are_marked_by_their_state() -> None:
    parts = (
        Part(start=0, end=2, state="open"),
        Part(start=3, end=9, state="confirmed", evidence_id="v1", says="opened"),
        Part(start=13, end=17, state="differs", evidence_id="v1", says="1937\x1b"),
    )

    def line(text: str) -> list[tuple[str, str]]:
        report = Report(sentences=(sentence(text, parts=parts, status="contradicted"),))
        shown = render(revision(text, report=report), terminal=True)
        assert "      differs: “1935”, and v1 says “1937␛”" in ANSI.sub("", shown) or "\t" in text
        return re.findall(r"\x1b\[([\d;]+)m(\w+)", next(row for row in shown.splitlines() if "1. " in row))

    assert line("It opened in 1935.")[1:] == [("4;94", "It"), ("32", "opened"), ("1;31", "1935")]
    assert line("It\topened  in 1935.") == [("31", "contradicted")]
    unsure = sentence("It is.", status="unconfirmed", parts=parts[:1])
    made = revision("It is.", report=Report(sentences=(unsure,)))
    assert "  1. unconfirmed  It is.  (not confirmed: “It”)\n" in render(made, terminal=False)


@pytest.mark.parametrize("terminal_", [True, False])
def test_hostile_texts_are_shown_without_markup_and_control_characters(terminal_: bool) -> None:
    hostile = "[bold red]It[/] \x1b[2J\x9b1m\x07opened\r\n\u202e [link=http://x]"
    fields: dict[str, Any] = {"text": hostile, "source": hostile + "x" * 200_000, "title": hostile}
    made = revision("One.", edit(0, 1, "o"), statuses=("supported",), evidence=(evidence(**fields),))
    shown = ANSI.sub("", render(made, terminal=terminal_))
    assert "[bold red]It[/] ␛[2J�1m␇opened � [link=http://x]" in " ".join(shown.split())
    assert not {"\x1b", "\x9b", "\x07", "\u202e"} & set(shown)
    assert len(shown) < 5000
    assert "a␛[2Jb\nc" in ANSI.sub("", render(revision("a\x1b[2Jb\r\nc"), terminal=True))


@pytest.mark.parametrize(
    ("made", "diff"),
    [
        (REVISED, "--- original\n+++ revised\n@@ -1 +1 @@\n-It opened in 1935.\r\n+It opened in 1937.\r\n"),
        (
            revision("a\nb", edit(2, 3, "c")),
            "-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n",
        ),
        (revision("a\u2028b\x0cc\n", edit(0, 1, "x")), "-a\u2028b\x0cc\n+x\u2028b\x0cc\n"),
        (revision("One."), ""),
    ],
)
def test_diff_keeps_line_endings(made: Any, diff: str) -> None:
    assert render_diff(made, terminal=False).endswith(diff)
    assert render_diff(made, terminal=False).startswith("---") == bool(diff)
    assert "\x1b[32m+It opened in 1937." in render_diff(REVISED, terminal=True)


def test_report_becomes_lines_and_tables() -> None:
    half = Measured(value=0.5, low=0.25, high=0.75, n=8, unjudged=1)
    systems = {"a": {"f1": half, "claims": 8}, "b\x1b": {"f1": Measured(), "claims": 0}}
    fields: dict[str, Any] = {"fail_on": ("x", "y"), "failing": 3, "unjudged": half, "documents": systems}
    report = DocumentChecks.model_construct(**fields)
    assert [line.split() for line in as_tables(report).splitlines() if line] == [
        ["fail", "on:", "x,", "y"],
        ["failing:", "3"],
        ["value", "95%", "interval", "n", "not", "judged"],
        ["unjudged", "0.500", "0.250", "to", "0.750", "8", "1"],
        ["documents"],
        ["f1", "claims"],
        ["a", "0.500", "[0.250,", "0.750]", "8"],
        ["b␛", "-", "0"],
    ]

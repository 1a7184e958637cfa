"""What a person reads on a terminal, in a pipe, as a diff, in tables and while waiting."""

import asyncio
import re
from typing import Any

import pytest
from makers import edit, evidence, revision

from rarr.evals.metrics import Measurement
from rarr.records import Notice, Query, Report, Scores, Sentence
from rarr.tools.models.run_budget import Meter, using_meter
from rarr.views.progress import ProgressLine
from rarr.views.report_tables import as_tables
from rarr.views.revision_text import revision_diff, revision_text

ANSI = re.compile(r"\x1b\[[0-9;]*m")
QUERY = Query(id="q1", text="When did it open?", start=0, end=2)
REVISED = revision(
    "It opened in 1935.\r\n",
    edit(13, 17, "1937", old="1935", reason="the evidence says 1937"),
    edit(0, 2, "They", old="It", id="e2", state="refused", reason="support did not rise"),
    statuses=("supported",),
    queries=(QUERY,),
    evidence=(evidence("It is red. It opened in 1937.", source="bridge.md", title="Bridges"),),
    scores=Scores(attribution_before=0.0, attribution_after=0.9, preservation=0.95, f1_ap=0.92),
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


def test_text_comes_first_then_changes_sentences_and_the_cost(terminal: pytest.MonkeyPatch) -> None:
    terminal.setenv("FORCE_COLOR", "1")  # a pipe gets no escape sequence even then
    assert revision_text(REVISED, terminal=False).split("\n") == [
        "It opened in 1937.\r",
        "",
        "Changes",
        "  e1  “1935” → “1937”",
        "",
        "Sentences",
        "  1. supported 0.90  It opened in 1937.  ← “It opened in 1937.” (Bridges, bridge.md)",
        "",
        "1 sentence: 1 supported; 1 change, 1 refused; attribution 0.00 → 0.90",
        "1 query, 1 passage of evidence, 0 model calls, 0.0 seconds",
        "warning: check_failed: no answer (2 times)",
        "",
    ]
    coloured = revision_text(REVISED, terminal=True)
    assert coloured.startswith("It opened in \x1b[9;31m1935\x1b[0m\x1b[1;32m1937\x1b[0m.")


@pytest.mark.parametrize("terminal_", [True, False])
def test_hostile_texts_are_shown_without_markup_and_control_characters(terminal_: bool) -> None:
    hostile = "[bold red]It[/] \x1b[2J\x9b1m\x07opened\r\n\u202e [link=http://x]"
    fields: dict[str, Any] = {"text": hostile, "source": hostile + "x" * 200_000, "title": hostile}
    made = revision("One.", edit(0, 1, "o"), statuses=("supported",), evidence=(evidence(**fields),))
    shown = ANSI.sub("", revision_text(made, terminal=terminal_))
    assert "[bold red]It[/] ␛[2J�1m␇opened � [link=http://x]" in " ".join(shown.split())
    assert not {"\x1b", "\x9b", "\x07", "\u202e"} & set(shown)
    assert len(shown) < 5000
    assert "a␛[2Jb\nc" in ANSI.sub("", revision_text(revision("a\x1b[2Jb\r\nc"), terminal=True))


def test_cell_of_a_table_is_listed_with_its_row_and_column() -> None:
    text = "| dam | height |\n|---|---|\n| Hoover Dam | 221 metres |\n"
    start = text.index("221")
    cell = Sentence(text="221 metres", start=start, end=start + 10, status="supported")
    assert "1. supported  Hoover Dam, height: 221 metres\n" in revision_text(
        revision(text, report=Report(sentences=(cell,))), terminal=False
    )


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
    assert revision_diff(made, terminal=False).endswith(diff)
    assert revision_diff(made, terminal=False).startswith("---") == bool(diff)
    assert "\x1b[32m+It opened in 1937." in revision_diff(REVISED, terminal=True)


def test_report_becomes_lines_and_tables() -> None:
    half = Measurement(value=0.5, low=0.25, high=0.75, n=8, unjudged=1)
    systems = {"a": {"f1": half, "claims": 8}, "b\x1b": {"f1": Measurement(), "claims": 0}}
    report = {"fail_on": ("x", "y"), "failing": 3, "unjudged": {"f1": half}, "documents": systems}
    assert [line.split() for line in as_tables(report).splitlines() if line] == [
        ["fail", "on:", "x,", "y"],
        ["failing:", "3"],
        ["unjudged"],
        ["value", "95%", "interval", "n", "not", "judged"],
        ["f1", "0.500", "0.250", "to", "0.750", "8", "1"],
        ["documents"],
        ["f1", "claims"],
        ["a", "0.500", "[0.250,", "0.750]", "(8", "of", "9)", "8"],
        ["b␛", "-", "(0", "of", "0)", "0"],
    ]


def test_narrow_terminal_cuts_no_word_of_a_table(terminal: pytest.MonkeyPatch) -> None:
    terminal.setenv("FORCE_COLOR", "1")
    names = ("all", "heads", "tails", "all of a name", "confused heads", "confused tails")
    row = {name: Measurement(value=0.5, low=0.25, high=0.75, n=8) for name in names}
    shown = as_tables({"tables": {"search alone": row, "lost_by_search": row}})
    words = ("…" in shown, shown.count("confused"), shown.count("[0.250,"), "alone" in shown)
    assert words == (False, 2, 12, True), shown


async def test_waiting_shows_share_requests_and_tokens_so_far(
    terminal: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    terminal.setenv("FORCE_COLOR", "1")
    run = Meter()
    with using_meter(run), ProgressLine(visible=True).display() as line:
        line.show_step("check_agreement")
        run.add_usage(model_calls=3, input_tokens=1200)
        await asyncio.sleep(0.3)  # the line is drawn ten times a second, also while a step goes on
        run.share = 0.5
        line.show_step("edit")
    drawn = ANSI.sub("", capfd.readouterr().err)
    assert "check agreement, step 4 of 7 requests: 3, tokens: 1,200 in" in drawn
    assert "50% of the text, edit" in drawn


def test_time_left_is_shown(terminal: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    terminal.setenv("FORCE_COLOR", "1")
    now = 0.0
    terminal.setattr("rich.console.monotonic", lambda: now)
    with ProgressLine(visible=True).display() as line:
        line.show_rows(1, 10)
        now = 40.0
        line.show_rows(2, 10)
    assert "2 of 10 rows, about 5.3 min left" in ANSI.sub("", capfd.readouterr().err)

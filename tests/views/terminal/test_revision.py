"""What a person reads: on a terminal, in a pipe, and as a diff."""

import re
from typing import Any

import pytest

from rarr.records import Check, Notice, Part, Query, Report, Scores, Sentence
from rarr.views.terminal.revision import one_line, render, render_diff, visible
from views.test_notebook import edit, evidence, revision

ANSI = re.compile(r"\x1b\[[0-9;]*m")
QUERY = Query(id="q1", text="When did it open?", start=0, end=2)
REVISED = revision(
    "It opened in 1935.\r\n",
    edit(13, 17, "1937", old="1935", reason="the evidence says 1937"),
    edit(0, 2, "They", old="It", id="e2", accepted=False, reason="support did not rise"),
    statuses=("supported",),
    queries=(QUERY,),
    evidence=(evidence(text="It is red. It opened in 1937.", title="Bridges"),),
    scores=Scores(attribution_before=0.0, attribution_after=0.9, preservation=0.95, f1_ap=0.92),
    warnings=(Notice(code="check_failed", message="no answer", node="check_agreement"),) * 2,
)


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A colour terminal, 100 columns wide, whatever runs the tests."""
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "100")
    return monkeypatch


def test_pipe_gets_the_exact_text_first() -> None:
    assert render(REVISED, terminal=False).startswith("It opened in 1937.\r\n\nChanges\n")


def test_pipe_gets_no_escape_sequence_even_where_colour_is_forced(terminal: pytest.MonkeyPatch) -> None:
    terminal.setenv("FORCE_COLOR", "1")
    assert "\x1b" not in render(REVISED, terminal=False)


@pytest.mark.parametrize(
    "line",
    [
        "  e1  “1935” → “1937”",
        "      asked: When did it open?",
        "      why: the evidence says 1937",
        "      evidence: “It opened in 1937.”",
        "      source: Bridges, bridge.md",
        "  e2  “It” → “They”, refused: support did not rise",
        "  1. supported 0.90  It opened in 1937.",
        "  attribution before 0.00, attribution 0.90, preservation 0.95, F1 0.92",
        "  check_failed: no answer (2 times)",
    ],
)
def test_report_holds_the_expected_lines(line: str) -> None:
    assert line in render(REVISED, terminal=False).split("\n")


def test_same_words_are_quoted_once_for_a_sentence() -> None:
    windows = evidence(), evidence(id="v2"), evidence(id="v3", source="other.md")
    spoken = Sentence(text="One.", start=0, end=4, status="supported", evidence_ids=("v1", "v2", "v3"))
    made = revision("One.", evidence=windows, report=Report(sentences=(spoken,)))
    assert re.findall("source: (.*)", render(made, terminal=False)) == ["bridge.md", "other.md"]


def test_contradicted_sentence_shows_both_sides_by_name_and_no_number() -> None:
    answers: dict[str, tuple[Any, str, str]] = {
        "q1.1": ("disagrees", "It is red. It opened in 1937.", "bridge.md"),
        "q1.2": ("agrees", "It opened in 1935.", "other.md"),
        "q2.1": ("disagrees", "It is red. It opened in 1937.", "bridge.md"),
    }
    spoken = Sentence(
        text="It opened in 1935.",
        start=0,
        end=18,
        status="contradicted",
        evidence_ids=tuple(answers),
        support=1,
    )
    made = revision(
        "It opened in 1935.",
        evidence=tuple(
            evidence(id=evidence_id, text=text, source=source)
            for evidence_id, (_, text, source) in answers.items()
        ),
        checks=tuple(
            Check(
                query_id=evidence_id[:2],
                evidence_id=evidence_id,
                verdict=verdict,
                evidence_answer=text[-5:-1],
            )
            for evidence_id, (verdict, text, _) in answers.items()
        ),
        report=Report(sentences=(spoken,)),
    )
    shown = render(made, terminal=False).partition("Sentences\n")[2].partition("\n\n")[0]
    assert shown.split("\n") == [
        "  1. contradicted  It opened in 1935.",
        "      agrees (q1.2): “It opened in 1935.”",
        "      source: other.md",
        "      disagrees (q1.1, q2.1): “It opened in 1937.”",
        "      source: bridge.md",
    ]


def test_terminal_and_pipe_show_the_same_text() -> None:
    printed = ANSI.sub("", render(REVISED, terminal=True))
    assert printed.replace("1935193", "193", 1) == render(REVISED, terminal=False).replace("\r\n", "\n")


def test_terminal_marks_edits_in_place() -> None:
    shown = render(REVISED, terminal=True).split("\n")[0]
    assert shown == "It opened in \x1b[9;31m1935\x1b[0m\x1b[1;32m1937\x1b[0m."


def test_no_color_is_respected(terminal: pytest.MonkeyPatch) -> None:
    terminal.setenv("NO_COLOR", "1")
    colours = re.findall(r"\x1b\[[0-9;]*3[0-9]", render(REVISED, terminal=True))
    assert colours == []


def test_terminal_without_styles_shows_the_revised_text(terminal: pytest.MonkeyPatch) -> None:
    terminal.setenv("TERM", "dumb")
    assert render(REVISED, terminal=True).startswith("It opened in 1937.\n")


def test_long_lines_are_wrapped_below_their_start() -> None:
    made = revision("One.", edit(0, 1, "o", reason="word " * 40), statuses=())
    rows = [row for row in ANSI.sub("", render(made, terminal=True)).split("\n") if "word" in row]
    assert len(rows) > 1
    assert all(row.startswith("      ") and len(row) <= 100 for row in rows)


def test_unchanged_text_is_reported_as_unchanged() -> None:
    assert "  Nothing was changed." in render(revision("One."), terminal=False).split("\n")


def test_missing_scores_are_not_shown_as_numbers() -> None:
    assert "attribution not judged" in render(revision("One."), terminal=False)


@pytest.mark.parametrize(("old", "new", "shown"), [("", "x", "“x” inserted"), ("x", "", "“x” deleted")])
def test_insertions_and_deletions_are_named(old: str, new: str, shown: str) -> None:
    made = revision("xy", edit(0, len(old), new, old=old))
    assert f"  e1  {shown}" in render(made, terminal=False).split("\n")


@pytest.mark.parametrize("terminal_", [True, False])
def test_evidence_is_shown_without_markup_and_control_characters(terminal_: bool) -> None:
    hostile = "[bold red]It[/] \x1b[2J\x9b1m\x07opened\r\n\u202e [link=http://x]"
    fields: dict[str, Any] = {"text": hostile, "source": hostile, "title": hostile}
    made = revision("One.", edit(0, 1, "o"), statuses=("supported",), evidence=(evidence(**fields),))
    shown = ANSI.sub("", render(made, terminal=terminal_))
    assert "[bold red]It[/] ␛[2J�1m␇opened � [link=http://x]" in " ".join(shown.split())
    assert not {"\x1b", "\x9b", "\x07", "\u202e"} & set(shown)


def test_text_cannot_steer_the_terminal() -> None:
    assert "a␛[2Jb\nc" in ANSI.sub("", render(revision("a\x1b[2Jb\r\nc"), terminal=True))


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a\r\nb\rc", "a\nb\nc"), ("\t\x00\x7f", "\t␀␡"), ("\u2028\udc80é😀", "��é😀")],
)
def test_invisible_characters_are_shown_as_code_points(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_one_line_is_cut_to_its_width() -> None:
    assert one_line("one\n two three", 9) == "one two…"


def test_diff_keeps_line_endings() -> None:
    assert render_diff(REVISED, terminal=False).encode() == (
        b"--- original\n+++ revised\n@@ -1 +1 @@\n-It opened in 1935.\r\n+It opened in 1937.\r\n"
    )


def test_diff_names_a_missing_newline_at_the_end() -> None:
    shown = render_diff(revision("a\nb", edit(2, 3, "c")), terminal=False)
    assert shown.endswith("-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n")


def test_diff_splits_lines_at_newlines_alone() -> None:
    assert "-a\u2028b\x0cc\n" in render_diff(revision("a\u2028b\x0cc\n", edit(0, 1, "x")), terminal=False)


def test_diff_of_an_unchanged_text_is_empty() -> None:
    assert render_diff(revision("One."), terminal=True) == ""


def test_diff_is_coloured_on_a_terminal() -> None:
    assert "\x1b[32m+It opened in 1937." in render_diff(REVISED, terminal=True)


@pytest.mark.parametrize("source", ["https://example.org/" + "x" * 200_000, "x" * 200_000])
def test_long_names_of_sources_are_cut(source: str) -> None:
    long_named = evidence(source=source, title="y" * 200_000)
    shown = render(
        revision("It opened in 1937.", statuses=("supported",), evidence=(long_named,)), terminal=False
    )
    assert "x" * 300 in shown
    assert len(shown) < 5000


def test_suggested_edits_say_how_sure_they_are_and_how_they_are_applied() -> None:
    suggested = edit(0, 2, "They", old="It", state="suggested", reason="they opened")
    shown = render(revision("It opened.", suggested, evidence=(evidence(),)), terminal=False)
    assert "\nSuggested, not applied (--accept suggested applies them)\n  e1  “It” → “They”\n" in shown
    assert "      evidence: “It opened in 1937.”\n" in shown


PARTS = (
    Part(start=0, end=2, state="open"),
    Part(start=3, end=9, state="confirmed", evidence_id="v1", says="opened"),
    Part(start=13, end=17, state="differs", evidence_id="v1", says="1937\x1b"),
)


def parted(text: str) -> str:
    sentence = Sentence(text=text, start=0, end=len(text), status="contradicted", parts=PARTS)
    return render(revision(text, report=Report(sentences=(sentence,))), terminal=True)


def test_deciding_words_are_marked_by_their_state() -> None:
    line = next(line for line in parted("It opened in 1935.").splitlines() if "1. " in line)
    assert re.findall(r"\x1b\[([\d;]+)m(\w+)", line)[1:] == [
        ("4;94", "It"),
        ("32", "opened"),
        ("1;31", "1935"),
    ]


def test_words_of_a_sentence_with_changed_white_space_are_not_marked() -> None:
    line = next(line for line in parted("It\topened  in 1935.").splitlines() if "1. " in line)
    assert re.findall(r"\x1b\[([\d;]+)m(\w+)", line) == [("31", "contradicted")]


def test_differing_part_shows_the_words_of_the_source() -> None:
    assert "      differs: “1935”, and v1 says “1937␛”" in ANSI.sub("", parted("It opened in 1935."))


@pytest.mark.parametrize(("support", "colour"), [(0.6, 31), (0.8, 33), (1.0, 32)])
def test_low_support_looks_different_from_high_support(support: float, colour: int) -> None:
    sentence = Sentence(text="One.", start=0, end=4, status="supported", support=support)
    assert f"\x1b[{colour}m {support:.2f}\x1b" in render(
        revision("One.", report=Report(sentences=(sentence,))), terminal=True
    )

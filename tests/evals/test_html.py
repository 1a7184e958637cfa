"""Tests the page of an evaluation: it escapes all texts, and draws no measure without a judgement."""

import re

import pytest
from hypothesis import given, strategies as st
from parsing import Page

from evals.doubles import hostile_report, report, score_row, usual_report
from rarr.evals.evaluation import EvalReport, render_html, word_diff
from rarr.evals.metrics import Measurement


@pytest.mark.parametrize("made", [hostile_report(), usual_report(), report(), report(score_row())])
def test_tags_are_ours_and_closed(made: EvalReport) -> None:
    drawn = Page(render_html(made))
    assert drawn.open == []
    assert not {"script", "img", "iframe", "object", "form", "link"} & {tag for tag, _ in drawn.tags}
    attributes = [(name, value or "") for _, attrs in drawn.tags for name, value in attrs.items()]
    assert not [name for name, _ in attributes if name.startswith("on") or name in {"src", "style"}]
    assert all(value.startswith("#") for name, value in attributes if name == "href")
    ids = [value for name, value in attributes if name == "id"]
    assert len(ids) == len(set(ids))


def test_hostile_texts_are_shown_as_they_are() -> None:
    drawn = Page(render_html(hostile_report()))
    assert "<script>alert(1)</script><img src=x onerror=alert(2)>" in drawn.text
    assert [tag for tag, _ in drawn.tags].count("style") == 1
    assert "⟨U+202E⟩overridden⟨U+2066⟩ \ufffd⟨U+001B⟩[2J \ufffd" in drawn.text
    assert not re.search("[\x00\x1b\u202a-\u202e\u2066-\u2069\ud800-\udfff]", render_html(hostile_report()))


def test_unjudged_values_are_named_and_not_drawn() -> None:
    html = render_html(report(score_row("r1", None, None), measures={"f1_ap": Measurement(unjudged=3)}))
    assert "F1_AP, 3 of 3 rows" in Page(html).text
    assert not [drawn for drawn in ('class="value"', 'class="fill"', "0.00") if drawn in html]


def test_problems_stand_at_the_top_and_cases_show_both_changes() -> None:
    errors = (score_row(f"r{n}", error=f"broken {n}") for n in range(60))
    html = render_html(report(*errors, score_row(reference="It opened in 1938.")))
    top, cases = html.split("<main>")
    assert "<bdi>broken 49</bdi>" in top and "and 10 more, in report.json" in top
    assert "It opened in <del>1936</del><ins>1937</ins>." in cases
    assert "It opened in <del>1936</del><ins>1938</ins>." in cases


@pytest.mark.slow
def test_long_texts_and_many_rows_are_cut_and_counted() -> None:
    long = "A word of it. " * 2_000
    rows = [score_row(f"r{n}", original=long, text=f"{long}More.", reference=long[:-9]) for n in range(800)]
    html = render_html(report(*rows))
    assert len(html) < 1_000_000
    assert "300 more are in report.json." in html
    assert "characters … " in html


TEXTS = st.text(alphabet="ab 1.\n东é", max_size=30)


@given(TEXTS, TEXTS)
def test_both_texts_are_in_the_diff(before: str, after: str) -> None:
    pieces = word_diff(before, after)
    assert "".join(text for kind, text, *_ in pieces if kind != "inserted") == before
    assert "".join(text for kind, text, *_ in pieces if kind != "deleted") == after


def test_whole_words_change() -> None:
    drawn = {"kept": "{}", "deleted": "[-{}-]", "inserted": "[+{}+]"}
    changes = {
        ("by Charles Purcell, he", "by Joseph Strauss, he"): "by [-Charles Purcell-][+Joseph Strauss+], he",
        ("1,280 m", "1,281 m"): "[-1,280 -][+1,281 +]m",
        ("is the second-deepest", "is the deepest"): "is the [-second--]deepest",
        ("他在北京", "他在东京"): "他在[-北-][+东+]京",
    }
    for texts, expected in changes.items():
        assert "".join(drawn[kind].format(text) for kind, text, *_ in word_diff(*texts)) == expected

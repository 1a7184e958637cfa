"""The page of an evaluation: nothing breaks out of it, and what was not judged is not drawn."""

import re

import pytest
from parsing import Page

from evals.reporting import HOSTILE, hostile, report, row, usual
from rarr.evals.html import Chart, Dot, render_html
from rarr.evals.measures import EvalReport
from rarr.evals.metrics import Measured
from rarr.evals.rows import Unreadable
from rarr.records import Scores
from rarr.tools.pages.html_rendering import render


def page(made: EvalReport) -> Page:
    return Page(render_html(made))


def scatter(dots: list[Dot]) -> str:
    return render("evals/page/scatter.html", chart=Chart(dots))


@pytest.mark.parametrize(
    "made", [hostile(), usual(), report(), report(row())], ids=["hostile", "usual", "empty", "one"]
)
def test_tags_are_ours_and_closed(made: EvalReport) -> None:
    drawn = page(made)
    assert drawn.open == []
    assert not {"script", "img", "iframe", "object", "form", "link"} & {tag for tag, _ in drawn.tags}
    attributes = [(name, value or "") for _, attrs in drawn.tags for name, value in attrs.items()]
    assert not [name for name, _ in attributes if name.startswith("on") or name in {"src", "style"}]
    assert all(value.startswith("#") for name, value in attributes if name == "href")
    ids = [value for name, value in attributes if name == "id"]
    assert len(ids) == len(set(ids))


def test_hostile_texts_are_shown_as_they_are() -> None:
    drawn = page(hostile())
    assert "<script>alert(1)</script><img src=x onerror=alert(2)>" in drawn.text
    assert [tag for tag, _ in drawn.tags].count("style") == 1
    assert "⟨U+202E⟩overridden⟨U+2066⟩ \ufffd⟨U+001B⟩[2J \ufffd" in drawn.text
    assert not re.search("[\x00\x1b\u202a-\u202e\u2066-\u2069\ud800-\udfff]", render_html(hostile()))


def test_nothing_is_escaped_twice() -> None:
    assert "&amp;lt;script" not in render_html(hostile())


def test_policy_allows_only_the_style_sheet_of_the_page() -> None:
    (policy,) = [attrs["content"] for tag, attrs in page(usual()).tags if attrs.get("http-equiv")]
    assert policy is not None
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy


def test_links_lead_to_parts_of_the_page() -> None:
    for made in (usual(), report()):
        tags = page(made).tags
        ids = {attrs.get("id") for _, attrs in tags}
        assert {(attrs["href"] or "")[1:] for tag, attrs in tags if tag == "a"} <= ids


def test_same_report_makes_the_same_page() -> None:
    assert render_html(usual()) == render_html(EvalReport.model_validate_json(usual().model_dump_json()))


def test_unjudged_values_are_named_and_not_drawn() -> None:
    html = render_html(report(row("r1", None, None), measures={"f1_ap": Measured(unjudged=3)}))
    assert "F1_AP, 3 of 3 rows" in Page(html).text
    assert 'class="value"' not in html
    assert 'class="fill"' not in html
    assert "No row was judged for both." in html
    assert "0.00" not in html


def test_unjudged_rows_are_named_and_not_ranked() -> None:
    html = render_html(report(row("good"), row("unknown", None, None)))
    ranked = html[html.index("Lowest F1_AP") : html.index("Without an F1_AP")]
    assert "unknown" not in ranked
    assert "good" in ranked
    assert "Not drawn: 1 row" in html


def test_kinds_and_statuses_have_their_own_parts() -> None:
    made = report(row(), measures={"good": Measured(value=0.3, n=9), "supported": Measured(value=0.7, n=9)})
    html = render_html(made)
    assert "Nothing was measured." in html[: html.index('id="kinds"')]
    assert "0.30" in html[html.index('id="kinds"') :]


def test_kinds_leave_out_rows_without_attribution() -> None:
    text = page(report(row(kinds=("good",)), row("r2", None, None))).text
    assert "good, 1 of 2 rows" in text


def test_counts_and_times_have_no_bar_between_0_and_1() -> None:
    measures = {"seconds": Measured(value=0.5, low=0.4, high=0.6, n=2), "delta": Measured(value=-0.1, n=2)}
    assert "<circle" not in render_html(report(measures=measures))


def test_means_that_lie_together_have_one_label() -> None:
    same = Scores(attribution_before=0.8, attribution_after=0.8, preservation=0.99, f1_ap=0.9)
    together, apart = render_html(report(row(scores=same))), render_html(report(row("r", 0.2, 0.8)))
    assert (together.count(">mean before and after<"), together.count(">mean before<")) == (1, 0)
    assert (apart.count(">mean before<"), apart.count(">mean after<")) == (1, 1)


def test_one_row_has_a_value_and_no_interval() -> None:
    html = render_html(report(row()))
    assert "–" in html
    assert "mean after" in html


def test_problems_stand_at_the_top() -> None:
    unreadable = tuple(Unreadable(line=n, reason=f"broken {n}") for n in range(1, 61))
    html = render_html(report(row(error="the corpus is gone"), unreadable=unreadable))
    top = html[: html.index("<main>")]
    assert "line 50: <bdi>broken 50</bdi>" in top
    assert "and 10 more, in report.json" in top
    assert "the corpus is gone" in top


def test_settings_are_named() -> None:
    assert "All settings have their defaults." in render_html(report(row()))
    assert "<code>max_rounds</code>" in render_html(report(row(), settings={"max_rounds": "1"}))


def test_cases_show_what_changed_beside_the_human_revision() -> None:
    html = render_html(report(row(reference="It opened in 1938.")))
    assert "It opened in <del>1936</del><ins>1937</ins>." in html
    assert "It opened in <del>1936</del><ins>1938</ins>." in html


def test_a_case_without_a_human_revision_does_not_speak_of_one() -> None:
    html = render_html(report(row()))
    assert "<h4>Human revision" not in html


def test_no_row_is_both_best_and_worst() -> None:
    html = render_html(report(row("a", after=0.5), row("b", after=0.6), row("c", after=0.9)))
    worst, best = html[html.index("Lowest F1_AP") : html.index("Attribution fell")].split("Highest F1_AP")
    assert ("<bdi>a<" in worst, "<bdi>a<" in best) == (True, False)
    assert ("<bdi>c<" in worst, "<bdi>c<" in best) == (False, True)


def test_falls_of_attribution_are_told_from_rises() -> None:
    html = render_html(report(row("up", 0.2, 0.8), row("same", 0.5, 0.5), row("down", 0.8, 0.2)))
    falls, rises = html[html.index("Attribution fell") : html.index('id="rows"')].split("Attribution rose")
    assert re.findall("<bdi>(up|same|down)<", falls) == ["down"]
    assert re.findall("<bdi>(up|same|down)<", rises) == ["up"]


@pytest.mark.slow
def test_long_texts_and_many_rows_are_cut_and_counted() -> None:
    long = "A word of it. " * 2_000
    rows = [row(f"r{n}", original=long, text=f"{long}More.", reference=long[:-9]) for n in range(800)]
    html = render_html(report(*rows))
    assert len(html) < 1_000_000
    assert "300 more are in report.json." in html
    assert "characters … " in html


def test_rows_that_lie_together_are_one_circle_with_their_number() -> None:
    drawn = scatter([Dot(f"r{n}", 0.95, 0.5, 0.7) for n in range(9)])
    assert drawn.count('class="row"') == 1
    assert ">9</text>" in drawn
    assert "r4 and 4 more" in drawn


@pytest.mark.parametrize(("lowest", "first_tick"), [(0.9, "0.8"), (0.6, "0.5"), (0.1, "0")])
def test_preservation_begins_where_the_rows_do(lowest: float, first_tick: str) -> None:
    drawn = scatter([Dot("r1", lowest, 0.5, 0.7), Dot("r2", 1.0, 0.5, 0.7)])
    assert re.findall(r'text-anchor="middle">([\d.]+)</text>', drawn)[0] == first_tick


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_values_at_both_ends_stay_inside_the_scatter_plot(value: float) -> None:
    drawn = scatter([Dot("r1", value, value, value)])
    places = [float(place) for place in re.findall(r'c[xy]="([-\d.]+)"', drawn)]
    assert all(0 <= place <= 440 for place in places)


def test_hostile_fits_the_page_as_utf8() -> None:
    assert HOSTILE not in render_html(hostile())
    render_html(hostile()).encode()

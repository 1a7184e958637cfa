"""What the benchmark of quality makes of data and reports."""

from collections.abc import Sequence

import pytest

from benchmarks.quality import rows_of, sample
from benchmarks.quality_page import Set, beats, document
from benchmarks.report import cell, table
from benchmarks.verifiers import HEAD, Judged, _cells, _least, _verdict
from rarr.evals.metrics import Measured, Paired
from rarr.evals.report_building import report_of
from rarr.evals.report_records import EvalReport, ScoredRow
from rarr.records import AttributionClass, Scores


def report(*after: float) -> EvalReport:
    scores = [
        Scores(attribution_before=0.5, attribution_after=attribution, preservation=1.0)
        for attribution in after
    ]
    rows = [
        ScoredRow(id=str(n), original="a b", text="a c", reference="a c", scores=score)
        for n, score in enumerate(scores)
    ]
    return report_of("data", {}, rows, ())


def test_evidence_without_an_address_has_no_source() -> None:
    given = [{"text": "A.", "url": "https://a.org"}, {"text": "B.", "url": None}, {"text": " "}]
    (row,) = rows_of([{"id": "1", "original": "x", "revised": "y", "evidence": given}])
    assert row["evidence"] == [
        {"text": "A.", "title": "", "source": "https://a.org"},
        {"text": "B.", "title": ""},
    ]


@pytest.mark.parametrize(("text", "evidence"), [("x", []), ("x", [{"text": " "}]), (" ", [{"text": "A."}])])
def test_row_with_nothing_to_revise_or_to_revise_by_is_left_out(
    text: str, evidence: list[dict[str, str]]
) -> None:
    assert list(rows_of([{"id": "1", "original": text, "revised": "y", "evidence": evidence}])) == []


def test_passage_becomes_a_wrong_row_and_a_right_one() -> None:
    rows = list(
        rows_of([{"id": "1", "corrupted": "bad", "supported": "good", "evidence": "E.", "title": None}])
    )
    assert [(row["id"], row["text"], row["revised"]) for row in rows] == [
        ("1/corrupted", "bad", "good"),
        ("1/supported", "good", "good"),
    ]


def test_sample_is_the_same_every_time_and_in_order() -> None:
    rows = [{"id": n} for n in range(50)]
    drawn = sample(rows, 9)
    assert drawn == sample(rows, 9) == sorted(drawn, key=lambda row: int(row["id"]))


@pytest.mark.parametrize(
    ("value", "p", "fewer", "expected"),
    [
        (-0.1, 0.01, True, True),
        (0.1, 0.01, True, False),
        (0.1, 0.01, False, True),
        (-0.1, 0.01, False, False),
        (0.1, 0.05, False, False),
        (0.1, 0.0499, False, True),
        (0.0, 0.01, False, False),
        (None, None, True, None),
    ],
)
def test_default_beats_a_variant_by_a_significant_difference(
    value: float | None, p: float | None, fewer: bool, expected: bool | None
) -> None:
    assert beats(Paired(difference=Measured(value=value), p=p), fewer=fewer) is expected


@pytest.mark.parametrize(
    ("by_sentence", "verdict"),
    [
        ([("attributable",), (None,)], None),
        ([("contradictory",), (None,)], "contradictory"),
        ([("extrapolatory",), (None,)], "extrapolatory"),
        ([("extrapolatory",), ("contradictory",)], "contradictory"),
        ([("attributable",), ("attributable", "contradictory")], "attributable"),
        ([(None, "extrapolatory", "contradictory")], "contradictory"),
        ([], None),
    ],
)
def test_verdict_of_a_claim(
    by_sentence: Sequence[Sequence[AttributionClass | None]], verdict: AttributionClass | None
) -> None:
    assert _verdict(by_sentence) == verdict


@pytest.mark.parametrize(
    ("by_sentence", "support"),
    [
        ([(0.9, 0.2), (0.7,)], 0.7),
        ([(0.9,), (None,)], None),
        ([(0.5,), (None,)], None),
        ([(0.4,), (None,)], 0.4),
        ([(None,)], None),
        ([], None),
    ],
)
def test_support_of_a_claim(by_sentence: Sequence[Sequence[float | None]], support: float | None) -> None:
    assert _least(by_sentence, 0.5) == support


def test_cells_count_unjudged_rows() -> None:
    judged = [
        Judged(True, "attributable", 0.9, "attributable"),
        Judged(False, "contradictory", 0.1, "contradictory"),
        Judged(False, None, None, None),
        Judged(None, None, 0.9, None),
    ]
    cells = _cells(judged, 0.5)
    assert len(cells) == len(HEAD) - 2
    assert (cells[:2], cells[-4:]) == (["2", "2"], ["1.000", "1.000", "1.000", "-"])


def test_cell_is_a_dash_a_number_or_an_interval() -> None:
    assert [cell(None), cell(0.5), cell(Measured(value=0.5, low=0.25, high=1))] == [
        "-",
        "0.500",
        "0.500 [0.250, 1.000]",
    ]


def test_table_is_markdown() -> None:
    assert table(["a", "b"], [["1", "2"]]) == "| a | b |\n| --- | --- |\n| 1 | 2 |"


@pytest.mark.slow
def test_page_states_which_variants_the_default_beats() -> None:
    good, poor = report(*[0.9] * 9), report(*[0.2] * 9)
    page = document(
        [Set("s", "a set", {"default": good, "verify off": poor, "query = input": good})], "V", 60
    )
    assert "The default beats `verify off` in bad edits" in page
    assert "does **not** beat `query = input`" in page
    assert "## s: a set\n\n9 rows with evidence." in page
    assert "| default | 0.500 [0.500, 0.500] | 0.900 [0.900, 0.900] |" in page
    assert page.endswith("V\n")

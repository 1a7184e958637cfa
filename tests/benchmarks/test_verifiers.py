"""What the benchmark of verifiers makes of judgements."""

from collections.abc import Sequence

import pytest

from benchmarks.report import cell, table
from benchmarks.verifiers import HEAD, Judged, _cells, _least, _verdict
from rarr.evals.metrics import Measured
from rarr.records import AttributionClass


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

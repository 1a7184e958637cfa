"""Two finished runs, paired by id."""

from pathlib import Path

import pytest

from evals.makers import finished_run, scored_row
from rarr.errors import InputError
from rarr.evals import compare


def test_rows_are_paired_by_id(tmp_path: Path) -> None:
    a = finished_run(
        tmp_path / "a", scored_row("x", 0.2, 0.4), scored_row("y", 0.2, 0.5), scored_row("o", 0, 0)
    )
    b = finished_run(tmp_path / "b", scored_row("y", 0.2, 0.7), scored_row("x", 0.2, 0.8))
    compared = compare(a, b)
    assert (compared.rows, compared.only_a, compared.only_b) == (2, 1, 0)
    measure = compared.measures["attribution_after"]
    assert [measure.a, measure.b] == pytest.approx([0.45, 0.75])
    assert measure.paired.difference.value == pytest.approx(0.3)
    assert [measure.paired.difference.low, measure.paired.difference.high] == pytest.approx([0.2, 0.4])
    assert measure.paired.p is not None


def test_run_against_itself_differs_in_nothing(tmp_path: Path) -> None:
    run = finished_run(tmp_path / "a", *(scored_row(str(n), 0.1 * n, 0.1 * n) for n in range(8)))
    compared = compare(run, run).measures["f1_ap"]
    assert (compared.paired.difference.value, compared.paired.p) == (0, 1)


def test_row_unjudged_in_one_run_is_left_out_of_both(tmp_path: Path) -> None:
    error = scored_row("y", None, None, None, error="no")
    a = finished_run(tmp_path / "a", scored_row("x", 0.2, 0.4), scored_row("y", 0.2, 0.5))
    measure = compare(a, finished_run(tmp_path / "b", scored_row("x", 0.2, 0.4), error)).measures["f1_ap"]
    assert (measure.paired.difference.n, measure.paired.difference.unjudged) == (1, 1)
    assert measure.a == measure.b


def test_f1_ap_of_two_runs_is_that_of_the_averages(tmp_path: Path) -> None:
    a = finished_run(tmp_path / "a", scored_row("x", 0, 0.2, 1.0), scored_row("y", 0, 1.0, 0.2))
    b = finished_run(tmp_path / "b", scored_row("x", 0, 0.8, 1.0), scored_row("y", 0, 1.0, 0.2))
    compared = compare(a, b).measures
    assert [compared["f1_ap"].a, compared["f1_ap"].b] == pytest.approx([0.6, 2 * 0.9 * 0.6 / 1.5])
    assert compared["f1_ap"].paired.difference.value == pytest.approx(0.12)


def test_measures_that_apply_to_no_row_are_left_out(tmp_path: Path) -> None:
    run = finished_run(tmp_path / "a", scored_row("x", 0.2, 0.4))
    assert "restored" not in compare(run, run).measures


def test_missing_runs_are_refused(tmp_path: Path) -> None:
    run = finished_run(tmp_path / "a", scored_row("x", 0.2, 0.4))
    with pytest.raises(InputError, match="nowhere holds no run of rarr eval"):
        compare(run, tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"holds no run of rarr eval \(Not a directory\)"):
        compare(run / "report.json", run)
    (run / "report.json").unlink()
    with pytest.raises(InputError, match="is not finished: run the same rarr eval again"):
        compare(run, run)
    (run / "report.json").write_text("{}")
    with pytest.raises(InputError, match="cannot be read: delete it and run rarr eval again"):
        compare(run, run)


def test_runs_over_other_data_are_refused(tmp_path: Path) -> None:
    a = finished_run(tmp_path / "a", scored_row("x", 0.2, 0.4))
    with pytest.raises(InputError, match="row 'x' is another text"):
        compare(a, finished_run(tmp_path / "b", scored_row("x", 0.2, 0.4, original="Two.")))
    with pytest.raises(InputError, match="have no row in common"):
        compare(a, finished_run(tmp_path / "c", scored_row("z", 0.2, 0.4)))

"""The small domain is split by document, and its errors are errors."""

from collections import Counter
from pathlib import Path

import pytest

from benchmarks.domain import domain_rows, main, outcomes, training_rows

TRAIN, HELD_OUT = domain_rows("train"), domain_rows("held_out")


def test_no_document_is_in_both_halves() -> None:
    assert {row.title for row in TRAIN}.isdisjoint(row.title for row in HELD_OUT)
    assert (len(TRAIN), len(HELD_OUT)) == (200, 100)
    documents = len({row.document for row in TRAIN}), len({row.document for row in HELD_OUT})
    assert documents == (20, 10)


def test_each_error_stands_in_its_sentence() -> None:
    for row in (*TRAIN, *HELD_OUT):
        assert row.text[row.error.start : row.error.end] == row.error.right
        assert row.wrong != row.text


def test_the_errors_are_of_many_kinds() -> None:
    kinds = Counter(row.error.kind for row in HELD_OUT)
    assert {"number", "date", "person", "location", "role", "relation", "negation"} <= set(kinds)


def test_training_rows_have_neighbours_from_their_own_half() -> None:
    rows = list(training_rows(TRAIN))
    titles = {passage.title for row in rows for passage in (*row.relevant, *row.others)}
    assert titles == {row.title for row in TRAIN}
    assert all(row.relevant[0].text not in {other.text for other in row.others} for row in rows)


@pytest.mark.slow
def test_right_sentences_about_old_patience_are_seldom_changed(tmp_path: Path) -> None:
    rows = [row for row in HELD_OUT if row.document == "old-patience"]
    measured = outcomes(rows, None, tmp_path)
    assert sum(measured["wrong sentences: damaged"]) == 0
    assert sum(measured["right sentences: changed"]) <= 1


@pytest.mark.slow
def test_the_command_trains_and_compares(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("onnx")
    monkeypatch.setattr("sys.argv", ["domain", "--steps", "2", "--weights", str(tmp_path / "w")])
    monkeypatch.setattr("benchmarks.domain.domain_rows", lambda half: domain_rows(half)[::10])
    main()
    assert "| measure | near quotations |" in capsys.readouterr().out

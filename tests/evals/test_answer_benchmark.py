"""`bench_answers` compares scores with people's ratings; r is that of a computation by hand."""

import json
from pathlib import Path

import pytest

from rarr.errors import InputError, RarrError
from rarr.evals.answer_benchmark import agreement, bench_answers, pearson
from rarr.evals.rated_answers import judged_rows, rated_answers
from rarr.settings import Settings
from rarr.testing import ScriptedModel

MODEL = "scripted"
ROWS = [
    {"answer": "Tom Berg", "references": ["Tom Berg"], "score": True},
    {"answer": "Ida Lunde", "references": ["Tom Berg"], "score": False},
    {"answer": "a song by Berg", "references": ["Tom Berg", "T. Berg"], "score": 0.75},
]


def rated(tmp_path: Path, rows: list[dict[str, object]]) -> Path:
    file = tmp_path / "rated.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return file


def test_r_of_five_pairs_by_hand() -> None:
    """Means 3 and 4: the products of the deviations are 4 + 0 + 0 - 1 + 4 = 7, the squares 10 and 10."""
    pairs = [(1.0, 2.0), (2.0, 4.0), (3.0, 5.0), (4.0, 3.0), (5.0, 6.0)]
    assert pearson(pairs) == pytest.approx(0.7)
    assert pearson([(1.0, 2.0), (1.0, 3.0)]) is None


def test_auc_counts_half_or_more_as_right() -> None:
    found = agreement([0.9, 0.2, 0.6, 0.4], [1.0, 0.0, 0.25, 0.5])
    assert found.auc.value == 0.75


def test_scores_are_compared_with_ratings(tmp_path: Path) -> None:
    levels = {"Ida Lunde": "completely wrong", "song by Berg": "mostly right", "Tom Berg": "perfect"}
    settings = Settings(
        model=ScriptedModel({key: {"reason": "", "level": level} for key, level in levels.items()})
    )
    report = bench_answers(rated(tmp_path, ROWS), tmp_path / "out", settings=settings)
    assert (report.answers, report.right) == (3, 2)
    assert report.scores[MODEL].r.value == pytest.approx(1.0)
    assert report.scores[MODEL].auc.value == 1.0
    assert report.scores["exact match"].auc.value == 0.75
    assert json.loads((tmp_path / "out" / "report.json").read_text())["answers"] == 3


def test_interrupted_run_goes_on_with_the_answers_that_are_left(tmp_path: Path) -> None:
    """Of three answers, the model fails at the last."""
    rows, level = rated(tmp_path, ROWS), {"reason": "", "level": "half right"}
    failing = Settings(model=ScriptedModel({"Ida Lunde": level, "<answer>\nTom Berg": level}))
    with pytest.raises(RarrError):
        bench_answers(rows, tmp_path / "out", settings=failing, jobs=1)
    left = ScriptedModel({"song by Berg": level})
    report = bench_answers(rows, tmp_path / "out", settings=Settings(model=left), jobs=1)
    assert (report.answers, len(left.calls)) == (3, 1)


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([{"answer": "x", "references": ["y"]}], 'row 1 has no "score"'),
        ([{"answer": "x", "references": ["y"], "score": 1}] * 2, "all ratings"),
        ([{"answer": "x", "references": ["y"], "score": 5}], "is no number from 0 to 1"),
    ],
)
def test_wrong_ratings_are_refused(tmp_path: Path, rows: list[dict[str, object]], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        bench_answers(rated(tmp_path, rows))


def test_rated_examples_are_read(tmp_path: Path) -> None:
    assert [example.score for example in rated_answers(rated(tmp_path, ROWS))] == [1.0, 0.0, 0.75]
    with pytest.raises(InputError, match='row 1 has no "score"'):
        rated_answers(rated(tmp_path, [{"answer": "x", "references": ["y"]}]))


def test_lines_of_evouna_are_read(tmp_path: Path) -> None:
    line = {
        "id": "nq/1", "question": "Who wrote it?", "references": ["Tom Berg"], "improper": False,
        "candidates": [
            {"system": "a", "answer": "Tom Berg", "correct": True},
            {"system": "b", "answer": "Ida Lunde", "correct": False},
            {"system": "c", "answer": "", "correct": False},
            {"system": "d", "answer": "Nobody judged it.", "correct": None},
        ],
    }  # fmt: skip
    improper = line | {"id": "nq/2", "improper": True}
    file = rated(tmp_path, [line, improper])
    found = [(row.id, row.question, row.answer, row.rating) for row in judged_rows(file)]
    assert found == [
        ("nq/1/1", "Who wrote it?", "Tom Berg", 1.0),
        ("nq/1/2", "Who wrote it?", "Ida Lunde", 0.0),
    ]
    with pytest.raises(InputError, match="no list of objects"):
        judged_rows(rated(tmp_path, [line, improper | {"candidates": "Tom Berg"}]))


def test_limit_takes_the_same_answers_whatever_their_order(tmp_path: Path) -> None:
    rows = [row | {"id": str(number)} for number, row in enumerate(ROWS * 3)]
    reports = [bench_answers(rated(tmp_path, order), limit=5) for order in (rows, rows[::-1])]
    assert reports[0] == reports[1]
    assert reports[0].answers == 5

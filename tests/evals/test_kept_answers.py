"""`rarr eval` scores the text and its revision by the right answers of a row."""

import json
from pathlib import Path

import pytest

from rarr.evals import evaluate
from rarr.evals.kept_answers import answer_scores
from rarr.evals.rows import EvalRow, read_rows
from rarr.settings import Settings


def test_row_without_answers_is_not_scored() -> None:
    assert answer_scores(EvalRow(id="a", text="One."), "Two.") is None


def test_answers_that_are_no_list_make_a_line_unreadable(tmp_path: Path) -> None:
    file = tmp_path / "data.jsonl"
    file.write_text(
        '{"text": "One."}\n{"text": "One.", "answers": "one"}\n{"text": "One.", "answers": [""]}\n'
    )
    data = read_rows(file)
    assert [row.answers for row in data.rows] == [()]
    assert {line.reason for line in data.unreadable} == {'its "answers" is not a list of texts'}


@pytest.mark.slow
def test_corrected_text_gains_its_answer_and_a_right_text_keeps_it(tmp_path: Path) -> None:
    page = [{"text": "The Vell Bridge opened in 1931. It is 221 metres long.", "title": "Vell Bridge"}]
    rows = [
        {"text": "The Vell Bridge opened in 1913.", "context": "When did the Vell Bridge open?",
         "answers": ["1931"], "evidence": page},
        {"text": "The Vell Bridge is 221 m long.", "context": "How long is the Vell Bridge?",
         "answers": ["221 metres"], "evidence": page},
        {"text": "The Vell Bridge is 221 m long.", "evidence": page},
    ]  # fmt: skip
    file = tmp_path / "data.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    report = evaluate(file, tmp_path / "out", settings=Settings(home=tmp_path / "home"))
    shares = {name: report.measures[name] for name in ("answer_kept", "answer_gained")}
    assert {name: (share.value, share.n) for name, share in shares.items()} == {
        "answer_kept": (1.0, 1),
        "answer_gained": (1.0, 1),
    }
    assert report.rows[0].answer_scores is not None
    assert report.rows[0].answer_scores.before == 0.0
    assert report.rows[2].answer_scores is None
    again = evaluate(file, tmp_path / "out", settings=Settings(home=tmp_path / "home"))
    assert again.measures == report.measures

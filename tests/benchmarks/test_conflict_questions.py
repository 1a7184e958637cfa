"""The questions that ship are those that the things of `examples/shared_names` make."""

import json

from benchmarks.conflict_questions import SHARED_NAMES, of_shared_names


def test_shipped_questions_are_made_of_the_things_that_ship() -> None:
    lines = (SHARED_NAMES / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [*of_shared_names()]


def test_each_passage_states_its_answer() -> None:
    for row in of_shared_names():
        answers, passage = row["answers"], str(row["passage"])
        assert isinstance(answers, list) and any(answer in passage for answer in answers)

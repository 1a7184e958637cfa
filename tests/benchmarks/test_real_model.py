"""A real model's answers, said again without it: what it reads is compared and edited as it was measured.

A change of the prompt, of the questions or of the search asks for answers that are recorded anew:
`python -m benchmarks.real_model --claims 0 --answers tests/benchmarks/real_model_answers.jsonl ...`.
"""

from pathlib import Path

import pytest

from benchmarks.examples import Example, examples
from benchmarks.real_model import Run, asked_about, read_alone
from benchmarks.recorded_answers import KeptAnswers
from rarr.records import Question

MODEL = KeptAnswers("vllm:1.5b", Path(__file__).with_name("real_model_answers.jsonl"))


def run(name: str, home: Path) -> Run:
    return read_alone(example(name), MODEL, home)


def example(name: str) -> Example:
    return next(one for one in examples() if one.name == name)


@pytest.mark.slow
def test_four_errors_of_the_demo_are_mended(tmp_path: Path) -> None:
    assert run("demo", tmp_path)[:3] == (4, 4, 0)


@pytest.mark.slow
def test_no_text_is_changed_elsewhere_and_most_errors_are_mended(tmp_path: Path) -> None:
    runs = [read_alone(one, MODEL, tmp_path) for one in examples()]
    # The other change is right: a cell of london-underground that the expected text leaves as it was.
    assert sum(one.elsewhere for one in runs) == 1
    assert sum(one.planted for one in runs) == 50
    assert sum(one.mended for one in runs) >= 30


def test_an_error_is_asked_about_by_less_than_its_sentence() -> None:
    text = example("demo").text
    start = text.index("Charles Purcell")
    asks = Question(text="Who was the chief engineer?", start=start, end=start + 15)
    assert sum(asked_about(example("demo"), [asks])) == 1
    assert sum(asked_about(example("demo"), [])) == 0

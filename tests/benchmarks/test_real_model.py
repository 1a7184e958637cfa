"""A real model's answers, said again without it: what it reads is compared and edited as it was measured.

A change of the prompt, of the questions or of the search asks for answers that are recorded anew:
`python -m benchmarks.real_model --claims 0 --answers tests/benchmarks/real_model_answers.jsonl ...`.
"""

from pathlib import Path

import pytest

from benchmarks.examples import examples
from benchmarks.real_model import Run, revised, run_of
from benchmarks.recorded_answers import KeptAnswers

MODEL = KeptAnswers("vllm:1.5b", Path(__file__).with_name("real_model_answers.jsonl"))


def runs(home: Path, *names: str) -> list[Run]:
    chosen = [example for example in examples() if not names or example.name in names]
    return [run_of(example, revised(example, MODEL, home)) for example in chosen]


@pytest.mark.slow
def test_four_errors_of_the_demo_are_mended(tmp_path: Path) -> None:
    (demo,) = runs(tmp_path, "demo")
    assert demo[:3] == (4, 4, 0)


@pytest.mark.slow
def test_no_text_is_changed_elsewhere_and_most_errors_are_mended(tmp_path: Path) -> None:
    done = runs(tmp_path)
    assert sum(run.elsewhere for run in done) == 0
    assert sum(run.planted for run in done) == 50
    assert sum(run.mended for run in done) >= 30

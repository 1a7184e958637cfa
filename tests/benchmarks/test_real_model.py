"""A real model's answers, said again without it: what it reads is compared and edited as it was measured.

A change of the prompt, of the questions or of the search asks for answers that are recorded anew:
`python -m benchmarks.real_model --claims 0 --answers tests/benchmarks/real_model_answers.jsonl ...`.
"""

from pathlib import Path

import pytest

from benchmarks.examples import examples
from benchmarks.real_model import revised, run_of
from benchmarks.recorded_answers import KeptAnswers

MODEL = KeptAnswers("vllm:1.5b", Path(__file__).with_name("real_model_answers.jsonl"))


RECORDED = examples()[:17]
"""The examples whose answers are recorded, the demo the last of them."""


@pytest.mark.slow
def test_no_text_is_changed_elsewhere_and_errors_are_mended_or_suggested(tmp_path: Path) -> None:
    revisions = [(example, revised(example, MODEL, tmp_path)) for example in RECORDED]
    done = [run_of(example, revision) for example, revision in revisions]
    assert sum(run.elsewhere for run in done) == 0
    assert sum(run.planted for run in done) == 18
    assert sum(run.mended for run in done) >= 15
    (demo,) = [revision for example, revision in revisions if example.name == "demo"]
    made = {edit.new: edit.state for edit in demo.edits}
    assert {made[new] for new in ("May 27, 1937", "Joseph Strauss", "north", "1,280")} == {"accepted"}

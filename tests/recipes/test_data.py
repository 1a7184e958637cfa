"""The sets of examples as the recipe asks for them."""

from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("safetensors")

import torch

from rarr.training.examples import Attribution, Cloze, LabelledText, Maskable
from recipes.data import loaded
from recipes.run import PHASES, mean

pytestmark = pytest.mark.slow

VALUE = Maskable(place=(0, 4), kind="date", answers=((9, 13),))
CLOZE = Cloze(text="1901 it was.", title="", passage="Built in 1901.", values=(VALUE,))
JUDGED = Attribution(
    title="",
    passage="Built in 1901.",
    versions=(LabelledText(text="Built.", label="attributable"),),
)
SETS: dict[str, Cloze | Attribution] = {
    "span_selection": CLOZE,
    "handwritten_cloze": CLOZE,
    "handwritten": JUDGED,
    "written_cloze": CLOZE,
    "written": JUDGED,
    "verifier": JUDGED,
    "verifier_cloze": CLOZE,
    "elsewhere": JUDGED,
    "elsewhere_cloze": CLOZE,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, example in SETS.items():
        (tmp_path / f"{name}.jsonl").write_text(example.model_dump_json())
    return tmp_path


def test_every_set_that_is_loaded_is_in_a_mixture(folder: Path) -> None:
    sets = loaded(folder)
    assert set(sets) == {name for phase in PHASES for name in phase.mixture}
    assert all(data.examples for data in sets.values())


def test_mean_is_taken_weight_by_weight() -> None:
    first, other = {"a": torch.tensor([0.0, 2.0])}, {"a": torch.tensor([1.0, 4.0])}
    assert mean(first, other)["a"].tolist() == [0.5, 3.0]

"""What a batch takes is estimated from a sample of its rows, by their words, without a model."""

import json
from pathlib import Path
from typing import Any

import pytest

from rarr import Settings
from rarr.batches.batch_estimate import BatchEstimate, estimate_batch
from rarr.batches.columns import Columns
from rarr.errors import InputError

RIGHT = "The Hoover Dam is 221 metres high."


def estimated(folder: Path, texts: list[Any], **options: Any) -> BatchEstimate:
    lines = ["broken", *(json.dumps({"text": text}) for text in texts)]
    (folder / "in.jsonl").write_text("\n".join(lines))
    (folder / "dam.md").write_text(RIGHT)
    given = {"model": "embedded", "corpus": folder / "dam.md", "home": folder / "home", "trace": False}
    return estimate_batch(folder / "in.jsonl", Settings(**(given | options)), Columns())


def test_rows_without_a_text_are_not_counted(tmp_path: Path) -> None:
    about = estimated(tmp_path, [RIGHT, "", 5])
    assert (about.rows, about.words, about.sample, about.model_calls, about.cost) == (1, 7, 1, 0, 0)
    with pytest.raises(InputError, match="has no row with a text"):
        estimated(tmp_path, [""])


def test_calls_of_a_language_model_grow_with_the_words_beyond_the_sample(tmp_path: Path) -> None:
    one = estimated(tmp_path, [RIGHT], model="vllm:any")
    many = estimated(tmp_path, [RIGHT] * 40, model="vllm:any")
    assert 0 < 40 * one.model_calls == many.model_calls and many.sample == 20

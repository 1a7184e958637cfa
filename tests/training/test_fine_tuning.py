"""The fine-tuning of a tiny encoder."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from rarr.backends.encoder.model_files import (
    FACTS,
    FORMAT,
    MODEL,
    NEVER,
    TOKENIZER,
    WeightsManifest,
    checked_manifest,
    file_digests,
)
from rarr.errors import InputError, SettingsError
from rarr.training.rows import TrainingRow, groups, rows

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

pytest.importorskip("onnx")

from transformers import BertConfig  # noqa: E402

from rarr.training import fine_tuning as editor  # noqa: E402  # it imports torch
from rarr.training.fine_tuning import (  # noqa: E402
    FEWEST,
    EditorReport,
    fine_tune,
    split_rows,
    threshold,
)
from rarr.training.model import EncoderWithHeads  # noqa: E402
from training.helpers import made, write_queries  # noqa: E402

pytestmark = pytest.mark.slow

SIZE = {
    "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32,
    "vocab_size": 3200, "max_position_embeddings": 400,
}  # fmt: skip


class Words:
    """A tokenizer: each word and mark is a token, by a digest of it."""

    def encode(self, text: str, add_special_tokens: bool) -> Any:
        from tokenizers.pre_tokenizers import BertPreTokenizer

        words = BertPreTokenizer().pre_tokenize_str(text)
        ids = [104 + sum(map(ord, word)) % 3000 for word, _ in words]
        return type("Encoded", (), {"ids": ids, "offsets": [place for _, place in words]})


def write_weights(folder: Path, content: bytes) -> None:
    """Files that are whole, whatever is in them."""
    folder.mkdir(exist_ok=True)
    (folder / MODEL).write_bytes(content)
    (folder / TOKENIZER).write_bytes(b"words")
    facts = WeightsManifest(format=FORMAT, sha256=file_digests(folder))
    (folder / FACTS).write_text(facts.model_dump_json())


class Exports:
    """What was exported: the weights, by folder."""

    def __init__(self) -> None:
        self.weights: dict[Path, Any] = {}

    def __call__(self, model: Any, tokenizer: Any, folder: Path) -> None:
        self.weights[folder] = {name: tensor.clone() for name, tensor in model.state_dict().items()}
        write_weights(folder, b"trained")


def fitted(folder: Path, held: Sequence[TrainingRow]) -> float:
    """A threshold that says on how many rows it was fitted."""
    return len(held) / 10


def tiny(folder: Path | None) -> Any:
    torch.manual_seed(0)
    config = BertConfig(**SIZE, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    model = EncoderWithHeads(config)
    model.encoder.embeddings.word_embeddings.weight.requires_grad_(False)
    return model


@pytest.fixture(autouse=True)
def exports(monkeypatch: pytest.MonkeyPatch) -> Exports:
    """Trains a tiny model, and keeps what is exported."""
    kept = Exports()
    for name, double in (
        ("load", tiny), ("export", kept), ("tokenizer", lambda folder: Words()), ("fitted_threshold", fitted)
    ):  # fmt: skip
        monkeypatch.setattr(editor, name, double)
    return kept


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    made(write_queries(tmp_path), path)
    return path


def test_weights_are_trained_and_exported(data: Path, tmp_path: Path, exports: Exports) -> None:
    out, steps = tmp_path / "weights", list[tuple[int, int]]()
    report = fine_tune(data, out, steps=12, on_step=lambda *progress: steps.append(progress))
    assert (report.rows, report.held_out, report.steps) == (8, 2, 12)
    assert set(report.examples) == {"attribution", "cloze", "relevance", "embedding"}
    assert set(report.before) == set(report.after) == {"attribution", "cloze", "relevance"}
    assert steps == [(n, 12) for n in range(1, 13)]
    first, last = tiny(None).state_dict(), exports.weights[out]
    assert any(not torch.equal(first[name], last[name]) for name in first)
    words = "encoder.embeddings.word_embeddings.weight"
    assert torch.equal(first[words], last[words])


def ended(data: Path, out: Path, at: int, monkeypatch: pytest.MonkeyPatch) -> EditorReport:
    """A run that is interrupted at a step, and gone on with."""
    monkeypatch.setattr(editor, "SAVE_EVERY", 2)

    def interrupt(done: int, steps: int) -> None:
        if done == at:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fine_tune(data, out, steps=6, on_step=interrupt)
    return fine_tune(data, out, steps=6)


@pytest.mark.parametrize("at", [1, 5])
def test_interrupted_run_ends_with_the_same_weights(
    data: Path, tmp_path: Path, exports: Exports, at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    report = fine_tune(data, whole, steps=6)
    again = ended(data, parts, at, monkeypatch)
    assert (again.before, again.after) == (report.before, report.after)
    for name, weight in exports.weights[whole].items():
        assert torch.equal(weight, exports.weights[parts][name]), name


def test_finished_run_is_not_repeated(data: Path, tmp_path: Path, exports: Exports) -> None:
    out = tmp_path / "weights"
    report = fine_tune(data, out, steps=3)
    exports.weights.clear()
    assert fine_tune(data, out, steps=3).after == report.after
    assert exports.weights == {}
    assert not (out / "checkpoint.pt").exists()


@pytest.mark.parametrize("name", [MODEL, TOKENIZER, FACTS])
def test_finished_run_exports_damaged_weights_again(
    data: Path, tmp_path: Path, exports: Exports, name: str
) -> None:
    out = tmp_path / "weights"
    report = fine_tune(data, out, steps=3)
    first = exports.weights.pop(out)
    (out / name).write_bytes(b"damaged")
    again = fine_tune(data, out, steps=3)
    assert (again.before, again.after) == (report.before, report.after)
    assert all(torch.equal(exports.weights[out][name], weight) for name, weight in first.items())
    assert checked_manifest(out).format == FORMAT


@pytest.mark.parametrize("seed", range(5))
def test_no_document_is_both_in_training_and_held_out(data: Path, seed: int) -> None:
    twice = [row for row in rows(data) for _ in range(2)]
    learned, held = split_rows(twice, seed)
    assert (len(learned), len(held)) == (12, 4)
    assert set(groups(learned)).isdisjoint(groups(held))
    assert split_rows(twice, seed) == (learned, held)


def test_damaged_or_missing_first_weights_are_refused(data: Path, tmp_path: Path) -> None:
    first = tmp_path / "first"
    with pytest.raises(SettingsError, match=r"there is no folder .*first"):
        fine_tune(data, tmp_path / "weights", start=first)
    write_weights(first, b"first")
    (first / MODEL).write_bytes(b"damaged")
    with pytest.raises(SettingsError, match=f"{MODEL} is damaged: write it again"):
        fine_tune(data, tmp_path / "weights", start=first)
    assert not (tmp_path / "weights").exists()


def test_folder_of_a_run_with_other_options_or_data_is_refused(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "weights"
    fine_tune(data, out, steps=2)
    with pytest.raises(InputError, match="holds a run with steps 2, not 3: give another folder"):
        fine_tune(data, out, steps=3)
    data.write_bytes(b"".join(row.line() for row in list(rows(data))[1:]))
    with pytest.raises(InputError, match="holds a run over other data"):
        fine_tune(data, out, steps=2)


def test_wrong_data_or_output_paths_are_refused(data: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist: give a file that rarr train data wrote"):
        fine_tune(tmp_path / "no", tmp_path / "weights")
    rows_file = tmp_path / "one.jsonl"
    rows_file.write_bytes(next(rows(data)).line())
    with pytest.raises(InputError, match="has 1 row"):
        fine_tune(rows_file, tmp_path / "weights")
    with pytest.raises(InputError, match=r"holds .*, not a run of rarr"):
        fine_tune(data, tmp_path)
    with pytest.raises(InputError, match="cannot be written"):
        fine_tune(data, data)


def test_last_row_without_a_line_end_is_read_and_left_unchanged(data: Path, tmp_path: Path) -> None:
    data.write_bytes(data.read_bytes().rstrip())
    before = data.read_bytes()
    assert fine_tune(data, tmp_path / "weights", steps=1).rows == 8
    assert data.read_bytes() == before


def test_nine_of_ten_corrections_above_the_threshold_are_right() -> None:
    made = [(0.9, True)] * FEWEST + [(0.8, False)] + [(0.7, False)] * 5
    assert threshold(made) == 0.8


@pytest.mark.parametrize(
    "made",
    [
        [(0.9, True)] * (FEWEST - 1),
        [(0.9, False)] * FEWEST + [(0.8, True)] * FEWEST,
        [],
        [(0.5, True)] * FEWEST + [(0.5, False)] * FEWEST,  # of one probability, and not divided
    ],
)
def test_no_threshold_where_too_few_are_right(made: list[tuple[float, bool]]) -> None:
    assert threshold(made) == NEVER

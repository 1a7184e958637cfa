"""Tests the training of the encoder: inputs, losses, files, and how a stopped run continues."""

from math import log
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnx")

from transformers import BertConfig  # noqa: E402

from rarr.backends.encoder.inputs import MASKS, NULL, MaskedSpan  # noqa: E402
from rarr.backends.encoder.model import Encoder  # noqa: E402
from rarr.backends.encoder.model_files import MODEL, NEVER, checked_manifest, load_tokenizer  # noqa: E402
from rarr.errors import InputError, SettingsError  # noqa: E402
from rarr.tools.text.blocks_and_sentences import Span  # noqa: E402
from rarr.training import fine_tuning  # noqa: E402
from rarr.training.encoder import END, OPEN, START, EncoderWithHeads, class_loss, padded_batch, pointer_loss  # noqa: E402
from rarr.training.examples import ClozeValue, Example  # noqa: E402
from rarr.training.fine_tuning import FEWEST, correction_threshold, fine_tune  # noqa: E402
from rarr.training.onnx_files import export_onnx, load_onnx  # noqa: E402
from rarr.training.rows import read_training_rows, split_rows  # noqa: E402
from training.helpers import made, write_queries  # noqa: E402

pytestmark = pytest.mark.slow

SIZE: dict[str, Any] = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
SIZE |= {"intermediate_size": 32, "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
TOKENS = load_tokenizer(None)
WORDS = "encoder.embeddings.word_embeddings.weight"


def tiny() -> EncoderWithHeads:
    torch.manual_seed(0)
    model = EncoderWithHeads(BertConfig(**SIZE))
    model.encoder.embeddings.word_embeddings.weight.requires_grad_(False)
    return model


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a folder with the files of an untrained encoder."""
    folder = tmp_path_factory.mktemp("tiny")
    export_onnx(tiny(), TOKENS, folder)
    return folder


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "rows"
    made(write_queries(tmp_path), path)
    return path


def test_exported_weights_are_read_back_up_to_rounding(start: Path) -> None:
    back = load_onnx(start).state_dict()
    for name, tensor in tiny().state_dict().items():
        assert torch.allclose(back[name], tensor, atol=0.02 + float(tensor.abs().max()) / 50), name


def test_weights_are_trained_and_the_runtime_reads_them(data: Path, tmp_path: Path, start: Path) -> None:
    out = tmp_path / "weights"
    report = fine_tune(data, out, steps=12, start=start)
    assert (report.rows, report.held_out, report.steps) == (8, 2, 12)
    assert report.after < report.before
    first, last = load_onnx(start).state_dict(), load_onnx(out).state_dict()
    assert any(not torch.allclose(first[name], last[name], atol=1e-6) for name in first)
    assert torch.allclose(first[WORDS], last[WORDS], atol=1e-2)
    encoder, claim = Encoder(out), ("Elm got its mill in 1904.", "Elm", "Built in 1904.")
    places = encoder.find_hidden_words(*claim, MaskedSpan(Span(20, 24), "date"), 20)
    assert len(places) == 4 + 3 + 2 + 1  # of four tokens
    assert 0 < sum(filter(None, encoder.judgement(*claim))) < 1
    (out / MODEL).unlink()
    assert fine_tune(data, out, steps=12, start=start).after == report.after
    written = (out / MODEL).stat().st_mtime_ns
    assert fine_tune(data, out, steps=12, start=start).after == report.after
    assert (out / MODEL).stat().st_mtime_ns == written and not (out / "checkpoints").exists()


@pytest.mark.parametrize("at", [1, 5])
def test_interrupted_run_ends_with_the_same_weights(
    data: Path, tmp_path: Path, start: Path, at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*given: Any) -> Any:
        if next(calls, None) is None:
            raise KeyboardInterrupt
        return padded_batch(*given)

    calls = iter(range(at))
    monkeypatch.setattr(fine_tuning, "SAVE_EVERY", 2)
    report = fine_tune(data, tmp_path / "whole", steps=6, start=start)
    with monkeypatch.context() as stopped, pytest.raises(KeyboardInterrupt):
        stopped.setattr(fine_tuning, "padded_batch", interrupted)
        fine_tune(data, tmp_path / "parts", steps=6, start=start)
    again = fine_tune(data, tmp_path / "parts", steps=6, start=start)
    assert (again.before, again.after) == (report.before, report.after)
    assert checked_manifest(tmp_path / "parts") == checked_manifest(tmp_path / "whole")


def test_no_document_is_both_in_training_and_held_out(data: Path) -> None:
    twice = [row for row in read_training_rows(data) for _ in range(2)]
    learned, held = split_rows(twice, 1)
    assert (len(learned), len(held)) == (12, 4)
    assert {row.source_document for row in learned}.isdisjoint(row.source_document for row in held)


def test_wrong_data_and_other_folders_are_refused(data: Path, tmp_path: Path, start: Path) -> None:
    out = tmp_path / "weights"
    fine_tune(data, out, steps=1, start=start)
    with pytest.raises(InputError, match="holds a run with steps 1, not 3: give another folder"):
        fine_tune(data, out, steps=3, start=start)
    with pytest.raises(InputError, match=r"holds a run with from .*: give another folder"):
        fine_tune(data, out, steps=1)
    with pytest.raises(InputError, match="has 0 rows, and a row is held out: give a folder"):
        fine_tune(tmp_path / "no", tmp_path / "weights")
    with pytest.raises(SettingsError, match=r"the folder .*first is missing"):
        fine_tune(data, tmp_path / "new", start=tmp_path / "first")
    assert not (tmp_path / "new").exists()


def test_nine_of_ten_corrections_above_the_threshold_are_right() -> None:
    assert correction_threshold([(0.9, True)] * FEWEST + [(0.8, False)] + [(0.7, False)] * 5) == 0.8
    assert correction_threshold([(0.9, True)] * (FEWEST - 1)) == correction_threshold([]) == NEVER
    assert correction_threshold([(0.9, False)] * FEWEST + [(0.8, True)] * FEWEST) == NEVER
    assert correction_threshold([(0.5, True)] * FEWEST + [(0.5, False)] * FEWEST) == NEVER


def logits(*shares: float) -> list[float]:
    return [log(share) for share in shares]


def test_pointer_loss_accepts_any_right_place_among_the_candidates() -> None:
    pointers = torch.tensor([[OPEN, OPEN | START, OPEN | START | END, 0], [OPEN, OPEN, OPEN, OPEN]])
    loss = pointer_loss(torch.tensor([logits(2, 1, 1, 90)] * 2), pointers, START)
    assert loss.tolist() == pytest.approx([-log(2 / 4), 0])


@pytest.mark.parametrize(("label", "share"), [(0, 0.5), (1, 0.2), (2, 0.3), (3, 0.5), (-100, 1)])
def test_loss_of_not_supported_sums_both_classes(label: int, share: float) -> None:
    predicted = torch.tensor([logits(0.5, 0.2, 0.3), logits(1, 1, 1)])
    loss = class_loss(predicted, torch.tensor([label, 0]))
    assert loss.tolist() == pytest.approx([-log(share), -log(1 / 3)])


def test_a_batch_points_at_the_answer_or_nowhere() -> None:
    text, passage = "The mill opened in 1901.", "It was built in May 1901 by Jane Cole."
    stated = ClozeValue(place=(19, 23), kind="date", answers=((16, 24),))
    about = {"text": text, "title": "Mill", "passage": passage}
    examples = [Example(**about, values=(stated,)), Example(**about, label="contradictory")]
    examples.insert(1, Example(**about, values=(stated.model_copy(update={"answers": ()}),)))
    made = padded_batch(TOKENS, examples)
    at = made["mask_position"].tolist()
    assert made["input_ids"][range(2), at[:2]].tolist() == [MASKS["date"]] * 2
    [start], [end] = (torch.nonzero(made["pointers"][0] & side).flatten().tolist() for side in (START, END))
    assert TOKENS.decode(made["input_ids"][0, start : end + 1].tolist()) == "may 1901"
    assert torch.nonzero(made["pointers"][1] & START).flatten().tolist() == [NULL]
    assert not (made["pointers"][2] & (START | END)).any()
    assert made["labels"].tolist() == [-100, -100, 2]

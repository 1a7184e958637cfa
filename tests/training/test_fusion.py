"""Tests the editor of PURR: a tiny T5 is trained, saved, loaded and used in the pipeline."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("accelerate")

from transformers import T5Config, T5ForConditionalGeneration, T5Tokenizer  # noqa: E402

from rarr import Reviser, Settings  # noqa: E402
from rarr.agent.wiring.components import wire  # noqa: E402
from rarr.backends.fusion import FusionEditor, FusionInDecoder, editor_inputs, encode_inputs  # noqa: E402
from rarr.components import Baseline  # noqa: E402
from rarr.errors import InputError, ModelError, SetupError  # noqa: E402
from rarr.testing import InMemoryRetriever  # noqa: E402
from rarr.training.fusion import examples_of_rows, make_batch, train_fusion  # noqa: E402
from rarr.training.rows import read_training_rows  # noqa: E402
from training.helpers import NOTES, made, write_queries  # noqa: E402

pytestmark = pytest.mark.slow

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,:;?!'-"


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """A model of this size is slower with two threads."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder of an untrained T5 that reads letters."""
    folder = tmp_path_factory.mktemp("t5")
    specials = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
    words = sorted({f"▁{word}" for note in NOTES for word in note.replace(".", " .").split()})
    vocabulary = [*specials, ("▁", -3.0), *((word, -1.0) for word in words), *((it, -4.0) for it in LETTERS)]
    tokenizer = T5Tokenizer(vocab=vocabulary, extra_ids=0)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    sizes = {"d_model": 64, "d_kv": 16, "d_ff": 128, "num_layers": 2, "num_heads": 4, "dropout_rate": 0.0}
    config = T5Config(vocab_size=len(tokenizer), decoder_start_token_id=0, **sizes)
    T5ForConditionalGeneration(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rows")
    made(write_queries(folder), folder / "rows")
    return folder / "rows"


def model_and_tokenizer(base: Path) -> tuple[Any, Any]:
    return FusionInDecoder.from_pretrained(base).eval(), T5Tokenizer.from_pretrained(base)


def test_one_evidence_gives_the_loss_of_a_plain_t5(base: Path) -> None:
    model, tokenizer = model_and_tokenizer(base)
    inputs = editor_inputs("The Elm Mill opened in 1901.", "When?", [("Elm Mill", NOTES[3])])
    given = encode_inputs(tokenizer, [inputs])
    labels = tokenizer("The Elm Mill opened in 1904.", return_tensors="pt")["input_ids"]
    fused = model(**given, labels=labels).loss
    flat = {name: tensor.flatten(0, 1) for name, tensor in given.items()}
    plain = T5ForConditionalGeneration.from_pretrained(base).eval()(**flat, labels=labels).loss
    assert fused.item() == pytest.approx(plain.item(), abs=1e-5)


@pytest.fixture(scope="module")
def learned(base: Path, data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns an editor that learned three rows by heart, with and without their errors."""
    model, tokenizer = model_and_tokenizer(base)
    torch.manual_seed(0)
    some = examples_of_rows(read_training_rows(data)[:3], 1, correct=1.0)
    optimizer = torch.optim.AdamW(model.train().parameters(), 3e-3)
    for _ in range(120):
        optimizer.zero_grad()
        model(**make_batch(tokenizer, some)).loss.backward()
        optimizer.step()
    folder = tmp_path_factory.mktemp("learned")
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def test_rows_are_learned_exactly_and_right_texts_stay(learned: Path, data: Path) -> None:
    editor = FusionEditor(str(learned))
    for row in read_training_rows(data)[:3]:
        about = [(passage.title, passage.text) for passage in row.relevant]
        assert editor.edit_text(row.corrupted, row.query, about) == row.summary
        assert editor.edit_text(row.summary, row.query, about) == row.summary


def test_editor_revises_in_the_pipeline(learned: Path, data: Path) -> None:
    row = read_training_rows(data)[0]
    settings = Settings(search=InMemoryRetriever(NOTES), preset="paper", queries="text")
    components = wire(settings, baseline=Baseline(editor=f"purr:{learned}"))
    with Reviser(components=components) as reviser:
        revision = reviser.revise(f"{row.corrupted}\n", context=row.query)
    assert revision.text == f"{row.summary}\n"
    assert [edit.reason for edit in revision.edits] == [f"rewritten by purr:{learned}"]


def test_training_is_reported_saved_and_continued(base: Path, data: Path, tmp_path: Path) -> None:
    with pytest.raises(SetupError, match=r"\(there is no such folder\): check the name and the connection"):
        train_fusion(data, tmp_path / "editor", base="./missing")
    trained = partial(train_fusion, data, tmp_path / "editor", base=str(base), rate=3e-3)
    report = trained(epochs=2)
    assert report.after < report.before
    assert (report.rows, 0 <= report.exact <= 1, 0 <= report.kept <= 1) == (8, True, True)
    assert trained(epochs=2) == report
    with pytest.raises(InputError, match="another"):
        trained(epochs=3)
    FusionEditor(str(tmp_path / "editor"))


def test_what_cannot_be_edited_is_an_error(base: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="reads at most 256 tokens, and a line has"):
        FusionEditor(str(base)).edit_text("mill " * 300, None, [("", NOTES[0])])
    with pytest.raises(SetupError, match="cannot be loaded"):
        FusionEditor(str(tmp_path))
    with pytest.raises(SetupError, match="give a folder, or OWNER/MODEL of the hub"):
        FusionEditor("nowhere")

"""Tests the weights of the package: inputs, both heads on simple examples, and damaged files."""

import shutil
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from rarr import Reviser, Settings
from rarr.backends.encoder.inputs import LONGEST, LONGEST_TEXT, MASKS, MaskedSpan, encoder_input
from rarr.backends.encoder.model import Encoder
from rarr.backends.encoder.model_files import MANIFEST, MODEL, SHIPPED, TOKENIZER, checked_manifest
from rarr.errors import SettingsError
from rarr.tools.text.blocks_and_sentences import Span

TOKENS = Tokenizer.from_file(str(SHIPPED / TOKENIZER))
TRAINED = Encoder()
PASSAGE = (
    "Construction of the bridge began on January 5, 1933. It opened to traffic in May 1937, and was designed"
    " by Joseph Strauss. Its main span is 4,200 feet long."
)


def masked(text: str, value: str, kind: str = "date") -> MaskedSpan:
    start = text.index(value)
    return MaskedSpan(Span(start, start + len(value)), kind)  # type: ignore[arg-type]


def test_masked_span_is_one_token_of_its_kind_unless_it_is_cut() -> None:
    text = "It opened in May 1937 to traffic."
    made = encoder_input(TOKENS, text, "", "The bridge.", masked(text, "May 1937"))
    assert made.ids[made.mask] == MASKS["date"]
    assert "may" not in TOKENS.decode(made.ids)
    text = "word " * 200 + "1937"
    assert encoder_input(TOKENS, text, "", "passage", masked(text, "1937")).mask == 0


def test_input_that_is_too_long_loses_its_end() -> None:
    made = encoder_input(TOKENS, "word " * 500, "title " * 500, "more " * 5000)
    assert len(made.ids) == LONGEST
    assert made.types.index(1) == LONGEST_TEXT + 2


def test_pointer_finds_the_words_in_the_same_role() -> None:
    for text, value, kind, says in (
        ("The Golden Gate Bridge was opened in 1936.", "1936", "date", "1937"),
        ("The Golden Gate Bridge was designed by Irving Morrow.", "Irving Morrow", "name", "Joseph Strauss"),
        ("The main span of the Golden Gate Bridge has 5,000 feet.", "5,000", "number", "4,200"),
    ):
        hidden = masked(text, value, kind)
        [(place, _)] = TRAINED.find_hidden_words(text, "Golden Gate Bridge", PASSAGE, hidden, 1)
        assert says in place.of(PASSAGE)


def test_hidden_words_that_were_cut_off_are_refused() -> None:
    with pytest.raises(ValueError, match="mask a span of these"):
        TRAINED.find_hidden_words(text := "Elm " * 300 + "1904", "Elm", PASSAGE, masked(text, "1904"), 1)


def test_weights_that_ship_are_small() -> None:
    assert (SHIPPED / MODEL).stat().st_size < 30_000_000


def test_damaged_file_or_manifest_is_refused(tmp_path: Path) -> None:
    weights = Path(shutil.copytree(SHIPPED, tmp_path / "weights"))
    for name in (MODEL, TOKENIZER):
        whole = (weights / name).read_bytes()
        (weights / name).write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
        with pytest.raises(SettingsError, match=rf"{name} is damaged: write it again: rarr train editor"):
            checked_manifest(weights)
        (weights / name).write_bytes(whole)
    for content in ("", "{", "[]", "null", '{"format": 2}'):
        (weights / MANIFEST).write_text(content)
        with pytest.raises(SettingsError):
            checked_manifest(weights)


def test_folder_without_weights_is_refused_before_anything_is_spent(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    with pytest.raises(SettingsError, match="holds no weights"):
        Reviser(Settings(corpus=tmp_path / "corpus", weights=tmp_path, home=tmp_path / "home"))

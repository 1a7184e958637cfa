"""Weights that are not what they must be are refused in one line that names the cure."""

import shutil
from pathlib import Path

import pytest

from rarr import Reviser, Settings
from rarr.backends.encoder.model_files import FACTS, FORMAT, MODEL, SHIPPED, TOKENIZER, checked_manifest
from rarr.errors import SettingsError


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SHIPPED, tmp_path / "weights"))


def test_the_weights_that_ship_are_whole_and_small() -> None:
    assert checked_manifest(None).format == FORMAT
    assert (SHIPPED / MODEL).stat().st_size < 30_000_000


@pytest.mark.parametrize("name", [MODEL, TOKENIZER])
def test_a_damaged_file_is_refused(weights: Path, name: str) -> None:
    content = bytearray((weights / name).read_bytes())
    content[len(content) // 2] ^= 1
    (weights / name).write_bytes(content)
    with pytest.raises(SettingsError, match=rf"{name} is damaged: write it again: rarr train editor"):
        checked_manifest(weights)


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '{"format": 2}'])
def test_manifest_that_cannot_be_read_is_refused(weights: Path, content: str) -> None:
    (weights / FACTS).write_text(content)
    with pytest.raises(SettingsError):
        checked_manifest(weights)


def test_a_folder_without_weights_is_refused_before_anything_is_spent(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    with pytest.raises(SettingsError, match="holds no weights"):
        Reviser(Settings(corpus=tmp_path / "corpus", weights=tmp_path, home=tmp_path / "home"))

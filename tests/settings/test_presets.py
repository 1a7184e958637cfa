"""A preset gives its values, and every other place of a setting wins over it."""

from pathlib import Path

import pytest

from rarr.errors import SettingsError
from rarr.settings import Settings
from rarr.settings.presets import PRESETS


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The working directory, where the settings files are looked for."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("preset", PRESETS)
def test_preset_gives_its_values(preset: str) -> None:
    settings = Settings(preset=preset)
    assert {key: getattr(settings, key) for key in PRESETS[preset]} == PRESETS[preset]


def test_preset_can_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RARR_PRESET", "paper")
    assert Settings().evidence_per_query == 1


@pytest.mark.parametrize("source", ["argument", "file", "environment"])
def test_explicit_value_beats_preset(source: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if source == "file":
        (folder / "rarr.toml").write_text("evidence_per_query = 9")
    if source == "environment":
        monkeypatch.setenv("RARR_EVIDENCE_PER_QUERY", "9")
    given = {"evidence_per_query": 9} if source == "argument" else {}
    assert Settings(preset="paper", **given).evidence_per_query == 9


def test_unknown_preset_is_an_error_that_lists_the_presets() -> None:
    with pytest.raises(SettingsError, match="'default', 'paper' or 'fast'"):
        Settings(preset="papper")

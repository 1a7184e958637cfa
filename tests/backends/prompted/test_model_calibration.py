"""The file of a calibration: complete after a round trip, private, and refused in one line if damaged."""

import json
import os
import stat
from pathlib import Path

import pytest

from backends.prompted.helpers import calibration
from rarr.backends.prompted.model_calibration import calibration_path, read_calibration, write_calibration
from rarr.errors import InputError, SettingsError


def test_a_calibration_survives_its_file(tmp_path: Path) -> None:
    path = calibration_path(tmp_path, "vllm:Qwen/Qwen3-8B")
    write_calibration(path, calibration(), private=True)
    assert read_calibration(path, "scripted") == calibration()


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
def test_the_file_in_the_data_folder_is_its_owners_alone(tmp_path: Path) -> None:
    path = calibration_path(tmp_path, "scripted")
    write_calibration(path, calibration(), private=True)
    assert [stat.S_IMODE(place.stat().st_mode) & 0o077 for place in (path, path.parent)] == [0, 0]


def test_models_of_like_names_have_files_of_their_own(tmp_path: Path) -> None:
    names = ["vllm:a/b", "vllm:a-b", "vllm:a b", f"vllm:{'x' * 300}", f"vllm:{'x' * 301}"]
    assert len({calibration_path(tmp_path, name) for name in names}) == len(names)


def test_a_missing_file_is_no_calibration(tmp_path: Path) -> None:
    assert read_calibration(tmp_path / "none.json", "scripted") is None


@pytest.mark.parametrize(
    "damage",
    [
        "",
        "[]",
        "{",
        json.dumps({"format": 2}),
        calibration().model_dump_json().replace('"threshold":0.8', '"threshold":0.0'),
        calibration().model_dump_json().replace("log_odds", "odds"),
        calibration().model_dump_json().replace('"bias":0.0', '"bias":"NaN"'),
    ],
)
def test_a_damaged_file_is_one_line_with_the_cure(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "damaged.json"
    path.write_text(damage)
    with pytest.raises(SettingsError, match="delete it, or run rarr calibrate vllm:m") as raised:
        read_calibration(path, "vllm:m")
    assert "\n" not in str(raised.value)


def test_a_folder_that_cannot_be_written_is_an_input_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        write_calibration(tmp_path / "file" / "c.json", calibration(), private=True)

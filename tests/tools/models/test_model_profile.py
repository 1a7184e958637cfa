"""Profiles in the data folder: by model and address, without keys."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from rarr.testing import ScriptedServer
from rarr.testing.model_server_refusals import Dialect
from rarr.tools.models.chat import Answer
from rarr.tools.models.model_profile import ModelProfile, ProfilePlace, Speed
from tools.asking import ANSWERS, KEY, metered, outcome, patient, protocol

PROFILE = ModelProfile(
    model="vllm:some",
    base_url="http://host/v1",
    asked_at=datetime(2026, 11, 25, tzinfo=UTC),
    format="function",
    left_out=("n",),
    speed=Speed(latency_s=0.1, input_per_s=None, output_per_s=20.0, at_once=2.0),
    abilities=(),
    requests=11,
    input_tokens=3000,
    output_tokens=500,
)


def place(home: Path, url: str = "http://host/v1", model: str = "vllm:some") -> ProfilePlace:
    return ProfilePlace.of(home, model, url, KEY)


def test_kept_profile_is_read_again(tmp_path: Path) -> None:
    place(tmp_path).keep(PROFILE)
    assert place(tmp_path, "http://host/v1/").kept() == PROFILE


@pytest.mark.parametrize(("url", "model"), [("http://other/v1", "vllm:some"), ("http://host/v1", "vllm:any")])
def test_profile_is_of_one_model_at_one_address(tmp_path: Path, url: str, model: str) -> None:
    place(tmp_path).keep(PROFILE)
    assert place(tmp_path, url, model).kept() is None


@pytest.mark.parametrize(
    "url", [f"http://me:{KEY}@host/v1", f"http://host/v1?api_key={KEY}", f"http://host/{KEY}/v1"]
)
def test_keys_are_in_no_address(tmp_path: Path, url: str) -> None:
    assert KEY not in place(tmp_path, url).base_url


def test_forgotten_profile_is_gone(tmp_path: Path) -> None:
    place(tmp_path).keep(PROFILE)
    place(tmp_path).forget()
    place(tmp_path).forget()
    assert place(tmp_path).kept() is None


@pytest.mark.loopback
@pytest.mark.parametrize(("dialect", "kept"), [("vllm", True), ("plain", False)])
async def test_refused_form_is_forgotten(tmp_path: Path, dialect: Dialect, kept: bool) -> None:
    place(tmp_path).keep(PROFILE)
    with ScriptedServer(ANSWERS, dialect=dialect) as server:
        answer = await outcome(patient(protocol(server, form=PROFILE.form), place=place(tmp_path)))
    assert isinstance(answer, Answer)
    assert (place(tmp_path).kept() is not None) == kept


@pytest.mark.loopback
async def test_wrong_profile_that_cannot_be_deleted_is_a_warning(tmp_path: Path) -> None:
    place(tmp_path).path.mkdir(parents=True)
    with metered() as meter, ScriptedServer(ANSWERS, dialect="plain") as server:
        assert isinstance(await outcome(patient(protocol(server), place=place(tmp_path))), Answer)
    assert f"delete {place(tmp_path).path}" in {w.code: w.message for w in meter.warnings}["profile_wrong"]


@pytest.mark.parametrize("content", ["", "{}", '{"model": 1}', "\x00"])
def test_file_that_cannot_be_read_is_as_none(tmp_path: Path, content: str) -> None:
    place(tmp_path).prepare()
    place(tmp_path).path.write_text(content)
    assert place(tmp_path).kept() is None


def test_part_that_no_server_refuses_is_not_believed(tmp_path: Path) -> None:
    place(tmp_path).keep(PROFILE)
    path = place(tmp_path).path
    path.write_text(path.read_text().replace('"n"', '"messages"'))
    assert place(tmp_path).kept() is None


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
def test_folder_is_for_the_user_alone(tmp_path: Path) -> None:
    place(tmp_path / "home").keep(PROFILE)
    assert place(tmp_path / "home").path.parent.stat().st_mode & 0o077 == 0

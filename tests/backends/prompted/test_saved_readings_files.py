"""Files of saved readings that are damaged, or belong to another program, or may only be read."""

import asyncio
import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from backends.prompted.readings import (
    ANSWER,
    ASK,
    content,
    in_other_forms,
    model,
    path as path,
    question,
    saved_in,
)
from rarr.backends.prompted import saved_readings


def spoiled(path: Path, start: int) -> None:
    """Overwrites the file from `start` on, as a disk that fails."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(start)
        file.write(b"\xa5" * (size - start))


async def filled(path: Path) -> None:
    readings = saved_in(path)
    for number in range(50):
        await readings.put(model(), question(number), in_other_forms(""))
    await readings.aclose()


@pytest.mark.parametrize("start", [0, 4096], ids=["head", "pages"])
async def test_damaged_file_is_set_aside_with_one_warning(
    path: Path, start: int, caplog: pytest.LogCaptureFixture
) -> None:
    await filled(path)
    await asyncio.to_thread(spoiled, path, start)
    readings = saved_in(path)
    assert await readings.get(model(), question(1)) is None
    await readings.put(model(), ASK, ANSWER)
    await readings.aclose()
    assert await saved_in(path).get(model(), ASK) == ANSWER
    assert path.with_name("readings.sqlite.damaged").exists()
    [record] = caplog.records
    assert record.message.endswith("are damaged: the file was renamed to 'readings.sqlite.damaged'")


async def test_file_that_is_damaged_during_the_run_is_set_aside(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await filled(path)
    readings = saved_in(path)
    assert await readings.get(model(), question(1))
    await readings.aclose()
    await asyncio.to_thread(spoiled, path, 4096)
    for number in range(3):
        await readings.put(model(), question(number), ANSWER)
    assert await readings.get(model(), question(2)) == ANSWER
    assert len(caplog.records) == 1


async def test_damaged_value_is_asked_for_again(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    readings = saved_in(path)
    await readings.put(model(), ASK, ANSWER)
    await readings.put(model(), question(1), ANSWER)
    with closing(sqlite3.connect(path)) as sqlite:
        sqlite.execute("UPDATE entries SET value = x'00' WHERE id = 1")
        sqlite.commit()
    assert [await readings.get(model(), ask) for ask in (ASK, question(1))] == [None, ANSWER]
    await readings.put(model(), ASK, ANSWER)
    assert await readings.get(model(), ASK) == ANSWER
    assert ["asked for again" in record.message for record in caplog.records] == [True]


async def test_file_of_another_program_is_left_as_it_is(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as sqlite:
        sqlite.execute("CREATE TABLE letters (text)")
    before = content(path)
    readings = saved_in(path)
    for _ in range(3):
        await readings.put(model(), ASK, ANSWER)
        assert await readings.get(model(), ASK) is None
    assert content(path) == before
    [record] = caplog.records
    assert "is a database of another program" in record.message


async def test_file_that_failed_is_tried_again_after_a_rest(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    path.parent.write_text("in the way")
    readings = saved_in(path)
    await readings.put(model(), ASK, ANSWER)
    path.parent.unlink()
    await readings.put(model(), ASK, ANSWER)
    assert await readings.get(model(), ASK) is None
    now[0] += saved_readings.REST_S
    await readings.put(model(), ASK, ANSWER)
    assert await readings.get(model(), ASK) == ANSWER


async def test_file_that_may_only_be_read_still_answers(
    path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    readings = saved_in(path)
    await readings.put(model(), ASK, ANSWER)
    await readings.aclose()
    monkeypatch.setattr(os, "access", lambda *_: False)
    readings = saved_in(path)
    for number in range(3):
        await readings.put(model(), question(number), ANSWER)
    assert await readings.get(model(), ASK) == ANSWER
    [record] = caplog.records
    assert "cannot be written" in record.message

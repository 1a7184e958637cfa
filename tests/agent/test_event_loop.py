"""A run keeps its event loop free, and one that ends closes its connections. All runs under the detector."""

import asyncio
from pathlib import Path

import blocking
import pytest

from rarr import Reviser, Trace

NOTES = "# Kestrel Library\n\nKestrel Library opened in 1976. It has three floors and a garden.\n"
DRAFT = "Kestrel Library opened in 1986. It has three floors. Falcon Bridge was built in 1950."


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    (tmp_path / "notes.md").write_text(NOTES)
    return tmp_path / "notes.md"


@pytest.fixture
def short_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """What must not be done with a long text must not be done with this one."""
    monkeypatch.setattr(blocking, "LONG", len(DRAFT) - 5)


@pytest.mark.usefixtures("short_is_long")
async def test_embedded_run_computes_beside_the_event_loop(notes: Path) -> None:
    async with await asyncio.to_thread(lambda: Reviser(corpus=notes)) as reviser:
        revision = await reviser.arevise(DRAFT)
    assert revision.evidence != ()
    assert (await asyncio.to_thread(lambda: Trace.load(revision.run_id).revision)) == revision

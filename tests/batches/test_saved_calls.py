"""A second batch about the same topics asks a language model less, and its counts say so."""

import json
from pathlib import Path

import pytest
from agent.test_saved_readings import ANOTHER, DOCUMENT, JUDGED, RIGHT, WRONG, server

from rarr import Settings
from rarr.batches import revise_file
from rarr.batches.counts import BatchCounts
from rarr.testing import ScriptedServer

__all__ = ["server"]
pytestmark = pytest.mark.loopback


def counts(server: ScriptedServer, text: str, out: Path) -> BatchCounts:
    source = out.with_suffix(".in.jsonl")
    source.write_text(json.dumps({"text": text}))
    corpus = out.parent / "bridge.md"
    corpus.write_text(DOCUMENT)
    settings = Settings(
        model="vllm:one", base_url=server.url, corpus=corpus, models=JUDGED, home=out.parent / "home",
        contrasts=False,
    )  # fmt: skip
    return revise_file(source, out, settings=settings).counts


def test_kept_readings_are_counted(server: ScriptedServer, tmp_path: Path) -> None:
    first = counts(server, WRONG, tmp_path / "first.jsonl")
    assert (first.changed, first.model_calls, first.saved_calls) == (1, 3, 0)
    assert json.loads((tmp_path / "first.jsonl").read_text())["rarr_text"] == RIGHT
    second = counts(server, ANOTHER, tmp_path / "second.jsonl")
    assert (second.changed, second.saved_calls) == (1, 3)

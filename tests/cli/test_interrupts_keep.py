"""What commands have done when they are interrupted is kept, and goes on from there."""

import json
import shutil
import signal
import sys
import threading
import time
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import pytest
from evals.doubles import row, write_rows
from families import few

from benchmarks.interrupts import (
    COMMAND,
    CORPUS,
    HANDLED,
    HANG_S,
    TEXTS,
    Act,
    Running,
    ended,
    moments,
    signalled,
)
from rarr import Trace
from rarr.batches.result_store import has_results
from rarr.retrievers.corpus.index_building import build_index
from rarr.retrievers.corpus.index_reader import IndexReader
from rarr.retrievers.corpus.index_words import terms
from rarr.retrievers.corpus.tantivy_index import best_hits, stored_passage
from rarr.settings import Settings
from rarr.testing import RuleModel, ScriptedServer, UnansweredError
from rarr.testing.scripted_model import Asked

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="its terminals and signals are others")

EVIDENCE = [{"text": "The mill opened in 1937."}]
RULES = {name: getattr(Settings(), name) for name in ("window", "step", "max_file_mb")}


class Interrupting:
    """A language model that interrupts who asks it, at the given question, and does not answer that."""

    def __init__(self, question: int) -> None:
        self._asking, self.over = threading.Event(), threading.Event()
        self._left, self._rules = question, RuleModel()

    def __call__(self, asked: Asked) -> str:
        self._left -= 1
        if self._left <= 0:
            self._asking.set()
            self.over.wait(HANG_S)
            raise UnansweredError("interrupted")
        return self._rules(asked)

    def recovers(self) -> None:
        self._left = 1000

    def meets(self, running: Running) -> None:
        assert self._asking.wait(HANG_S)
        signalled()(running)


@pytest.mark.slow
@pytest.mark.loopback
def test_interrupted_run_keeps_its_trace(tmp_path: Path) -> None:
    model = Interrupting(question=2)
    with ScriptedServer(model) as server:
        asks = ["--model", "vllm:scripted", "--base-url", server.url, "--corpus", str(CORPUS)]
        argv = ["revise", "--file", str(TEXTS / "alaska.md"), *asks]
        outcome = ended(model.meets, COMMAND, argv, tmp_path)
        model.over.set()
    assert outcome[:2] == (130, "rarr: interrupted\n")
    trace = Trace.load("last", home=tmp_path)
    requests = [span for span in trace.spans if span.kind == "request"]
    assert trace.status == "cut short"
    assert any("samples" in span.body for span in requests)
    assert len(requests) > 1


def rows_done(out: Path) -> list[str]:
    file = out / "predictions.jsonl"
    return [json.loads(line)["id"] for line in file.read_text().splitlines()] if file.exists() else []


@pytest.mark.slow
@pytest.mark.loopback
def test_interrupted_eval_keeps_its_rows_and_goes_on(tmp_path: Path) -> None:
    data = write_rows(tmp_path / "data.jsonl", *(row(number, evidence=EVIDENCE) for number in range(4)))
    model = Interrupting(question=9)
    with ScriptedServer(model) as server:
        asks = ["--model", "vllm:scripted", "--base-url", server.url, "--jobs", "1"]
        argv = ["eval", str(data), "-o", "scores", *asks]
        outcome = ended(model.meets, COMMAND, argv, tmp_path)
        model.over.set()
        assert outcome[:2] == (130, "rarr: interrupted\n")
        before = rows_done(tmp_path / "scores")
        model.recovers()
        again = ended(lambda running: None, COMMAND, argv, tmp_path)
    assert again.status == 0, again
    assert before
    assert rows_done(tmp_path / "scores") == ["r0", "r1", "r2", "r3"]
    assert rows_done(tmp_path / "scores")[: len(before)] == before


def after_a_row(number: signal.Signals, folder: Path) -> Act:
    """Waits until a batch has stored the result of a row, and sends the signal."""

    def act(running: Running) -> None:
        while not has_results(folder / "results.db") and running.child.poll() is None:
            time.sleep(0.05)
        signalled(number=number)(running)

    return act


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "end"),
    [(signal.SIGINT, (130, "rarr: interrupted\n")), (signal.SIGTERM, (143, "rarr: terminated\n"))],
)
@pytest.mark.parametrize("workers", ["0", "2"])
def test_ended_batch_has_written_its_rows_and_goes_on(
    workers: str, number: signal.Signals, end: tuple[int, str], tmp_path: Path
) -> None:
    texts = [f"The Hoover Dam is {height} metres high." for height in range(212, 252)]
    lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
    (tmp_path / "in.jsonl").write_text(lines)
    options = ["--model", "embedded", "--corpus", str(CORPUS), "--workers", workers]
    argv = ["batch", "in.jsonl", "-o", "out.jsonl", *options]
    outcome = ended(after_a_row(number, tmp_path / "out.jsonl.batch"), COMMAND, argv, tmp_path)
    before = (tmp_path / "out.jsonl").read_text().splitlines()
    rest = f"rarr: {len(before)} of {len(texts)} rows in out.jsonl: run again to continue\n"
    assert outcome[:2] == (end[0], rest + end[1])
    assert 0 < len(before) < len(texts)
    assert ended(lambda running: None, COMMAND, argv, tmp_path).status == 0
    after = (tmp_path / "out.jsonl").read_text().splitlines()
    assert len(after) == len(texts) and set(before) <= set(after)


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A corpus, and the index of what it was before each of its files was changed."""
    folder = tmp_path_factory.mktemp("corpora")
    corpus, index = folder / "corpus", folder / "old.index"
    shutil.copytree(CORPUS, corpus)
    build_index(corpus, index, **RULES)
    for file in corpus.glob("*.md"):
        file.write_text(file.read_text() + "\n\nAll of this was checked again in 2031.\n")
    return corpus, index


def holds(index: Path) -> tuple[int, int]:
    """Live files, and passages that say that they were checked again."""
    with closing(IndexReader(index, RULES["window"], RULES["step"])) as reader:
        snapshot = reader.snapshot()
        hits = best_hits(snapshot.searcher, terms("checked again in 2031"), 10_000)
        new = {hit.version_id for hit in hits if "2031" in stored_passage(snapshot.searcher, hit).text}
        return len(snapshot.names), len(new & snapshot.names.keys())


def interrupted_index(corpora: tuple[Path, Path], act: Act, at: str, tmp_path: Path) -> tuple[int, int]:
    corpus, index = corpora
    updated = tmp_path / uuid4().hex  # another each time: a reader of the last one may still watch it
    shutil.copytree(index, updated)
    outcome = ended(act, COMMAND, ["index", str(corpus), "-o", updated.name], tmp_path, at=at)
    assert outcome.clean, outcome
    return holds(updated)


@pytest.mark.slow
@pytest.mark.parametrize("at", few(["frankenstein.md", "alaska-purchase.md"], every=2))
def test_interrupted_index_is_as_it_was_or_new(at: str, corpora: tuple[Path, Path], tmp_path: Path) -> None:
    old = holds(corpora[1])
    new = (old[0], len([*corpora[0].glob("*.md")]))
    assert old[1] == 0 < new[1]
    assert interrupted_index(corpora, signalled(), at, tmp_path) in (old, new)
    assert interrupted_index(corpora, lambda running: None, at, tmp_path) == new


@pytest.mark.slow
def test_index_interrupted_at_50_moments_is_as_it_was_or_new(
    corpora: tuple[Path, Path], tmp_path: Path
) -> None:
    old = holds(corpora[1])
    new = (old[0], len([*corpora[0].glob("*.md")]))
    outcomes = [
        interrupted_index(corpora, signalled(after_s), HANDLED, tmp_path)
        for after_s in moments(50, 2.0, seed=17)
    ]
    assert set(outcomes) <= {old, new}

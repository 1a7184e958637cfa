"""Measures the parts of a batch for `benchmarks.scale`: texts, searches, requests, workers and rows.

Seconds are CPU time of a process, since other work on the machine changes the time of a clock.
"""

import asyncio
import json
import random
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks import mills
from benchmarks.corpus import Language, index_rules, write_corpus
from benchmarks.embedded import PASSAGES, EnglishLike
from benchmarks.overhead import scripted_server, settings_for
from benchmarks.process_times import Processes
from benchmarks.scale_model import TextShape
from rarr import Reviser, Settings
from rarr.batches import revise_file
from rarr.batches.counts import Counting
from rarr.batches.file_batch import RESULTS
from rarr.batches.result_store import Expected
from rarr.records import Revision
from rarr.retrievers.corpus.corpus import Corpus
from rarr.retrievers.corpus.index_building import build_index

MILLS = 4000
"""The mills that the documents are about; texts take them in turn, so that no two share a subject."""
KEPT = (1, 3)
"""The passages that are kept for a question, in the texts that the model is fitted to."""
KINDS = ((1, 0), (1, 1), (2, 0), (4, 0), (4, 1), (4, 2), (8, 0), (8, 2))
"""The sentences, and the wrong ones, of the texts that the model is fitted to."""
MODEL_SENTENCES = (3, 6, 12)
"""The sentences of texts with a language model; a third has an error."""
INDEXES = (10_000, 40_000, 160_000)
TOPICS = (4, 16, 64)
ABOUT_TOPICS = 48
"""Texts about random topics."""
SEARCHES = 300
GROUPS = 5
"""The searches of an index are timed in so many groups."""


class TextCost(NamedTuple):
    """A text of the embedded models, and what it took."""

    text: TextShape
    cpu_s: float


class ServerCost(NamedTuple):
    """Texts with a language model: means over them. `questions` are those of `Reviser.estimate`.

    `wrong` sentences of a text have an error.
    """

    questions: float
    wrong: float
    cpu_s: float
    model_calls: float
    input_tokens: float
    output_tokens: float


class IndexCost(NamedTuple):
    """An index: the seconds of CPU of a search, by group, and its size on disk."""

    passages: int
    search_s: list[float]
    disk_mb: float


class TopicCost(NamedTuple):
    """Texts about random topics: searches of a text, the share that was made before, CPU of a text."""

    topics: int
    searches: float
    saved: float
    cpu_s: float


class Run(NamedTuple):
    """A run of `revise_file`. `parent_s` and `workers_s` are CPU, `results_kb` the store of results."""

    rows: int
    seconds: float
    parent_s: float
    workers_s: float
    worker_mb: float
    results_kb: float

    @property
    def cpu_s(self) -> float:
        """The CPU of all processes."""
        return self.parent_s + self.workers_s


class Texts:
    """Hands out short answers about mills that no earlier one was about."""

    def __init__(self) -> None:
        self._next = 0

    def short(self, sentences: int, wrong: int = 0) -> str:
        """An answer of so many sentences, of which the first `wrong` are wrong."""
        first, self._next = self._next, self._next + sentences
        assert self._next <= MILLS, "more mills are needed"
        return mills.text_of(sentences, wrong, first=first)


def about_topic(topic: int, number: int) -> str:
    """Two sentences about a mill: the second is the same in every text about it."""
    return (
        f"{mills.mill(topic)} was built in {1800 + number}. The building of {mills.mill(topic)} is a museum."
    )


def corpus(folder: Path) -> tuple[Settings, int]:
    """Makes an index of documents about all mills and of other text; returns also its passages."""
    source = folder / "source"
    source.mkdir()
    write_corpus(source, PASSAGES, EnglishLike(0))
    known = (json.dumps({"text": mills.document(number)}) for number in range(MILLS))
    (source / "mills.jsonl").write_text("\n".join(known))
    passages = build_index(source, folder / "index", **index_rules()).passages
    return Settings(corpus=folder / "index", home=folder / "home", trace=False), passages


def text_costs(settings: Settings, texts: Texts, each: int) -> list[TextCost]:
    """Measures `each` texts of each number of sentences and of kept passages, one after another."""
    found = []
    for kept in KEPT:
        with Reviser(settings.model_copy(update={"evidence_per_query": kept})) as reviser:
            _timed(reviser, texts.short(2))  # it loads the models
            for sentences, wrong in KINDS * each:
                cpu_s, revision = _timed(reviser, texts.short(sentences, wrong))
                questions = len(revision.queries)
                shape = TextShape(sentences=sentences, wrong=wrong, questions=questions, kept=kept)
                found.append(TextCost(shape, cpu_s))
    return found


def topic_costs(settings: Settings) -> list[TopicCost]:
    """Measures texts about few and about many topics, each number with a reviser of its own."""
    found, chance = [], random.Random(0)
    for topics in TOPICS:
        with Reviser(settings) as reviser:
            _timed(reviser, about_topic(MILLS - 1, 1))
            runs = [
                _timed(reviser, about_topic(chance.randrange(topics), number))
                for number in range(ABOUT_TOPICS)
            ]
        searches = sum(len(revision.queries) for _, revision in runs)
        saved = sum(revision.usage.saved_searches for _, revision in runs)
        cpu_s = sum(cpu_s for cpu_s, _ in runs) / ABOUT_TOPICS
        found.append(TopicCost(topics, searches / ABOUT_TOPICS, saved / searches, cpu_s))
    return found


def _timed(reviser: Reviser, text: str) -> tuple[float, Revision]:
    before = time.process_time()
    revision = reviser.revise(text)
    return time.process_time() - before, revision


def index_costs() -> list[IndexCost]:
    """Measures searches for 10 words, as frequent as in the corpus, in indexes of three sizes."""
    found = []
    for passages in INDEXES:
        with tempfile.TemporaryDirectory(prefix="rarr-") as name:
            found.append(_index_cost(Path(name), passages))
    return found


def _index_cost(folder: Path, passages: int) -> IndexCost:
    language, source = Language(0), folder / "source"
    source.mkdir()
    write_corpus(source, passages, language)
    report = build_index(source, folder / "index", **index_rules())
    shutil.rmtree(source)
    searched = Corpus.open(folder / "index", home=folder, **index_rules())
    groups = [asyncio.run(_searching_s(searched, language)) for _ in range(GROUPS + 1)][1:]
    disk_mb = sum(file.stat().st_size for file in (folder / "index").rglob("*")) / 1e6
    return IndexCost(report.passages, groups, disk_mb)


async def _searching_s(searched: Corpus, language: Language) -> float:
    queries = [" ".join(language.words(10)) for _ in range(SEARCHES // GROUPS)]
    before = time.process_time()
    for query in queries:
        await searched.retrieve(query, 5)
    return (time.process_time() - before) / len(queries)


def server_costs(folder: Path, each: int, rounds: int) -> list[ServerCost]:
    """Measures texts of each number of sentences with a scripted server, 8 at once."""
    texts, found = Texts(), []
    with scripted_server(0.05) as url:
        settings = settings_for("vllm:scripted", base_url=url, concurrency=8, trace=False, home=folder)
        for sentences in (*MODEL_SENTENCES[:1], *MODEL_SENTENCES * rounds):
            rows = [texts.short(sentences, sentences // 3) for _ in range(each)]
            found.append(asyncio.run(_server_cost(settings, rows, sentences // 3)))
    return found[1:]  # the first one loads what all need


async def _server_cost(settings: Settings, rows: Sequence[str], wrong: int) -> ServerCost:
    async with await asyncio.to_thread(Reviser, settings) as reviser:
        questions = [(await asyncio.to_thread(reviser.estimate, row)).queries for row in rows]
        before = time.process_time()
        done = [result async for result in reviser.abatch(rows, at_once=8)]
        cpu_s = time.process_time() - before
    usages = [it.result.revision.usage for it in done if it.result and it.result.revision]
    assert len(usages) == len(rows)
    return ServerCost(
        questions=sum(questions) / len(rows),
        wrong=wrong,
        cpu_s=cpu_s / len(rows),
        model_calls=sum(usage.model_calls for usage in usages) / len(rows),
        input_tokens=sum(usage.input_tokens for usage in usages) / len(rows),
        output_tokens=sum(usage.output_tokens for usage in usages) / len(rows),
    )


def measured_run(
    folder: Path, rows: Sequence[str], settings: Settings, workers: int, *, full: bool = False
) -> Run:
    """Runs `rarr batch` on a file of these rows, and measures its processes after the last row."""
    source, out = folder / "in.jsonl", folder / "out.jsonl"
    source.write_text("".join(json.dumps({"text": row, "n": n}) + "\n" for n, row in enumerate(rows)))
    out.unlink(missing_ok=True)
    shutil.rmtree(f"{out}.batch", ignore_errors=True)
    after = []

    def measure(done: Counting, expected: Expected) -> None:
        if done.rows == expected.left:
            after.append(Processes.grandchildren())

    before, started = time.process_time(), time.perf_counter()
    report = revise_file(source, out, settings=settings, workers=workers, full=full, on_progress=measure)
    seconds, parent_s = time.perf_counter() - started, time.process_time() - before
    assert not report.counts.errors and not report.counts.left, report.counts.first_error
    results = sum(file.stat().st_size for file in Path(f"{out}.batch").glob(f"{RESULTS}*"))
    [at_end] = after
    return Run(len(rows), seconds, parent_s, at_end.cpu_s, at_end.mean_mb, results / 1e3)

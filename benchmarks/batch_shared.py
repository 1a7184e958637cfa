"""Counts what a second run saves that revises other texts on the topics of the first run.

The first run revises the texts of examples/texts, and the second those of same_topics.jsonl: other texts
about the same topics, which were written for this before it was run. Each run has a new reviser and the data
folder of the first, as two calls of `rarr batch` have.
"""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from benchmarks.examples import CORPUS, examples
from benchmarks.saved_readings import READINGS
from rarr import Reviser, Revision, Settings
from rarr.records import Passage
from rarr.retrievers.corpus.corpus import Corpus
from rarr.testing import RuleModel, ScriptedModel

OTHERS = Path(__file__).with_name("same_topics.jsonl")
Search = tuple[str, int]


class RunWork(NamedTuple):
    """The searches and readings of a run, and those that it did not repeat.

    `known` searches are those that the first run made as well; they are the ones that two processes do not
    share. `searching` is the share of the run's time.
    """

    texts: int
    searches: int
    saved_searches: int
    known: int
    searching: float
    readings: int
    saved_readings: int


class CountingCorpus:
    """Counts the searches of a corpus, and the seconds that they take."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus, self.asked, self.seconds = corpus, Counter[Search](), 0.0

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Searches the corpus."""
        started = time.perf_counter()
        found = await self._corpus.retrieve(query, k)
        self.seconds += time.perf_counter() - started
        self.asked[query, k] += 1
        return found


class RulesAsModel(ScriptedModel):
    """The rules in the place of a language model, whose readings are saved as those of a server are."""

    saved_as = "rules"


def texts_of_runs(most: int) -> tuple[list[str], list[str]]:
    """Returns the first `most` texts of the examples, and the other texts about their topics."""
    first = {example.name: example.text for example in examples()[:most]}
    rows = map(json.loads, OTHERS.read_text(encoding="utf-8").splitlines())
    return list(first.values()), [row["text"] for row in rows if row["topic"] in first]


async def two_runs(home: Path, most: int, *, with_model: bool) -> list[RunWork]:
    """Revises the texts of both runs, by the embedded models or with a language model."""
    made: list[RunWork] = []
    first = set[Search]()
    for texts in texts_of_runs(most):
        work, searches = await _run(texts, home, first, with_model=with_model)
        made.append(work)
        first |= searches
    return made


async def _run(
    texts: Sequence[str], home: Path, known: set[Search], *, with_model: bool
) -> tuple[RunWork, set[Search]]:
    model = RulesAsModel(RuleModel())
    settings = Settings(corpus=CORPUS, home=home, trace=False, model=model if with_model else "embedded")
    async with await asyncio.to_thread(Reviser, settings) as reviser:
        corpus = CountingCorpus(reviser._components.retriever)  # type: ignore[arg-type]  # it is no other
        reviser._components = replace(reviser._components, retriever=corpus)
        started = time.perf_counter()
        revisions: list[Revision] = [await reviser.arevise(text) for text in texts]
        seconds = time.perf_counter() - started
    work = RunWork(
        texts=len(texts),
        searches=corpus.asked.total(),
        saved_searches=sum(revision.usage.saved_searches for revision in revisions),
        known=sum(times for search, times in corpus.asked.items() if search in known),
        searching=corpus.seconds / seconds,
        readings=sum(ask.name in READINGS for ask in model.calls),
        saved_readings=sum(revision.usage.saved_calls for revision in revisions),
    )
    return work, set(corpus.asked)

"""Predicts what a batch takes from the work of its texts: seconds, cores, memory, disk and tokens.

`python -m benchmarks.scale` measures the parts, fits the model to them, and compares its predictions with
runs that it was not fitted to. docs/explanation/scale.md shows both, and describes the model in words.
"""

import math
from typing import Literal

from rarr.records import Record
from rarr.retrievers.corpus.search_memo import KEPT_SEARCHES


class Parts(Record):
    """The measured parts of a batch. Seconds are of one core.

    `text_s`, `sentence_s`, `reading_s` and `wrong_s` are those of the embedded models: of a text, a sentence,
    a sentence read beside a passage, and a sentence with an error that they find. `rules_text_s` and
    `rules_question_s` are those of this process with a language model: of a text, and of a question about it.
    `search_s` is a search of 10,000 passages, which grows with their number to the power `search_growth`. Of
    its searches, a text makes the share `own_searches` twice itself, and another text about its topic makes
    the share `shared_searches` too. `start_s` starts a process, and `row_s` is what the process that reads
    rows and stores results spends on a row. The store takes `store_kb`, and `row_kb` for a row; a passage
    takes `passage_kb` of an index, and a process `worker_mb` of memory.
    """

    text_s: float
    sentence_s: float
    reading_s: float
    wrong_s: float
    rules_text_s: float
    rules_question_s: float
    search_s: float
    search_growth: float
    own_searches: float
    shared_searches: float
    start_s: float
    row_s: float
    store_kb: float
    row_kb: float
    passage_kb: float
    worker_mb: float


class TextShape(Record):
    """A text of the embedded models, or the mean of many.

    `wrong` sentences have an error. Each of the `questions` is searched, and has `kept` passages.
    """

    sentences: float
    wrong: float
    questions: float
    kept: float

    @property
    def readings(self) -> float:
        """The sentences read beside passages: those of their own questions and of both neighbours."""
        of_a_sentence = self.kept * self.questions / self.sentences
        return of_a_sentence * max(1.0, 3 * self.sentences - 2)


class TextWork(Record):
    """The mean work of a text: seconds of a core, further seconds of waiting, and those of a language model.

    `model_s` are the seconds of its answers, one after another; None if the speed of the model is not known.
    """

    cpu_s: float
    waiting_s: float = 0.0
    model_s: float | None = 0.0


class Place(Record):
    """Where a batch runs: `workers` processes on `cores` cores, or for 0 workers one process, which has
    `concurrency` requests to a language model at once.
    """

    workers: int
    cores: int
    concurrency: int


Bottleneck = Literal["cores", "one process", "model", "waiting", "results"]
"""What bounds the rate of a batch: all cores, the one process that runs the texts, the answers of a language
model, the wait for searches and answers in each worker, or the process that stores the results."""


def embedded_cpu_s(parts: Parts, text: TextShape, passages: float, saved: float = 0.0) -> float:
    """Returns the seconds of a core for a text of the embedded models.

    The corpus has `passages`, and the share `saved` of the searches was made before.
    """
    judged = parts.sentence_s * text.sentences + parts.reading_s * text.readings + parts.wrong_s * text.wrong
    return parts.text_s + judged + text.questions * (1 - saved) * search_s(parts, passages)


def with_model_cpu_s(parts: Parts, questions: float) -> float:
    """Returns the seconds of a core for a text with a language model, with `questions` about the text."""
    return parts.rules_text_s + parts.rules_question_s * questions


def search_s(parts: Parts, passages: float) -> float:
    """Returns the seconds of a core for a search of an index of `passages`."""
    return parts.search_s * math.pow(passages / 10_000, parts.search_growth)


def saved_share(parts: Parts, texts: float, topics: float, searches: float, workers: int) -> float:
    """Returns the share of searches that are not made again, for texts about random ones of `topics`.

    A text makes `searches` searches. Each worker keeps its own latest `KEPT_SEARCHES`: with more topics than
    these have room for, a search is still kept with the chance that its topic is among them.
    """
    each = texts / max(1, workers)
    first = topics * (1 - math.pow(1 - 1 / topics, each))
    room = KEPT_SEARCHES / (topics * searches)
    return parts.own_searches + parts.shared_searches * (1 - first / each) * min(1.0, room)


def bounds(parts: Parts, texts: float, work: TextWork, place: Place) -> dict[Bottleneck, float] | None:
    """Returns the seconds that a batch would take if one resource alone bound it, by resource.

    None if the speed of the language model is not known.
    """
    if work.model_s is None:
        return None
    limits: dict[Bottleneck, float] = {"results": texts * parts.row_s}
    if place.workers:
        waits = work.waiting_s + work.model_s
        limits["cores"] = texts * work.cpu_s / min(place.workers, place.cores)
        # A worker computes, and then waits. Where it computes most of the time, more cores help more.
        most: Bottleneck = "waiting" if waits > work.cpu_s else "cores"
        limits[most] = max(limits.get(most, 0.0), texts * (work.cpu_s + waits) / place.workers)
    else:
        limits["one process"] = texts * work.cpu_s
        limits["model"] = texts * work.model_s / place.concurrency
    return limits


def seconds(parts: Parts, texts: float, work: TextWork, place: Place) -> float | None:
    """Returns the seconds of a batch on a free machine: the start, and then the resource that is slowest."""
    limits = bounds(parts, texts, work, place)
    return None if limits is None else parts.start_s + max(limits.values())


def cpu_seconds(parts: Parts, texts: float, work: TextWork, place: Place) -> float:
    """Returns the seconds of a core of a batch in all."""
    return texts * (work.cpu_s + parts.row_s) + max(1, place.workers) * parts.start_s


def bottleneck(parts: Parts, texts: float, work: TextWork, place: Place) -> Bottleneck | None:
    """Returns the resource that is slowest; None if the speed of the language model is not known."""
    limits = bounds(parts, texts, work, place)
    if limits is None:
        return None
    slowest: Bottleneck = max(limits, key=limits.__getitem__)
    return slowest


def memory_mb(parts: Parts, place: Place) -> float:
    """Returns the memory of the processes. Pages of the index come on top, as far as there is room."""
    return parts.worker_mb * (1 + place.workers)


MEASURED = Parts(
    text_s=0.00698,
    sentence_s=0.0216,
    reading_s=0.0117,
    wrong_s=0.0191,
    rules_text_s=0.0,
    rules_question_s=0.00762,
    search_s=0.000999,
    search_growth=0.38,
    own_searches=0.312,
    shared_searches=0.418,
    start_s=2.45,
    row_s=0.00127,
    store_kb=10.8,
    row_kb=0.745,
    passage_kb=0.324,
    worker_mb=330.0,
)
"""What `python -m benchmarks.scale` printed on 2026-11-26, on a shared machine with two cores (x86-64)."""

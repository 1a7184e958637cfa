"""Predicts what a batch takes from the work of its texts: seconds, cores and memory.

`python -m benchmarks.scale` measures the parts, fits a model to them that also predicts the work of a text,
and compares its predictions with runs that it was not fitted to. docs/explanation/scale.md shows both, and
describes the model in words.
"""

from typing import Literal

from rarr.records import Record


class Parts(Record):
    """The measured parts of every batch. Seconds are of one core.

    `rules_text_s` and `rules_question_s` are those of the process with a language model: of a text, and of a
    question about it. `start_s` starts a process, and `row_s` is what the process that reads rows and stores
    results spends on a row. A process takes `worker_mb` of memory.
    """

    rules_text_s: float
    rules_question_s: float
    start_s: float
    row_s: float
    worker_mb: float


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


def with_model_cpu_s(parts: Parts, questions: float) -> float:
    """Returns the seconds of a core for a text with a language model, with `questions` about the text."""
    return parts.rules_text_s + parts.rules_question_s * questions


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
    rules_text_s=0.0,
    rules_question_s=0.00762,
    start_s=2.45,
    row_s=0.00127,
    worker_mb=330.0,
)
"""What `python -m benchmarks.scale` printed on 2026-11-26, on a shared machine with two cores (x86-64)."""

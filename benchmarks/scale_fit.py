"""Fits the model of `benchmarks.scale_model` to the parts that `benchmarks.scale_parts` measured."""

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

import numpy as np

from benchmarks.scale_model import ScaleParts, embedded_cpu_s, saved_share
from benchmarks.scale_parts import ABOUT_TOPICS, IndexCost, Run, ServerCost, TextCost, TopicCost


class Measured(NamedTuple):
    """All measured parts. `starts` have a short text for each worker, `trivial` texts without a sentence to
    check, and `answers` short answers.
    """

    passages: int
    texts: Sequence[TextCost]
    indexes: Sequence[IndexCost]
    topics: Sequence[TopicCost]
    servers: Sequence[ServerCost]
    starts: Sequence[Run]
    trivial: Run
    answers: Run


class Asked(NamedTuple):
    """The questions about a sentence, and what a language model answers for a sentence with an error."""

    questions: float
    model_calls: float
    input_tokens: float
    output_tokens: float


def fitted(measured: Measured, workers: int) -> ScaleParts:
    """Fits lines by least squares of relative errors. Other parts are medians and differences."""
    search_1, growth = _search(measured.indexes)
    text_s, sentence_s, reading_s, wrong_s = _embedded(
        measured, search_1 * (measured.passages / 10_000) ** growth
    )
    rules_text_s, rules_question_s = _fit(
        [[1.0, cost.questions] for cost in measured.servers], [cost.cpu_s for cost in measured.servers]
    )
    start, answers = measured.starts[0], measured.answers
    row_kb = (answers.results_kb - start.results_kb) / (answers.rows - start.rows)
    row_s = (measured.trivial.parent_s - median(run.parent_s for run in measured.starts)) / (
        measured.trivial.rows - start.rows
    )
    parts = ScaleParts(
        text_s=text_s,
        sentence_s=sentence_s,
        reading_s=reading_s,
        wrong_s=wrong_s,
        rules_text_s=rules_text_s,
        rules_question_s=rules_question_s,
        search_s=search_1,
        search_growth=growth,
        own_searches=0.0,
        shared_searches=1.0,
        start_s=median(run.workers_s / workers for run in measured.starts),
        row_s=row_s,
        store_kb=start.results_kb - start.rows * row_kb,
        row_kb=row_kb,
        worker_mb=answers.worker_mb,
        passage_kb=1000 * median(index.disk_mb / index.passages for index in measured.indexes),
    )
    first = next(cost.text for cost in measured.texts if cost.text.sentences == 1 and cost.text.kept == 3)
    own, shared = _saved(parts, measured.topics)
    return parts.model_copy(
        update={
            "own_searches": own,
            "shared_searches": shared,
            "start_s": parts.start_s - embedded_cpu_s(parts, first, measured.passages),
        }
    )


def asked(measured: Measured) -> Asked:
    """Returns the means."""
    texts, wrong = measured.texts, sum(cost.wrong for cost in measured.servers)
    return Asked(
        questions=sum(cost.text.questions for cost in texts) / sum(cost.text.sentences for cost in texts),
        model_calls=sum(cost.model_calls for cost in measured.servers) / wrong,
        input_tokens=sum(cost.input_tokens for cost in measured.servers) / wrong,
        output_tokens=sum(cost.output_tokens for cost in measured.servers) / wrong,
    )


def _search(indexes: Sequence[IndexCost]) -> tuple[float, float]:
    """Returns the seconds of a search of 10,000 passages, and the power to which they grow."""
    sizes = [np.log(index.passages / 10_000) for index in indexes]
    times = [np.log(median(index.search_s)) for index in indexes]
    growth, height = np.polyfit(sizes, times, 1)
    return float(np.exp(height)), float(growth)


def _embedded(measured: Measured, search: float) -> list[float]:
    """Returns the seconds of a text, a sentence, a reading and an error, without those of the searches."""
    shapes = [cost.text for cost in measured.texts]
    return _fit(
        [[1.0, text.sentences, text.readings, text.wrong] for text in shapes],
        [cost.cpu_s - cost.text.questions * search for cost in measured.texts],
    )


def _saved(parts: ScaleParts, topics: Sequence[TopicCost]) -> list[float]:
    """Returns the share of searches that a text makes twice, and the share that texts about a topic share."""
    repeated = [saved_share(parts, ABOUT_TOPICS, it.topics, it.searches, 1) for it in topics]
    return _fit([[1.0, share] for share in repeated], [it.saved for it in topics])


def _fit(features: Sequence[Sequence[float]], values: Sequence[float]) -> list[float]:
    """Returns the factors of the features, none below 0: a feature that would have the least is left out.

    The errors are relative, or long texts alone would decide.
    """
    scaled = np.asarray(features) / np.asarray(values)[:, None]
    factors, kept = np.zeros(scaled.shape[1]), list(range(scaled.shape[1]))
    while kept:
        found = np.linalg.lstsq(scaled[:, kept], np.ones(len(values)), rcond=None)[0]
        if found.min() >= 0:
            factors[kept] = found
            break
        kept.pop(int(found.argmin()))
    return [float(factor) for factor in factors]

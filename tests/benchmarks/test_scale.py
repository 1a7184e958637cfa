"""The model of a batch is fitted to its parts; no two of the texts share a subject."""

import math
import subprocess
import sys

import pytest

from benchmarks.process_times import Processes
from benchmarks.scale_fit import Measured, asked, fitted
from benchmarks.scale_model import ScaleParts, TextShape, embedded_cpu_s, saved_share, search_s
from benchmarks.scale_parts import IndexCost, Run, ServerCost, TextCost, Texts, TopicCost
from benchmarks.scale_plan import PRICES, SERVED, night
from rarr.batches.cost_model import with_model_cpu_s

TRUE = ScaleParts(
    text_s=0.3, sentence_s=0.2, reading_s=0.1, wrong_s=0.4, rules_text_s=0.02, rules_question_s=0.01,
    search_s=0.002, search_growth=0.4, own_searches=0.2, shared_searches=0.6, start_s=5.0, row_s=0.003,
    store_kb=10.0, row_kb=1.5, passage_kb=0.8, worker_mb=300.0,
)  # fmt: skip
PASSAGES = 13_000


def shape(sentences: int, wrong: int, kept: int) -> TextShape:
    """A text with five questions about each sentence."""
    return TextShape(sentences=sentences, wrong=wrong, questions=5 * sentences, kept=kept)


def run_of(rows: int) -> Run:
    """A run of two workers of which each runs one text of one sentence."""
    each = embedded_cpu_s(TRUE, shape(1, 0, 3), PASSAGES)
    return Run(rows, 9.0, 1.0 + rows * TRUE.row_s, 2 * (TRUE.start_s + each), TRUE.worker_mb, 10 + rows * 1.5)


MEASURED = Measured(
    passages=PASSAGES,
    texts=[
        TextCost(shape(count, wrong, kept), embedded_cpu_s(TRUE, shape(count, wrong, kept), PASSAGES))
        for count in (1, 2, 4)
        for wrong in (0, 1)
        for kept in (1, 3)
    ],
    indexes=[IndexCost(size, [search_s(TRUE, size)], 0.0008 * size) for size in (10_000, 100_000)],
    topics=[TopicCost(count, 5.0, saved_share(TRUE, 48, count, 5.0, 1), 0.2) for count in (4, 64)],
    servers=[ServerCost(n, 1.0, with_model_cpu_s(TRUE, n), 2.0, 300.0, 10.0) for n in (2, 6)],
    starts=[run_of(2)],
    trivial=run_of(302),
    answers=run_of(16),
)


def test_fit_finds_the_parts_that_the_measurements_follow_from() -> None:
    assert dict(fitted(MEASURED, workers=2)) == pytest.approx(dict(TRUE))


def test_no_part_is_less_than_nothing() -> None:
    slower = [it._replace(cpu_s=0.001 * it.questions**2) for it in MEASURED.servers]
    parts = fitted(MEASURED._replace(servers=slower), workers=2)
    assert parts.rules_text_s == 0 and parts.rules_question_s > 0


def test_questions_and_sentences_have_their_means() -> None:
    assert asked(MEASURED) == pytest.approx((5.0, 2.0, 300.0, 10.0))


def test_no_two_texts_share_a_subject() -> None:
    texts = Texts()
    names = [
        sentence.partition(" was")[0] for count in (3, 1, 2) for sentence in texts.short(count).split(". ")
    ]
    assert len(names) == len({*names}) == 6


def test_more_texts_meet_another_bottleneck() -> None:
    found = {texts: night(TRUE, texts, None) for texts in (10**5, 10**9)}
    assert [it.bottleneck for it in found.values()] == ["cores", "results"]
    assert found[10**5].runs == 1 and found[10**9].runs == math.ceil(10**9 * TRUE.row_s / (8 * 3600))
    assert night(TRUE, 10**5, SERVED).bottleneck == "one process"


def test_thousand_texts_cost_their_cores_and_tokens() -> None:
    alone, asked_too = (night(TRUE, 10**5, served) for served in (None, SERVED))
    assert alone.euros_a_thousand == pytest.approx(1000 * alone.cpu_hours / 10**5 * PRICES.core_hour)
    tokens = SERVED.input_tokens * PRICES.input_million + SERVED.output_tokens * PRICES.output_million
    cores = 1000 * asked_too.cpu_hours / 10**5 * PRICES.core_hour
    assert asked_too.euros_a_thousand == pytest.approx(cores + tokens / 1000)


@pytest.mark.slow
def test_only_children_of_children_are_measured() -> None:
    work = "[sum(range(1000)) for _ in range(100_000)]; print(flush=True); input()"
    start = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {work!r}])"
    before = Processes.grandchildren()
    with subprocess.Popen(
        [sys.executable, "-c", start], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdin and child.stdout
        child.stdout.readline()
        found = Processes.grandchildren()
        child.stdin.close()
    assert found.number == before.number + 1
    assert found.cpu_s > before.cpu_s + 0.1 and found.mean_mb > 1

"""What 100,000, 10 million and a billion texts take, by the model of `benchmarks.scale_model`."""

import math
from typing import NamedTuple

from benchmarks.report import table
from benchmarks.scale_model import ScaleParts, TextShape, embedded_cpu_s, saved_share
from rarr.batches.cost_model import Place, TextWork, bottleneck, with_model_cpu_s
from rarr.retrievers.web.service_requests import AT_ONCE

TEXTS = (10**5, 10**7, 10**9)
NIGHT_S = 8 * 3600.0
CORES = 16
"""The cores of a machine."""


class Prices(NamedTuple):
    """Prices in euros: assumptions, and offers of nobody."""

    core_hour: float = 0.04
    input_million: float = 0.10
    output_million: float = 0.40


class Served(NamedTuple):
    """What a text asks of a language model, and what a server of it gives: assumptions.

    The calls and tokens are those of three sentences in docs/measured/real-models.md (The examples).
    `answer_s` are the seconds of an answer, and `at_once` the requests that one server answers at once.
    """

    calls: float = 7
    input_tokens: float = 2835
    output_tokens: float = 140
    answer_s: float = 0.5
    at_once: int = 64


class Night(NamedTuple):
    """What texts take in a night: cores, machines, servers of the model, runs to divide them into, money."""

    texts: int
    cpu_hours: float
    machines: int
    memory_gb: float
    servers: int
    runs: int
    million_tokens: float
    disk_gb: float
    euros_a_thousand: float
    bottleneck: str


TEXT = TextShape(sentences=3, wrong=0.5, questions=6, kept=3)
"""A short answer as those of `benchmarks.scale`."""
PASSAGES = 1_000_000
TOPICS = (50, 1000, 100_000)
SEARCH_S = 0.5
"""The seconds of a search of a web service: an assumption."""
PRICES, SERVED = Prices(), Served()


def night(parts: ScaleParts, texts: int, served: Served | None) -> Night:
    """Plans the embedded models, or with `served` a language model."""
    cpu_s = with_model_cpu_s(parts, TEXT.questions) if served else embedded_cpu_s(parts, TEXT, PASSAGES)
    model_s = served.calls * served.answer_s if served else 0.0
    cpu_hours = texts * (cpu_s + parts.row_s) / 3600
    cores = math.ceil(cpu_hours * 3600 / NIGHT_S)
    processes = min(cores, CORES)
    tokens_in, tokens_out = (served.input_tokens, served.output_tokens) if served else (0.0, 0.0)
    euros = cpu_hours / texts * PRICES.core_hour
    euros += (tokens_in * PRICES.input_million + tokens_out * PRICES.output_million) / 1e6
    # One run: with a language model one process, and else a worker on each core that the night needs.
    at_once = served.at_once if served else 1
    place = Place(workers=0 if served else cores, cores=cores, concurrency=at_once)
    return Night(
        texts=texts,
        cpu_hours=cpu_hours,
        machines=math.ceil(cores / CORES),
        memory_gb=processes * parts.worker_mb / 1e3 + PASSAGES * parts.passage_kb / 1e6,
        servers=math.ceil(texts * model_s / at_once / NIGHT_S),
        runs=math.ceil(texts * (cpu_s if served else parts.row_s) / NIGHT_S),
        million_tokens=texts * (tokens_in + tokens_out) / 1e6,
        disk_gb=texts * parts.row_kb / 1e6,
        euros_a_thousand=1000 * euros,
        bottleneck=bottleneck(parts, texts, TextWork(cpu_s=cpu_s, model_s=model_s), place) or "",
    )


def print_plans(parts: ScaleParts) -> None:
    """Prints a table of both kinds of runs."""
    print(f"{TEXT!r}, an index of {PASSAGES:,} passages\n{PRICES}\n{SERVED}")
    print(f"a night of {NIGHT_S / 3600:g} h, machines of {CORES} cores\n")
    nights = [(kind, night(parts, texts, kind)) for kind in (None, SERVED) for texts in TEXTS]
    body = [["language model" if kind else "embedded", *_row(it)] for kind, it in nights]
    print(table(("models", *(name.replace("_", " ") for name in Night._fields)), body))
    for topics in TOPICS:
        share = saved_share(parts, TEXTS[0], topics, TEXT.questions, CORES)
        print(f"\n{TEXTS[0]:,} texts about {topics:,} topics save {share:.0%} of their searches", end="")
    hours = TEXTS[0] * TEXT.questions * SEARCH_S / AT_ONCE / 3600
    print(f"\na web service takes {hours:.0f} h for {TEXTS[0]:,} texts, {AT_ONCE} requests at once")


def _row(found: Night) -> list[str]:
    return [_cell(value) for value in found]


def _cell(value: float | str) -> str:
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if value >= 100 or isinstance(value, int) else f"{value:.2g}"

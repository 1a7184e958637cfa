"""The size of the weights, and their speed on this machine."""

import statistics
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.embedded import TEXT, indexed, times, times_of_new
from benchmarks.report import machine, table
from rarr import Reviser, Settings
from rarr.backends.encoder.model_files import MODEL, SHIPPED
from rarr.evals.metrics import Measured
from recipes.measures.context import TRAINED, Context, Figure, Reads, Results

PAIRS = 64
RUNS = 7
# Common words, each one token: with [CLS] and two [SEP] there are 100.
QUERY = " ".join(["which city is the house of the king in"] * 2)
PASSAGE = " ".join(["the king of the city was in his old house by the river when war came"] * 5)[:-5]
TOKENS = 100


def measure(context: Context) -> Results:
    """Megabytes, pairs a second and seconds for a text. Times are medians, from the least to the most."""
    kept = context.kept("speed")
    size = Measured(value=(SHIPPED / MODEL).stat().st_size / 1e6, n=1)
    if ("pairs",) not in kept:
        kept.add(("pairs",), pairs_a_second(context.encoder))
    lines: list[tuple[str, str, Measured]] = [
        ("MB of the file", TRAINED, size),
        (f"pairs a second at {TOKENS} tokens", TRAINED, middle(kept[("pairs",)])),
    ]
    for system, settings in context.systems.items():
        if ("revise", system) not in kept:
            kept.add(("revise", system), revisions(settings))
        name = "seconds for 5 sentences against 10,000 passages"
        lines.append((name, system, middle(kept["revise", system])))
    figures = [Figure(*line) for line in lines]
    body = [[name, system, text_of(value)] for name, system, value in lines]
    return Results(figures, {"speed": f"{table(['what', 'system', 'value'], body)}\n\nMachine: {machine()}."})


def pairs_a_second(encoder: Reads) -> list[float]:
    """Pairs a second in each run, without the first run."""
    passages = [("", PASSAGE)] * PAIRS
    return [PAIRS / seconds for seconds in times(lambda: encoder.relevance(QUERY, passages), RUNS + 1)[1:]]


def revisions(settings: Mapping[str, Any]) -> list[float]:
    """Seconds for each new text, after a first text and with an index that is already built."""
    with tempfile.TemporaryDirectory() as folder:
        index, _ = indexed(Path(folder))
        with Reviser(Settings(corpus=index, home=Path(folder, "home"), **settings)) as reviser:
            reviser.revise(TEXT)
            return times_of_new(reviser)


def middle(values: list[float]) -> Measured:
    """The median, between the least and the most."""
    return Measured(value=statistics.median(values), low=min(values), high=max(values), n=len(values))


def text_of(value: Measured) -> str:
    """The figure in three digits, with its range; it is not a share."""
    shown = f"{value.value:.3g}"
    return shown if value.low is None else f"{shown} ({value.low:.3g} to {value.high:.3g}, {value.n} runs)"

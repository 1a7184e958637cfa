"""Estimates the cost of a run before it starts."""

import math
from collections.abc import Sequence
from dataclasses import fields

from rarr.agent.blocks import blocks_of, is_divided
from rarr.components import AsksModel, Components
from rarr.records import Estimate
from rarr.tools.text.blocks_and_sentences import sentences

DISAGREEMENTS = 0.3
"""The share of queries with a disagreement; a quarter to a third in the runs that the paper was timed on."""
QUESTIONS = 2
"""The questions that a model asks about a sentence."""


def estimate(text: str, context: str | None, components: Components) -> Estimate:
    """Estimates the usage of a run; asks no model. `cost` is None if the price of a model is not known.

    A reader of cards is asked once for each block of sentences. Otherwise there are two questions a sentence
    (`QUESTIONS`), and each gets `evidence_per_query` passages.

    The estimate assumes that 30% of the queries (`DISAGREEMENTS`) find an error. A text without errors may
    cost half as much, a text with errors in most sentences twice as much: the estimate is not a limit. The
    estimate of a long text is the sum over its blocks.
    """
    if not is_divided(text, components):
        return _block_estimate(text, context, components)
    blocks = (block for block in blocks_of(text) if block.sentences and not block.too_long)
    return added([_block_estimate(block.of(text), context, components) for block in blocks])


def added(estimates: Sequence[Estimate]) -> Estimate:
    """Adds up estimates; the cost is None if one of them is not known."""
    values = {name: [getattr(part, name) for part in estimates] for name in Estimate.model_fields}
    return Estimate(**{name: None if None in column else sum(column) for name, column in values.items()})


def _block_estimate(text: str, context: str | None, components: Components) -> Estimate:
    count, reads_cards = len(sentences(text)), components.card_reader is not None
    queries = max(1, count * (1 if reads_cards else QUESTIONS))
    checks, edits = components.settings.evidence_per_query * queries, math.ceil(DISAGREEMENTS * queries)
    report = min(components.settings.report_size, checks)
    counts = {"checker": checks, "editor": edits}
    if reads_cards or components.rewriter is not None:
        counts = {"checker": 0, "editor": 0} | ({"doubting_reader": 0} if reads_cards else {})
    # For a sentence and both neighbours; in the end, both texts by all passages of the report.
    counts["verifier"] = 3 * checks + 2 * edits + 2 * report * max(0, count - 3)
    # Any other component is asked once.
    calls = [(getattr(components, field.name), counts.get(field.name, 1)) for field in fields(components)]
    usages = [
        (times, component.expected(text, context))
        for component, times in calls
        if times and isinstance(component, AsksModel)
    ]
    costs = [usage.cost and times * usage.cost for times, usage in usages]
    names = ("model_calls", "input_tokens", "output_tokens")
    return Estimate(
        queries=queries,
        edits=edits,
        cost=None if None in costs else sum(filter(None, costs)),
        **{name: sum(times * getattr(usage, name) for times, usage in usages) for name in names},
    )

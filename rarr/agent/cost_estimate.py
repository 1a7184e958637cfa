"""Estimates the cost of a run before it starts."""

import math
from collections.abc import Iterable
from dataclasses import fields

from rarr.agent import blocks
from rarr.components import Components
from rarr.records import Estimate, ModelUsage
from rarr.tools.text.blocks_and_sentences import sentences
from rarr.tools.text.long_text_blocks import text_blocks

DISAGREEMENTS = 0.3
"""The share of queries with a disagreement; a quarter to a third in the runs that the paper was timed on."""
QUESTIONS = 2
"""The questions that a model asks about a sentence."""


def estimate(text: str, context: str | None, components: Components) -> Estimate:
    """Estimates the usage of a run; asks no model. `cost` is None if the price of a model is not known.

    A reader of cards is asked once for each block. Otherwise there are two questions a sentence, each with
    `evidence_per_query` passages, of which 30% find an error. The estimate is not a limit: a text with errors
    in most sentences may cost twice as much.
    """
    parts = [text]
    if blocks.is_divided(text, components):
        divided = text_blocks(text, blocks.BLOCK_CHARS)
        parts = [block.of(text) for block in divided if block.sentences and not block.too_long]
    return added(_part_estimate(part, context, components) for part in parts)


def added(estimates: Iterable[Estimate]) -> Estimate:
    """Adds up estimates; the cost is None if one of them is not known."""
    return sum(estimates, start=Estimate(queries=0, edits=0))


def _part_estimate(text: str, context: str | None, components: Components) -> Estimate:
    count, reads_cards = len(sentences(text)), components.card_reader is not None
    queries = max(1, count * (1 if reads_cards else QUESTIONS))
    checks, edits = components.settings.evidence_per_query * queries, math.ceil(DISAGREEMENTS * queries)
    report = min(components.settings.report_size, checks)
    times = {"checker": checks, "editor": edits}  # any other component is asked once
    if reads_cards or components.rewriter is not None:
        times = {"checker": 0, "editor": 0} | ({"doubting_reader": 0} if reads_cards else {})
    # For a sentence and both neighbours; in the end, both texts by all passages of the report.
    times["verifier"] = 3 * checks + 2 * edits + 2 * report * max(0, count - 3)
    usage = ModelUsage()
    for field in fields(components):
        expected = getattr(getattr(components, field.name), "expected", None)
        if expected is not None and (calls := times.get(field.name, 1)):
            usage = sum([expected(text, context)] * calls, start=usage)
    return Estimate(queries=queries, edits=edits, **usage.model_dump())

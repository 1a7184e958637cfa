"""What a run may be expected to spend, before anything is spent."""

import math

from rarr.agent.block_runs import block_size
from rarr.backends.rules.questions import questions
from rarr.components import AsksModel, Components
from rarr.records import Estimate
from rarr.tools.text.document import Span, sentences
from rarr.tools.text.text_blocks import text_blocks

DISAGREEMENTS = 0.3
"""Of the queries; in the runs that the paper's method was timed on, a quarter to a third."""


def estimate(text: str, context: str | None, components: Components) -> Estimate:
    """For a text of which the embedded rules find the values to ask for, with J evidences a query.

    It is about what a text with some errors costs: each edit has the checks on its sentence asked again. One
    without errors may cost half of it, one with an error in most sentences twice as much: it is no limit.
    That of a long text is the sum over its blocks.
    """
    size = block_size(text, components.settings)
    if size is None:
        return _of_one(text, context, components)
    blocks = (block for block in text_blocks(text, size) if block.sentences and not block.too_long)
    found = [_of_one(block.of(text), context, components) for block in blocks]
    values = {name: [getattr(one, name) for one in found] for name in Estimate.model_fields}
    return Estimate(**{name: None if None in column else sum(column) for name, column in values.items()})


def _of_one(text: str, context: str | None, components: Components) -> Estimate:
    asked = questions(text, context)
    queries = max(1, len(asked))
    edits = math.ceil(DISAGREEMENTS * queries)
    evidence = components.settings.evidence_per_query
    spans = sentences(text)
    sizes = [sum(span.overlaps(Span(one.start, one.end)) for one in asked) for span in spans]
    # The checks of the queries about a sentence that is edited; long sentences are edited more often.
    again = math.ceil(edits * sum(size * size for size in sizes) / queries) if asked else edits
    rewriter = components.rewriter
    revising = (
        [(components.checker, evidence * (queries + again)), (components.editor, edits)]
        if rewriter is None
        else [(rewriter, 1 if rewriter.whole else len(spans))]
    )
    calls = (
        (components.query_generator, 1),
        *revising,
        (components.verifier, 3 * evidence * queries + 2 * edits),  # a sentence and both neighbours
    )
    if components.intent_judge is not None:
        calls = (*calls, (components.intent_judge, 1))
    spent = [
        (times, component.expected(text, context))
        for component, times in calls
        if isinstance(component, AsksModel)
    ]
    costs = [one.cost and times * one.cost for times, one in spent]
    return Estimate(
        queries=queries,
        edits=edits,
        model_calls=sum(times * one.model_calls for times, one in spent),
        input_tokens=sum(times * one.input_tokens for times, one in spent),
        output_tokens=sum(times * one.output_tokens for times, one in spent),
        cost=None if None in costs else sum(filter(None, costs)),
    )

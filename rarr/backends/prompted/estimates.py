"""Estimates the usage of a run before it starts, by averages that `benchmarks.answers` measured."""

from math import ceil

from rarr.backends.prompted.cards import MAX_SENTENCES, PromptedCardReader
from rarr.backends.prompted.questions import QueriesByUnit
from rarr.components import Components
from rarr.records import ModelUsage
from rarr.tools.models.chat import Tokens, estimated_tokens
from rarr.tools.text.blocks_and_sentences import sentences

_REQUEST_TOKENS = 1000  # the instructions and the schema of a request
_SOURCE_TOKENS, _CARD_TOKENS, _QUESTION_TOKENS = 90, 28, 35  # for each sentence of the text


def expected_usage(text: str, context: str | None, components: Components) -> ModelUsage:
    """Estimates the requests, tokens and cost of the first round of a run; all are 0 without a model.

    A judge (the model of the node attribute) is not counted. `cost` is None if a model has no price.
    """
    reader, generator, asked = components.card_reader, components.query_generator, []
    blocks, usage = ceil((count := len(sentences(text))) / MAX_SENTENCES), ModelUsage()
    if isinstance(generator, QueriesByUnit) and generator.questions and generator.unit == "questions":
        asked.append((generator.questions.model, blocks, 0, _QUESTION_TOKENS))
    if isinstance(reader, PromptedCardReader):  # most blocks are asked again about doubtful sentences
        asked.append((reader.model, 2 * blocks, _SOURCE_TOKENS, _CARD_TOKENS))
    for model, calls, sources, answer in asked if count else ():
        fixed = calls * (_REQUEST_TOKENS + estimated_tokens([context or ""]))
        sent, answered = fixed + estimated_tokens([text]) + sources * count, answer * count
        cost = model.models[0].cost(Tokens(sent, answered))
        usage += ModelUsage(model_calls=calls, input_tokens=sent, output_tokens=answered, cost=cost)
    return usage

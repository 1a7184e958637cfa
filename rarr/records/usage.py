"""What a run spends, and what it is expected to spend."""

from pydantic import Field

from rarr.records.base import Record


class ModelUsage(Record):
    """What language models used: requests, failed ones included, and tokens.

    `cached_tokens` are those of `input_tokens` that a server had in its prefix cache; `cost` is in the unit
    of the prices in the settings, None where the price of a model that was asked is not known.
    """

    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = 0.0


class NodeUsage(ModelUsage):
    """What one node spent. `seconds` adds up its calls, which may have run at the same time."""

    calls: int = 0
    seconds: float = 0.0


class Usage(ModelUsage):
    """What a run spent. `seconds` is wall time."""

    seconds: float = 0.0
    by_node: dict[str, NodeUsage] = Field(default_factory=dict)


class Estimate(ModelUsage):
    """What a run is expected to spend, with its number of queries and of edits."""

    queries: int
    edits: int

"""Declares the base class of all records, and the usage of a run: requests, tokens, cost, time."""

from typing import Any, Self

from pydantic import BaseModel, Field, model_validator

from rarr.valid_unicode import valid


class Record(BaseModel, frozen=True, extra="forbid"):
    """The base class of all records. A record is frozen, has no unknown field, and has valid Unicode only."""

    @model_validator(mode="before")
    @classmethod
    def _holds_valid_unicode(cls, values: Any) -> Any:
        return valid(values)


class _SummableRecord(Record):
    """A record of numbers. Two records are added field by field. A number plus None is None."""

    def __add__(self, other: Self) -> Self:
        pairs = ((name, value, getattr(other, name)) for name, value in self)
        sums = {name: None if None in (mine, its) else mine + its for name, mine, its in pairs}
        return self.model_copy(update=sums)


class ModelUsage(_SummableRecord):
    """The usage of language models: requests (including failed ones), tokens and cost.

    `cached_tokens` are the part of `input_tokens` that a server had in its prefix cache. `cost` is in the
    unit of the prices in the settings, or None if the price of a model is not known. `saved_calls` counts
    requests that were not sent, because the data folder had the answer. No other field counts them.
    """

    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = 0.0
    saved_calls: int = 0


class Controls(_SummableRecord):
    """Counts of the test sentences that were planted to examine the reader of a run."""

    planted: int = 0  # planted errors
    caught: int = 0  # planted errors that the reader corrected
    borrowed: int = 0  # planted errors with a value from another sentence
    borrowed_caught: int = 0  # planted errors with a value from another sentence that the reader corrected
    repeated: int = 0  # planted sentences without an error
    confirmed: int = 0  # planted sentences without an error that the reader did not contradict
    blocks_without: int = 0  # requests without a planted error


class NodeUsage(ModelUsage):
    """The usage of one node. `seconds` adds the times of all calls, also of calls at the same time."""

    calls: int = 0
    seconds: float = 0.0


class Usage(ModelUsage):
    """The usage of a run, in total and by node. `seconds` is wall time.

    `controls` counts the sentences that were planted to examine the reader.
    """

    seconds: float = 0.0
    controls: Controls = Controls()
    by_node: dict[str, NodeUsage] = Field(default_factory=dict)

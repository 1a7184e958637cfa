"""Declares the base class of all records, and the usage of a run: requests, tokens, cost, time."""

from typing import Any, Self

from pydantic import BaseModel, Field, model_validator

from rarr.valid_unicode import valid


class Record(BaseModel, frozen=True, extra="forbid"):
    """Base of all records: frozen; refuses unknown fields, and makes text valid Unicode."""

    @model_validator(mode="before")
    @classmethod
    def _holds_valid_unicode(cls, values: Any) -> Any:
        return valid(values)


class _Sum(Record):
    """Numbers that can be added, name by name; None (not known) if one of two numbers is None."""

    def __add__(self, other: Self) -> Self:
        pairs = ((name, value, getattr(other, name)) for name, value in self)
        sums = {name: None if None in (mine, its) else mine + its for name, mine, its in pairs}
        return self.model_copy(update=sums)


class ModelUsage(_Sum):
    """The usage of language models: requests, also failed requests, and tokens.

    `cached_tokens` are the part of `input_tokens` that a server had in its prefix cache. `cost` is in the
    unit of the prices in the settings; None if the price of a model is not known. `saved_calls` are requests
    that were not made, because the data folder had the answer; no other number counts them.
    """

    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = 0.0
    saved_calls: int = 0


class Controls(_Sum):
    """The sentences that were planted to examine the reader of a run.

    `planted` errors and how many were `caught` with the right edit; those with values `borrowed` from another
    sentence apart. `repeated` sentences of the sources, and how many the reader did not contradict
    (`confirmed`). `blocks_without` are requests in which no planted error examined the reader.
    """

    planted: int = 0
    caught: int = 0
    borrowed: int = 0
    borrowed_caught: int = 0
    repeated: int = 0
    confirmed: int = 0
    blocks_without: int = 0


class NodeUsage(ModelUsage):
    """The usage of one node. `seconds` adds up its calls, which may have run at the same time."""

    calls: int = 0
    seconds: float = 0.0


class Usage(ModelUsage):
    """The usage of a run, as a whole and by node. `seconds` is wall time.

    `controls` are the planted sentences of all blocks.
    """

    seconds: float = 0.0
    controls: Controls = Controls()
    by_node: dict[str, NodeUsage] = Field(default_factory=dict)

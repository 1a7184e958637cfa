"""Makes training data with a language model, as PURR does (Chen et al. 2023, section 3).

The model writes a text from evidence, and then proposes errors for the text.
"""

from collections.abc import Sequence
from typing import Literal, get_args

from pydantic import BaseModel, field_validator

from rarr.backends.prompted.paper import DIVIDER
from rarr.backends.prompted.prompts import ModelAsker, titled_evidence, with_answer_limit
from rarr.records import Evidence

ErrorKind = Literal[
    "number", "date", "person", "organization", "location", "title", "role", "relation", "negation",
    "quantifier", "superlative", "cause", "event", "unit", "other",
]  # fmt: skip
ERROR_KINDS: tuple[ErrorKind, ...] = get_args(ErrorKind)


class WrittenSummary(BaseModel):
    """The answer of the model: a text, which is empty if the evidence does not answer the query."""

    summary: str


class PlantedError(BaseModel):
    """An error to put into a text: `wrong` words replace `right` words."""

    right: str
    wrong: str
    kind: ErrorKind = "other"

    @field_validator("kind", mode="before")
    @classmethod
    def _replace_unknown_kind(cls, value: object) -> object:
        """Replaces an unknown kind by `other`, so that the error can still be used."""
        kind = value.strip().casefold() if isinstance(value, str) else value
        return kind if kind in ERROR_KINDS else "other"


class CorruptionAnswer(BaseModel):
    """The answer of the model: errors for a text."""

    errors: list[PlantedError]


class PromptedNoiser(ModelAsker):
    """Asks a language model for a text that the evidence supports, and for errors to put into the text."""

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def prompt_hashes(self) -> dict[str, str]:
        """Returns the hashes of the prompts `summarize` and `corrupt`, by the names of the prompts."""
        return {name: self._prompts[name].hash for name in ("summarize", "corrupt")}

    async def summarize(self, query: str, evidence: Sequence[Evidence]) -> str:
        """Asks for a short text that answers `query` from the evidence; "" if the evidence has no answer."""
        variables = {"query": query, "evidence": DIVIDER.join(titled_evidence(item) for item in evidence)}
        prompt = with_answer_limit(self._prompts["summarize"], variables["evidence"])
        return (await self._model.ask(prompt, WrittenSummary, variables)).summary.strip()

    async def corrupt(self, text: str, kinds: Sequence[ErrorKind]) -> Sequence[PlantedError]:
        """Asks for errors of the `kinds` to put into `text`. The `right` words may be missing in `text`."""
        variables = {"text": text, "kinds": ", ".join(kinds)}
        prompt = with_answer_limit(self._prompts["corrupt"], text)
        return (await self._model.ask(prompt, CorruptionAnswer, variables)).errors

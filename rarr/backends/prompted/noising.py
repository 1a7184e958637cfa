"""Makes training data with a language model as PURR does (Chen et al. 2023, section 3).

The model writes a text from evidence, and then errors for it.
"""

from collections.abc import Sequence
from typing import Literal, get_args

from pydantic import BaseModel, field_validator

from rarr.backends.prompted.paper import BETWEEN
from rarr.backends.prompted.prompts import Prompted, of_written, quoted_evidence
from rarr.records import Evidence

ErrorKind = Literal[
    "number", "date", "person", "organization", "location", "title", "role", "relation", "negation",
    "quantifier", "superlative", "cause", "event", "unit", "other",
]  # fmt: skip
KINDS: tuple[ErrorKind, ...] = get_args(ErrorKind)


class WrittenSummary(BaseModel):
    """The model's answer: a text; empty if the evidence does not answer the query."""

    summary: str


class PlantedError(BaseModel):
    """Right words of a text, and wrong words to put in their place."""

    right: str
    wrong: str
    kind: ErrorKind = "other"

    @field_validator("kind", mode="before")
    @classmethod
    def _known(cls, value: object) -> object:
        """Turns a kind that the model invented into `other`, so that no row is lost."""
        kind = value.strip().casefold() if isinstance(value, str) else value
        return kind if kind in KINDS else "other"


class CorruptionAnswer(BaseModel):
    """The model's answer: errors for a text."""

    errors: list[PlantedError]


class PromptedNoiser(Prompted):
    """Asks a language model for a text that evidence supports, and for errors to put into it."""

    @property
    def name(self) -> str:
        """The name of the model."""
        return self._model.name

    @property
    def hashes(self) -> dict[str, str]:
        """The hashes of both prompts, by name."""
        return {name: self._prompts[name].hash for name in ("summarize", "corrupt")}

    async def summarize(self, query: str, evidence: Sequence[Evidence]) -> str:
        """Asks for a short text that answers `query` from the evidence; empty for no answer."""
        variables = {"query": query, "evidence": BETWEEN.join(quoted_evidence(item) for item in evidence)}
        prompt = of_written(self._prompts["summarize"], variables["evidence"])
        answer = await self._model.ask(prompt, WrittenSummary, variables)
        return answer.summary.strip()

    async def corrupt(self, text: str, kinds: Sequence[ErrorKind]) -> Sequence[PlantedError]:
        """Asks for errors of these kinds for `text`. Does not check that their right words occur in it."""
        variables = {"text": text, "kinds": ", ".join(kinds)}
        prompt = of_written(self._prompts["corrupt"], text)
        answer = await self._model.ask(prompt, CorruptionAnswer, variables)
        return answer.errors

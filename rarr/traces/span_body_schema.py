"""Declares the fields of a span's body by its kind, and checks them: a trace may come from anybody."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr, ValidationError

from rarr.prompts import Prompt

Count = Annotated[StrictInt, Field(ge=0, lt=1 << 40)]  # SQLite adds them up, in 64 bits
Real = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Tokens = tuple[Count, Count, Count]


class SpanBody(BaseModel):
    """The fields of all kinds. Types are strict, because bodies are used as they are read."""

    model_config = ConfigDict(extra="forbid")

    warnings: list[tuple[StrictStr, StrictStr]] = []


class BlockBody(SpanBody):
    """A block of a long text: its range of characters, and the text to read before it."""

    start: Count
    end: Count
    lead: StrictStr


class NodeUpdate(BaseModel):
    """The field `passages` of a node's update: the documents that a search found, by query.

    Each document is (source, title, number of passages).
    """

    passages: dict[str, list[tuple[StrictStr, StrictStr, Count]]] = {}


class NodeBody(SpanBody):
    """A node's call, or its failure. The other fields of `update` are read as state."""

    update: NodeUpdate | None = None


class QuestionBody(SpanBody):
    """A question to a model. `answers` holds the answers that could be parsed, or the text of a reply.

    `saved`: the model and probability of an answer that came from the data folder, and needed no request.
    """

    prompt: StrictStr
    user: StrictStr
    temperature: Real
    answers: list[dict[str, Any] | StrictStr] = []
    saved: tuple[StrictStr, Real | None] | None = None


class RequestBody(SpanBody):
    """A request that was not sent, or that went to a server other than a model's."""

    failure: StrictStr = ""
    status: Count | None = None
    retry_after: Real | None = None
    answer: StrictStr = ""


class ModelRequestBody(RequestBody):
    """A request to a language model, with its answers (`texts`) and its cost.

    `limit`, `cut` and `served` are those of `CallFailure` and `Answer`.
    """

    samples: Count
    max_tokens: Count
    texts: list[StrictStr]
    tokens: Tokens
    said: Tokens
    cost: Real | None
    more: list[tuple[StrictStr, StrictStr]] = []
    cut: StrictBool = False
    served: StrictStr = ""
    limit: Count | None = None


class ScoreBody(SpanBody):
    """The scores of a query's passages: how many there are, and (score, source, start, end) of the best."""

    passages: Count
    best: list[tuple[Real, StrictStr, Count, Count]]


class ReadSentence(BaseModel):
    """A sentence as a model read it: its verdict ("" without a card), and the evidence that it quoted."""

    model_config = ConfigDict(extra="forbid")

    number: Count
    text: StrictStr
    verdict: StrictStr
    evidence: list[StrictStr]


class PlantedSentence(BaseModel):
    """A planted sentence: what was changed in it, and whether the reader missed it ("" as verdict: no card).

    `evidence` is the id of the evidence of which it was made.
    `kind` is `number`, `name`, `not` or `repetition`. `borrowed`: another source line has `wrong`.
    """

    model_config = ConfigDict(extra="forbid")

    number: Count
    text: StrictStr
    kind: StrictStr
    wrong: StrictStr
    right: StrictStr
    borrowed: StrictBool
    evidence: StrictStr
    verdict: StrictStr
    missed: StrictBool

    @property
    def outcome(self) -> str:
        """Tells whether the reader found what was planted; of an unread answer nothing is known."""
        return "missed" if self.missed else "found" if self.verdict else "not read"


class ReadBody(SpanBody):
    """A reading of sentences as cards: the ids of the evidence shown, and what became of each sentence."""

    evidence: list[StrictStr] = []
    sentences: list[ReadSentence] = []
    controls: list[PlantedSentence] = []


class PromptFields(BaseModel):
    """The fields of a prompt in a trace."""

    model_config = ConfigDict(extra="forbid")

    name: StrictStr
    version: StrictStr
    variables: list[StrictStr]
    output: dict[str, Any]
    system: StrictStr
    user: StrictStr


_KINDS: Mapping[str, Sequence[type[SpanBody]]] = {
    "block": [BlockBody],
    "node": [NodeBody],
    "failure": [NodeBody],
    "ask": [QuestionBody],
    "request": [RequestBody, ModelRequestBody],
    "read": [ReadBody],
    "score": [SpanBody, ScoreBody],  # a failed scoring lacks the other fields
}


def require_body(number: int, kind: str, body: Mapping[str, Any]) -> None:
    """Checks the body of span `number`. Raises `ValueError` that names the span and the field."""
    plain, *full = _KINDS[kind]
    model = full[0] if full and body.keys() - plain.model_fields.keys() else plain
    _require(model, body, f"span {number}")


def require_prompt(hash: str, fields: Mapping[str, Any]) -> None:  # noqa: A002  # the field
    """Checks the fields of a prompt. Raises `ValueError` that names the prompt and the field."""
    _require(PromptFields, fields, f"prompt {hash}")


def prompt_fields(prompt: Prompt) -> dict[str, Any]:
    """Turns a prompt into the fields that a trace stores; `prompt_of` reads them."""
    return {
        "name": prompt.name,
        "version": prompt.version,
        "variables": list(prompt.variables),
        "output": prompt.output,
        "system": prompt.system,
        "user": prompt.user,
    }


def prompt_of(hash: str, fields: dict[str, Any]) -> Prompt:  # noqa: A002  # the field
    """Builds a prompt from the fields that `prompt_fields` made."""
    return Prompt(**{**fields, "variables": tuple(fields["variables"])}, hash=hash)


def _require(model: type[BaseModel], value: Mapping[str, Any], owner: str) -> None:
    try:
        model.model_validate(value)
    except ValidationError as error:
        raise ValueError(f"{owner}, {first_of(error)}") from None


def first_of(error: ValidationError) -> str:
    """Formats the first error on one line, with the name of its field."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"])) or "the file"
    return " ".join(f"{where}: {first['msg']}".split())[:300]

"""What the body of a span holds, by its kind: somebody else's file may hold anything."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError

from rarr.prompts import Prompt

Count = Annotated[StrictInt, Field(ge=0, lt=1 << 40)]  # SQLite adds them up, in 64 bits
Real = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Tokens = tuple[Count, Count, Count]


class Body(BaseModel):
    """What all kinds may have. Types are strict, because bodies are read as they are."""

    model_config = ConfigDict(extra="forbid")

    warnings: list[tuple[StrictStr, StrictStr]] = []


class Part(Body):
    """A block of a long text: its characters, and what it is read after."""

    start: Count
    end: Count
    lead: StrictStr


class Written(BaseModel):
    """The part of an update that is not the state's: source, title and passages of each document found."""

    passages: dict[str, list[tuple[StrictStr, StrictStr, Count]]] = {}


class Call(Body):
    """Of a node, and of what its failure left. What else `update` has is read as state."""

    update: Written | None = None


class Ask(Body):
    """A question; `answers` are there where some could be read."""

    prompt: StrictStr
    user: StrictStr
    temperature: Real
    answers: list[dict[str, Any]] = []


class Request(Body):
    """An attempt that was not sent, or at another server than a model's."""

    failure: StrictStr = ""
    status: Count | None = None
    retry_after: Real | None = None
    answer: StrictStr = ""


class Sent(Request):
    """An attempt at a language model."""

    samples: Count
    max_tokens: Count
    texts: list[StrictStr]
    tokens: Tokens
    said: Tokens
    cost: Real | None
    more: list[tuple[StrictStr, StrictStr]] = []
    probabilities: list[Real] = []


class Scored(Body):
    """Passages of a query, scored: how many, and of the best score, source, start and end."""

    passages: Count
    best: list[tuple[Real, StrictStr, Count, Count]]


class PromptFields(BaseModel):
    """A prompt as a trace keeps it."""

    model_config = ConfigDict(extra="forbid")

    name: StrictStr
    version: StrictStr
    variables: list[StrictStr]
    output: dict[str, Any]
    system: StrictStr
    user: StrictStr


_KINDS: Mapping[str, Sequence[type[Body]]] = {
    "block": [Part],
    "node": [Call],
    "failure": [Call],
    "ask": [Ask],
    "request": [Request, Sent],
    "score": [Body, Scored],  # without its own fields where it failed
}


def require_body(number: int, kind: str, body: Mapping[str, Any]) -> None:
    """Raises `ValueError` that names the span and the field."""
    plain, *full = _KINDS[kind]
    model = full[0] if full and body.keys() - plain.model_fields.keys() else plain
    _require(model, body, f"span {number}")


def require_prompt(hash: str, fields: Mapping[str, Any]) -> None:  # noqa: A002  # the field
    """Raises `ValueError` that names the prompt and the field."""
    _require(PromptFields, fields, f"prompt {hash}")


def prompt_fields(prompt: Prompt) -> dict[str, Any]:
    """A prompt as a trace keeps it."""
    return {
        "name": prompt.name,
        "version": prompt.version,
        "variables": list(prompt.variables),
        "output": prompt.output,
        "system": prompt.system,
        "user": prompt.user,
    }


def prompt_of(hash: str, fields: dict[str, Any]) -> Prompt:  # noqa: A002  # the field
    """The prompt of `prompt_fields`."""
    return Prompt(**{**fields, "variables": tuple(fields["variables"])}, hash=hash)


def _require(model: type[BaseModel], value: Mapping[str, Any], what: str) -> None:
    try:
        model.model_validate(value)
    except ValidationError as error:
        raise ValueError(f"{what}, {first_of(error)}") from None


def first_of(error: ValidationError) -> str:
    """The first thing that is wrong, with its place, in a line."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"])) or "the file"
    return " ".join(f"{where}: {first['msg']}".split())[:300]

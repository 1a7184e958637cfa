"""Declares what a request to the server may hold, and refuses everything else with one line."""

import json
import math
import re
from typing import Annotated, Any, Literal, TypeVar
from uuid import uuid4

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from rarr.records.postprocessing import PostprocessMode
from rarr.settings import Settings
from rarr.settings.serving import ServeMode
from rarr.tools.text.wording import cure, kind_of

MOST_TEXTS = 1000
"""The most texts of one answer, and the most sources of a call."""
Words = Annotated[str, StringConstraints(min_length=1, pattern=r"\S")]
Json = dict[str, Any]
_LARGE = uuid4().hex
"""Stands before a number that no float holds. Nobody outside knows it, so no text has it."""
_LARGE_WRITTEN = re.compile(rf'"{_LARGE}([^"]*)"')


class Refusal(HTTPException):
    """The error response to a request: a `code` for programs, and a line with the cure for people."""

    def __init__(
        self, status: int, code: str, message: str, *, param: str | None = None, **headers: str
    ) -> None:
        super().__init__(status, message, {name.replace("_", "-"): it for name, it in headers.items()})
        self.code, self.param = code, param

    def response(self) -> Response:
        """Makes the response, in the form of OpenAI's errors."""
        kind = "server_error" if self.status_code >= 500 else "invalid_request_error"
        kind = "rate_limit_error" if self.status_code == 429 else kind
        error = {"message": self.detail, "type": kind, "param": self.param, "code": self.code}
        return Response(as_json({"error": error}), self.status_code, self.headers, "application/json")


def json_object(data: bytes) -> Json | None:
    """Reads JSON; None if it is no object. `as_json` writes all its numbers again, however large."""

    def number(digits: str) -> float | str:
        return value if math.isfinite(value := float(digits)) else f"{_LARGE}{digits}"

    try:
        value = json.loads(data, parse_float=number)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def as_json(value: Any) -> bytes:
    """Writes JSON, also where a text holds half a surrogate pair."""
    written = _LARGE_WRITTEN.sub(r"\1", json.dumps(value, ensure_ascii=False))
    return written.encode(errors="backslashreplace")


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Source(_Body):
    """A passage that the caller has."""

    text: Words = Field(description="The words of the passage.")
    title: str = Field("", description="The title of its document.")
    source: str = Field("", description="The name by which it is cited, such as an address. Nobody opens it.")


def _as_object(passage: object) -> object:
    """Makes an object of a passage that is a text. Raises `ValueError` for anything but a text or object."""
    if isinstance(passage, str):
        return {"text": passage}
    if not isinstance(passage, dict | Source):
        raise ValueError(f"it is {kind_of(passage)}: give a text, or an object with text, title and source")
    return passage


GivenSource = Annotated[Source, BeforeValidator(_as_object, json_schema_input_type=str | Source)]
"""A passage as callers write it: a text, or an object with `text`, `title` and `source`."""


def as_given(sources: list[Source] | None) -> tuple[dict[str, str], ...]:
    """Returns the sources as jobs take them."""
    return tuple({k: v for k, v in source.model_dump().items() if v} for source in sources or ())


class TextBody(_Body):
    """What a caller chooses for one text. A corpus is one of the names that the server was given."""

    sources: list[GivenSource] = Field(default=[], max_length=MOST_TEXTS)
    search: Literal["given"] | None = None
    corpus: str = Field(default="", max_length=200)
    deadline_s: float | None = Field(default=None, gt=0, le=3600, allow_inf_nan=False)


class ProxyOptions(TextBody):
    """The object `rarr` of a request to the proxy. `mode` None: that of the server."""

    mode: ServeMode | None = None


class ReviseBody(TextBody):
    """A text to revise, with the question or the messages of the conversation that it answers."""

    text: Words
    context: str | list[Json] | None = None


class PostprocessBody(ReviseBody):
    """The answer of a model."""

    mode: PostprocessMode = "revise"


class VerifyBody(TextBody):
    """A claim to verify against `sources`. Without them, or with a `corpus`, the server searches as well."""

    claim: Words
    context: str | list[Json] | None = None

    @property
    def text(self) -> str:
        """The claim, under the name that the other bodies have."""
        return self.claim


class GuardrailBody(_Body):
    """What LiteLLM 1.109 sends to a generic guardrail, as far as it is read here."""

    model_config = ConfigDict(extra="ignore", strict=True)

    input_type: Literal["request", "response"]
    texts: list[str] | None = Field(default=None, max_length=MOST_TEXTS)
    structured_messages: list[Json] | None = None
    additional_provider_specific_params: Json | None = None


BodyT = TypeVar("BodyT", bound=BaseModel)


def body_of(model: type[BodyT], content_type: str, data: bytes, settings: Settings) -> BodyT:
    """Reads the body of a call. Raises `Refusal`, also for a form that a page of another site could send."""
    value = json_object(data)
    if value is None or content_type.partition(";")[0].strip().lower() != "application/json":
        told = "it is no JSON object in UTF-8 with the header Content-Type: application/json"
        raise _refusal("body", f"{told}: send an object with {', '.join(model.model_fields)}")
    return checked(model, value, "body", settings)


def checked(model: type[BodyT], value: Any, place: str, settings: Settings) -> BodyT:
    """Makes a body of the value at `place`. Raises `Refusal` with the first thing that is wrong.

    Wrong are also a corpus that the server was not given, and a search in no sources.
    """
    try:
        body = model.model_validate(value)
    except ValidationError as error:
        at, told = wrong_value(error, tuple(model.model_fields))
        raise _refusal(f"{place}.{at}" if at else place, told) from None
    if isinstance(body, TextBody):
        if body.corpus and body.corpus not in settings.serve_corpora:
            names = ", ".join(settings.serve_corpora) or "none: start it with --corpus NAME=PATH"
            raise Refusal(400, "unknown_corpus", f"unknown corpus: this server has {names}", param="corpus")
        if body.search and not body.sources:
            raise Refusal(400, "no_sources", "search is given without sources: give sources", param="search")
    return body


def wrong_value(error: ValidationError, names: tuple[str, ...] = ()) -> tuple[str, str]:
    """Returns where the first wrong value is, such as "sources.0.title", and what to give instead.

    `names` are the keys that may stand at the top.
    """
    first = error.errors(include_input=False, include_url=False)[0]
    path = first["loc"]
    if first["type"] != "extra_forbidden":
        return ".".join(map(str, path)), cure(first)
    known = names if len(path) == 1 else tuple(Source.model_fields)
    return ".".join(map(str, path)), f"unknown key: give {', '.join(known)}"


def _refusal(place: str, told: str) -> Refusal:
    return Refusal(400, "invalid_request", f"{place}: {told}", param=place)

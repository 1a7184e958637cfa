"""Declares what a request to the server may hold, and refuses everything else with one line."""

import json
from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from pydantic_core import ErrorDetails
from starlette.exceptions import HTTPException
from starlette.responses import Response

from rarr.records.citations import CitationStyle
from rarr.records.postprocessing import PostprocessMode
from rarr.settings import Settings
from rarr.settings.serving import ServeMode
from rarr.tools.text.wording import cure

MOST_TEXTS = 1000
"""The most texts of one answer, and the most sources of a call."""
Words = Annotated[str, StringConstraints(min_length=1, pattern=r"\S")]
Json = dict[str, Any]


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


def as_json(value: Any) -> bytes:
    """Writes JSON, also where a text holds half a surrogate pair."""
    return json.dumps(value, ensure_ascii=False).encode(errors="backslashreplace")


def json_object(data: bytes) -> Json | None:
    """Reads JSON; None if it is no object."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Source(_Body):
    """A passage that the caller has. `source` names it in the answer; nobody opens it."""

    text: Words
    title: str = ""
    source: str = ""


class TextBody(_Body):
    """What a caller chooses for one text. A corpus is one of the names that the server was given."""

    sources: list[Words | Source] = Field(default=[], max_length=MOST_TEXTS)
    search: Literal["given"] | None = None
    corpus: str = Field(default="", max_length=200)
    deadline_s: float | None = Field(default=None, gt=0, le=3600, allow_inf_nan=False)

    def passages(self) -> tuple[str | dict[str, str], ...]:
        """Returns the sources as jobs take them."""
        return tuple(
            source if isinstance(source, str) else {k: v for k, v in source.model_dump().items() if v}
            for source in self.sources
        )


class ProxyOptions(TextBody):
    """The object `rarr` of a request to the proxy. `mode` None: that of the server."""

    mode: ServeMode | None = None


class ReviseBody(TextBody):
    """A text to revise, with the question or earlier turns that it answers."""

    text: Words
    context: str | None = None


class PostprocessBody(TextBody):
    """The answer of a model, with the question or the messages of the conversation that it answers."""

    text: Words
    context: str | list[Json] | None = None
    mode: PostprocessMode = "revise"


class CiteBody(ReviseBody):
    """A text to cite."""

    style: CitationStyle = "numbered"
    mark_unsupported: bool = False


class VerifyBody(TextBody):
    """A claim to verify against `sources`. Without them, or with a `corpus`, the server searches as well."""

    claim: Words
    question: str | None = None


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
    """Makes a body of the value at `place`. Raises `Refusal` with the first thing that is wrong."""
    try:
        body = model.model_validate(value)
    except ValidationError as error:
        errors = error.errors(include_input=False, include_url=False)
        raise _refusal(*_wrong_value(place, errors, model)) from None
    if isinstance(body, TextBody):
        _require_known(body, settings)
    return body


def _require_known(body: TextBody, settings: Settings) -> None:
    """Raises `Refusal` for a corpus that the server was not given, and for a search in no sources."""
    if body.corpus and body.corpus not in settings.serve_corpora:
        names = ", ".join(settings.serve_corpora) or "none: start it with --corpus NAME=PATH"
        raise Refusal(400, "unknown_corpus", f"unknown corpus: this server has {names}", param="corpus")
    if body.search and not body.sources:
        raise Refusal(400, "no_sources", "search is given without sources: give sources", param="search")


def _refusal(place: str, cure: str) -> Refusal:
    return Refusal(400, "invalid_request", f"{place}: {cure}", param=place)


def _wrong_value(place: str, errors: Sequence[ErrorDetails], model: type[BaseModel]) -> tuple[str, str]:
    """Returns where a value is wrong, such as "body.text", and what to give instead."""
    path, error, fields = errors[0]["loc"], errors[0], model.model_fields
    if path[:1] == ("sources",) and len(path) > 1:  # pydantic tells why it is no text and why no object
        unknown: list[Any] = [each["loc"][-1] for each in errors if each["type"] == "extra_forbidden"]
        path, fields = (*path[:2], *unknown[:1]), Source.model_fields
        told = f"give a text, or an object with {', '.join(fields)}; the text has words"
    else:
        unknown = [path] if error["type"] == "extra_forbidden" else []
        told = cure(error)
    told = f"unknown key: give {', '.join(fields)}" if unknown else told
    return ".".join(map(str, (place, *path))), told

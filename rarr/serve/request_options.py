"""Reads what a request says about `rarr`: the object `rarr` in the body."""

import json
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from pydantic_core import ErrorDetails

from rarr.serve.refusals import Refusal
from rarr.settings import Settings
from rarr.settings.serving import ServeMode
from rarr.tools.text.wording import cure

Words = Annotated[str, StringConstraints(min_length=1, pattern=r"\S")]
Path = tuple[str | int, ...]
"""The keys and the places in lists that lead to a value."""


class Source(BaseModel):
    """A passage that the caller has. `source` names it in the answer; nobody opens it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: Words
    title: str = ""
    source: str = ""


class TextOptions(BaseModel):
    """What a caller chooses for one text. A corpus is one of the names that the server was given."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    sources: list[Words | Source] = Field(default=[], max_length=1000)
    search: Literal["given"] | None = None
    corpus: str = Field(default="", max_length=200)
    deadline_s: float | None = Field(default=None, gt=0, le=3600, allow_inf_nan=False)

    def passages(self) -> tuple[str | dict[str, str], ...]:
        """Returns the sources as jobs take them."""
        return tuple(
            source if isinstance(source, str) else {k: v for k, v in source.model_dump().items() if v}
            for source in self.sources
        )

    def require_known(self, settings: Settings) -> None:
        """Raises `Refusal` for a corpus that the server was not given, and for a search in no sources."""
        if self.corpus and self.corpus not in settings.serve_corpora:
            names = ", ".join(settings.serve_corpora) or "none: start it with --corpus NAME=PATH"
            raise Refusal(400, "unknown_corpus", f"unknown corpus: this server has {names}", param="corpus")
        if self.search and not self.sources:
            raise Refusal(400, "no_sources", "search is given without sources: give sources", param="search")


class RequestOptions(TextOptions):
    """The object `rarr` of a request to the proxy."""

    mode: ServeMode | None = None
    """None: that of the server."""


def options_of(value: Any, settings: Settings) -> RequestOptions:
    """Reads `value`, the object `rarr` of a request. Raises `Refusal` with the first thing that is wrong."""
    try:
        options = RequestOptions.model_validate(value)
    except ValidationError as error:
        errors = error.errors(include_input=False, include_url=False)
        place, message = wrong_value("rarr", [(each["loc"], each) for each in errors], RequestOptions)
        raise Refusal(400, "invalid_rarr", f"{place}: {message}", param=place) from None
    options.require_known(settings)
    return options


def wrong_value(
    place: str, errors: Sequence[tuple[Path, ErrorDetails]], model: type[BaseModel]
) -> tuple[str, str]:
    """Returns where a value is wrong, such as "body.text", and what to give instead.

    `errors` are what pydantic found in the object at `place`, which `model` describes, each with its path.
    """
    path, error = errors[0]
    if path[:1] == ("sources",) and len(path) > 1:  # pydantic tells why it is no text and why no object
        unknown = (each for each, why in errors if each[:2] == path[:2] and why["type"] == "extra_forbidden")
        keys = ", ".join(Source.model_fields)
        if inner := next(unknown, None):
            return dotted((place, *path[:2], inner[-1])), f"unknown key: give {keys}"
        return dotted((place, *path[:2])), f"give a text, or an object with {keys}; the text has words"
    if error["type"] == "extra_forbidden":
        return dotted((place, *path)), f"unknown key: give {', '.join(model.model_fields)}"
    return dotted((place, *path)), cure(error)


def dotted(path: Path) -> str:
    """Joins the keys and places of a path, such as "body.sources.0"."""
    return ".".join(map(str, path))


def json_object(body: bytes) -> dict[str, Any] | None:
    """Parses the body; None if it is no JSON object."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None

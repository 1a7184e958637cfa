"""Reads what a request says about `rarr`: the object `rarr` in the body."""

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from rarr.serve.refusals import Refusal
from rarr.settings import Settings
from rarr.settings.serving import ServeMode

Words = Annotated[str, StringConstraints(min_length=1, pattern=r"\S")]


class Source(BaseModel):
    """A passage that the caller has. `source` names it in the answer; nobody opens it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: Words
    title: str = ""
    source: str = ""


class Choice(BaseModel):
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


class RequestOptions(Choice):
    """The object `rarr` of a request to the proxy."""

    mode: ServeMode | None = None


def options_of(value: Any, settings: Settings) -> RequestOptions:
    """Reads `value`, the object `rarr` of a request. Raises `Refusal` with the first thing that is wrong."""
    try:
        options = RequestOptions.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(["rarr", *map(str, first["loc"])])
        raise Refusal(400, "invalid_rarr", f"{place}: {first['msg']}: correct it", param=place) from None
    options.require_known(settings)
    return options


def json_object(body: bytes) -> dict[str, Any] | None:
    """Parses the body; None if it is no JSON object."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None

"""Declares the trace of one run as a JSON file, and reads, checks and writes the file.

A trace may come from anybody, so the body of each span is checked by its kind.
"""

import json
import os
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    StrictStr,
    ValidationError,
    create_model,
)
from pydantic_core import from_json

from rarr.errors import InputError
from rarr.prompts import Prompt
from rarr.records import RUN_ID
from rarr.tools.storage.files import write_whole
from rarr.tools.trace_spans import Kind
from rarr.traces.record_references import Numbered

Seconds = Annotated[float, Field(ge=0, lt=1 << 37)]  # to the year 6325: dates end with 9999
Count = Annotated[StrictInt, Field(ge=0, lt=1 << 40)]  # SQLite adds them up, in 64 bits
Real = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Tokens = tuple[Count, Count, Count]
Status = Literal["done", "failed", "running", "cut short", "damaged"]
_DEEPEST = 16  # spans within each other; a call, its question and an attempt are 3


class FileModel(BaseModel):
    """The base of the models of the file: frozen, and strict about unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class ReadSentence(FileModel):
    """A sentence as a model read it: its verdict ("" without a card), and the evidence that it quoted."""

    number: Count
    text: StrictStr
    verdict: StrictStr
    evidence: list[StrictStr]


class PlantedSentence(FileModel):
    """A planted sentence: what was changed in it, and whether the reader missed it ("" as verdict: no card).

    `evidence` is the id of the evidence of which it was made.
    `kind` is `number`, `name`, `not` or `repetition`. `borrowed`: another source line has `wrong`.
    """

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


class SpanBody(FileModel):
    """The fields of the bodies of all spans. Types are strict, because bodies are used as they are read."""

    warnings: list[tuple[StrictStr, StrictStr]] = []


class ReadBody(SpanBody):
    """A reading of sentences as cards: the ids of the evidence shown, and what became of each sentence."""

    evidence: list[StrictStr] = []
    sentences: list[ReadSentence] = []
    controls: list[PlantedSentence] = []


class NodeUpdate(BaseModel):
    """The field `passages` of a node's update: (source, title, number of passages) by query.

    The other fields of an update are read as state.
    """

    passages: dict[str, list[tuple[StrictStr, StrictStr, Count]]] = {}


def _body(**fields: Any) -> type[SpanBody]:
    """Makes the model of a body from its fields: a type, or a type with a default."""
    known: Any = {name: each if isinstance(each, tuple) else (each, ...) for name, each in fields.items()}
    made: type[SpanBody] = create_model("Body", __base__=SpanBody, **known)
    return made


_FAILED = {"failure": (StrictStr, ""), "status": (Count | None, None), "retry_after": (Real | None, None)}
_FAILED |= {"answer": (StrictStr, "")}
_CALL = _body(update=(NodeUpdate | None, None))
_BODIES: Mapping[str, type[SpanBody]] = {
    "block": _body(start=Count, end=Count, lead=StrictStr),
    "node": _CALL,
    "failure": _CALL,
    # `answers` are parsed, or a reply's text; `saved` has the model and probability of a kept answer.
    "ask": _body(
        prompt=StrictStr,
        user=StrictStr,
        temperature=Real,
        answers=(list[dict[str, Any] | StrictStr], []),
        saved=(tuple[StrictStr, Real | None] | None, None),
    ),
    # A request that was not sent, or that went to a server other than a model's.
    "request": _body(**_FAILED),
    "model request": _body(
        **_FAILED,
        samples=Count,
        max_tokens=Count,
        texts=list[StrictStr],
        tokens=Tokens,
        said=Tokens,
        cost=Real | None,
        more=(list[tuple[StrictStr, StrictStr]], []),
        cut=(StrictBool, False),
        served=(StrictStr, ""),
        limit=(Count | None, None),
    ),
    "read": ReadBody,
    # The number of a query's passages, and (score, source, start, end) of the best.
    "score": _body(passages=Count, best=list[tuple[Real, StrictStr, Count, Count]]),
    "failed score": SpanBody,
}


class PromptFields(FileModel):
    """The fields of a prompt in a trace."""

    name: StrictStr
    version: StrictStr
    variables: list[StrictStr]
    output: dict[str, Any]
    system: StrictStr
    user: StrictStr


def prompt_fields(prompt: Prompt) -> dict[str, Any]:
    """Turns a prompt into the fields that a trace stores; `prompt_of` reads them."""
    fields = {name: getattr(prompt, name) for name in PromptFields.model_fields}
    return fields | {"variables": list(prompt.variables)}


def prompt_of(hash: str, fields: dict[str, Any]) -> Prompt:  # noqa: A002  # the field
    """Builds a prompt from the fields that `prompt_fields` made."""
    return Prompt(**{**fields, "variables": tuple(fields["variables"])}, hash=hash)


class StoredSpan(FileModel):
    """A `TraceSpan` of `rarr.tools.trace_spans` with packed values. `seconds` is None if it had not ended."""

    number: int = Field(ge=1, lt=1 << 53)
    parent: int = Field(ge=0)
    kind: Kind
    name: str
    about: str
    started: Seconds
    seconds: Seconds | None
    error: str
    records: list[Numbered] = []
    body: dict[str, Any] = {}

    @property
    def ended(self) -> float:
        """Returns when the span ended, in seconds since 1970; an unfinished span when it began."""
        return self.started + (self.seconds or 0.0)

    def require_body(self) -> None:
        """Checks the body by the kind. Raises `ValueError` that names the span and the field."""
        kind: str = self.kind
        if kind == "request" and self.body.keys() - {*_FAILED, "warnings"}:
            kind = "model request"
        elif kind == "score" and not self.body.keys() - {"warnings"}:
            kind = "failed score"
        if self.seconds is not None or self.body:
            _require(_BODIES[kind], self.body, f"span {self.number}")


class RunFacts(FileModel):
    """The input of a run. `settings` holds changed settings without secrets; `process` is (host, id)."""

    version: str
    original: str
    context: str | None
    settings: dict[str, Any]
    warnings: list[dict[str, Any]]
    process: tuple[str, Annotated[int, Field(ge=0, lt=1 << 31)]]


class TraceFile(FileModel):
    """A whole run. `started` is in seconds since 1970. `revision` is packed; None until the run is done."""

    format: Literal[1] = 1
    run_id: Annotated[str, Field(pattern=f"^{RUN_ID}$")]  # it is part of file names
    started: Seconds
    seconds: Seconds | None
    error: str
    facts: RunFacts
    spans: list[StoredSpan]
    prompts: dict[str, dict[str, Any]]
    records: list[Numbered] = []
    revision: dict[str, Any] | None = None

    def require_whole(self) -> None:
        """Checks that spans grow in number, lie within earlier spans, and have bodies that fit their kinds.

        Readers of spans rely on this. Raises `ValueError` that names the span.
        """
        depths = {0: 0}
        before = 0
        for span in self.spans:
            if span.number <= before:
                raise ValueError(f"span {span.number} comes after span {before}")
            if span.parent >= span.number:
                raise ValueError(f"span {span.number} is within span {span.parent}, which comes later")
            before, depths[span.number] = span.number, depths.get(span.parent, 0) + 1
            if depths[span.number] > _DEEPEST:
                raise ValueError(f"span {span.number} is within more than {_DEEPEST} other spans")
            span.require_body()
            if span.kind == "ask" and span.body and span.body["prompt"] not in self.prompts:
                raise ValueError(f"span {span.number} asks with a prompt that the file lacks")
        for name, fields in self.prompts.items():
            _require(PromptFields, fields, f"prompt {name}")

    @property
    def status(self) -> Status:
        """Returns done, failed, running or cut short."""
        return status_of(self.seconds, self.error, self.facts.process)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Reads a trace from a JSON file; it may come from others, so addresses in it are left out.

        Raises `InputError` for a file that is no trace, is damaged, or has another format.
        """
        try:
            plain = from_json(path.read_bytes(), allow_inf_nan=False)
            json.dumps(plain, allow_nan=False)  # 1e999 is read as infinity, which JSON cannot hold
            return cls.model_validate(plain)._without_addresses()
        except OSError as error:
            reason = f"trace {str(path)!r} cannot be read ({error.strerror})"
            raise InputError(f"{reason}: give a file of rarr trace export") from None
        except ValueError as error:
            why: object = error
            if isinstance(error, ValidationError):
                first, why = error.errors()[0], first_of(error)
                if first["loc"] == ("format",) and isinstance(first["input"], int):
                    raise InputError(
                        f"{str(path)!r} has another format: it was made by a later rarr"
                    ) from None
            cure = "give a file of rarr trace export, of this version of rarr"
            raise InputError(f"{str(path)!r} is not a trace ({why}): {cure}") from None

    def text(self) -> str:
        """Returns the content of the JSON file of this trace, without the addresses of models."""
        return self._without_addresses().model_dump_json() + "\n"

    def _without_addresses(self) -> Self:
        settings = {name: value for name, value in self.facts.settings.items() if name != "base_url"}
        if isinstance(endpoints := settings.get("endpoints"), dict):
            settings["endpoints"] = {
                name: {key: part for key, part in it.items() if key != "base_url"}
                for name, it in endpoints.items()
                if isinstance(it, dict)
            }
        facts = self.facts.model_copy(update={"settings": settings})
        return self.model_copy(update={"facts": facts})

    def write(self, path: Path) -> None:
        """Writes the file, completely or not at all. Raises `InputError` where it cannot be written."""
        try:
            write_whole(path, self.text())
        except OSError as error:
            reason = f"trace {str(path)!r} cannot be written ({error.strerror})"
            raise InputError(f"{reason}: give another path") from None


def status_of(seconds: float | None, error: str, process: tuple[str, int]) -> Status:
    """Tells if a run is done, failed, running or cut short; `seconds` is None before its end.

    An unfinished run counts as cut short if its process no longer runs on this machine.
    """
    if seconds is not None:
        return "failed" if error else "done"
    host, number = process
    if host != socket.gethostname() or os.name == "nt":  # on Windows, signal 0 would be a Ctrl-C
        return "running"
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return "cut short"
    except OSError:  # a process of another user
        pass
    return "running"


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

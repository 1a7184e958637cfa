"""Declares the trace of one run as a file of JSON lines, and reads, checks and writes the file.

The lines are the run with its input, a line a prompt and span, and the end. Of lines about one span the last
holds, and a run that goes on begins with a new line. A trace may come from anybody, so the body of each span
is checked by its kind.
"""

import json
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
    model_validator,
)
from pydantic_core import from_json

from rarr.errors import InputError
from rarr.prompts import Prompt
from rarr.records import RUN_ID
from rarr.tools.text.wording import kind_of
from rarr.tools.trace_spans import Kind

Seconds = Annotated[float, Field(ge=0, lt=1 << 37)]  # to the year 6325: dates end with 9999
Count = Annotated[StrictInt, Field(ge=0, lt=1 << 40)]
Real = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Tokens = tuple[Count, Count, Count]
FORMAT: Literal[3] = 3
Status = Literal["done", "failed", "unfinished"]
_DEEPEST = 16  # spans within each other; a call, its question and an attempt are 3


class FileModel(BaseModel):
    """The base of the models of the file: frozen, and strict about unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class ReadSentence(FileModel):
    """A sentence as a model read it; the verdict is "" without a card."""

    number: Count
    text: StrictStr
    verdict: StrictStr
    evidence: list[StrictStr]


class PlantedSentence(FileModel):
    """A planted sentence that was made of `evidence`, and whether the reader missed it.

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


_FAILED = {"failure": (StrictStr, ""), "status": (Count | None, None), "retry_after": (Real | None, None)}
_FAILED |= {"answer": (StrictStr, "")}
_UPDATE = {"update": (NodeUpdate | None, None)}
_FIELDS: Mapping[str, Mapping[str, Any]] = {
    "block": {"start": Count, "end": Count, "lead": StrictStr},
    "node": _UPDATE,
    "failure": _UPDATE,
    # `answers` are parsed, or a reply's text; `saved` has the model and probability of a kept answer.
    "ask": {
        "prompt": StrictStr,
        "user": StrictStr,
        "temperature": Real,
        "answers": (list[dict[str, Any] | StrictStr], []),
        "saved": (tuple[StrictStr, Real | None] | None, None),
    },
    # A request that was not sent, or that went to a server other than a model's.
    "request": _FAILED,
    "model request": {
        **_FAILED,
        **dict.fromkeys(("samples", "max_tokens"), Count),
        **dict.fromkeys(("tokens", "said"), Tokens),
        "texts": list[StrictStr],
        "cost": Real | None,
        "more": (list[tuple[StrictStr, StrictStr]], []),
        "cut": (StrictBool, False),
        "served": (StrictStr, ""),
    },
    # The number of a query's passages, and (score, source, start, end) of the best.
    "score": {"passages": (Count, 0), "best": (list[tuple[Real, StrictStr, Count, Count]], [])},
}
"""The fields of bodies by the kind of their span: a type, or a type with a default."""
_BODIES = {kind: create_model("Body", __base__=SpanBody, **fields) for kind, fields in _FIELDS.items()}
_BODIES["read"] = ReadBody


class PromptFields(FileModel):
    """The fields of a prompt in a trace."""

    name: StrictStr
    version: StrictStr
    variables: tuple[StrictStr, ...]
    output: dict[str, Any]
    system: StrictStr
    user: StrictStr

    @classmethod
    def of(cls, prompt: Prompt) -> Self:
        """Takes the fields of a prompt."""
        return cls(**{name: getattr(prompt, name) for name in cls.model_fields})


class StoredSpan(FileModel):
    """A `TraceSpan` of `rarr.tools.trace_spans` in plain JSON. `seconds` is None if it had not ended."""

    number: int = Field(ge=1, lt=1 << 53)
    parent: int = Field(ge=0)
    kind: Kind
    name: str
    about: str
    started: Seconds
    seconds: Seconds | None
    error: str
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
        if self.seconds is not None or self.body:
            try:
                _BODIES[kind].model_validate(self.body)
            except ValidationError as error:
                raise ValueError(f"span {self.number}, {first_of(error)}") from None


class RunFacts(FileModel):
    """The input of a run. `settings` holds changed settings without secrets."""

    version: str
    original: str
    context: str | None
    settings: dict[str, Any]
    warnings: list[dict[str, Any]]

    @model_validator(mode="before")
    @classmethod
    def _reads_earlier_files(cls, values: Any) -> Any:
        """Drops `process`, which earlier versions wrote."""
        return {it: values[it] for it in values if it != "process"} if isinstance(values, dict) else values


class _Begun(FileModel):
    format: Literal[3] = FORMAT
    run_id: Annotated[str, Field(pattern=f"^{RUN_ID}$")]  # it is the name of a file
    started: Seconds
    facts: RunFacts


class _End(FileModel):
    seconds: Seconds | None = None
    error: str = ""
    revision: dict[str, Any] | None = None


class _Line(FileModel):
    """A line of the file, which has one of these fields."""

    run: _Begun | None = None
    prompt: dict[str, PromptFields] | None = None
    span: StoredSpan | None = None
    end: _End | None = None


class TraceFile(_Begun, _End):
    """A whole run. `started` is in seconds since 1970. `revision`: None until the run is done."""

    spans: list[StoredSpan] = []
    prompts: dict[str, PromptFields] = {}

    def require_whole(self) -> None:
        """Checks that spans lie within earlier spans, and have bodies that fit their kinds.

        Readers of spans rely on this. Raises `ValueError` that names the span.
        """
        depths = {0: 0}
        for span in self.spans:
            if span.parent >= span.number:
                raise ValueError(f"span {span.number} is within span {span.parent}, which comes later")
            depths[span.number] = depths.get(span.parent, 0) + 1
            if depths[span.number] > _DEEPEST:
                raise ValueError(f"span {span.number} is within more than {_DEEPEST} other spans")
            span.require_body()
            if span.kind == "ask" and span.body and span.body["prompt"] not in self.prompts:
                raise ValueError(f"span {span.number} asks with a prompt that the file lacks")

    @property
    def status(self) -> Status:
        """Returns done, failed, or unfinished: it is still running, or was killed."""
        return "unfinished" if self.seconds is None else "failed" if self.error else "done"

    @classmethod
    def read(cls, path: Path) -> Self:
        """Reads a trace, without a last line that was cut short.

        Raises `InputError` for a file that is no trace, is damaged, or has another format.
        """
        try:
            lines = [_line(line) for line in path.read_bytes().split(b"\n")[:-1]]
            [begun] = [line.run for line in lines if line.run][-1:]
        except OSError as error:
            cure = "give a file of rarr trace export"
            raise InputError(f"trace {str(path)!r} cannot be read ({error.strerror}): {cure}") from None
        except ValueError as error:
            why = first_of(error) if isinstance(error, ValidationError) else error
            cure = "give a file of rarr trace export, of this version of rarr"
            raise InputError(f"{str(path)!r} is not a trace ({why}): {cure}") from None
        ends = [line.end for line in lines if line.end or line.run]
        spans = {line.span.number: line.span for line in lines if line.span}
        prompts = {name: fields for line in lines for name, fields in (line.prompt or {}).items()}
        in_order = [spans[number] for number in sorted(spans)]
        end = ends[-1] or _End()
        return cls(**dict(begun), **dict(end), spans=in_order, prompts=prompts)

    def text(self) -> str:
        """Returns the content of the file of this trace."""
        begun, ended = ({name: getattr(self, name) for name in it.model_fields} for it in (_Begun, _End))
        lines = [line_of("run", begun)]
        lines += [line_of("prompt", {name: fields}) for name, fields in self.prompts.items()]
        lines += [line_of("span", dict(span)) for span in self.spans]
        lines += [line_of("end", ended)] if self.seconds is not None else []
        return "".join(f"{line}\n" for line in lines)

    def without_addresses(self) -> Self:
        """Leaves out the addresses of models: a trace that goes to others, or comes from them, has none."""
        hidden = ("base_url", "endpoints")
        settings = {name: value for name, value in self.facts.settings.items() if name not in hidden}
        facts = self.facts.model_copy(update={"settings": settings})
        return self.model_copy(update={"facts": facts})


def line_of(kind: str, value: Mapping[str, Any]) -> str:
    """Writes a line of the file. Raises `TypeError` or `ValueError` for values that JSON cannot hold."""
    return _encode({kind: value})


def _fields_of(value: object) -> dict[str, Any]:
    if not isinstance(value, BaseModel):
        raise TypeError(f"a trace cannot hold {kind_of(value)}")
    return value.model_dump(mode="json")


_encode = json.JSONEncoder(
    default=_fields_of, ensure_ascii=False, allow_nan=False, separators=(",", ":")
).encode


def _line(line: bytes) -> _Line:
    plain = from_json(line, allow_inf_nan=False)
    json.dumps(plain, allow_nan=False)  # 1e999 is read as infinity, which JSON cannot hold
    return _Line.model_validate(plain)


def first_of(error: ValidationError) -> str:
    """Formats the first error on one line, with the name of its field."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"])) or "the file"
    return " ".join(f"{where}: {first['msg']}".split())[:300]

"""Reads, checks and writes the file of a trace. A trace is the record of one run, as lines of JSON.

The first line has the input of the run. Each prompt and each span (record of a step) has a line, and the last
line has the result. A later line about a span replaces an earlier line. If a run is resumed, another line has
the input. A file may come from anybody, so the fields of each span are checked by the kind of the span.
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
from rarr.tools.trace_spans import SpanKind

Seconds = Annotated[float, Field(ge=0, lt=1 << 37)]  # until the year 6325, since Python's dates end in 9999
Count = Annotated[StrictInt, Field(ge=0, lt=1 << 40)]
Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
TokenCounts = tuple[Count, Count, Count]
FORMAT: Literal[3] = 3
RunStatus = Literal["done", "failed", "unfinished"]
_DEEPEST = 16  # the most levels of nested spans; a node, its question and an attempt are 3 levels


class FileModel(BaseModel):
    """The base class of all parts of the file. Objects are frozen. An unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class ReadSentence(FileModel):
    """A sentence that a model read. `verdict` is "" without a judgement. `evidence`: ids of passages."""

    number: Count
    text: StrictStr
    verdict: StrictStr
    evidence: list[StrictStr]


class PlantedSentence(FileModel):
    """A sentence of the evidence that code changed to test the model. `wrong` stands in place of `right`.

    `kind` is the kind of change: `number`, `name`, `not`, or `repetition` (no change). `borrowed`: `wrong` is
    from another sentence of the evidence. `missed`: the model judged the sentence wrongly.
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
        """Returns `found` or `missed`, or `not read` if the model did not judge the changed sentence."""
        return "missed" if self.missed else "found" if self.verdict else "not read"


class SpanBody(FileModel):
    """The fields that the body of each span has. Types are strict, as no later code converts a value."""

    warnings: list[tuple[StrictStr, StrictStr]] = []


class ReadBody(SpanBody):
    """The body of a `read` span: ids of the evidence shown, the sentences to judge, planted sentences."""

    evidence: list[StrictStr] = []
    sentences: list[ReadSentence] = []
    controls: list[PlantedSentence] = []


class NodeUpdate(BaseModel):
    """What a node changed in the state. `passages`: (source, title, count) of documents by query id."""

    passages: dict[str, list[tuple[StrictStr, StrictStr, Count]]] = {}


_FAILURE = {"failure": (StrictStr, ""), "status": (Count | None, None), "retry_after": (Number | None, None)}
_FAILURE |= {"answer": (StrictStr, "")}
_UPDATE_FIELD = {"update": (NodeUpdate | None, None)}
_FIELDS: Mapping[str, Mapping[str, Any]] = {
    "block": {"start": Count, "end": Count, "lead": StrictStr},
    "node": _UPDATE_FIELD,
    "failure": _UPDATE_FIELD,
    "query": {},
    # An answer is a parsed object, or a text. `saved` names the model if the answer came from a store.
    "ask": {
        "prompt": StrictStr,
        "user": StrictStr,
        "temperature": Number,
        "answers": (list[dict[str, Any] | StrictStr], []),
        "saved": (StrictStr, ""),
    },
    # A request that was not sent, or that went to a server without a model, such as a search service.
    "request": _FAILURE,
    "model request": {
        **_FAILURE,
        **dict.fromkeys(("samples", "max_tokens"), Count),
        **dict.fromkeys(("tokens", "said"), TokenCounts),
        "texts": list[StrictStr],
        "cost": Number | None,
        "more": (list[tuple[StrictStr, StrictStr]], []),
        "cut": (StrictBool, False),
        "served": (StrictStr, ""),
    },
    # `passages` is the number of scored passages. Each of `best` is (score, source, start, end).
    "score": {"passages": (Count, 0), "best": (list[tuple[Number, StrictStr, Count, Count]], [])},
}
"""The fields of the body for each kind of span. A field has a type, or (type, default)."""
_BODY_BY_KIND = {kind: create_model("Body", __base__=SpanBody, **fields) for kind, fields in _FIELDS.items()}
_BODY_BY_KIND["read"] = ReadBody


class PromptFields(FileModel):
    """The fields of a prompt in the file. The hash of the prompt is not a field."""

    name: StrictStr
    version: StrictStr
    variables: tuple[StrictStr, ...]
    output: dict[str, Any]
    system: StrictStr
    user: StrictStr

    @classmethod
    def from_prompt(cls, prompt: Prompt) -> Self:
        return cls(**{name: getattr(prompt, name) for name in cls.model_fields})


class StoredSpan(FileModel):
    """A span in the file. For its fields, see `TraceSpan` in `rarr.tools.trace_spans`."""

    number: int = Field(ge=1, lt=1 << 53)
    parent: int = Field(ge=0)
    kind: SpanKind
    name: str
    about: str
    started: Seconds
    seconds: Seconds | None
    error: str
    body: dict[str, Any] = {}

    @property
    def end_time(self) -> float:
        """Returns when the span ended, in seconds since 1970. For an unfinished span, returns its start."""
        return self.started + (self.seconds or 0.0)

    def require_valid_body(self) -> None:
        """Checks the body. If a field is wrong, raises `ValueError` with the span and the field."""
        kind: str = self.kind
        if kind == "request" and self.body.keys() - {*_FAILURE, "warnings"}:
            kind = "model request"
        if self.seconds is not None or self.body:
            try:
                _BODY_BY_KIND[kind].model_validate(self.body)
            except ValidationError as error:
                raise ValueError(f"span {self.number}, {first_message(error)}") from None


class RunFacts(FileModel):
    """The input of a run. `settings` has the settings that differ from the defaults, without secrets."""

    version: str
    original: str
    context: str | None
    settings: dict[str, Any]
    warnings: list[dict[str, Any]]

    @model_validator(mode="before")
    @classmethod
    def _drop_process(cls, values: Any) -> Any:
        """Drops the field `process`, which earlier versions of rarr wrote."""
        return {it: values[it] for it in values if it != "process"} if isinstance(values, dict) else values


class _RunLine(FileModel):
    format: Literal[3] = FORMAT
    run_id: Annotated[str, Field(pattern=f"^{RUN_ID}$")]  # a file is named by this id
    started: Seconds
    facts: RunFacts


class _EndLine(FileModel):
    seconds: Seconds | None = None
    error: str = ""
    revision: dict[str, Any] | None = None


class _Line(FileModel):
    """One line of the file. Only one of the fields has a value."""

    run: _RunLine | None = None
    prompt: dict[str, PromptFields] | None = None
    span: StoredSpan | None = None
    end: _EndLine | None = None


class TraceFile(_RunLine, _EndLine):
    """The content of a file. `started` is in seconds since 1970. `revision` is None until the run is done."""

    spans: list[StoredSpan] = []
    prompts: dict[str, PromptFields] = {}

    def require_valid_spans(self) -> None:
        """Checks all spans. Raises `ValueError` for a wrong body, wrong nesting, or a missing prompt."""
        depths = {0: 0}
        for span in self.spans:
            if span.parent >= span.number:
                raise ValueError(f"span {span.number} is within span {span.parent}, which comes later")
            depths[span.number] = depths.get(span.parent, 0) + 1
            if depths[span.number] > _DEEPEST:
                raise ValueError(f"span {span.number} is within more than {_DEEPEST} other spans")
            span.require_valid_body()
            if span.kind == "ask" and span.body and span.body["prompt"] not in self.prompts:
                raise ValueError(f"span {span.number} asks with a prompt that the file lacks")

    @property
    def status(self) -> RunStatus:
        """Returns the status of the run: `done`, `failed`, or `unfinished` (still running, or killed)."""
        return "unfinished" if self.seconds is None else "failed" if self.error else "done"

    @classmethod
    def read(cls, path: Path, *, may_be_cut: bool = False) -> Self:
        """Reads a file. Raises `InputError` for a wrong line. `may_be_cut`: drops an incomplete last line."""
        cure = "give a file of rarr trace export, of this version of rarr"
        try:
            *whole, last = path.read_bytes().split(b"\n")
            lines = [_parsed_line(line) for line in [*whole, *[last] * bool(last and not may_be_cut)]]
            if (begun := next((line.run for line in reversed(lines) if line.run), None)) is None:
                raise ValueError("no line begins a run")
        except OSError as error:
            raise InputError(f"trace {str(path)!r} cannot be read ({error.strerror}): {cure}") from None
        except ValueError as error:
            why = first_message(error) if isinstance(error, ValidationError) else error
            raise InputError(f"{str(path)!r} is not a trace ({why}): {cure}") from None
        ends = [line.end for line in lines if line.end or line.run]
        spans = {line.span.number: line.span for line in lines if line.span}
        prompts = {name: fields for line in lines for name, fields in (line.prompt or {}).items()}
        in_order = [spans[number] for number in sorted(spans)]
        return cls(**dict(begun), **dict(ends[-1] or _EndLine()), spans=in_order, prompts=prompts)

    def text(self) -> str:
        begun, end = ({name: getattr(self, name) for name in it.model_fields} for it in (_RunLine, _EndLine))
        lines = [json_line("run", begun)]
        lines += [json_line("prompt", {name: fields}) for name, fields in self.prompts.items()]
        lines += [json_line("span", dict(span)) for span in self.spans]
        lines += [json_line("end", end)] if self.seconds is not None else []
        return "".join(f"{line}\n" for line in lines)

    def without_addresses(self) -> Self:
        """Returns a copy without the addresses of models, because a trace may go to or come from others."""
        hidden = ("base_url", "endpoints")
        settings = {name: value for name, value in self.facts.settings.items() if name not in hidden}
        facts = self.facts.model_copy(update={"settings": settings})
        return self.model_copy(update={"facts": facts})


def json_line(kind: str, value: Mapping[str, Any]) -> str:
    """Returns a line of the file. Raises `TypeError` or `ValueError` if `value` cannot become JSON."""
    return _encode({kind: value})


def _json_fields(value: object) -> dict[str, Any]:
    if not isinstance(value, BaseModel):
        raise TypeError(f"a trace cannot hold {kind_of(value)}")
    return value.model_dump(mode="json")


_encode = json.JSONEncoder(
    default=_json_fields, ensure_ascii=False, allow_nan=False, separators=(",", ":")
).encode


def _parsed_line(line: bytes) -> _Line:
    plain = from_json(line, allow_inf_nan=False)
    json.dumps(plain, allow_nan=False)  # raises for 1e999, which `from_json` reads as infinity
    return _Line.model_validate(plain)


def first_message(error: ValidationError) -> str:
    """Returns the first message of the error on one line, with the name of the wrong field before it."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"])) or "the file"
    return " ".join(f"{where}: {first['msg']}".split())[:300]

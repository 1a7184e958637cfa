"""Declares the trace of one run as a JSON file, and reads, checks and writes the file."""

import json
import os
import socket
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import from_json

from rarr.errors import InputError
from rarr.records import RUN_ID
from rarr.tools.storage.files import write_whole
from rarr.tools.trace_spans import Kind
from rarr.traces.record_references import Numbered
from rarr.traces.span_body_schema import first_of, prompt_fields, prompt_of, require_body, require_prompt

__all__ = ["RunFacts", "Status", "StoredSpan", "TraceFile", "prompt_fields", "prompt_of", "status_of"]

Seconds = Annotated[float, Field(ge=0, lt=1 << 37)]  # to the year 6325: dates end with 9999
_DEEPEST = 16  # spans within each other; a call, its question and an attempt are 3

Status = Literal["done", "failed", "running", "cut short", "damaged"]


class FileModel(BaseModel):
    """The base of the models of the file: frozen, and strict about unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


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
            self._require_body(span)
        for name, fields in self.prompts.items():
            require_prompt(name, fields)

    def _require_body(self, span: StoredSpan) -> None:
        if span.seconds is None and not span.body:
            return
        require_body(span.number, span.kind, span.body)
        if span.kind == "ask" and span.body["prompt"] not in self.prompts:
            raise ValueError(f"span {span.number} asks with a prompt that the file lacks")

    @property
    def status(self) -> Status:
        """Returns done, failed, running or cut short."""
        return status_of(self.seconds, self.error, self.facts.process)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Reads a trace from a JSON file.

        Raises `InputError` for a file that is no trace, is damaged, or has another format.
        """
        cure = "give a file of rarr trace export, of this version of rarr"
        try:
            plain = from_json(path.read_bytes(), allow_inf_nan=False)
            json.dumps(plain, allow_nan=False)  # 1e999 is read as infinity, which JSON cannot hold
            return cls.model_validate(plain)
        except OSError as error:
            reason = f"trace {str(path)!r} cannot be read ({error.strerror})"
            raise InputError(f"{reason}: give a file of rarr trace export") from None
        except ValidationError as error:
            first = error.errors()[0]
            if first["loc"] == ("format",) and isinstance(first["input"], int):
                raise InputError(f"{str(path)!r} has another format: it was made by a later rarr") from None
            raise InputError(f"{str(path)!r} is not a trace ({first_of(error)}): {cure}") from None
        except ValueError as error:
            raise InputError(f"{str(path)!r} is not a trace ({error}): {cure}") from None

    def text(self) -> str:
        """Returns the content of the JSON file of this trace."""
        return self.model_dump_json() + "\n"

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
    return "running" if host != socket.gethostname() or _alive(number) else "cut short"


def _alive(process: int) -> bool:
    if os.name == "nt":  # on Windows, signal 0 would be a Ctrl-C, so this cannot be known
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # a process of another user
        return True
    return True

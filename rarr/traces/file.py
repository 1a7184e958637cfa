"""One run's trace as it is stored, and as the one JSON file by which it is handed on."""

import os
import socket
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rarr.errors import InputError
from rarr.prompts import Prompt
from rarr.records import RUN_ID
from rarr.tools.files import write_whole
from rarr.tools.spans import Kind
from rarr.traces.packing import Numbered

MOST_SPANS = 1 << 24
"""Of one run: more would take the numbers of those of the next."""

Status = Literal["done", "failed", "running", "cut short"]


class Part(BaseModel):
    """Base of what a file holds: frozen, and strict about unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class StoredSpan(Part):
    """A span, packed. `seconds` is None where it had not ended; see `rarr.tools.spans.Span`."""

    number: int = Field(ge=1, lt=MOST_SPANS)
    parent: int
    kind: Kind
    name: str
    about: str
    started: float
    seconds: float | None
    error: str
    records: list[Numbered] = []
    body: dict[str, Any] = {}


class Facts(Part):
    """What a run starts from. `settings` are those that are no secrets, and `process` is (host, id)."""

    version: str
    original: str
    context: str | None
    settings: dict[str, Any]
    warnings: list[dict[str, Any]]
    process: tuple[str, int]


class TraceFile(Part):
    """A whole run. `started` is in seconds since 1970; `revision` is packed, None until the run is done."""

    format: Literal[1] = 1
    run_id: Annotated[str, Field(pattern=f"^{RUN_ID}$")]  # files are called by it
    started: float
    seconds: float | None
    error: str
    facts: Facts
    spans: list[StoredSpan]
    prompts: dict[str, dict[str, Any]]
    records: list[Numbered] = []
    revision: dict[str, Any] | None = None

    @property
    def status(self) -> Status:
        """What became of the run."""
        return status_of(self.seconds, self.error, self.facts.process)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Raises `InputError` for a file that is no trace, or of another format."""
        try:
            return cls.model_validate_json(path.read_bytes())
        except OSError as error:
            raise InputError(f"trace {str(path)!r} cannot be read: {error.strerror}") from None
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            if first["loc"] == ("format",) and isinstance(error.errors()[0]["input"], int):
                raise InputError(f"{str(path)!r} has another format: it was made by a later rarr") from None
            where = ".".join(map(str, first["loc"])) or "the file"
            cure = "give a file of rarr trace export, of this version of rarr"
            raise InputError(f"{str(path)!r} is no trace ({where}: {first['msg']}): {cure}") from None

    def text(self) -> str:
        """What the file of this trace holds."""
        return self.model_dump_json() + "\n"

    def write(self, path: Path) -> None:
        """Whole or not at all. Raises `InputError` where it cannot be written."""
        try:
            write_whole(path, self.text())
        except OSError as error:
            raise InputError(f"trace {str(path)!r} cannot be written: {error.strerror}") from None


def status_of(seconds: float | None, error: str, process: tuple[str, int]) -> Status:
    """A run that has not ended is cut short where its process is gone from this machine."""
    if seconds is not None:
        return "failed" if error else "done"
    host, number = process
    return "running" if host != socket.gethostname() or _alive(number) else "cut short"


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # somebody else's
        return True
    return True


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

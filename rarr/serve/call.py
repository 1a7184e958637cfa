"""Holds what is known about one request, for the proxy and for the log."""

from dataclasses import dataclass, field
from typing import Any

from starlette.types import Scope

from rarr.serve.callers import Caller

Headers = list[tuple[bytes, bytes]]


@dataclass
class Call:
    """One request with its whole body. `log` collects what the log tells about it: no text, no token."""

    caller: Caller
    method: str
    path: str
    query: bytes
    headers: Headers
    body: bytes
    log: dict[str, Any] = field(default_factory=dict)

    @property
    def is_json(self) -> bool:
        """Tells whether the header Content-Type says that the body is JSON."""
        kinds = [value for name, value in self.headers if name == b"content-type"]
        return bool(kinds) and kinds[0].split(b";")[0].strip().lower() == b"application/json"


def call_of(scope: Scope) -> Call:
    """Returns the `Call` that the gate made of a request and put into its scope."""
    call: Call = scope["state"]["call"]
    return call

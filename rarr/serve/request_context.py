"""Holds what is known about one request, for the proxy and for the log."""

from dataclasses import dataclass, field
from typing import Any

from starlette.types import Scope

from rarr.serve.callers import Caller

Headers = list[tuple[bytes, bytes]]


@dataclass
class Call:
    """One request with its whole body. `log` collects what the log tells about it: no text, no token.

    `headers` are those of the request without those that held a token of this server.
    """

    caller: Caller
    method: str
    path: str
    query: bytes
    headers: Headers
    body: bytes
    log: dict[str, Any] = field(default_factory=dict)


def call_of(scope: Scope) -> Call:
    """Returns the `Call` that the gate made of a request and put into its scope."""
    call: Call = scope["state"]["call"]
    return call

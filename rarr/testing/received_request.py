"""Parses an HTTP request that the scripted server received."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from rarr.testing.scripted_answer_lookup import Asked
from rarr.tools.models.chat import Message

_ROLES: dict[str, Literal["system", "assistant"]] = {
    "system": "system",
    "developer": "system",
    "assistant": "assistant",
}


@dataclass(frozen=True, kw_only=True)
class Request(Asked):
    """One HTTP request. Names in `headers` are in lower case; `body` is empty if it is not a JSON object.

    `arrived` and `left` are by `time.perf_counter`; `left` is None while the request is in flight.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    arrived: float = field(default_factory=time.perf_counter)
    left: float | None = None

    @property
    def model(self) -> str:
        """The model that the request names."""
        return str(self.body.get("model", ""))

    @property
    def n(self) -> int:
        """The number of answers that the request asks for."""
        n = self.body.get("n")
        return n if isinstance(n, int) else 1

    @property
    def most_tokens(self) -> int:
        """The most tokens of an answer that the request allows; 1000 if it sets no limit."""
        most = self.body.get("max_tokens") or self.body.get("max_completion_tokens")
        return most if isinstance(most, int) else 1000


def request_of(method: str, path: str, headers: Mapping[str, str], body: Mapping[str, Any]) -> Request:
    """Makes a `Request`, with its messages and the name of its prompt read from `body`."""
    messages = body.get("messages", body.get("input"))  # the latter in requests for responses
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    return Request(
        method=method,
        path=path,
        headers={name.lower(): value for name, value in headers.items()},
        body=body,
        prompt=_prompt_of(body),
        messages=tuple(
            Message(_ROLES.get(str(message.get("role")), "user"), _content(message.get("content")))
            for message in (messages if isinstance(messages, list) else ())
            if isinstance(message, dict)
        ),
    )


def _prompt_of(body: Mapping[str, Any]) -> str | None:
    """Reads the name of the schema or function of the request, which is that of the prompt, or None."""
    for path in (("response_format", "json_schema", "name"), ("tools", 0, "function", "name")):
        value: Any = body
        try:
            for key in path:
                value = value[key]
        except (KeyError, IndexError, TypeError):
            continue
        if isinstance(value, str):
            return value
    return None


def _content(content: object) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""

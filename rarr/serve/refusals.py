"""Refuses a request: an HTTP status, and one line that names the cure, in the form of OpenAI's errors."""

import json
from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException


class Refusal(HTTPException):
    """The error response to a request. `code` is for programs, `message` for people."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        param: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(status, message, headers)
        self.code, self.message, self.param = code, message, param

    def body(self) -> bytes:
        """Returns the error as JSON in the form of OpenAI's errors."""
        kind = "server_error" if self.status_code >= 500 else "invalid_request_error"
        error: dict[str, Any] = {
            "message": self.message,
            "type": "rate_limit_error" if self.status_code == 429 else kind,
            "param": self.param,
            "code": self.code,
        }
        return json.dumps({"error": error}, ensure_ascii=False).encode()


def too_many(code: str, message: str, seconds: float) -> Refusal:
    """Makes the refusal with status 429, which says after how many seconds to come again."""
    return Refusal(429, code, message, headers={"Retry-After": str(max(1, round(seconds)))})


def defect() -> Refusal:
    """Makes the refusal for an error that nothing expected."""
    return Refusal(500, "defect", "a defect of rarr: its log has the kind of error")

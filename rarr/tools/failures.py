"""What a client library raised, as a failure that the package can act on; with no key in its words."""

import json
import re
from collections.abc import Mapping, Sequence

from rarr.tools.chat import ModelFailure

_MOST = 300  # characters of what a server said
_KEYS = re.compile(r"\b(?:sk|pk|gsk|xai|hf)[-_][\w*.-]{8,}|(?<=Bearer )\S+|\bAIza[\w-]{20,}", re.IGNORECASE)
_USERINFO = re.compile(r"(?<=://)[^/\s@]+@")


def redacted(text: str, secrets: Sequence[str] = ()) -> str:
    """`text` without these secrets, and without what looks like a key of a known provider."""
    for secret in secrets:
        text = text.replace(secret, "***")
    return _USERINFO.sub("***@", _KEYS.sub("***", text))


def failure_of(error: Exception, model: str, secrets: Sequence[str] = ()) -> ModelFailure:
    """`error` by its HTTP status, else by the name of its class: providers share no base class."""
    if isinstance(error, ModelFailure):
        return error
    if (status := _status(error)) is not None:
        headers = getattr(getattr(error, "response", None), "headers", None) or {}
        return failure_of_status(status, headers, _said(error), model, secrets)
    said = redacted(_said(error), secrets)
    names = [kind.__name__ for kind in type(error).__mro__]
    if any("Timeout" in name and "Connect" not in name for name in names) and not _connecting(error):
        return ModelFailure("timeout", f"{model} gave no answer in time: {said}")
    if any("Connect" in name or "Protocol" in name or "Network" in name for name in names):
        return ModelFailure("connection", f"{model} cannot be reached: {said}")
    if isinstance(error, (json.JSONDecodeError, UnicodeDecodeError)):
        return ModelFailure("server", f"{model} answered with something else than JSON: {said}")
    return ModelFailure("refused", f"{model} could not be asked: {type(error).__name__}: {said}")


def failure_of_status(
    status: int, headers: Mapping[str, str], body: str, model: str, secrets: Sequence[str] = ()
) -> ModelFailure:
    """The failure that an HTTP answer with this status is."""
    message = f"{model} answered with status {status}: {redacted(_message(body), secrets)}"
    if status == 429:
        return ModelFailure("busy", message, _retry_after(headers))
    if status >= 500:
        return ModelFailure("server", message, _retry_after(headers))
    return ModelFailure("timeout" if status == 408 else "refused", message)


def _message(body: str) -> str:
    """The message of an error as the OpenAI protocol has it, else what the body says."""
    try:
        error = json.loads(body)["error"]
        body = str(error["message"] if isinstance(error, dict) else error)
    except (ValueError, KeyError, TypeError):
        pass
    return " ".join(body.split())[:_MOST] or "nothing is said"


def _status(error: Exception) -> int | None:
    for name in ("status_code", "code", "http_status"):
        value = getattr(error, name, None)
        if isinstance(value, int) and 400 <= value < 600:
            return value
    return None


def _connecting(error: Exception) -> bool:
    """A timeout while connecting is one of the connection: nothing was asked yet."""
    return "Connect" in type(error.__cause__).__name__


def _said(error: Exception) -> str:
    """The server's own words where the client kept them, and the cause where the error says little."""
    body = getattr(error, "body", None)
    message = body.get("message") if isinstance(body, dict) else None
    text = str(message or getattr(error, "message", None) or error)
    if error.__cause__ is not None and str(error.__cause__) and len(text) < 30:
        text = f"{text} ({error.__cause__})"
    return " ".join(text.split())[:_MOST] or type(error).__name__


def _retry_after(headers: Mapping[str, str]) -> float | None:
    try:
        return max(0.0, float(headers.get("retry-after", "")))
    except ValueError:  # none, or a date, which servers of models do not send
        return None

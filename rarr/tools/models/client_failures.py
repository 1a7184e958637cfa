"""What a client library raised, as a failure that the package can act on; with no key in its words."""

import re
from base64 import b64encode
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from json import loads
from urllib.parse import unquote, urlsplit

from rarr.tools.models.chat import CallFailure, Kind

_MOST = 300  # characters of what a server said
_SHORTEST = 8  # characters of a secret that is taken out of answers
# Keys of known providers, and what a server shows of a key.
_KEYS = re.compile(
    r"\b(?:sk|pk|gsk|xai|hf)[-_][\w*.-]{8,}|(?<=Bearer )\S+|\bAIza[\w-]{20,}|[\w-]*\*{3,}[\w*-]*",
    re.IGNORECASE,
)
# Of an address, what its query says for a key.
_IN_QUERY = re.compile(
    r"(?<=[?&])([\w.-]*(?:key|token|secret|passw|auth|signature|credential)[\w.-]*=)[^&\s#'\"]+",
    re.IGNORECASE,
)
_USERINFO = re.compile(r"(?<=://)[^/\s@]+@")
# What a refusal that names one of these is about.
_ABOUT = {
    "logprobs": re.compile(r"\b(?:top_)?log_?prob(?:s|abilities)?\b", re.IGNORECASE),
    "temperature": re.compile(r"\btemperature\b", re.IGNORECASE),
    "max_tokens": re.compile(
        r"(?<!\w)max_tokens\b(?=.*(?:not |un)support|.*max_completion_tokens)", re.IGNORECASE
    ),
    "n": re.compile(r"(?<![\w'’-])['\"`]?n['\"`]?(?![\w-])"),
    "format": re.compile(
        r"\b(?:response_?format|json_?schema|schema|tools?|tool_choice|functions?|function_call(?:ing)?"
        r"|structured|strict|grammar)\b",
        re.IGNORECASE,
    ),
}
# Advice such as "reduce the length of the messages or functions" is not about functions.
_OF_LENGTH = re.compile(r"context.(?:length|window)|too (?:long|large)", re.IGNORECASE)


def redacted(text: str, secrets: Sequence[str] = ()) -> str:
    """A message without these secrets, and without what looks like a key of a known provider."""
    for secret in secrets:
        text = _escapable(secret).sub("***", text)
    return _IN_QUERY.sub(r"\1***", _USERINFO.sub("***@", _KEYS.sub("***", text)))


def without_keys(text: str, secrets: Sequence[str]) -> str:
    """An answer without these secrets, but for the short ones, which may be words of it, as EMPTY is."""
    for secret in secrets:
        if len(secret) >= _SHORTEST:
            text = _escapable(secret).sub("***", text)
    return text


@lru_cache(maxsize=128)
def _escapable(secret: str) -> re.Pattern[str]:
    """Finds `secret`, also where JSON escapes some of its characters."""
    forms = (rf"{re.escape(one)}|\\u(?i:{ord(one):04x})|\\{re.escape(one)}" for one in secret)
    return re.compile("".join(f"(?:{form})" for form in forms))


def secrets_of(api_key: str | None, base_url: str | None) -> tuple[str, ...]:
    """What a server may repeat that nobody else may read: the key, and the one in the URL."""
    userinfo = unquote(urlsplit(base_url or "").netloc.rpartition("@")[0])
    user, _, password = userinfo.partition(":")
    sent = b64encode(f"{user}:{password}".encode()).decode() if userinfo else ""
    return tuple(one for one in (api_key, password or user, sent) if one)


def failure_of(error: Exception, model: str, secrets: Sequence[str] = ()) -> CallFailure:
    """`error` by its HTTP status, else by the name of its class: providers share no base class."""
    # Clients wrap what reading an answer raises, such as that it is too long.
    if (
        failure := next((one for one in (error, *_causes(error)) if isinstance(one, CallFailure)), None)
    ) is not None:
        return failure
    if (status := _status(error)) is not None:
        headers = getattr(getattr(error, "response", None), "headers", None) or {}
        return failure_of_status(status, headers, _said(error), model, secrets)
    said = _line(_said(error) or type(error).__name__, secrets)
    names = [kind.__name__ for kind in type(error).__mro__]
    # A timeout while connecting is one of the connection: nothing was asked yet.
    connecting = any("ConnectTimeout" in type(one).__name__ for one in (error, *_causes(error)))
    if any("Timeout" in name for name in names) and not connecting:
        return CallFailure("timeout", f"{model} gave no answer in time: {said}")
    if connecting or any(word in name for name in names for word in ("Connect", "Protocol", "Network")):
        return CallFailure("connection", f"{model} cannot be reached: {said}")
    if any("Decod" in name for name in names):
        return CallFailure("server", f"{model} answered with what is no completion: {said}")
    return CallFailure("refused", f"{model} could not be asked: {type(error).__name__}: {said}")


def failure_of_status(
    status: int, headers: Mapping[str, str], body: str, model: str, secrets: Sequence[str] = ()
) -> CallFailure:
    """The failure that an HTTP answer with this status is."""
    said = _line(_message(body), secrets) or "nothing is said"
    message = f"{model} answered with status {status}: {said}"
    kind: Kind = "refused"
    if status >= 500:
        kind = "server"
    elif status in (408, 429):
        kind = "busy" if status == 429 else "timeout"
    return CallFailure(kind, message, _retry_after(headers), status=status, said=said)


def refused_part(failure: CallFailure, model: str, sent: Collection[str]) -> str | None:
    """Which of `sent` (logprobs, temperature, max_tokens, n, format) the server does not take.

    None for any other failure. The name of the model, provider:name, may have any word in it.
    """
    names = "|".join(re.escape(name) for name in (model, model.partition(":")[2]) if name)
    said = re.sub(rf"(?<!\w)(?:{names})(?!\w)", "", failure.said or str(failure))
    if failure.kind != "refused" or failure.status in (401, 402, 403) or _OF_LENGTH.search(said):
        return None
    return next((part for part, about in _ABOUT.items() if part in sent and about.search(said)), None)


def _message(body: str) -> str:
    """The message of an error as the OpenAI protocol has it, else what the body says."""
    try:
        error = loads(body)["error"]
        return str(error["message"] if isinstance(error, dict) else error)
    except (ValueError, KeyError, TypeError):
        return body


def _line(text: str, secrets: Sequence[str]) -> str:
    """Redacted before it is cut, as half of a key is not found."""
    return " ".join(redacted(text, secrets).split())[:_MOST]


def _status(error: Exception) -> int | None:
    for name in ("status_code", "code", "http_status"):
        value = getattr(error, name, None)
        if isinstance(value, int) and 400 <= value < 600:
            return value
    return None


def _causes(error: BaseException) -> Iterator[BaseException]:
    while error.__cause__ is not None:
        yield (error := error.__cause__)


def _said(error: Exception) -> str:
    """The server's own words where the client kept them, and the cause where the error says little."""
    body = getattr(error, "body", None)
    message = body.get("message") if isinstance(body, dict) else None
    text = str(message or getattr(error, "message", None) or error)
    causes = (str(cause) for cause in _causes(error))
    cause = next((one for one in causes if one and not (text and text in one)), "")
    return f"{text} ({cause})" if text and cause and len(text) < 30 else text or cause


def _retry_after(headers: Mapping[str, str]) -> float | None:
    try:
        return max(0.0, float(headers.get("retry-after", "")))
    except ValueError:  # none, or a date, which servers of models do not send
        return None

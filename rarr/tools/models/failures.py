"""Turns errors of clients and servers into `CallFailure`, reads stop reasons, and removes secrets."""

import re
from base64 import b64encode
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from json import loads
from urllib.parse import unquote, urlsplit

from rarr.tools.models.chat import CallFailure, FailureKind

_MOST = 300  # characters of a server's message that are shown
_READ = 10_000  # characters of an error that are read
_LONGEST_KEY = 1_000  # characters
_LONG_PROMPT_STATUSES = (400, 422, 500)  # servers refuse a prompt that is too long with one of these statuses
# The kind of a failure by its HTTP status. Any other status is `server` from 500, and `refused` below 500.
_KIND_OF_STATUS: dict[int, FailureKind] = {402: "spent", 408: "timeout", 413: "too_long", 429: "busy"}
_SPENT = re.compile(r"insufficient[_ ](?:quota|credit|balance|fund)|credit balance is too low", re.IGNORECASE)
# A client raises an error of one of these classes if an answer has a wrong form, such as a page of HTML.
# An error of a subclass means something else, such as a wrong configuration.
_READING_ERROR = "^(Attribute|Index|Key|Type|Validation|Value)Error "
# The kind; a pattern for the class names of the causes; a pattern for the base classes; and the message.
_KIND_OF_CLASS: tuple[tuple[FailureKind, str, str, str], ...] = (
    # If a client times out while it connects, it has sent nothing.
    ("connection", "ConnectTimeout", "", "cannot be reached: {}"),
    ("timeout", "", "Timeout", "gave no answer in time: {}"),
    ("server", r"RemoteProtocol|ReadError|ConnectionReset", "", "closed the connection early: {1}"),
    ("connection", "", "Connect|Protocol|Network|Proxy", "cannot be reached: {}"),
    ("server", "", "^APIError ", "answered with an error: {}"),
    ("server", "", "Decod", "did not answer with a completion: {}"),
    ("server", "", _READING_ERROR, "answered with no completion: check base_url"),
)
# Keys of known providers, and forms in which a server shows a part of a key.
_KEYS = re.compile(
    r"\b(?:sk|pk|gsk|xai|hf)[-_][\w*.-]{8,}|(?<=Bearer )\S+|\bAIza[\w-]{20,}|(?<![\w-])[\w-]*+\*{3,}[\w*-]*",
    re.IGNORECASE,
)
# Query parameters of an address that may hold a key.
_QUERY_SECRET = re.compile(
    r"(?<=[?&])([\w.-]{0,60}(?:key|token|secret|passw|auth|signature|credential)[\w.-]{0,60}=)[^&\s#'\"]+",
    re.IGNORECASE,
)
_USERINFO = re.compile(r"(?<=://)[^/\s]+@")  # a password may have characters such as "#"
# The parts of a request, each with a pattern for messages of servers that refuse this part.
_REFUSAL_OF_PART = {
    "temperature": r"\btemperature\b",
    "seed": r"\bseed\b",
    "max_tokens": r"(?<!\w)max_tokens\b(?=.*(?:not |un)support|.*max_completion)",
    "max_completion_tokens": r"\bmax_completion_tokens\b"
    r"(?=.*(?:not |un(?:support|recogni|know|expect)|extra|invalid))",
    "n": r"(?<![\w'’-])['\"`]?(?-i:n)['\"`]?(?![\w-])",
    "format": r"\b(?:response_?format|json_?(?:schema|object|mode)|schema|tools?|tool_choice|functions?"
    r"|function_call(?:ing)?|structured|strict|grammar)\b",
}
# Messages of vLLM, llama.cpp, OpenAI, Ollama, Anthropic, Google, Mistral, Bedrock, SGLang and LM Studio.
_TOO_LONG = re.compile(
    r"context[ _](?:length|size|window)|ContextOverflow|ContextWindowExceeded|maximum model length"
    r"|(?:prompt|input|message) is too long|input token count.{0,30}exceeds",
    re.IGNORECASE,
)
# The stop reasons of OpenAI, vLLM, Mistral, Anthropic, Google, Bedrock, Cohere and Ollama, in lower case.
# If a text repeats itself without end, vLLM stops the text, with the reason "repetition".
_LIMIT_REASON = re.compile(r"length|max_tokens|max_output_tokens|model_length|model_context\w*|repetition")
_FILTER_REASON = re.compile(r"refus|filter|safety|recitation|blocklist|spii|prohibited|guardrail|toxic")
_END_REASON = re.compile(r"|stop\w*|end\w*|eos\w*|completed?|finish(?:ed)?|tool_(?:calls?|use)|function_call")


def redact_secrets(text: str, secrets: Sequence[str] = ()) -> str:
    """Replaces `secrets` and words that look like API keys by `***`. Removes user and password from URLs."""
    unnamed = without_secrets(_USERINFO.sub("", text), secrets, shortest=1)
    return _QUERY_SECRET.sub(r"\1***", _KEYS.sub("***", unnamed))


def without_secrets(text: str, secrets: Sequence[str], shortest: int = 8) -> str:
    """Returns `text`, such as the answer of a server, with `***` in place of each of `secrets`.

    Keeps a secret of fewer than `shortest` characters, since it may be an ordinary word, such as EMPTY.
    """
    for secret in secrets:
        text = _secret_pattern(secret).sub("***", text) if len(secret) >= shortest else text
    return text


@lru_cache(maxsize=128)
def _secret_pattern(secret: str) -> re.Pattern[str]:
    """Returns a pattern that matches `secret`, also if JSON escapes some of its characters."""
    escaped = ((re.escape(character), f"{ord(character):04x}") for character in secret)
    return re.compile("".join(rf"(?:{plain}|\\u(?i:{code})|\\{plain})" for plain, code in escaped))


def cleaned_start(text: str, most: int, clean: Callable[[str], str]) -> str:
    """Cleans the first `most` characters of `text`. After a cut, drops the end, perhaps half an API key."""
    return clean(text) if len(text) <= most else clean(text[:most])[:-_LONGEST_KEY]


def secrets_of(api_key: str | None, base_url: str | None) -> tuple[str, ...]:
    """Returns the secrets that a server may repeat: API key, password of the URL, user:password as base64.

    If a URL has only a user name, the user name counts as the password.
    """
    user, _, password = unquote(urlsplit(base_url or "").netloc.rpartition("@")[0]).partition(":")
    sent = b64encode(f"{user}:{password}".encode()).decode() if user or password else ""
    return tuple(secret for secret in (api_key, password or user, sent) if secret)


def failure_of(error: Exception, model: str, secrets: Sequence[str] = (), cure: str = "") -> CallFailure:
    """Makes the failure for an error of a client, by the HTTP status or the class name of the error.

    The message names `model`. If the connection was closed, `cure` (advice) replaces the words of the error.
    If a `CallFailure` caused `error`, returns this `CallFailure`. For example, `bounded_client` raises a
    `CallFailure` inside the client of OpenAI, and that client raises an error of its own.
    """
    errors: list[BaseException] = [error]
    while (cause := errors[-1].__cause__) is not None:
        errors.append(cause)
    if failure := next((each for each in errors if isinstance(each, CallFailure)), None):
        return failure
    names = " ".join(kind.__name__ for kind in type(error).__mro__)
    code = f"{getattr(error, 'code', '')} {getattr(error, 'type', '')}"
    facts = f"{code} {names} {getattr(error, 'body', '')}"[:_READ]
    codes = (str(getattr(error, name, "")) for name in ("status_code", "code", "http_status"))
    if status := next((int(code) for code in codes if re.fullmatch(r"[45]\d\d", code)), 0):
        headers = getattr(getattr(error, "response", None), "headers", None) or {}
        return failure_of_status(status, headers, _message_of(errors), model, secrets, facts, code)
    message = _short_line(_message_of(errors) or type(error).__name__, secrets)
    if _TOO_LONG.search(f"{message} {facts}"):
        return CallFailure("too_long", f"{model} cannot read so long a prompt: {message}")
    causes = " ".join(type(each).__name__ for each in errors)
    if re.search("LocalProtocolError.*header value|UnicodeEncodeError.*'ascii'", f"{causes}: {message}"):
        return CallFailure("refused", f"{model} has a key that no header can carry: correct the key")
    if re.search("loop is closed|different (event )?loop", message):  # another attempt may open a connection
        return CallFailure("server", f"{model} met a second event loop: use one, or the name provider:NAME")
    for kind, of_causes, of_error, told in _KIND_OF_CLASS:
        if (of_causes and re.search(of_causes, causes)) or (of_error and re.search(of_error, names)):
            return CallFailure(kind, f"{model} {told.format(message, cure or message)}")
    return CallFailure("refused", f"{model} could not be asked: {message}")


def failure_of_status(
    status: int,
    headers: Mapping[str, str],
    body: str,
    model: str,
    secrets: Sequence[str] = (),
    facts: str = "",
    code: str = "",
) -> CallFailure:
    """Makes the failure for an HTTP answer with an error status. The message names `model`.

    `body` is the message of the server, or JSON in the form of OpenAI's protocol. `code` is the error code.
    `facts` (more words of the error) tell the kind. They are never shown, since they may repeat the prompt.
    """
    message, wait = body, None
    with suppress(ValueError, KeyError, TypeError, RecursionError):
        error = loads(body)["error"]
        message = str(error["message"] if isinstance(error, dict) else error)
    with suppress(ValueError):  # the header is missing, or is a date, which model servers do not send
        wait = max(0.0, float(headers.get("retry-after", "")))
    said = _short_line(message, secrets) or "it gave no reason"
    kind = _KIND_OF_STATUS.get(status, "server" if status >= 500 else "refused")
    if status in _LONG_PROMPT_STATUSES and _TOO_LONG.search(f"{body[:_READ]} {facts}"):
        kind = "too_long"
    elif status in (400, 403, 429) and _SPENT.search(f"{said} {code}"):
        kind = "spent"
    shown = f"{model} answered with status {status}: {said}"
    return CallFailure(kind, shown, wait, status=status, said=said)


def was_cut(reason: str, refusal: str, model: str) -> bool:
    """Tells whether `reason`, the stop reason of an answer, means that a limit of tokens cut off the answer.

    Raises `CallFailure` if a filter stopped the answer, or if the model refused with the words `refusal`.
    Raises `CallFailure` for an unknown reason too, since the answer may be incomplete.
    """
    name = reason.strip().casefold()
    if (is_cut := _LIMIT_REASON.fullmatch(name) is not None) or (_END_REASON.fullmatch(name) and not refusal):
        return is_cut
    if refusal or _FILTER_REASON.search(name):
        why = " ".join((refusal or name).split())[:100]
        raise CallFailure("declined", f"{model} declined to answer, or a filter withheld it ({why!r})")
    unknown = "stopped for a reason other than the end of its answer"
    raise CallFailure("server", f"{model} {unknown} ({name[:100]!r})")


def refused_part(failure: CallFailure, model: str, sent: Collection[str]) -> str | None:
    """Returns the part of a request that the server refused, such as "seed"; None for any other failure.

    `sent` names the parts that the request had. The name of the model in the message is ignored, since
    a model's name may contain a word such as "tools".
    """
    names = "|".join(re.escape(name) for name in (model, model.partition(":")[2]) if name)
    message = re.sub(rf"(?<!\w)(?:{names})(?!\w)", "", failure.said or str(failure))
    if failure.kind != "refused" or failure.status in (401, 402, 403):
        return None
    asked = (part for part in _REFUSAL_OF_PART if part in sent)
    return next((part for part in asked if re.search(_REFUSAL_OF_PART[part], message, re.IGNORECASE)), None)


def _short_line(text: str, secrets: Sequence[str]) -> str:
    """Puts `text` on one line of at most `_MOST` characters, without API keys and passwords."""
    return " ".join(cleaned_start(text, _READ, lambda part: redact_secrets(part, secrets)).split())[:_MOST]


def _message_of(errors: Sequence[BaseException]) -> str:
    """Returns the message of the first error. If it is short or empty, adds the message of a cause."""
    error, *causes = errors
    if isinstance(body := getattr(error, "body", None), dict):
        body = body.get("message") or body.get("detail")  # FastAPI writes `detail`
    told = None if str(body).startswith("<") else body  # a page of HTML is no message
    text = str(told or getattr(error, "message", None) or error)
    cause = next((str(each) for each in causes if str(each) and not (text and text in str(each))), "")
    return f"{text} ({cause})" if text and cause and len(text) < 30 else text or cause

"""An error of a client library becomes a failure of a kind, without keys in its message."""

import json

import httpx2
import openai
import pytest

from rarr.tools.models import failures
from rarr.tools.models.failures import failure_of, failure_of_status, redact_secrets, refused_part
from rarr.tools.models.retries import cure_of
from tools.asking import KEY

ALL = {"temperature", "n", "format"}
LATE = openai.APITimeoutError(httpx2.Request("POST", "http://localhost/v1/chat/completions"))
NO_QUOTA = httpx2.Response(429, request=LATE.request)
SENDING = httpx2.LocalProtocolError("Too little data for declared Content-Length")
CONNECTING = openai.APITimeoutError(LATE.request)
CONNECTING.__cause__ = httpx2.ConnectTimeout("")


OverloadedError = type("OverloadedError", (Exception,), {"status_code": 529})
UNREADABLE = [each("choices") for each in (AttributeError, IndexError, KeyError, TypeError, ValueError)]
KINDS: dict[str, list[Exception]] = {
    "spent": [openai.RateLimitError("wait", response=NO_QUOTA, body={"code": "insufficient_quota"})],
    "timeout": [httpx2.ReadTimeout("late"), TimeoutError("late"), LATE],
    "connection": [httpx2.ConnectTimeout("late"), CONNECTING, httpx2.ConnectError("refused"), SENDING],
    "server": [
        *(httpx2.RemoteProtocolError("half"), ConnectionResetError("reset"), httpx2.ReadError("")),
        *(json.JSONDecodeError("no JSON", "<html>", 0), httpx2.DecodingError("no gzip")),
        *(OverloadedError("overloaded"), *UNREADABLE, RuntimeError("Event loop is closed")),
    ],
    "refused": [
        *(RuntimeError("what?"), UnicodeEncodeError("ascii", "ü", 0, 1, "ordinal not in range")),
        *(UnicodeError("it is a subclass"), httpx2.LocalProtocolError("Illegal header value b'Be'")),
    ],
}


def test_faults_have_a_kind_and_the_retry_after_time() -> None:
    for kind, errors in KINDS.items():
        assert {failure_of(error, "some").kind for error in errors} == {kind}
    told = "some answered with no completion: check base_url"
    assert {str(failure_of(error, "some")) for error in UNREADABLE} == {told}
    assert str(failure_of(httpx2.ReadError("reset"), "some")) == "some closed the connection early: reset"
    bound = RuntimeError("<Lock> is bound to a different event loop")
    assert "a second event loop: use one, or the name" in str(failure_of(bound, "some"))
    waits = {"2.5": 2.5, "-1": 0.0, "Wed, 21 Oct 2026 07:28:00 GMT": None, "": None}
    for header, seconds in waits.items():
        assert failure_of_status(429, {"retry-after": header}, "", "some").retry_after == seconds


def test_keys_are_redacted() -> None:
    for text in (
        *(f"key {key} is wrong" for key in (KEY, "sk-proj-************wxyz", "AIzaSyA0123456789abcdefghij")),
        "header Authorization: Bearer abc.def was sent",
        "see http://me:secret@host/v1?key=secret for more",
    ):
        shown = redact_secrets(text, ["secret"])
        assert "***" in shown
        assert not any(part in shown for part in ("sk-", "secret", "abc.def", "AIza", "yz"))
    assert redact_secrets("see http://me:pass#7?@host/v1") == "see http://host/v1"


def test_keys_are_redacted_at_the_end_of_what_is_read_and_where_json_escapes_them() -> None:
    secret = "0123456789secret"
    message = str(failure_of_status(500, {}, "x" * 290 + " " + secret, "some", [secret]))
    assert message.endswith("x ***")
    for place in range(9_970, 10_000):
        assert secret[:10] not in str(failure_of(OSError(" " * place + secret), "m", [secret]))
    said = json.dumps({"error": {"message": r"0123/secret is 0123\/secret"}})
    assert str(failure_of_status(400, {}, said, "some", ["0123/secret"])).endswith("*** is ***")
    for escaped in ("0123/secret", r"0123\/secret", r"\u0030123\u002Fsecret"):
        assert failures.without_secrets(f'{{"a": "{escaped}"}}', ["0123/secret"]) == '{"a": "***"}'
    assert failures.secrets_of("key", "http://me:p%40ss@host/v1") == ("key", "p@ss", "bWU6cEBzcw==")
    assert failures.secrets_of(None, "http://host/v1") == ()


def test_errors_of_megabytes_are_read_quickly() -> None:
    for unit in ("x", "*", "-", "sk-aaaaaaaa", "?key", "://a@", "Bearer ", "maximum context ", "n_ctx"):
        body = unit * (1_000_000 // len(unit))
        assert len(str(failure_of_status(400, {}, body, "some", [KEY]))) < 400
        assert len(str(failure_of(OSError(body), "some", [KEY]))) < 400
        redact_secrets(body, [KEY])


@pytest.mark.parametrize(
    ("status", "answer", "part"),
    [
        (400, "Unsupported value: 'temperature' does not support 0.0 with this model.", "temperature"),
        (400, "Only 'n' = 1 is supported", "n"),
        (400, "response_format is not supported", "format"),
        (400, "this model cannot call tools", "format"),
        (422, "'temperature' is not permitted beside 'insufficient funds'", "temperature"),
        (400, "the model `strict-tools` is not there", None),
        (400, "you don't have access: your account is restricted", None),
        (400, "the context length is 4096: reduce the messages or functions", None),
        (403, "no tools for you", None),
        (500, "no tools for you", None),
    ],
)
def test_refused_request_part_is_read_from_the_message(status: int, answer: str, part: str | None) -> None:
    failure = failure_of_status(status, {}, answer, "vllm:strict-tools")
    assert refused_part(failure, "vllm:strict-tools", ALL) == part


REFUSALS: dict[str, tuple[str, list[tuple[int, str]]]] = {
    "spent": ("add credit", [(429, "insufficient_quota"), (402, "pay"), (400, "insufficient credits")]),
    "busy": ("lower concurrency, or try again later", [(429, "You exceeded your current quota")]),
    "too_long": ("a longer context", [(413, "Request Entity Too Large")]),
    "refused": ("check the model's name, base_url", [(422, "field required")]),
    "server": ("", [(500, "insufficient funds")]),
}


@pytest.mark.parametrize("kind", REFUSALS)
def test_refusal_has_a_kind_a_cure_and_the_words_of_the_server_in_any_form(kind: str) -> None:
    cure, refusals = REFUSALS[kind]
    for status, said in refusals:
        response = httpx2.Response(status, request=LATE.request)
        for body in (said, {"message": said, "input": "insufficient funds"}, {"detail": said}):
            failure = failure_of(openai.APIStatusError("Error code", response=response, body=body), "some")
            assert (failure.kind, str(failure)) == (kind, f"some answered with status {status}: {said}")
            assert cure in str(cure_of(failure))


def test_prompt_that_is_too_long_is_a_kind_of_its_own() -> None:
    for said in (
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
        "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
        "request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it",
        "Your input exceeds the context window of this model. Please adjust your input",
        "prompt is too long: 210,000 tokens > 200,000 maximum",
        "The input token count (5000) exceeds the maximum number of tokens allowed (4096).",
        "Prompt contains 5000 tokens, too large for model with 4096 maximum context length",
        "Input is too long for requested model.",
    ):
        failure = failure_of_status(400, {}, json.dumps({"error": {"message": said}}), "some")
        assert (failure.kind, refused_part(failure, "some", ALL)) == ("too_long", None)

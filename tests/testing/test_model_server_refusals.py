"""What each dialect refuses and ignores, and which keys."""

from typing import Any

import httpx2
import pytest

from rarr.testing import ScriptedServer
from rarr.testing.server import Dialect
from testing.conftest import Ask

pytestmark = pytest.mark.loopback


def message(response: httpx2.Response) -> str | None:
    """What an error says; None for an answer."""
    if response.status_code == 200:
        return None
    assert response.status_code == 400
    return str(response.json()["error"]["message"])


@pytest.mark.parametrize(
    ("dialect", "fields", "refusal"),
    [
        ("vllm", {"response_format": {"type": "text"}}, None),
        ("vllm", {"response_format": {"type": "json_object"}}, None),
        ("vllm", {"response_format": {"type": "json_schema", "json_schema": {"name": "x"}}}, None),
        (
            "vllm",
            {"response_format": {"type": "xml"}},
            "Invalid value: 'xml'. response_format.type is one of ",
        ),
        ("vllm", {"structured_outputs": {"json": {}}}, None),
        ("vllm", {"guided_json": {}}, None),
        ("vllm", {"n": 2}, None),
        ("vllm", {"n": 0}, "Invalid 'n'"),
        ("openai", {"response_format": {"type": "json_object"}, "temperature": 0}, None),
        ("openai", {"response_format": {"type": "xml"}}, "Invalid value: 'xml'."),
        ("openai", {"guided_json": {}}, "Unrecognized request argument supplied: guided_json"),
        (
            "openai",
            {"structured_outputs": {}, "top_k": 1},
            "Unrecognized request arguments supplied: structured_outputs, top_k",
        ),
        ("plain", {"temperature": 0, "top_k": 1}, None),
        ("plain", {"response_format": {"type": "text"}}, "response_format is not supported"),
        ("plain", {"tools": []}, "tools is not supported"),
        ("plain", {"n": 1}, None),
        ("plain", {"n": 2}, "n is not supported"),
    ],
)
def test_dialect_accepts_or_refuses_parameters(
    ask: Ask, dialect: Dialect, fields: dict[str, Any], refusal: str | None
) -> None:
    with ScriptedServer({"": "x"}, dialect=dialect) as server:
        error_message = message(ask(server, **fields))
    assert error_message == refusal or (error_message and refusal and error_message.startswith(refusal))


def test_rejected_parameter_is_named(ask: Ask) -> None:
    with ScriptedServer({"": "x"}, rejects=["temperature"]) as server:
        response = ask(server, temperature=0)
        assert message(response) == "Unsupported value: 'temperature' does not support 0 with this model."
        assert response.json()["error"]["param"] == "temperature"
        assert message(ask(server)) is None


@pytest.mark.parametrize(
    ("given", "echo", "says"),
    [
        ("Bearer sk-abcdefwxyz", False, "Incorrect API key provided: sk-ab***yz."),
        ("Bearer sk-abcdefwxyz", True, "Incorrect API key provided: sk-abcdefwxyz."),
        ("Bearer short", False, "Incorrect API key provided: ***."),
        ("sk-right", True, "Incorrect API key provided: sk-right."),
        ("", False, "You didn't provide an API key."),
    ],
)
def test_wrong_key_is_refused(client: httpx2.Client, given: str, echo: bool, says: str) -> None:
    with ScriptedServer({"": "x"}, requires_key="sk-right", echo_key=echo) as server:
        response = client.get(f"{server.url}/models", headers={"Authorization": given})
    assert (response.status_code, response.json()["error"]["message"]) == (401, says)

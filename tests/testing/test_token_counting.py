"""How the scripted models count tokens."""

import pytest

from rarr.testing import ScriptedServer
from rarr.testing.scripted_model import BLOCK, TokenCounter
from rarr.tools.models.chat import Tokens
from testing.conftest import Ask


def test_prefix_of_an_earlier_request_is_cached_in_whole_blocks() -> None:
    counter = TokenCounter()
    system = "s" * (2 * BLOCK + 20)
    assert counter.count([system, "one"], []).cached == 0
    assert counter.count([system, "two"], []).cached == 2 * BLOCK / 4
    assert counter.count(["another", system], []).cached == 0


def test_same_block_behind_another_prefix_is_not_cached() -> None:
    counter = TokenCounter()
    a, b = "a" * BLOCK, "b" * BLOCK
    counter.count([a + b], [])
    assert counter.count([b + b], []).cached == 0
    assert counter.count([a + a], []).cached == BLOCK / 4


@pytest.mark.loopback
def test_server_reports_usage_of_each_answer_and_in_total(ask: Ask) -> None:
    system = "s" * 128
    with ScriptedServer({"": "12345678"}) as server:
        ask(server, "1234", system)
        usage = ask(server, "5678", system, n=2).json()["usage"]
        assert server.tokens == Tokens(input=66, output=6, cached=32)
    assert usage == {
        "prompt_tokens": 33,
        "completion_tokens": 4,
        "total_tokens": 37,
        "prompt_tokens_details": {"cached_tokens": 32},
    }

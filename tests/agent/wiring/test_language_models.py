"""Which language models settings name, how they are reached, and that their connections are closed."""

from typing import Any

import pytest

from agent.mills import revised, settings_for
from benchmarks.mills import answer, text_of
from rarr import Settings
from rarr.agent.wiring.models import LanguageModels
from rarr.testing import ScriptedServer
from rarr.tools.models.chat import DEFAULT_URLS

TEXT, RIGHT = text_of(3, wrong=1), text_of(3, wrong=0)


def test_model_with_its_own_endpoint_is_no_second_provider() -> None:
    own: Any = {"openai:b": {"base_url": "http://localhost:2/v1", "api_key": "two"}}
    made = LanguageModels(Settings(api_key="one", endpoints=own), ("vllm:a", "openai:b"))
    assert len(made.all) == 2


@pytest.mark.loopback
def test_endpoint_wins_over_base_url_and_key() -> None:
    with (
        ScriptedServer(answer, requires_key="own") as own,
        ScriptedServer(answer, requires_key="all") as other,
    ):
        access = {"base_url": own.url, "api_key": "own", "extra": {"top_k": 1}}
        settings = settings_for(
            other, api_key="all", models={"check_agreement": "vllm:editor"}, endpoints={"vllm:editor": access}
        )
        assert revised(settings, TEXT).text == RIGHT
        assert [(request.prompt, request.model, request.body["top_k"]) for request in own.requests] == [
            ("check_agreement", "editor", 1)
        ]
        [asked] = other.requests
        assert (asked.prompt, asked.model) == ("generate_queries", "mills")


@pytest.mark.loopback
def test_shared_key_is_not_sent_to_a_models_own_endpoint() -> None:
    with ScriptedServer(answer) as own:
        endpoints: Any = {"vllm:a": {"base_url": own.url}}
        settings = settings_for(own, model="vllm:a", base_url=None, api_key="all", endpoints=endpoints)
        assert revised(settings, TEXT).text == RIGHT
        assert {request.headers["authorization"] for request in own.requests} == {"Bearer none"}


@pytest.mark.loopback
@pytest.mark.parametrize(("given", "most"), [({}, 2), ({"concurrency": 3}, 3)])
def test_ollama_gets_two_requests_at_once_unless_told_otherwise(given: dict[str, int], most: int) -> None:
    text = "\n\n".join(text_of(12, wrong=0, first=12 * number) for number in range(6))
    with ScriptedServer(answer, latency=0.1) as server:
        settings = settings_for(server, model="ollama:mills", **given)
        assert revised(settings, text).text == text
    assert server.in_flight_most == most


def server_of(name: Any, **settings: Any) -> str:
    return LanguageModels(Settings(**settings), [name])[name].models[0].server


@pytest.mark.slow
def test_server_of_a_model_is_known_by_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    here = "http://here/v1"
    assert server_of("vllm:a", base_url=here) == here
    assert server_of("vllm:a", endpoints={"vllm:a": {"base_url": f"{here}/"}}) == here
    assert server_of("vllm:a") == DEFAULT_URLS["vllm"]
    monkeypatch.setenv("OPENAI_BASE_URL", "http://gateway/v1")
    assert server_of("openai:gpt-5-mini", api_key="none") == "http://gateway/v1"

"""From names to implementations; what is not to be had is said in one line before anything is spent."""

import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from agent.mills import revised, settings_for
from benchmarks.mills import mills_text, respond
from rarr.agent.wiring.components import wire
from rarr.agent.wiring.models import LanguageModels
from rarr.agent.wiring.sources import unused_setting_notices
from rarr.backends.encoder.model_files import SHIPPED
from rarr.backends.nli import verifier
from rarr.errors import InputError, SettingsError, SetupError
from rarr.retrievers.reranking import OverlapReranker
from rarr.settings import SOURCES, Settings
from rarr.testing import InMemoryRetriever, ScriptedServer
from rarr.tools.models.chat import DEFAULT_URLS, MODEL_NAMES

TEXT, RIGHT = mills_text(3, wrong=1), mills_text(3, wrong=0)
CORPUS = Path("examples/corpus/hoover-dam.md")
PARTS = ("query_generator", "checker", "editor", "verifier")
TWO, ALIKE = {"model": "vllm:a", "models": {"edit": "openai:b"}}, "would go to vllm:a and openai:b alike"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"model": "gpt"}, f"unknown model 'gpt': give embedded, {MODEL_NAMES}, or another"),
        ({"model": "nobody:gpt"}, "unknown provider 'nobody' in model 'nobody:gpt': give embedded, vllm:"),
        ({"model": "vllm:a", "fallbacks": ["embedded"]}, "fallbacks has 'embedded', which is no language"),
        ({"model": 3}, "model is an int: give embedded"),
        ({"model": "vllm:a", "base_url": "localhost:8000"}, "base_url of vllm:a is 'localhost:8000': give "),
        ({"model": "vllm:a", "base_url": "http://a:99999"}, "base_url of vllm:a is 'http://a:99999': give "),
        ({"model": "vllm:a", "max_cost": 1}, "max_cost needs the price of vllm:a"),
        ({**TWO, "base_url": "http://x/v1"}, f"base_url {ALIKE}: give each its own in endpoints"),
        ({"model": "vllm:a", "fallbacks": ["openai:b"], "api_key": "k"}, f"api_key {ALIKE}"),
        ({"models": {"edits": "embedded"}}, "models names an unknown node 'edits': the nodes are generate_"),
        ({"models": {"attribute": "nli:"}}, "unknown model 'nli:': give the folder of a model, or its name"),
        ({"model": "nli:a/b"}, "'nli:a/b' is no language model"),
        ({"search": "bing"}, f"unknown search 'bing': give {', '.join(SOURCES)}, several with commas"),
        ({"search": "tavily"}, "Tavily needs a key: .*TAVILY_API_KEY"),
        ({"search": "searxng"}, "searxng needs its address: give searxng_url"),
        ({"search": "wikipedia", "published_after": "2020-01-01"}, "wikipedia has no dates of publication"),
        ({"search": "wikipedia,wikipedia"}, "the same source twice"),
        ({"search": object()}, "search is an object: give corpus, .* or a LangChain retriever"),
        ({"search": "corpus"}, "no source of evidence: set corpus"),
        ({"reranker": "overlapp"}, "unknown reranker 'overlapp': give overlap,"),
        ({"preset": "paper"}, r"preset 'paper' needs a language model for check_agreement"),
        ({"model": "vllm:a", "endpoints": {"a": {}}}, "endpoints has 'a', which .* names: in use are vllm:a"),
        ({**TWO, "api_key": "k", "endpoints": {"openai:b": {"price": (1, 2)}}}, f"api_key {ALIKE}"),
        ({"corpus": Path("nowhere")}, "nowhere"),
    ],
)
def test_unknown_names_are_one_line_with_the_cure(values: dict[str, Any], message: str) -> None:
    with pytest.raises((SettingsError, SetupError, InputError), match=message) as raised:
        wire(Settings(**values))
    assert "\n" not in str(raised.value)


def test_nothing_is_indexed_for_settings_that_cannot_work(tmp_path: Path) -> None:
    with pytest.raises(SettingsError):
        wire(Settings(corpus=CORPUS, home=tmp_path / "home", reranker="overlapp"))
    assert not (tmp_path / "home").exists()


def test_encoder_without_its_packages_is_one_line_with_the_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(SetupError, match=r'tokenizers is missing\): pip install "rarr\[encoder\]"'):
        wire(Settings(corpus=CORPUS, weights=SHIPPED))
    assert type(wire(Settings(corpus=CORPUS)).reranker) is OverlapReranker


@pytest.mark.parametrize(
    ("values", "prompted"),
    [
        ({"model": "vllm:a"}, "query_generator checker editor"),
        ({"models": {"edit": "vllm:a"}}, "query_generator editor"),
        ({"model": "vllm:a", "models": {"edit": "embedded"}}, "query_generator checker"),
        (
            {"models": {"attribute": "vllm:a", "check_agreement": "vllm:b"}},
            "query_generator checker verifier",
        ),
    ],
)
def test_nodes_take_the_model_that_is_named_for_them(values: Any, prompted: str) -> None:
    components = wire(Settings(search=InMemoryRetriever(), **values))
    parts = [part for part in PARTS if "prompted" in type(getattr(components, part)).__module__]
    assert parts == prompted.split()


def test_model_that_judges_support_is_no_language_model(monkeypatch: pytest.MonkeyPatch) -> None:
    named: list[tuple[str, float]] = []
    monkeypatch.setattr(verifier, "NliVerifier", lambda *given: named.append(given))
    models: Any = {"attribute": "nli:a/b", "edit": "vllm:c"}
    settings = Settings(search=InMemoryRetriever(), models=models, api_key="k")
    assert [model.name for model in wire(settings).models] == ["vllm:c"]
    assert named == [("a/b", 0.55)]


def test_search_is_asked_at_the_address_of_its_setting(tmp_path: Path) -> None:
    url = "http://127.0.0.1:9/gateway"
    made: Any = wire(Settings(search="tavily", tavily_key=SecretStr("key"), tavily_url=url, home=tmp_path))
    assert made.retriever.source._url == url
    made = wire(Settings(search="wikipedia", wikipedia_url=f"{url}/", home=tmp_path))
    assert made.retriever.source._api == f"{url}/w/api.php"


@pytest.mark.parametrize(
    ("settings", "codes"),
    [
        ({"base_url": "http://x/v1"}, ["server_not_used"]),
        ({}, []),
        ({"base_url": "http://x/v1", "models": {"edit": "vllm:m"}}, ["model_not_used"]),
        ({"models": {"doubt": "vllm:m"}}, ["model_not_used"]),
        ({"model": "vllm:a", "models": {"doubt": "vllm:m"}}, []),
        ({"base_url": "http://x/v1", "reranker": "vllm:bge"}, []),
        ({"search": "wikipedia"}, ["corpus_not_searched"]),
    ],
)
def test_settings_that_a_run_does_not_use_are_told(settings: Any, codes: list[str]) -> None:
    components = wire(Settings(corpus=CORPUS, **settings))
    assert [notice.code for notice in unused_setting_notices(components)] == codes


def test_model_with_its_own_endpoint_is_no_second_provider() -> None:
    own: Any = {"openai:b": {"base_url": "http://localhost:2/v1", "api_key": "two"}}
    made = LanguageModels(Settings(api_key="one", endpoints=own), ("vllm:a", "openai:b"))
    assert len(made.all) == 2


@pytest.mark.loopback
def test_endpoint_wins_over_base_url_and_key() -> None:
    with (
        ScriptedServer(respond, requires_key="own") as own,
        ScriptedServer(respond, requires_key="all") as other,
    ):
        access = {"base_url": own.url, "api_key": "own", "extra": {"top_k": 1}}
        settings = settings_for(
            other, api_key="all", models={"check_agreement": "vllm:editor"}, endpoints={"vllm:editor": access}
        )
        assert revised(settings, TEXT).text == RIGHT
        [reading], [asking] = own.requests, other.requests
    assert (reading.prompt, reading.model_name, reading.body["top_k"]) == ("check_agreement", "editor", 1)
    assert (asking.prompt, asking.model_name) == ("generate_queries", "mills")


@pytest.mark.loopback
def test_shared_key_is_not_sent_to_a_models_own_endpoint() -> None:
    with ScriptedServer(respond) as own:
        endpoints: Any = {"vllm:a": {"base_url": own.url}}
        settings = settings_for(own, model="vllm:a", base_url=None, api_key="all", endpoints=endpoints)
        assert revised(settings, TEXT).text == RIGHT
        assert {request.headers["authorization"] for request in own.requests} == {"Bearer none"}


@pytest.mark.loopback
@pytest.mark.parametrize(("given", "most"), [({}, 2), ({"concurrency": 3}, 3)])
def test_ollama_gets_two_requests_at_once_unless_told_otherwise(given: dict[str, int], most: int) -> None:
    text = "\n\n".join(mills_text(12, wrong=0, first=12 * number) for number in range(6))
    with ScriptedServer(respond, latency=0.1) as server:
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
    monkeypatch.setenv("RARR_BASE_URL", "")
    assert server_of("vllm:a") == DEFAULT_URLS["vllm"]
    monkeypatch.setenv("OPENAI_BASE_URL", "http://gateway/v1")
    assert server_of("openai:gpt-5-mini", api_key="none") == "http://gateway/v1"

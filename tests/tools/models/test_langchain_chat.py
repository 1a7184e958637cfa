"""LangChain's chat models: asked like OpenAI if possible, else in the way of their integration."""

import asyncio
import json
from contextlib import aclosing
from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import httpx2
import pytest
from langchain_core.language_models import BaseChatModel, FakeListChatModel, GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from rarr.errors import SettingsError, SetupError
from rarr.testing import Failure, Request, ScriptedServer
from rarr.testing.server import Reply
from rarr.tools.models.chat import Answer, CallFailure, ChatRequest, Tokens
from rarr.tools.models.langchain_chat import LangChainChat, langchain_chat
from tools.asking import ANSWERS, ASK, KEY, SCHEMA, TEXT, chat_at, fast_chat, outcome

pytestmark = pytest.mark.loopback
THREE = replace(ASK, samples=3, temperature=0.7)


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_PROXY", "LANGSMITH_TRACING"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("given", [KEY, None])
async def test_key_is_shown_by_no_fault_or_answer(given: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "an-unusual-key")
    options: dict[str, Any] = {"name": "openai:some", "api_key": given}
    with ScriptedServer(ANSWERS, requires_key="another") as server:
        own = ChatOpenAI(base_url=server.url, api_key=SecretStr("a key of its own"), max_retries=0)
        for model in (chat_at(server, **options), LangChainChat("mine", lambda: own)):
            failure = await outcome(fast_chat(model, attempts=1))
            assert "status 401: Incorrect API key provided: ***" in str(failure)
        for userinfo in (f"me:{KEY}", KEY):
            failure = await outcome(asked := fast_chat(chat_at(server.url.replace("://", f"://{userinfo}@"))))
            assert "Incorrect API key provided: Basic ***." in str(failure) and asked.server == server.url
        await own.root_async_client.close()
    monkeypatch.setenv("OPENAI_API_KEY", " an-unusual-key\r\n")
    with ScriptedServer(lambda request: f"it is {given or 'an-unusual-key'}") as server:
        answer = await outcome(fast_chat(chat_at(server, **options)))
    assert isinstance(answer, Answer) and answer.texts == ("it is ***",)


def choice(finish: str | None = "stop", **message: Any) -> dict[str, Any]:
    return {"message": {"role": "assistant", "content": TEXT, **message}, "finish_reason": finish}


async def answered(given: AIMessage | BaseChatModel | dict[str, Any] | list[Any]) -> Answer | CallFailure:
    """Returns the answer from a message of another integration, of a model, or from OpenAI's choices."""
    if isinstance(given, list | dict):
        usage = {"prompt_tokens": 30, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 12}}
        whole = {"choices": given if isinstance(given, list) else [choice()], "usage": usage}
        response = httpx2.Response(200, json=whole | (given if isinstance(given, dict) else {}))
        client = httpx2.AsyncClient(transport=httpx2.MockTransport(lambda _: response))
        url, key = "http://canned.test/v1", SecretStr(KEY)
        given = ChatOpenAI(base_url=url, api_key=key, max_retries=0, http_async_client=client)
    model = GenericFakeChatModel(messages=iter([given])) if isinstance(given, AIMessage) else given
    return await outcome(fast_chat(LangChainChat("vllm:canned", lambda: model), attempts=1), ASK)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (AIMessage([{"type": "thinking", "thinking": "so"}, {"type": "text", "text": TEXT}]), TEXT),
        (AIMessage(TEXT, response_metadata={"stop_reason": "max_tokens"}), "cut"),
        (AIMessage(TEXT, response_metadata={"incomplete_details": {"reason": "max_output_tokens"}}), "cut"),
        (AIMessage(TEXT, response_metadata={"stopReason": "guardrail_intervened"}), "declined: "),
        (AIMessage(TEXT, additional_kwargs={"refusal": "I cannot."}), "declined: "),
        (FakeListChatModel(responses=[TEXT]), TEXT),  # it knows no schema
        *(([choice(role=role)], TEXT) for role in (None, "model", "user")),
        ({"choices": [{"message": {"content": TEXT}}]}, TEXT),
        *(({"usage": it}, TEXT) for it in ("many", {"prompt_tokens": "30"}, {"prompt_tokens": -1})),
        ({"error": {"message": "no route", "code": 429}}, "busy: answered with status 429: no route; lower"),
        ({"error": "not loaded", "choices": None}, "server: answered with an error: not loaded"),
        ([choice(content=5)], "server: answered with no completion"),
        ([choice("SAFETY")], "declined: 'safety'); name another model, or add one to fallbacks"),
        ([choice("content_filter: SAFETY")], "declined: content_filter"),
        ([choice(refusal=f"I can't,\nwith {KEY}.")], "declined: I can't, with ***."),
        ([choice("pause_turn")], "server: other than the end of its answer ('pau"),
        ([choice("new\nreason" + "x" * 1000)], "server: new\\nreason"),
    ],
)
async def test_answer_is_read_and_an_answer_stopped_early_is_a_failure(given: Any, expected: str) -> None:
    answer = await answered(given)
    if isinstance(answer, Answer):
        assert expected == ("cut" if answer.cut else answer.texts[0])
        return
    kind, _, said = expected.partition(": ")
    assert answer.kind == kind and said in str(answer)
    assert "\n" not in str(answer) and len(str(answer)) < 200


async def test_finished_and_cut_samples_without_a_refusal_are_returned() -> None:
    for finish in ("stop", "tool_calls", "", None, "end_turn", "COMPLETE"):
        answer = await answered([choice(finish), choice("MAX_TOKENS"), choice(refusal="no")])
        assert answer == Answer((TEXT, TEXT), Tokens(30, 5, 12), cut=True)


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("nobody:some", SettingsError, "unknown provider 'nobody' in model 'nobody:some': give embedded"),
        ("openai:some", SetupError, "has no key: set OPENAI_API_KEY in the environment, or give api_key"),
        ("anthropic:some", SetupError, "is not installed: pip install langchain-anthropic$"),
    ],
)
def test_error_of_a_missing_model_names_the_cure(name: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        langchain_chat(name, max_retries=0, base_url=None)
    with pytest.raises(SetupError, match="api_key: it has a character that no HTTP header"):
        langchain_chat("openai:some", api_key="sk-é")


async def test_openai_key_goes_to_no_other_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Mock(return_value=ChatOpenAI(api_key=SecretStr(KEY)))
    monkeypatch.setattr("langchain.chat_models.init_chat_model", made)
    assert langchain_chat("deepseek:some").secrets == [KEY]
    assert ["api_key" in call.kwargs for call in made.mock_calls] == [False, False]


async def test_azure_is_asked_at_its_deployment() -> None:
    paths: list[str] = []

    class Azure(ScriptedServer):
        def _reply_to(self, request: Request) -> Reply:
            paths.append(request.path)
            return super()._reply_to(replace(request, path="/v1/chat/completions"))

    with Azure(ANSWERS) as server:
        url = server.url.removesuffix("/v1")
        model = langchain_chat("azure:mini", base_url=url, api_key=KEY, api_version="2026-01-01")
        async with aclosing(model):
            assert (await model.complete(ASK)).texts == (TEXT,)
    assert [path.partition("?")[0] for path in paths] == ["/openai/deployments/mini/chat/completions"]


async def bodies(server: ScriptedServer, *asks: ChatRequest, **options: Any) -> list[dict[str, Any]]:
    """Returns the bodies of the requests for these questions, in order."""
    async with aclosing(fast_chat(chat_at(server, **options))) as model:
        for ask in asks:
            await model.complete(ask)
    return [dict(request.body) for request in server.requests]


@pytest.mark.parametrize(("name", "key"), [("vllm:scripted", None), ("ollama:qwen3:8b", KEY)])
async def test_structured_request_has_our_schema_and_key(name: str, key: str | None) -> None:
    extra = {"chat_template_kwargs": {"enable_thinking": False}}
    with ScriptedServer(ANSWERS, requires_key=key) as server:
        [body] = await bodies(server, ASK, name=name, api_key=key, extra_body=extra)
    schema = {"name": "edit", "schema": SCHEMA, "strict": True}
    assert body == {
        "model": name.partition(":")[2],
        "messages": [message._asdict() for message in ASK.messages],
        "max_tokens": 1000,
        "temperature": 0.0,
        "stream": False,
        "response_format": {"type": "json_schema", "json_schema": schema},
        **extra,
    }
    assert server.requests[0].path == "/v1/chat/completions"
    assert server.requests[0].headers.get("authorization") == f"Bearer {key or 'none'}"


@pytest.mark.parametrize("rejected", [["response_format", "n"], ["temperature"], ["seed"]])
async def test_refused_part_is_left_out_from_then_on(rejected: Any) -> None:
    ask = replace(THREE, seed=7)
    with ScriptedServer(ANSWERS, rejects=rejected) as server:
        sent = await bodies(server, ask, ask)
    left = [[part for part in rejected if part in body] for body in sent]
    assert (sent[0]["n"], sent[0]["seed"], sent[0]["temperature"]) == (3, 7, 0.7)
    assert left == [rejected[number:] for number in range(len(rejected))] + [[], []]


async def refused(part: str, said: str) -> list[dict[str, Any]]:
    """Returns the requests to a server that refuses a part of requests with these words."""
    plan = lambda request: Failure(400, message=said) if part in request.body else None  # noqa: E731
    with ScriptedServer(ANSWERS, plan=plan) as server:
        return await bodies(server, ASK)


async def test_refused_schema_stands_in_the_prompt() -> None:
    first, second = await refused("response_format", "Invalid schema for response_format 'edit': no 'a'")
    system, user = second["messages"]
    assert system["content"].startswith(f"{first['messages'][0]['content']}\n\nAnswer with one JSON object")
    assert json.loads(system["content"].partition("schema: ")[2]) == SCHEMA
    assert user == first["messages"][1]


async def test_limit_of_the_answer_has_the_name_that_the_server_knows() -> None:
    names = ("max_tokens", "max_completion_tokens")
    for part, other in (names, names[::-1]):
        sent = (await refused(part, f"'{part}' is not supported: use max_completion_tokens"))[-1]
        assert (part in sent, sent.get(other)) == (False, 1000)


@pytest.mark.parametrize(
    ("key", "name", "said"),
    [
        (None, "vllm:scripted", "served by http://127.0.0.1"),
        (KEY, "vllm:scripted", "status 401"),
        (None, "vllm:other", "is not on the server, which has scripted"),
    ],
)
async def test_free_check_finds_the_model_or_tells_why_not(key: str | None, name: str, said: str) -> None:
    with ScriptedServer({}, requires_key=key) as server:
        async with aclosing(chat_at(server, name=name)) as model:
            [found] = await asyncio.gather(model.probe(), return_exceptions=True)
    assert said in str(found)
    assert [request.method for request in server.requests] == ["GET"]


@pytest.mark.parametrize(("plan", "part"), [(Failure("cut"), TEXT[:8]), (Failure("endless", "a "), "a a ")])
async def test_text_that_was_cut_off_is_kept_with_its_tokens(plan: Any, part: str) -> None:
    with ScriptedServer(ANSWERS, plan=[plan]) as server:
        async with aclosing(fast_chat(chat_at(server))) as model:
            answer = await model.complete(replace(ASK, max_tokens=50))
            whole = await model.complete(ASK)
    assert answer.cut and answer.texts[0].startswith(part)
    assert answer.tokens.output > 0
    assert (whole.cut, whole.texts, len(server.requests)) == (False, (TEXT,), 2)

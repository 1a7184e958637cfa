"""LangChain's chat models: asked as OpenAI is where they can be, else in their integration's own way."""

import asyncio
import gc
from contextlib import aclosing
from dataclasses import replace
from typing import Any, TypedDict

import pytest
from langchain_core.language_models import FakeListChatModel, GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.graph import START, StateGraph

from rarr.errors import SettingsError, SetupError
from rarr.testing import Request, ScriptedServer
from rarr.testing.replies import Reply
from rarr.tools.models.chat import Adapted, Answer, CallFailure, ChatRequest, Tokens
from rarr.tools.models.langchain_chat import LangChainChat
from rarr.tools.models.langchain_models import langchain_chat
from tools.asking import ANSWERS, ASK, KEY, TEXT, outcome, patient

loopback = pytest.mark.loopback
THREE = replace(ASK, samples=3, temperature=0.7)


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_PROXY", "LANGSMITH_TRACING"):
        monkeypatch.delenv(name, raising=False)


def chat(server: ScriptedServer, **options: Any) -> LangChainChat:
    given = {"api_key": KEY, "max_retries": 0, "timeout": 2.0, "max_tokens": 50, **options}
    return langchain_chat("openai:some", base_url=server.url, **given)


async def of(server: ScriptedServer, ask: ChatRequest = ASK, *, attempts: int = 1, **options: Any) -> Any:
    return await outcome(patient(chat(server, **options), attempts=attempts), ask)


@loopback
@pytest.mark.parametrize("given", [KEY, None])
async def test_faults_about_keys_do_not_show_the_key(
    given: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "an unusual key")
    with ScriptedServer(ANSWERS, requires_key="another", echo_key=True) as server:
        failure = await of(server, api_key=given)
    assert "status 401: Incorrect API key provided: ***" in str(failure)


@loopback
async def test_faults_about_the_key_of_a_given_model_do_not_show_it() -> None:
    from langchain_openai import ChatOpenAI  # loads for a second
    from pydantic import SecretStr

    with ScriptedServer(ANSWERS, requires_key="another", echo_key=True) as server:
        given = ChatOpenAI(base_url=server.url, api_key=SecretStr("an unusual key"), max_retries=0)
        with pytest.raises(CallFailure, match=r"provided: \*\*\*"):
            await LangChainChat("mine", lambda _: given).complete(ASK)
        await given.root_async_client.close()


@pytest.mark.slow
@loopback
def test_two_event_loops_one_after_the_other() -> None:
    async def ask() -> Answer:
        async with aclosing(model):
            return await model.complete(ASK)

    with ScriptedServer(ANSWERS) as server:
        model = chat(server)
        assert [asyncio.run(ask()).texts, asyncio.run(ask()).texts] == [(TEXT,), (TEXT,)]
    gc.collect()  # what is left open warns now, and a warning is an error


@loopback
async def test_closing_leaves_other_models_of_the_server_open() -> None:
    with ScriptedServer(ANSWERS) as server:
        async with aclosing(chat(server)) as first:
            await first.complete(ASK)
            async with aclosing(chat(server)) as other:
                await other.complete(ASK)
            await first.complete(ASK)
    assert len(server.requests) == 3


async def test_structured_answer_falls_back_to_plain_text_without_support() -> None:
    fake = FakeListChatModel(responses=[TEXT])
    model = LangChainChat("fake", lambda _: fake)
    with pytest.raises(Adapted, match="NotImplementedError"):
        await model.complete(ASK)
    assert await model.complete(ASK) == Answer((TEXT,), Tokens())


class Calling(GenericFakeChatModel):
    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (AIMessage("", tool_calls=[{"name": "edit", "args": {"span": "1976"}, "id": "1"}]), TEXT),
        (
            AIMessage("", invalid_tool_calls=[{"name": "edit", "args": "{", "id": "1", "error": "cut"}]),
            "{",
        ),
        (AIMessage([{"type": "thinking", "thinking": "so"}, {"type": "text", "text": TEXT}]), TEXT),
    ],
)
async def test_structured_answer_of_other_integrations_is_read(message: AIMessage, text: str) -> None:
    fake = Calling(messages=iter([message]))
    assert (await LangChainChat("fake", lambda _: fake).complete(ASK)).texts == (text,)


async def test_one_model_is_made_for_each_temperature() -> None:
    made: list[float | None] = []

    def make(temperature: float | None) -> FakeListChatModel:
        made.append(temperature)
        return FakeListChatModel(responses=[TEXT])

    model = patient(LangChainChat("fake", make))
    for ask in (ASK, THREE, ASK, THREE):
        await model.complete(ask)
    assert made == [0.0, 0.7]


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("nobody:some", SettingsError, "unknown provider 'nobody' in model 'nobody:some': give embedded"),
        ("openai:some", SetupError, "has no key: set OPENAI_API_KEY in the environment, or give api_key"),
        (
            "anthropic:some",
            SetupError,
            "needs a package that is not installed: pip install langchain-anthropic$",
        ),
    ],
)
def test_unavailable_model_is_an_error_that_names_the_cure(
    name: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        langchain_chat(name, max_retries=0, base_url=None)


@loopback
async def test_key_repeated_by_a_server_is_redacted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-the-environment")
    with ScriptedServer(lambda request: "it is key-of-the-environment", dialect="openai") as server:
        answer = await of(server, api_key=None)
    assert answer.texts == ("it is ***",)


@loopback
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


@loopback
async def test_stream_of_the_graph_around_it_has_no_answers() -> None:
    class State(TypedDict, total=False):
        said: str

    with ScriptedServer(ANSWERS) as server:
        async with aclosing(chat(server)) as model:

            async def ask(state: State) -> State:
                return {"said": (await model.complete(ASK)).texts[0]}

            graph = StateGraph(State).add_node(ask).add_edge(START, "ask").compile()
            events = [event async for event in graph.astream({}, stream_mode=["messages", "updates"])]
    assert events == [("updates", {"ask": {"said": TEXT}})]

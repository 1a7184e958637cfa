"""What was cut, declined or meant for another function is no answer, whichever way it came."""

from typing import Any

import httpx2
import pytest
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from rarr.tools.models.chat import CallFailure, Tokens
from rarr.tools.models.langchain_chat import LangChainChat
from tools.asking import ASK, KEY, TEXT, outcome, patient

USAGE = {"prompt_tokens": 30, "completion_tokens": 5}
STOPS = [
    ("content_filter", "declined"),
    ("content_filter: SAFETY", "declined"),
    ("SAFETY", "declined"),
    ("refusal", "declined"),
    ("abort", "server"),
]
CURES = {"declined": "name another model, or add one to fallbacks"}


def choice(finish: str | None = "stop", **message: Any) -> dict[str, Any]:
    return {"message": {"role": "assistant", "content": TEXT, **message}, "finish_reason": finish}


def call(name: str | None, arguments: str = TEXT) -> dict[str, Any]:
    return {
        "tool_calls": [{"id": "1", "type": "function", "function": {"name": name, "arguments": arguments}}]
    }


class Canned(LangChainChat):
    """A server that answers with these choices."""

    def __init__(self, *choices: dict[str, Any]) -> None:
        self.completion = {"choices": list(choices), "usage": USAGE}
        self.asked = 0
        client = httpx2.AsyncClient(transport=httpx2.MockTransport(self._answered))
        url, key = "http://canned.test/v1", SecretStr(KEY)
        model = ChatOpenAI(base_url=url, api_key=key, max_retries=0, http_async_client=client)
        super().__init__("vllm:canned", lambda _: model)

    def _answered(self, _: httpx2.Request) -> httpx2.Response:
        self.asked += 1
        return httpx2.Response(200, json=self.completion)


async def failure_of(*choices: dict[str, Any]) -> CallFailure:
    failure = await outcome(patient(Canned(*choices), attempts=1), ASK)
    assert isinstance(failure, CallFailure)
    return failure


@pytest.mark.parametrize(("finish", "kind"), STOPS)
async def test_answer_stopped_early_is_a_failure(finish: str, kind: str) -> None:
    failure = await failure_of(choice(finish))
    assert failure.kind == kind
    assert str(failure).endswith(CURES.get(kind, ")"))
    assert finish.casefold() in str(failure)


UNKNOWN = ["pause_turn", "OTHER", "LANGUAGE", "unload", "new\nreason" + "x" * 1000]


@pytest.mark.parametrize("finish", UNKNOWN)
async def test_answer_with_an_unknown_stop_reason_is_a_failure(finish: str) -> None:
    failure = await failure_of(choice(finish))
    assert failure.kind == "server"
    assert str(failure).startswith("vllm:canned stopped for a reason that rarr does not know ('")
    assert "\n" not in str(failure) and len(str(failure)) < 200


FINISHED = [
    "stop", "tool_calls", "eos", "", None, "STOP", "stop_sequence", "end_turn", "tool_use", "COMPLETE",
    "function_call", "eos_token", "TOOL_CALL", "FINISH", "completed",
]  # fmt: skip


@pytest.mark.parametrize("finish", FINISHED)
async def test_finished_answer_is_returned(finish: str | None) -> None:
    assert (await Canned(choice(finish)).complete(ASK)).texts == (TEXT,)


async def test_refusal_beside_content_is_a_failure_without_keys() -> None:
    failure = await failure_of(choice(refusal=f"I can't,\nwith {KEY}."))
    assert failure.kind == "declined"
    assert "I can't, with ***." in str(failure)
    assert KEY not in str(failure)


@pytest.mark.parametrize("content", [None, TEXT])
async def test_call_of_another_function_is_not_an_answer(content: str | None) -> None:
    failure = await failure_of(choice("tool_calls", content=content, **call("delete_all")))
    assert (failure.kind, str(failure)) == (
        "server",
        "vllm:canned called the function 'delete_all' in place of 'edit'",
    )


@pytest.mark.parametrize("name", ["edit", "functions.edit", "", None])
async def test_call_of_our_function_is_the_answer(name: str | None) -> None:
    answer = await Canned(choice("tool_calls", content="so", **call(name))).complete(ASK)
    assert answer.texts == (TEXT,)


@pytest.mark.parametrize("finish", ["length", "MAX_TOKENS", "model_length"])
async def test_samples_without_a_refusal_are_kept_and_a_cut_is_told(finish: str) -> None:
    answer = await Canned(choice(finish), choice(), choice(refusal="no")).complete(ASK)
    assert (answer.texts, answer.tokens, answer.cut) == ((TEXT, TEXT), Tokens(30, 5), True)


class Calling(GenericFakeChatModel):
    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self


def of_metadata(key: str, reason: Any, **more: Any) -> AIMessage:
    return AIMessage(TEXT, response_metadata={key: reason}, **more)


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        (of_metadata("stop_reason", "max_tokens"), "cut"),
        (of_metadata("stop_reason", "refusal"), "declined"),
        (of_metadata("stopReason", "guardrail_intervened"), "declined"),
        (of_metadata("finishReason", "SAFETY"), "declined"),
        (of_metadata("done_reason", "length"), "cut"),
        (of_metadata("incomplete_details", {"reason": "max_output_tokens"}), "cut"),
        (AIMessage(TEXT, additional_kwargs={"refusal": "I cannot."}), "declined"),
        (AIMessage(TEXT, tool_calls=[{"name": "delete_all", "args": {}, "id": "1"}]), "server"),
    ],
)
async def test_stopped_answer_of_other_integrations_is_no_whole_answer(message: AIMessage, kind: str) -> None:
    chat = LangChainChat("fake", lambda _: Calling(messages=iter([message])))
    answer = await outcome(patient(chat, attempts=1), ASK)
    assert (answer.kind if isinstance(answer, CallFailure) else "cut" if answer.cut else "") == kind

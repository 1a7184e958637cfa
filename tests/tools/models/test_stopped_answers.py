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
FINISHED = [
    "stop", "tool_calls", "eos", "", None, "STOP", "stop_sequence", "end_turn", "tool_use", "COMPLETE",
    "function_call", "eos_token", "TOOL_CALL", "FINISH", "completed",
]  # fmt: skip


def choice(finish: str | None = "stop", **message: Any) -> dict[str, Any]:
    return {"message": {"role": "assistant", "content": TEXT, **message}, "finish_reason": finish}


def canned(*choices: dict[str, Any]) -> LangChainChat:
    """A server that answers with these choices."""
    completion = {"choices": list(choices), "usage": USAGE}
    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, json=completion))
    client = httpx2.AsyncClient(transport=transport)
    url, key = "http://canned.test/v1", SecretStr(KEY)
    model = ChatOpenAI(base_url=url, api_key=key, max_retries=0, http_async_client=client)
    return LangChainChat("vllm:canned", lambda: model)


async def failure_of(*choices: dict[str, Any]) -> CallFailure:
    failure = await outcome(patient(canned(*choices), attempts=1), ASK)
    assert isinstance(failure, CallFailure)
    return failure


@pytest.mark.parametrize(
    ("finish", "kind", "ending"),
    [
        *(
            (name, "declined", "name another model, or add one to fallbacks")
            for name in ("SAFETY", "refusal")
        ),
        ("content_filter: SAFETY", "declined", "name another model, or add one to fallbacks"),
    ],
)
async def test_answer_stopped_early_is_a_failure(finish: str, kind: str, ending: str) -> None:
    failure = await failure_of(choice(finish))
    assert failure.kind == kind
    assert str(failure).endswith(ending)
    assert finish.casefold() in str(failure)


@pytest.mark.parametrize("finish", ["pause_turn", "OTHER", "abort", "new\nreason" + "x" * 1000])
async def test_answer_with_an_unknown_stop_reason_is_a_failure(finish: str) -> None:
    failure = await failure_of(choice(finish))
    assert failure.kind == "server"
    assert str(failure).startswith("vllm:canned stopped for a reason other than the end of its answer ('")
    assert "\n" not in str(failure) and len(str(failure)) < 200


async def test_finished_answer_is_returned() -> None:
    for finish in FINISHED:
        assert (await canned(choice(finish)).complete(ASK)).texts == (TEXT,)


async def test_refusal_beside_content_is_a_failure_without_keys() -> None:
    failure = await failure_of(choice(refusal=f"I can't,\nwith {KEY}."))
    assert failure.kind == "declined"
    assert "I can't, with ***." in str(failure)


@pytest.mark.parametrize("finish", ["length", "MAX_TOKENS", "model_length"])
async def test_samples_without_a_refusal_are_kept_and_a_cut_is_told(finish: str) -> None:
    answer = await canned(choice(finish), choice(), choice(refusal="no")).complete(ASK)
    assert (answer.texts, answer.tokens, answer.cut) == ((TEXT, TEXT), Tokens(30, 5), True)


class Calling(GenericFakeChatModel):
    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("cut", {"response_metadata": {"stop_reason": "max_tokens"}}),
        ("cut", {"response_metadata": {"done_reason": "length"}}),
        ("cut", {"response_metadata": {"incomplete_details": {"reason": "max_output_tokens"}}}),
        ("declined", {"response_metadata": {"stopReason": "guardrail_intervened"}}),
        ("declined", {"response_metadata": {"finishReason": "SAFETY"}}),
        ("declined", {"additional_kwargs": {"refusal": "I cannot."}}),
    ],
)
async def test_stopped_answer_of_other_integrations_is_no_whole_answer(kind: str, given: Any) -> None:
    chat = LangChainChat("fake", lambda: Calling(messages=iter([AIMessage(TEXT, **given)])))
    answer = await outcome(patient(chat, attempts=1), ASK)
    assert (answer.kind if isinstance(answer, CallFailure) else "cut" if answer.cut else "") == kind

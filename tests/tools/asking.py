"""Questions for chat models, with waiting times that a test can afford."""

from contextlib import AbstractContextManager
from typing import Any

from rarr.testing import ScriptedServer
from rarr.tools.models.chat import Answer, CallFailure, ChatModel, ChatRequest, Message
from rarr.tools.models.langchain_chat import LangChainChat, langchain_chat
from rarr.tools.models.retries import BudgetedChat, Limiter
from rarr.tools.models.run_budget import Budget, Meter, using_meter

KEY = "sk-test-0123456789abcdef"
SCHEMA = {"type": "object", "properties": {"span": {"type": "string"}}, "required": ["span"]}
ASK = ChatRequest("edit", "0123", (Message("system", "Edit."), Message("user", "It opened in 1976.")), SCHEMA)
ANSWERS = {"": {"span": "1976"}}
TEXT = '{"span": "1976"}'


def chat_at(server: ScriptedServer | str, **options: Any) -> LangChainChat:
    """Makes a model at this server, or at this address."""
    url = server if isinstance(server, str) else server.url
    given = {"name": "vllm:scripted", "max_retries": 0, "timeout": 2.0, **options}
    return langchain_chat(given.pop("name"), base_url=url, **given)


def fast_chat(chat: ChatModel, *, most: int = 64, **options: Any) -> BudgetedChat:
    model = BudgetedChat(chat, Limiter(most), **{"attempts": 3, "timeout_s": 2.0, **options})
    model._attempts.first_wait_s = 0.001
    return model


def metered_run(**limits: Any) -> AbstractContextManager[Meter]:
    return using_meter(Meter(Budget(**limits)))


async def outcome(model: BudgetedChat, ask: ChatRequest = ASK) -> Answer | CallFailure:
    """Asks once, closes the connections, and returns the answer or the failure."""
    try:
        return await model.complete(ask)
    except CallFailure as failure:
        return failure
    finally:
        await model.aclose()

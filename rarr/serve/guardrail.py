"""Is a guardrail of LiteLLM's proxy: its configuration names this server, and needs no code.

The words are those of `litellm/types/proxy/guardrails/guardrail_hooks/generic_guardrail_api.py` (1.109.1).
"""

import asyncio
from typing import Any, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field

from rarr.serve.jobs_with_fallback import Desk
from rarr.serve.openai_answer_texts import ChatCompletions
from rarr.serve.request_context import call_of
from rarr.serve.request_options import options_of
from rarr.serve.text_work import TextWork
from rarr.settings import Settings

PATH = "/beta/litellm_basic_guardrail_api"
MOST_TEXTS = 1000
"""The most texts of one answer, which are worked on at once."""


class GuardrailRequest(BaseModel):
    """What LiteLLM sends, as far as it is read here."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    input_type: Literal["request", "response"]
    texts: list[str] | None = Field(default=None, max_length=MOST_TEXTS)
    structured_messages: list[dict[str, Any]] | None = None
    additional_provider_specific_params: dict[str, Any] | None = None


class GuardrailResponse(BaseModel):
    """What LiteLLM reads. `texts` are as many as came, in their order."""

    action: Literal["NONE", "GUARDRAIL_INTERVENED"]
    texts: list[str] | None = None


def guardrail(desk: Desk, settings: Settings) -> APIRouter:
    """Makes the route that LiteLLM's proxy calls with the texts of an answer."""
    router = APIRouter(tags=["litellm"])

    @router.post(PATH)
    async def check(request: Request, asked: GuardrailRequest) -> GuardrailResponse:
        """Works on the texts of an answer. What a user asks passes."""
        options = options_of(asked.additional_provider_specific_params or {}, settings)
        mode = options.mode_or(settings)
        if asked.input_type == "request" or mode == "off" or not asked.texts:
            return GuardrailResponse(action="NONE")
        conversation = ChatCompletions().conversation({"messages": asked.structured_messages})
        chosen = options.model_copy(update={"mode": mode})
        work = TextWork(desk, call_of(request.scope), chosen, conversation, settings)
        results = await asyncio.gather(*map(work.result, asked.texts))
        if not any(result.changed for result in results):
            return GuardrailResponse(action="NONE")
        return GuardrailResponse(action="GUARDRAIL_INTERVENED", texts=[result.text for result in results])

    return router

"""Reads the text of a message of LangChain, or why it cannot be used, such as "cut off" or "declined"."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rarr.tools.models.answer_parsing import UnreadableAnswer, outside_reasoning
from rarr.tools.models.chat import Answer, CallFailure, Kind, Tokens
from rarr.tools.models.client_failures import redacted

# The names of OpenAI, vLLM, Mistral, Anthropic, Google, Bedrock, Cohere and Ollama, in lower case.
_CUT = {
    "length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded",
    "repetition",  # vLLM's, for a text that repeats itself without end
}  # fmt: skip
_DECLINED = {
    "refusal", "content_filter", "content_filtered", "safety", "recitation", "blocklist", "spii",
    "prohibited_content", "guardrail_intervened", "error_toxic",
}  # fmt: skip
_BROKEN = {"error", "abort", "insufficient_system_resource", "malformed_function_call"}
_WHOLE = {
    "", "stop", "end", "end_turn", "end_of_turn", "stop_sequence", "stop_token", "eos", "eos_token",
    "endoftext", "complete", "completed", "finish", "finished", "tool_call", "tool_calls", "tool_use",
    "function_call",
}  # fmt: skip
_KEYS = ("finish_reason", "stop_reason", "stopReason", "finishReason", "done_reason")
_MOST = 100  # characters of a model's text


class Stop(NamedTuple):
    """The reason why a text cannot be used. `begun`: the text has the beginning of an answer."""

    kind: Kind
    why: str
    begun: bool = False


def outcome_of(message: Any, function: str, secrets: Sequence[str]) -> str | Stop:
    """Reads the text of a message, or the reason why it cannot be used; `function` is that of the request."""
    refusal = redacted(str(message.additional_kwargs.get("refusal") or ""), secrets)
    calls = [*getattr(message, "tool_calls", ()), *getattr(message, "invalid_tool_calls", ())]
    text = text_of(message)
    stop = _stop_of(_reason_in(message.response_metadata), refusal, text)
    return stop or _other_function([call["name"] for call in calls], function) or text


def text_of(message: Any) -> str:
    """Reads the arguments of the first function call as JSON; without a call, the text of the message."""
    calls = getattr(message, "tool_calls", None) or ()
    if calls:
        return json.dumps(calls[0]["args"], ensure_ascii=False)
    broken = getattr(message, "invalid_tool_calls", None) or ()
    return str(broken[0].get("args") or "") if broken else str(message.text)


def _stop_of(reason: object, refusal: object, text: str) -> Stop | None:
    """Tells why `text` cannot be used, by the server's stop reason or the model's refusal; None if it can.

    It can be used if the server gives no reason, but not with a reason that is unknown here.
    """
    name = str(reason or "").strip().casefold()
    if name in _CUT:
        return Stop("cut", f"was cut off in its answer ({name})", has_begun(text))
    if refusal:
        return Stop("declined", f"declined to answer: {' '.join(str(refusal).split())[:_MOST]!r}")
    if name.partition(":")[0] in _DECLINED:
        return Stop("declined", f"declined to answer, or a filter withheld it ({name})")
    if name in _BROKEN:
        return Stop("server", f"broke off its answer ({name})")
    if name not in _WHOLE:  # a new name for "cut" or "withheld" must not pass for a whole answer
        return Stop("server", f"stopped for a reason that rarr does not know ({name[:_MOST]!r})")
    return None


def has_begun(text: str) -> bool:
    """True if `text`, which was cut off, has a `{` outside of its reasoning: an answer has begun."""
    try:
        return "{" in "".join(outside_reasoning(text))
    except UnreadableAnswer:
        return False


def _reason_in(metadata: Mapping[str, Any]) -> object:
    """Reads the stop reason in the metadata of a LangChain message, whose key depends on the provider."""
    details = metadata.get("incomplete_details")
    if isinstance(details, Mapping):
        return details.get("reason")
    return next((metadata[key] for key in _KEYS if metadata.get(key)), None)


def _other_function(called: Sequence[object], wanted: str) -> Stop | None:
    """Returns a failure if functions were called, but not `wanted`; otherwise None.

    Some servers leave out or prefix the name of the function.
    """
    names = [str(name or wanted) for name in called]
    if not names or any(name.rpartition(".")[2] == wanted for name in names):
        return None
    return Stop("server", f"called the function {names[0][:_MOST]!r} in place of {wanted!r}")


def whole(outcomes: Sequence[str | Stop], tokens: Tokens, name: str) -> Answer:
    """Makes an answer of the texts among `outcomes`. Raises `CallFailure` if all are stops."""
    texts = tuple(outcome for outcome in outcomes if isinstance(outcome, str))
    if texts:
        return Answer(texts, tokens)
    stop = next(outcome for outcome in outcomes if isinstance(outcome, Stop))
    raise CallFailure(stop.kind, f"{name} {stop.why}", tokens=tokens, begun=stop.begun)

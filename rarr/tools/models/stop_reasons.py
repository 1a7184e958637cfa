"""Why a model stopped: what was cut, declined or meant for another function is no answer."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rarr.tools.models.chat import Answer, CallFailure, Kind, Tokens
from rarr.tools.models.structured_answers import UnreadableAnswer, outside_reasoning

# As OpenAI, vLLM, Mistral, Anthropic, Google, Bedrock, Cohere and Ollama name them, in lower case.
_CUT = {"length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"}
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
_MOST = 100  # characters of what a model said


class Stop(NamedTuple):
    """Why a text is no answer; `begun`: it had the beginning of one."""

    kind: Kind
    why: str
    begun: bool = False


def stop_of(reason: object, refusal: object, text: str) -> Stop | None:
    """Why `text` is no answer, by the reason or refusal that the server gives; None where it is whole.

    A server may give no reason. A reason that is not known counts as that of no answer.
    """
    named = str(reason or "").strip().casefold()
    if named in _CUT:
        return Stop("cut", f"was cut off in its answer ({named})", has_begun(text))
    if refusal:
        return Stop("declined", f"declined to answer: {' '.join(str(refusal).split())[:_MOST]!r}")
    if named.partition(":")[0] in _DECLINED:
        return Stop("declined", f"declined to answer, or a filter withheld it ({named})")
    if named in _BROKEN:
        return Stop("server", f"broke off its answer ({named})")
    if named not in _WHOLE:  # a new name for "cut" or "withheld" must not pass for a whole answer
        return Stop("server", f"stopped for a reason that rarr does not know ({named[:_MOST]!r})")
    return None


def has_begun(text: str) -> bool:
    """Does `text`, which was cut, hold the beginning of an answer, rather than reasoning before it?"""
    try:
        return "{" in "".join(outside_reasoning(text))
    except UnreadableAnswer:
        return False


def reason_in(metadata: Mapping[str, Any]) -> object:
    """The reason in the metadata of a message of LangChain's, by whatever name the provider has for it."""
    details = metadata.get("incomplete_details")
    if isinstance(details, Mapping):
        return details.get("reason")
    return next((metadata[key] for key in _KEYS if metadata.get(key)), None)


def other_function(called: Sequence[object], wanted: str) -> Stop | None:
    """Where functions are called, but none that was offered. Some servers give no name, or a namespace."""
    names = [str(name or wanted) for name in called]
    if not names or any(name.rpartition(".")[2] == wanted for name in names):
        return None
    return Stop("server", f"called the function {names[0][:_MOST]!r} in place of {wanted!r}")


def whole(outcomes: Sequence[str | Stop], tokens: Tokens, name: str) -> Answer:
    """The texts that are whole. Raises `CallFailure` where none is."""
    texts = tuple(one for one in outcomes if isinstance(one, str))
    if texts:
        return Answer(texts, tokens)
    stop = next(one for one in outcomes if isinstance(one, Stop))
    raise CallFailure(stop.kind, f"{name} {stop.why}", tokens=tokens, begun=stop.begun)

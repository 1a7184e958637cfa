"""Describes in words what the answers to the probe requests show about a language model."""

from collections.abc import Sequence
from typing import Any

from rarr.tools.models.answer_parsing import UnreadableAnswer, outside_reasoning, read_answer
from rarr.tools.models.chat import Answer, CallFailure, FormatKind, RequestForm
from rarr.tools.models.model_profile import Ability
from rarr.tools.models.probe_requests import ANSWERED, FORM, WORD, ProbeAnswer

Outcome = Answer | CallFailure

_FORMATS: dict[FormatKind, str] = {
    "json_schema": "JSON schema",
    "function": "function call, in place of a JSON schema",
    "json_object": "JSON mode, in place of a JSON schema",
    "text": "plain text: the server refuses every form of JSON",
}


def form_ability(form: RequestForm, outcome: Outcome) -> Ability:
    """Tells how the server is asked for JSON, and whether the answer fits the schema."""
    details = [_FORMATS[form.kind]]
    if isinstance(outcome, Answer):
        kept = all(_answer_in(text) == WORD for text in outcome.texts)
        if form.kind in ("json_schema", "function"):
            details.append("the answer fits it" if kept else "the answer does not fit it")
        elif not all(_answer_in(text) for text in outcome.texts):
            details.append("the answer is not JSON")
    if parts := sorted(form.left_out - {"n", "logprobs"}):
        details.append(f"without {' and '.join(parts)}, which it refuses")
    state = "no" if form.kind == "text" else "yes"
    return Ability(name="structured answers", state=state, detail="; ".join(details))


def samples_ability(form: RequestForm, outcome: Outcome) -> Ability:
    """Tells whether several samples come in one request."""
    name = "several samples"
    if isinstance(outcome, CallFailure):
        return Ability(name=name, state="unknown", detail=_reason(outcome))
    if "n" in form.left_out:
        return Ability(name=name, state="no", detail="it refuses n: each sample is a request of its own")
    given = f"{len(outcome.texts)} of {FORM.samples} in one request"
    if len(outcome.texts) == FORM.samples:
        return Ability(name=name, state="yes", detail=given)
    return Ability(name=name, state="no", detail=f"{given}: the others are requested one by one")


def logprobs_ability(form: RequestForm, outcome: Outcome, *, by_langchain: bool) -> Ability:
    """Tells whether an answer comes with its probability."""
    name = "probabilities"
    if by_langchain:
        return Ability(name=name, state="not asked", detail="rarr requests none through LangChain")
    if "logprobs" in form.left_out:
        return Ability(name=name, state="no", detail="it refuses logprobs")
    if isinstance(outcome, CallFailure):
        return Ability(name=name, state="unknown", detail=_reason(outcome))
    if outcome.probabilities:
        return Ability(name=name, state="yes", detail="logprobs of each token")
    return Ability(name=name, state="no", detail="it gives no logprobs")


def usage_ability(outcomes: Sequence[Outcome]) -> Ability:
    """Tells whether the server reports the tokens of an answer."""
    if any(isinstance(outcome, Answer) and not any(outcome.tokens) for outcome in outcomes):
        return Ability(name="token counts", state="no", detail="it reports none: tokens are estimated")
    if not any(any(outcome.tokens) for outcome in outcomes):
        return Ability(name="token counts", state="unknown", detail="no answer shows it")
    return Ability(name="token counts", state="yes", detail="reported with each answer")


def reasons(outcome: Outcome) -> bool | None:
    """True if the model reasoned before it answered; None if that cannot be told."""
    if isinstance(outcome, CallFailure):
        return True if outcome.kind == "cut" and not outcome.begun else None
    return outcome.reasoned or any(_has_reasoning(text) for text in outcome.texts)


async def context_ability(chat: Any) -> Ability:
    """Tells the context length that the server gives among its facts, which costs nothing."""
    name = "context length"
    if not hasattr(chat, "facts"):
        return Ability(name=name, state="not asked", detail="rarr cannot ask this provider")
    facts = await _facts(chat)
    meta = _inner(facts, "meta")
    for place, tokens in (
        ("max_model_len of /models", facts.get("max_model_len")),  # vLLM
        ("meta.n_ctx of /models", meta.get("n_ctx")),  # llama.cpp: the context of one slot
        ("/props", await _props_length(chat) if meta else None),
        ("meta.n_ctx_train of /models: that of its training, at most", meta.get("n_ctx_train")),
    ):
        if isinstance(tokens, int):
            return Ability(name=name, state="yes", detail=f"{tokens:,} tokens ({place})")
    return Ability(name=name, state="unknown", detail="the server does not report it")


async def _props_length(chat: Any) -> object:
    """Reads the context of one slot from `/props` of an older llama.cpp, which is beside `/v1`."""
    try:
        return _inner(await chat.facts("../props"), "default_generation_settings").get("n_ctx")
    except CallFailure:  # the server may have closed it
        return None


async def _facts(chat: Any) -> dict[str, Any]:
    """Reads the entry of the model in the list of the server; {} if it has none."""
    try:
        listed = _inner(await chat.facts("models"), "data", [])
    except CallFailure:  # a server without a list
        return {}
    name = chat.name.partition(":")[2]
    return next((model for model in listed if isinstance(model, dict) and model.get("id") == name), {})


def _inner(facts: Any, key: str, default: Any = None) -> Any:
    """Reads a value of the type of `default` (a dict if it is None); `default` for any other."""
    default = {} if default is None else default
    value = facts.get(key) if isinstance(facts, dict) else None
    return value if isinstance(value, type(default)) else default


def _answer_in(text: str) -> str:
    try:
        return read_answer(text, ProbeAnswer).answer
    except UnreadableAnswer:
        return ""


def _has_reasoning(text: str) -> bool:
    try:
        return outside_reasoning(text) != [text]
    except UnreadableAnswer:
        return True


def _reason(failure: CallFailure) -> str:
    if failure.kind == "cut":
        return f"the answer was cut off at {ANSWERED.max_tokens:,} tokens"
    return str(failure)

"""Asks a language model what it can do, and makes its profile."""

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast

from rarr.tools.concurrency.together import together
from rarr.tools.models.chat import (
    FULL_FORM,
    CallFailure,
    ChatModel,
    ChatRequest,
    Part,
    RequestForm,
    Tokens,
    estimated_tokens,
)
from rarr.tools.models.concurrency_limit import Limiter
from rarr.tools.models.model_profile import Ability, ModelProfile, Speed, State
from rarr.tools.models.probe_interpretation import (
    Outcome,
    context_ability,
    form_ability,
    logprobs_ability,
    reasons,
    samples_ability,
    usage_ability,
)
from rarr.tools.models.probe_requests import (
    ANSWERED,
    AT_ONCE,
    FORM,
    LIKELY,
    LONG,
    SHORT,
    long_prompt,
)
from rarr.tools.models.probed_speed import (
    Timing,
    Timings,
    at_once_ability,
    cache_ability,
    speed_ability,
    speed_of,
)
from rarr.tools.models.retrying_metered_chat import BudgetedChat
from rarr.tools.models.run_budget import METER, Meter

_clock = time.perf_counter

MakeChat = Callable[[RequestForm, Mapping[str, Any]], ChatModel]
"""Makes the model for a form of request, with fields for the body of every request."""

SWITCHES: tuple[tuple[Mapping[str, Any], str], ...] = (
    (
        {"chat_template_kwargs": {"enable_thinking": False}},
        "{ chat_template_kwargs = { enable_thinking = false } }",
    ),
    ({"chat_template_kwargs": {"thinking": False}}, "{ chat_template_kwargs = { thinking = false } }"),
    ({"reasoning_effort": "none"}, '{ reasoning_effort = "none" }'),
)
"""Fields that switch the reasoning of some models off, also as they are written in `rarr.toml`."""


async def profile_of(make: MakeChat, base_url: str, *, timeout_s: float, meter: Meter) -> ModelProfile:
    """Tests the model that `make` makes, and returns its profile: its abilities and its speed.

    `meter` counts the requests. Raises `CallFailure` if the model does not answer the first request.
    """
    token = METER.set(meter)
    try:
        return await _Probing(make, timeout_s).profile(base_url, meter)
    finally:
        METER.reset(token)


class _Probing:
    """Sends test requests to one model, and finds out its abilities and its speed."""

    def __init__(self, make: MakeChat, timeout_s: float) -> None:
        self._make, self._timeout_s = make, timeout_s
        self._chat = make(FULL_FORM, {})
        self._model = self._budgeted(self._chat)
        self._by_langchain = bool(getattr(self._chat, "by_langchain", False))

    async def profile(self, base_url: str, meter: Meter) -> ModelProfile:
        """Sends all requests, and makes the profile. Raises `CallFailure` if the first fails."""
        try:
            formed = await self._outcome(self._model, FORM)
            if isinstance(formed, CallFailure) and formed.kind != "cut":
                raise formed
            likely = await self._outcome(self._model, LIKELY)
            speed, measured = await self._measured()
            abilities = (
                form_ability(self._form, formed),
                samples_ability(self._form, formed),
                logprobs_ability(self._form, likely, by_langchain=self._by_langchain),
                usage_ability([formed, likely]),
                await context_ability(self._chat),
                await self._thinking([formed, likely]),
                *measured,
            )
        finally:
            await self._model.aclose()
        return ModelProfile(
            model=self._model.name,
            base_url=base_url,
            asked_at=datetime.now(UTC).replace(microsecond=0),
            format=self._form.kind,
            left_out=cast("tuple[Part, ...]", tuple(sorted(self._form.left_out))),
            speed=speed,
            abilities=abilities,
            requests=meter.total.model_calls,
            input_tokens=meter.total.input_tokens,
            output_tokens=meter.total.output_tokens,
        )

    @property
    def _form(self) -> RequestForm:
        form: RequestForm = getattr(self._chat, "form", FULL_FORM)
        return form

    def _budgeted(self, chat: ChatModel) -> BudgetedChat:
        return BudgetedChat(chat, Limiter(AT_ONCE), attempts=1, timeout_s=self._timeout_s)

    async def _outcome(self, model: BudgetedChat, ask: ChatRequest) -> Outcome:
        try:
            return await model.complete(ask)
        except CallFailure as failure:
            return failure

    async def _thinking(self, outcomes: Sequence[Outcome]) -> Ability:
        """Tells whether the model reasons before it answers, and which setting switches that off."""
        name, known = "thinking", {reasons(outcome) for outcome in outcomes}
        if True not in known:
            state: State = "no" if False in known else "unknown"
            detail = "it answers at once" if False in known else "no answer shows whether it reasons"
            return Ability(name=name, state=state, detail=detail)
        detail = "it reasons before it answers"
        if self._by_langchain:
            detail += ", which takes tokens and time; rarr did not ask whether it can be switched off"
            return Ability(name=name, state="yes", detail=detail)
        for fields, written in SWITCHES:
            if await self._answers_at_once(fields):
                switch = f'endpoints."{self._model.name}".extra = {written}'
                return Ability(name=name, state="yes", detail=f"{detail}; {switch} switches it off")
        return Ability(name=name, state="yes", detail=f"{detail}; no setting that rarr knows switches it off")

    async def _answers_at_once(self, fields: Mapping[str, Any]) -> bool:
        model = self._budgeted(self._make(self._form, fields))
        try:
            return reasons(await self._outcome(model, ANSWERED)) is False
        finally:
            await model.aclose()

    async def _measured(self) -> tuple[Speed | None, list[Ability]]:
        """Measures speed, prefix cache and requests at once; unknown, with the reason, if a request fails."""
        failed = ""
        try:
            timings = await self._timings()
        except CallFailure as failure:
            names = ("prefix cache", "speed", "requests at once")
            return None, [Ability(name=name, state="unknown", detail=_with_cure(failure)) for name in names]
        started = _clock()
        try:
            await together(*(self._timed(LONG) for _ in range(AT_ONCE)))
            timings = timings._replace(at_once_s=_clock() - started)
        except CallFailure as failure:
            failed = _with_cure(failure)
        speed = speed_of(timings)
        return speed, [
            cache_ability(timings),
            speed_ability(speed),
            at_once_ability(timings, speed, failed),
        ]

    async def _timings(self) -> Timings:
        await self._timed(SHORT)  # from then on, a prefix cache has it for `SHORT` and `LONG` alike
        short, long = await self._timed(SHORT), await self._timed(LONG)
        prompt = long_prompt(secrets.randbits(64))
        return Timings(short, await self._timed(prompt), await self._timed(prompt), long, None)

    async def _timed(self, ask: ChatRequest) -> Timing:
        """Sends a request whose answer is cut off at its limit; estimates tokens that are not reported."""
        started = _clock()
        texts: Sequence[str] = ()
        try:
            answer = await self._model.complete(ask)
            tokens, texts = answer.tokens, answer.texts
        except CallFailure as failure:
            if failure.kind not in ("cut", "repeating"):
                raise
            tokens = failure.tokens
        seconds = _clock() - started
        if not any(tokens):
            written = estimated_tokens(texts) if texts else ask.max_tokens
            tokens = Tokens(estimated_tokens([message.content for message in ask.messages]), written)
        return Timing(tokens, seconds)


def _with_cure(failure: CallFailure) -> str:
    # A run sends longer requests than these, so they would be late as well.
    return f"{failure}; raise timeout_s" if failure.kind == "timeout" else str(failure)

"""Scripted models that answer the requests by which `rarr doctor --model` finds out what a model can do."""

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import Any

from rarr.testing import CutOff, Request, ScriptedServer
from rarr.testing.replies import Reply
from rarr.tools.models.chat import RequestForm, estimated_tokens
from rarr.tools.models.model_profile import Ability, ModelProfile
from rarr.tools.models.probe_requests import WORD
from rarr.tools.models.probing import profile_of
from rarr.tools.models.run_budget import Meter
from tools.asking import protocol

NAME = "vllm:scripted"


def answered(request: Request) -> str | dict[str, str]:
    """The words that a request counts, so many that `cut` leaves its limit of tokens; else the word."""
    if "Count" not in request.user:
        return {"answer": WORD}
    limit = request.body.get("max_tokens") or request.body["max_completion_tokens"]
    return "".join(f"{number:07d} " for number in range(int(limit)))


def cut(request: Request) -> CutOff | None:
    return CutOff() if "Count" in request.user else None


def server(answer: Callable[[Request], Any] = answered, **options: Any) -> ScriptedServer:
    return ScriptedServer(answer, **{"plan": cut, "probability": 0.5, **options})


class SlowModel:
    """Reads and writes some tokens a second, one request after another if it has one slot."""

    def __init__(self, reads: float, writes: float, *, one_slot: bool = False, cache: bool = False) -> None:
        self._reads, self._writes, self._cache = reads, writes, cache
        self._slot = threading.Lock() if one_slot else None
        self._seen: set[str] = set()

    def __call__(self, request: Request) -> str | dict[str, str]:
        answer = answered(request)
        fresh = not self._cache or request.text not in self._seen
        self._seen.add(request.text)
        seconds = fresh * estimated_tokens([request.text]) / self._reads
        seconds += (len(answer) / 8 if isinstance(answer, str) else 0) / self._writes
        with ExitStack() as stack:
            if self._slot:
                stack.enter_context(self._slot)
            time.sleep(seconds)  # in a thread of the server
        return answer


class FactServer(ScriptedServer):
    """Also lists facts about its model, and answers GET /props, as llama.cpp does."""

    facts: Mapping[str, Any] = {}
    props: Mapping[str, Any] | None = None

    def _reply_to(self, request: Request) -> Reply:
        if request.path == "/v1/models":
            return _json({"data": [{"id": "scripted", **self.facts}]})
        if request.path == "/props" and self.props is not None:
            return _json(self.props)
        return super()._reply_to(request)


def _json(value: object) -> Reply:
    import json

    return Reply(200, json.dumps(value).encode())


async def profile(at: ScriptedServer, **options: Any) -> ModelProfile:
    def make(form: RequestForm, fields: Mapping[str, Any]) -> Any:
        return protocol(at, form=form, extra=dict(fields), **options)

    return await profile_of(make, at.url, timeout_s=2.0, meter=Meter())


def ability(profile: ModelProfile, name: str) -> Ability:
    [named] = [ability for ability in profile.abilities if ability.name == name]
    return named

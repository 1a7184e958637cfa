"""Offers a language model in process that answers from a script, and what scripted models have in common."""

import asyncio
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from rarr.tools.models.chat import Answer, CallFailure, ChatRequest, Message, Tokens, estimated_tokens


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One sample of one request. `prompt` is the prompt's name; None where the request does not tell it."""

    prompt: str | None
    messages: tuple[Message, ...]
    sample: int = 0

    @property
    def system(self) -> str:
        """The system messages, each on its own lines."""
        return "\n".join(message.content for message in self.messages if message.role == "system")

    @property
    def user(self) -> str:
        """The last user message."""
        return next((message.content for message in reversed(self.messages) if message.role == "user"), "")

    @property
    def text(self) -> str:
        """All messages, each on its own lines."""
        return "\n".join(message.content for message in self.messages)


NO_TOKENS = Tokens()


@dataclass(frozen=True, kw_only=True)
class Request(Asked):
    """One HTTP request. Names in `headers` are in lower case; `body` are the fields of its JSON or its query.

    `arrived` and `left` are by `time.perf_counter`; `left` is None while the request is in flight. `status`
    is None if no answer was sent, and `tokens` are those of the usage in the answer.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    arrived: float = field(default_factory=time.perf_counter)
    left: float | None = None
    status: int | None = None
    tokens: Tokens = NO_TOKENS

    @property
    def model(self) -> str:
        """The model that the request names."""
        return str(self.body.get("model", ""))

    @property
    def n(self) -> int:
        """The number of answers that the request asks for."""
        n = self.body.get("n")
        return n if isinstance(n, int) else 1


Given = str | Mapping[str, Any]
AskedT = TypeVar("AskedT", bound=Asked)
Answers = Mapping[str, Given] | Callable[[AskedT], Given]
"""A script: a function of the request, or a mapping whose first key that occurs in the text gives the answer.

An answer that is not a string is dumped as JSON.
"""


class UnansweredError(Exception):
    """The script has no answer to a request: the test, or the prompt, did not mean to send it."""


def answer_to(asked: AskedT, answers: Answers[AskedT]) -> str:
    """Finds the answer to a request. Raises `UnansweredError` if no key of a mapping is in its text."""
    if callable(answers):
        given = answers(asked)
    elif (key := next((key for key in answers if key in asked.text), None)) is not None:
        given = answers[key]
    else:
        raise UnansweredError(f"the script has no answer: none of its {len(answers)} keys is in the request")
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)


def tokens_of(messages: Sequence[Message], texts: Sequence[str]) -> Tokens:
    """Counts the tokens of messages and answers, with `estimated_tokens`."""
    return Tokens(estimated_tokens([message.content for message in messages]), estimated_tokens(texts))


class ScriptedModel:
    """A chat model that answers from a script. `calls` are the requests, in order.

        ScriptedModel({"When did it open?": {"verdict": "agrees"}})
        ScriptedModel(lambda asked: f"{asked.prompt}, sample {asked.sample}")

    `failures` are raised, one for each call (None: the call is answered); later calls are answered. A request
    that no key of the script fits raises a `CallFailure`. `latency`: seconds before each answer.
    """

    def __init__(
        self,
        answers: Answers[Asked],
        *,
        name: str = "scripted",
        latency: float = 0.0,
        failures: Sequence[Exception | None] = (),
    ) -> None:
        self.name = name
        self.calls: list[ChatRequest] = []
        self._answers, self._latency = answers, latency
        self._failures = iter(failures)

    async def complete(self, ask: ChatRequest) -> Answer:
        """Returns the scripted answers, one for each sample, or raises the next of `failures`."""
        self.calls.append(ask)
        failure = next(self._failures, None)
        await asyncio.sleep(self._latency)
        if failure is not None:
            raise failure
        samples = [Asked(prompt=ask.name, messages=ask.messages, sample=n) for n in range(ask.samples)]
        try:
            texts = tuple(answer_to(asked, self._answers) for asked in samples)
        except UnansweredError as error:
            raise CallFailure("refused", f"{self.name}: {error}") from None
        return Answer(texts, tokens_of(ask.messages, texts), served=self.name)

    async def aclose(self) -> None:
        """Closes nothing: no connection is open."""

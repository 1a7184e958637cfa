"""A language model that answers from a script. The scripted server uses other parts of this module."""

import asyncio
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from rarr.tools.models.chat import Answer, CallFailure, ChatRequest, Message, Tokens, estimated_tokens


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A request for one answer. `prompt` is the name of the prompt; None if the request names no prompt."""

    prompt: str | None
    messages: tuple[Message, ...]
    sample: int = 0  # the number of the answer, from 0, if a request asks for several answers

    @property
    def system(self) -> str:
        """Returns the system messages, joined by line ends."""
        return "\n".join(message.content for message in self.messages if message.role == "system")

    @property
    def user(self) -> str:
        """Returns the last user message."""
        return next((message.content for message in reversed(self.messages) if message.role == "user"), "")

    @property
    def text(self) -> str:
        """Returns all messages, joined by line ends."""
        return "\n".join(message.content for message in self.messages)


NO_TOKENS = Tokens()


@dataclass(frozen=True, kw_only=True)
class Request(Asked):
    """An HTTP request, and the status and time of its answer. Times are seconds of `time.perf_counter`."""

    method: str
    path: str
    headers: Mapping[str, str]  # with names in lower case
    body: Mapping[str, Any]  # the fields of the JSON body or of the query string
    arrived: float = field(default_factory=time.perf_counter)  # when the request came
    left: float | None = None  # when the answer ended; None if it has not ended yet
    status: int | None = None  # the status of the answer; None if the server sent no answer
    tokens: Tokens = NO_TOKENS  # the usage that the answer states

    @property
    def model_name(self) -> str:
        return str(self.body.get("model", ""))

    @property
    def n(self) -> int:
        """Returns the number of answers that the request asks for."""
        n = self.body.get("n")
        return n if isinstance(n, int) else 1


ScriptedAnswer = str | Mapping[str, Any]
AskedT = TypeVar("AskedT", bound=Asked)
Answers = Mapping[str, ScriptedAnswer] | Callable[[AskedT], ScriptedAnswer]
"""A script: a function that answers a request, or a mapping from words to answers.

The first key that occurs in the messages of a request decides. An answer that is no string becomes JSON.
"""


class UnansweredError(Exception):
    """The script has no answer to a request."""


def answer_to(asked: AskedT, answers: Answers[AskedT]) -> str:
    """Returns the scripted answer to a request. Raises `UnansweredError` if the script has no answer."""
    if callable(answers):
        given = answers(asked)
    elif (key := next((key for key in answers if key in asked.text), None)) is not None:
        given = answers[key]
    else:
        raise UnansweredError(f"none of the {len(answers)} keys of the script is in the request: add a key")
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)


def tokens_of(messages: Sequence[Message], texts: Sequence[str]) -> Tokens:
    """Estimates the tokens of the `messages` (input) and of the answers `texts` (output)."""
    return Tokens(estimated_tokens([message.content for message in messages]), estimated_tokens(texts))


class ScriptedModel:
    """A chat model that answers from a script. `calls` lists all requests in order.

        ScriptedModel({"When did it open?": {"verdict": "agrees"}})
        ScriptedModel(lambda asked: f"{asked.prompt}, sample {asked.sample}")

    Each call takes the next entry of `failures`. If the entry is an exception, the call raises the exception.
    If the entry is None, or if no entry is left, the call answers. If the script has no answer, the call
    raises `CallFailure`. Each call first waits `latency` seconds.
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
        """Returns `ask.samples` scripted answers, or raises the next exception of `failures`."""
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
        """Does nothing: this model has no connections."""

"""Answers as a language model in process, from a script."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

from rarr.errors import InputError
from rarr.testing.scripted_answer_lookup import Answers, Asked, UnansweredError, answer_to
from rarr.testing.token_counting import TokenCounter
from rarr.tools.models.chat import Answer, CallFailure, ChatRequest


class ScriptedModel:
    """A chat model that answers from a script. `calls` are the requests, in order.

        ScriptedModel({"When did it open?": {"verdict": "agrees"}})
        ScriptedModel(lambda asked: f"{asked.prompt}, sample {asked.sample}")

    `failures` are raised, one for each call (None: the call is answered); later calls are answered. A request
    that no key of the script fits raises a `CallFailure`. `latency`: seconds before each answer.
    `closed`: True after `aclose`.
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
        self.closed = False
        self._answers = answers
        self._latency = latency
        self._failures = iter(failures)
        self._counter = TokenCounter()

    @classmethod
    def from_file(cls, path: str | Path) -> "ScriptedModel":
        """Reads the script from a JSON file: {"a part of the prompt": answer, ...}. Raises `InputError`."""
        try:
            answers = json.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise InputError(
                f"the script {path} cannot be read ({error}): give a JSON file in UTF-8"
            ) from None
        if not isinstance(answers, dict) or not all(
            isinstance(entry, str | dict) for entry in answers.values()
        ):
            raise InputError(f'the script {path} must be {{"a part of the prompt": text or object, ...}}')
        return cls(answers)

    async def complete(self, ask: ChatRequest) -> Answer:
        """Returns the scripted answers, one for each sample, or raises the next of `failures`."""
        self.calls.append(ask)
        failure = next(self._failures, None)
        await asyncio.sleep(self._latency)
        if failure is not None:
            raise failure
        try:
            texts = tuple(
                answer_to(Asked(prompt=ask.name, messages=ask.messages, sample=sample), self._answers)
                for sample in range(ask.samples)
            )
        except UnansweredError as error:
            raise CallFailure("refused", f"{self.name}: {error}") from None
        contents = [message.content for message in ask.messages]
        return Answer(texts, self._counter.count(contents, texts), served=self.name)

    async def aclose(self) -> None:
        """Records that the model was closed."""
        self.closed = True

"""Finds the answer of a script to a request, which came over a socket or in process."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from rarr.tools.models.chat import Message


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
    if isinstance(answers, Mapping):
        matching_key = next((key for key in answers if key in asked.text), None)
        if matching_key is None:
            raise UnansweredError(
                f"the script has no answer: none of its {len(answers)} keys is in the request"
            )
        given = answers[matching_key]
    else:
        given = answers(asked)
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)

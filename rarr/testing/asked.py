"""What a script is asked, over a socket or in process, and how its answer is found."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from rarr.tools.models.chat import Message


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One sample of one request. `prompt` is the prompt's name, None where the request does not tell it."""

    prompt: str | None
    messages: tuple[Message, ...]
    sample: int = 0

    @property
    def system(self) -> str:
        """The system messages, each on lines of its own."""
        return "\n".join(message.content for message in self.messages if message.role == "system")

    @property
    def user(self) -> str:
        """The last user message."""
        return next((one.content for one in reversed(self.messages) if one.role == "user"), "")

    @property
    def text(self) -> str:
        """All messages, each on lines of its own."""
        return "\n".join(message.content for message in self.messages)


Given = str | Mapping[str, Any]
AskedT = TypeVar("AskedT", bound=Asked)
Answers = Mapping[str, Given] | Callable[[AskedT], Given]
"""A function of what is asked, or the answers by a part of the text: the first key that is in it counts.

What is no string is dumped as JSON.
"""


class UnansweredError(Exception):
    """The script has no answer: a request that the test, or the prompt, did not mean to send."""


def answer_to(asked: AskedT, answers: Answers[AskedT]) -> str:
    """The answer. Raises `UnansweredError` where no key of a mapping is in the text."""
    if isinstance(answers, Mapping):
        found = next((key for key in answers if key in asked.text), None)
        if found is None:
            raise UnansweredError(
                f"the script has no answer: none of its {len(answers)} keys is in the request"
            )
        given = answers[found]
    else:
        given = answers(asked)
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)

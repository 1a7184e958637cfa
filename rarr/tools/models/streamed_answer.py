"""Puts the parts of a streamed completion together, and notices a text that does not end by itself."""

from collections.abc import Mapping
from typing import Any

from rarr.tools.guard.bounded_http_client import LONGEST
from rarr.tools.models.chat import CallFailure
from rarr.tools.models.repetition import REPETITION, TAIL, repetition_in

_THOUGHTS = ("reasoning_content", "reasoning")  # the names that servers have for reasoning beside the answer
_MOST_CALLS = 16  # function calls in one text: the request names one function
_LOGPROB = 100  # bytes that count for the probability of a token
_SLACK = 2  # times `max_tokens`, since the tokens are only estimated, by the events and their bytes


class StreamedAnswer:
    """One completion under way, of `choices` texts with at most `max_tokens` tokens each."""

    def __init__(self, choices: int, max_tokens: int, name: str) -> None:
        """`name` is that of the model."""
        self._wanted, self._max_tokens, self._name = choices, max_tokens, name
        self._choices: dict[int, _StreamedChoice] = {}
        self._usage: Any = None

    def add(self, event: Any) -> bool:
        """Adds the parts in `event`; returns True if a text went on or ended.

        Raises `CallFailure` if the event is no part of a completion, or makes the completion too long.
        """
        try:
            self._usage = event.get("usage") or self._usage
            went_on = [self._add(part) for part in event.get("choices") or ()]
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise CallFailure("server", f"{self._name} did not stream a completion: {error!r}") from None
        if sum(choice.length for choice in self._choices.values()) > LONGEST:
            most = f"{LONGEST / 1_000_000:g} MB"
            raise CallFailure("refused", f"{self._name} answered with more than {most}")
        return any(went_on)

    @property
    def is_whole(self) -> bool:
        """True if each text has ended."""
        return bool(self._choices) and all(choice.finish for choice in self._choices.values())

    @property
    def is_decided(self) -> bool:
        """True if the rest is of no use: each text has ended, and one was ended here and still runs on."""
        runs_on = any(choice.runs_on for choice in self._choices.values())
        return runs_on and len(self._choices) == self._wanted and self.is_whole

    def completion(self, sent: int) -> dict[str, Any]:
        """The completion in the form of an answer that is not streamed.

        Its usage is estimated if the answer was left before the server reported it. `sent` are the tokens of
        the messages.
        """
        usage = self._usage
        if usage is None and self.is_decided:
            written = sum(choice.tokens for choice in self._choices.values())
            usage = {"prompt_tokens": sent, "completion_tokens": written}
        return {"choices": [choice.whole for _, choice in sorted(self._choices.items())], "usage": usage}

    def _add(self, part: Mapping[str, Any]) -> bool:
        index = int(part.get("index") or 0)
        if not 0 <= index < self._wanted:
            raise IndexError(f"it has text {index}, and {self._wanted} were requested")
        choice = self._choices.setdefault(index, _StreamedChoice())
        went_on = choice.add(part)
        if choice.least_tokens > _SLACK * self._max_tokens:
            choice.end("length")
        return went_on


class _StreamedChoice:
    """One text under way. `finish` is its stop reason; `runs_on`: it was ended here, and not by the server.

    `length` counts the bytes of all that is held or was read of it.
    """

    def __init__(self) -> None:
        self.finish, self.runs_on, self.length = "", False, 0
        self._reasoned = False
        self._texts: list[str] = []
        self._refusals: list[str] = []
        self._calls: dict[int, _StreamedToolCall] = {}
        self._logprobs: list[Any] | None = []
        self._tail, self._pieces, self._bytes = "", 0, 0

    def add(self, part: Mapping[str, Any]) -> bool:
        """Adds a part; returns True if the text went on or ended. Does nothing once it has ended."""
        if self.finish:
            return False
        delta = part.get("delta") or {}
        added = self._added(delta)
        self._add_logprobs(part.get("logprobs"), bool(delta.get("content")))
        self.finish = str(part.get("finish_reason") or "")
        if added:
            self._watch(added)
        return bool(added or part.get("finish_reason"))

    def end(self, reason: str) -> None:
        """Ends the text here, if the server has not ended it."""
        if not self.finish:
            self.finish, self.runs_on = reason, True

    @property
    def least_tokens(self) -> int:
        """A low estimate of the tokens: an event has at least one, and a token has about four bytes."""
        return min(self._pieces, self._bytes // 4)

    @property
    def tokens(self) -> int:
        """The tokens of the text, about: most servers send an event for each of them."""
        return max(self._pieces, self._bytes // 4)

    @property
    def whole(self) -> dict[str, Any]:
        """The text as it stands in an answer that is not streamed."""
        message: dict[str, Any] = {"content": "".join(self._texts), "refusal": "".join(self._refusals)}
        if self._calls:
            message["tool_calls"] = [call.whole for _, call in sorted(self._calls.items())]
        if self._reasoned:
            message["reasoning"] = "not kept"  # only its presence is read
        logprobs = {"content": self._logprobs} if self._logprobs else None
        return {"message": message, "logprobs": logprobs, "finish_reason": self.finish or None}

    def _added(self, delta: Mapping[str, Any]) -> str:
        """Keeps the texts of a part, but not its reasoning; returns all of them."""
        pieces = [(delta.get("content"), self._texts), (delta.get("refusal"), self._refusals)]
        for call in delta.get("tool_calls") or ():
            held = self._calls.setdefault(int(call.get("index") or 0), _StreamedToolCall())
            function = call.get("function") or {}
            held.name = held.name or str(function.get("name") or "")
            pieces.append((function.get("arguments"), held.arguments))
        if len(self._calls) > _MOST_CALLS:
            raise IndexError(f"it calls more than {_MOST_CALLS} functions")
        self._reasoned = self._reasoned or any(delta.get(name) for name in _THOUGHTS)
        pieces += [(delta.get(name), []) for name in _THOUGHTS]
        given = [(text, texts) for text, texts in pieces if text]
        for text, texts in given:
            texts.append(text)
        return "".join(text for text, _ in given)

    def _add_logprobs(self, logprobs: Any, has_text: bool) -> None:
        """Keeps the probabilities of the tokens, or none if a piece of the text comes without."""
        content = logprobs.get("content") if isinstance(logprobs, Mapping) else None
        if not content and not has_text:
            return
        if not isinstance(content, list) or not content or self._logprobs is None:
            self._logprobs = None
            return
        known = [token for token in content if isinstance(token, Mapping)]
        self._logprobs += [{name: token.get(name) for name in ("token", "logprob")} for token in known]
        self.length += _LOGPROB * len(content)

    def _watch(self, added: str) -> None:
        """Counts a piece of the text, and ends the text if it repeats itself."""
        size = len(added.encode(errors="surrogatepass"))
        self._pieces, self._bytes, self.length = self._pieces + 1, self._bytes + size, self.length + size
        self._tail = (self._tail + added)[-TAIL:]
        if repetition_in(self._tail):
            self.end(REPETITION)


class _StreamedToolCall:
    """One function call under way."""

    def __init__(self) -> None:
        self.name = ""
        self.arguments: list[str] = []

    @property
    def whole(self) -> dict[str, Any]:
        """The call as it stands in an answer that is not streamed."""
        return {"function": {"name": self.name, "arguments": "".join(self.arguments)}}

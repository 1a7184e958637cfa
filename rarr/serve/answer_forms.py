"""Finds the texts in answers of OpenAI's two protocols, and puts texts and citations back."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from rarr.records.postprocessing import AnswerCitation, Postprocessed

Place = tuple[int, int]
"""Chat completions: (choice, 0). Responses: (output, content)."""
Json = dict[str, Any]


class AnswerForm(Protocol):
    """One of the two protocols."""

    name: str

    def why_not(self, request: Json) -> str:
        """Tells why the answers to this request pass as they are; "" if they are worked on."""

    def conversation(self, request: Json) -> Sequence[Mapping[str, Any]]:
        """Returns the messages that the answer belongs to."""

    def texts(self, answer: Json) -> Iterator[tuple[Place, str]]:
        """Yields the texts of a whole answer that can be worked on.

        A text whose places something refers to (logprobs, annotations) is left as it is.
        """

    def put(self, answer: Json, place: Place, result: Postprocessed) -> None:
        """Puts a text and its citations into a whole answer."""


class ChatCompletions:
    """POST /v1/chat/completions."""

    name = "chat"

    def why_not(self, request: Json) -> str:
        """See `AnswerForm`."""
        kind = _get(request, "response_format", "type")
        if kind not in (None, "text"):
            return "structured output"
        if request.get("logprobs"):
            return "logprobs"
        return "audio" if "audio" in (request.get("modalities") or ()) else ""

    def conversation(self, request: Json) -> Sequence[Mapping[str, Any]]:
        """See `AnswerForm`."""
        return _messages(request.get("messages"))

    def texts(self, answer: Json) -> Iterator[tuple[Place, str]]:
        """See `AnswerForm`."""
        for number, choice in enumerate(_objects(answer.get("choices"))):
            text = _get(choice, "message", "content")
            placed = choice.get("logprobs") or _get(choice, "message", "annotations")
            if isinstance(text, str) and text.strip() and not placed:
                yield (number, 0), text

    def put(self, answer: Json, place: Place, result: Postprocessed) -> None:
        """See `AnswerForm`."""
        message = answer["choices"][place[0]]["message"]
        message["content"] = result.text
        if result.citations:
            message["annotations"] = [
                *(message.get("annotations") or ()),
                *chat_annotations(result.citations),
            ]


class Responses:
    """POST /v1/responses."""

    name = "responses"

    def why_not(self, request: Json) -> str:
        """See `AnswerForm`."""
        kind = _get(request, "text", "format", "type")
        if kind not in (None, "text"):
            return "structured output"
        if "message.output_text.logprobs" in (request.get("include") or ()):
            return "logprobs"
        return "background" if request.get("background") else ""

    def conversation(self, request: Json) -> Sequence[Mapping[str, Any]]:
        """See `AnswerForm`."""
        given = request.get("input")
        return [{"role": "user", "content": given}] if isinstance(given, str) else _messages(given)

    def texts(self, answer: Json) -> Iterator[tuple[Place, str]]:
        """See `AnswerForm`."""
        for output, item in enumerate(_objects(answer.get("output"))):
            for number, part in enumerate(_objects(item.get("content"))):
                text = part.get("text")
                placed = part.get("logprobs") or part.get("annotations")
                if (
                    part.get("type") == "output_text"
                    and isinstance(text, str)
                    and text.strip()
                    and not placed
                ):
                    yield (output, number), text

    def put(self, answer: Json, place: Place, result: Postprocessed) -> None:
        """See `AnswerForm`."""
        part = answer["output"][place[0]]["content"][place[1]]
        put_part(part, result.text, result.citations)


def put_part(part: Json, text: str, citations: Sequence[AnswerCitation]) -> None:
    """Puts a text and its citations into a part of a response."""
    part["text"] = text
    part["annotations"] = [*(part.get("annotations") or ()), *response_annotations(citations)]


def chat_annotations(citations: Sequence[AnswerCitation], offset: int = 0) -> list[Json]:
    """Makes the annotations of a chat completion. `offset` is added to the places."""
    return [{"type": "url_citation", "url_citation": _citation(one, offset)} for one in citations]


def response_annotations(citations: Sequence[AnswerCitation], offset: int = 0) -> list[Json]:
    """Makes the annotations of a response. `offset` is added to the places."""
    return [{"type": "url_citation", **_citation(one, offset)} for one in citations]


def _citation(citation: AnswerCitation, offset: int) -> Json:
    return {
        "start_index": citation.start + offset,
        "end_index": citation.end + offset,
        "title": citation.title or citation.source,
        "url": citation.source,
    }


def _messages(value: Any) -> list[Mapping[str, Any]]:
    return [message for message in _objects(value) if isinstance(message.get("role"), str)]


def _objects(value: Any) -> list[Json]:
    """Returns the list if all its members are objects: places count all of them."""
    whole = isinstance(value, list) and all(isinstance(member, dict) for member in value)
    return value if whole else []


def _get(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value

"""Finds the texts in answers of OpenAI's two protocols, and puts texts and citations back."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from rarr.records.postprocessing import AnswerCitation, Postprocessed

Place = tuple[int, int]
"""Chat completions: (choice, 0). Responses: (output, content)."""
Json = dict[str, Any]


class AnswerForm(Protocol):
    """The form of answers in one of OpenAI's protocols: Chat Completions or Responses."""

    name: str

    def why_not(self, request: Json) -> str:
        """Tells why answers to this request pass unchanged, such as "logprobs"; "" if they are worked on."""

    def conversation(self, request: Json) -> Sequence[Mapping[str, Any]]:
        """Returns the messages of the request, to which the answer replies."""

    def texts(self, answer: Json) -> Iterator[tuple[Place, str]]:
        """Yields each text of a whole answer that can be worked on, with its place.

        A blank text is left out, and a text into which logprobs or annotations point.
        """

    def put(self, answer: Json, place: Place, result: Postprocessed) -> None:
        """Replaces the text at `place` of a whole answer by the result's, and adds its citations."""


class ChatCompletions:
    """The form of answers to POST /v1/chat/completions."""

    name = "chat"

    def why_not(self, request: Json) -> str:
        """Names what keeps an answer unchanged: structured output, logprobs or audio; "" if nothing does."""
        kind = _get(request, "response_format", "type")
        if kind not in (None, "text"):
            return "structured output"
        if request.get("logprobs"):
            return "logprobs"
        return "audio" if "audio" in _list(request.get("modalities")) else ""

    def conversation(self, request: Json) -> Sequence[Mapping[str, Any]]:
        """Returns the `messages` of the request."""
        return _messages(request.get("messages"))

    def texts(self, answer: Json) -> Iterator[tuple[Place, str]]:
        """Yields ((choice, 0), text) for each choice, unless logprobs or annotations point into its text."""
        for number, choice in enumerate(_objects(answer.get("choices"))):
            text = _get(choice, "message", "content")
            placed = choice.get("logprobs") or _get(choice, "message", "annotations")
            if isinstance(text, str) and text.strip() and not placed:
                yield (number, 0), text

    def put(self, answer: Json, place: Place, result: Postprocessed) -> None:
        """Replaces the text of the choice at `place`, and adds the citations as annotations."""
        message = answer["choices"][place[0]]["message"]
        message["content"] = result.text
        if result.citations:
            message["annotations"] = [
                *(message.get("annotations") or ()),
                *chat_annotations(result.citations),
            ]


class Responses:
    """The form of answers to POST /v1/responses."""

    name = "responses"

    def why_not(self, request: Json) -> str:
        """Names what keeps an answer unchanged: structured output, logprobs or background; "" if nothing."""
        kind = _get(request, "text", "format", "type")
        if kind not in (None, "text"):
            return "structured output"
        if "message.output_text.logprobs" in _list(request.get("include")):
            return "logprobs"
        return "background" if request.get("background") else ""

    def conversation(self, request: Json) -> Sequence[Mapping[str, Any]]:
        """Returns the `input` of the request as messages; a plain text is a message of the user."""
        given = request.get("input")
        return [{"role": "user", "content": given}] if isinstance(given, str) else _messages(given)

    def texts(self, answer: Json) -> Iterator[tuple[Place, str]]:
        """Yields ((output, content), text) for each text, unless logprobs or annotations point into it."""
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
        """Replaces the text of the part at `place`, and adds the citations as annotations."""
        part = answer["output"][place[0]]["content"][place[1]]
        put_part(part, result.text, result.citations)


def put_part(part: Json, text: str, citations: Sequence[AnswerCitation]) -> None:
    """Replaces the text of a part of a response, and adds the citations as annotations."""
    part["text"] = text
    part["annotations"] = [*(part.get("annotations") or ()), *response_annotations(citations)]


def chat_annotations(citations: Sequence[AnswerCitation], offset: int = 0) -> list[Json]:
    """Turns citations into the annotations of a chat completion. `offset` is added to their places."""
    return [{"type": "url_citation", "url_citation": _citation(one, offset)} for one in citations]


def response_annotations(citations: Sequence[AnswerCitation], offset: int = 0) -> list[Json]:
    """Turns citations into the annotations of a response. `offset` is added to their places."""
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
    """Returns `value` if it is a list of objects alone, otherwise []: places count all members."""
    whole = isinstance(value, list) and all(isinstance(member, dict) for member in value)
    return value if whole else []


def _list(value: Any) -> list[Any]:
    """Returns `value` if it is a list, otherwise []: the server behind refuses a wrong request."""
    return value if isinstance(value, list) else []


def _get(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value

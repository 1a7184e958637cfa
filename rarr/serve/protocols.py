"""Finds the texts in requests, answers and events of OpenAI's two protocols, and puts results back."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rarr.serve.bodies import Json
from rarr.serve.text_work import Place, Worked


class Part(NamedTuple):
    """A part of an event of a stream, about the text at `place`.

    `text` is the piece of the text that it brings, and `rest` the event without it; None: nothing is left.
    `closes`: the text so far goes out before it. `ends`: nothing of the text at this place follows.
    """

    place: Place
    text: str
    rest: Json | None
    closes: bool = False
    ends: bool = False


class Chat:
    """Chat completions. Each text of a stream has an end of its own, its finish reason."""

    key, ends_all = "content", False

    @staticmethod
    def why_not(request: Json) -> str:
        """Tells why answers to this request pass unchanged, such as "logprobs"; "" if they are worked on."""
        if _get(request, "response_format", "type") not in (None, "text"):
            return "structured output"
        if request.get("stream") and request.get("n") not in (None, 1):
            return "several streamed choices"
        if "audio" in _list(request.get("modalities")):
            return "audio"
        return "logprobs" if request.get("logprobs") else ""

    @staticmethod
    def holders(answer: Json) -> Iterator[tuple[Place, Json, Any]]:
        """Yields the objects of an answer that hold a text, each with its place and its logprobs."""
        for number, choice in enumerate(_objects(answer.get("choices"))):
            if isinstance(message := choice.get("message"), dict):
                yield (number, 0), message, choice.get("logprobs")

    @staticmethod
    def annotation(citation: Json) -> Json:
        """Makes an annotation of a citation."""
        return {"type": "url_citation", "url_citation": citation}

    @staticmethod
    def parts(data: Json, *, held: bool) -> Iterator[Part]:
        """Yields the parts of an event, one for each choice. Text is taken out if it is `held` back."""
        choices = [choice for choice in _list(data.get("choices")) if isinstance(choice, dict)]
        if not choices:
            yield Part((0, 0), "", data, closes=True)
        for choice in choices:
            delta = given if isinstance(given := choice.get("delta"), dict) else {}
            text = delta.get("content")
            text = text if isinstance(text, str) else ""
            if text and held:
                choice = {**choice, "delta": {key: delta[key] for key in delta if key != "content"}}
            ends = choice.get("finish_reason") is not None
            is_spent = bool(text) and held and not (choice["delta"] or ends or data.get("usage"))
            rest = None if is_spent else {**data, "choices": [choice]}
            yield Part((_number(choice, "index"), 0), text, rest, ends or "tool_calls" in delta, ends)

    @staticmethod
    def block(template: Json, place: Place, text: str) -> Json:
        """Makes the event that brings a block of text, in the form of an event that came."""
        choice = {"index": place[0], "delta": {"content": text}, "finish_reason": None}
        return {**template, **({"usage": None} if "usage" in template else {}), "choices": [choice]}

    @staticmethod
    def fill(data: Json, part: Part, worked: Worked) -> None:
        """Puts citations and results into the event that ends a text."""
        text = worked.get(part.place)
        if part.ends and text and text.results:
            [choice] = data["choices"]
            if made := list(map(Chat.annotation, text.citations())):
                choice["delta"] = {**(choice.get("delta") or {}), "annotations": made}
            data["rarr"] = {"results": text.shown(part.place[0])}


class Responses:
    """The Responses API. The last events of its streams repeat all of the text, and one ends all texts."""

    key, ends_all = "text", True
    _ENDS = ("response.completed", "response.incomplete", "response.failed", "error")

    @staticmethod
    def why_not(request: Json) -> str:
        """Tells why answers to this request pass unchanged; "" if they are worked on."""
        if _get(request, "text", "format", "type") not in (None, "text"):
            return "structured output"
        if request.get("background"):
            return "background"
        return "logprobs" if "message.output_text.logprobs" in _list(request.get("include")) else ""

    @staticmethod
    def holders(answer: Json) -> Iterator[tuple[Place, Json, Any]]:
        """Yields the objects of an answer that hold a text, each with its place and its logprobs."""
        for output, item in enumerate(_objects(answer.get("output"))):
            for number, part in enumerate(_objects(item.get("content"))):
                if part.get("type") == "output_text":
                    yield (output, number), part, part.get("logprobs")

    @staticmethod
    def annotation(citation: Json) -> Json:
        """Makes an annotation of a citation."""
        return {"type": "url_citation", **citation}

    @staticmethod
    def parts(data: Json, *, held: bool) -> Iterator[Part]:
        """Yields the event as one part."""
        place, kind = (_number(data, "output_index"), _number(data, "content_index")), data.get("type")
        if kind == "response.output_text.delta" and isinstance(data.get("delta"), str):
            yield Part(place, data["delta"], None if held else data)
        else:
            yield Part(place, "", data, closes=True, ends=kind in Responses._ENDS)

    @staticmethod
    def block(template: Json, place: Place, text: str) -> Json:
        """Makes the event that brings a block of text, in the form of an event that came."""
        return {**template, "delta": text, "logprobs": []}

    @staticmethod
    def fill(data: Json, part: Part, worked: Worked) -> None:
        """Replaces the texts that came by those that were sent, in an event that repeats them."""
        response = data.get("response")
        if isinstance(response, dict):
            holders = [(place, holder) for place, holder, _ in Responses.holders(response)]
        elif isinstance(item := data.get("item"), dict):
            inside = Responses.holders({"output": [item]})
            holders = [((part.place[0], number), holder) for (_, number), holder, _ in inside]
        elif isinstance(data.get("part"), dict):
            holders = [(part.place, data["part"])]
        else:
            holders = [(part.place, data)] if data.get("type") == "response.output_text.done" else []
        _put_texts(Responses, holders, worked)
        if part.ends and isinstance(response, dict) and (results := _results(worked)):
            response["rarr"] = {"results": results}


Protocol = type[Chat] | type[Responses]
PROTOCOLS: Mapping[str, Protocol] = {"/v1/chat/completions": Chat, "/v1/responses": Responses}


def turns(request: Json) -> Sequence[Mapping[str, Any]]:
    """Returns the messages of a request, to which the answer replies."""
    given = request.get("messages", request.get("input"))
    messages = [{"role": "user", "content": given}] if isinstance(given, str) else given
    return [each for each in _objects(messages) if isinstance(each.get("role"), str)]


def texts(protocol: Protocol, answer: Json) -> Iterator[tuple[Place, str]]:
    """Yields each text of a whole answer that can be worked on, with its place.

    A blank text is left out, and a text into which logprobs or annotations point.
    """
    for place, holder, logprobs in protocol.holders(answer):
        text = holder.get(protocol.key)
        if isinstance(text, str) and text.strip() and not (logprobs or holder.get("annotations")):
            yield place, text


def put(protocol: Protocol, answer: Json, worked: Worked) -> None:
    """Replaces the texts of a whole answer by those of the results, and adds citations as annotations."""
    _put_texts(protocol, [(place, holder) for place, holder, _ in protocol.holders(answer)], worked)
    answer["rarr"] = {"results": _results(worked)}


def _put_texts(protocol: Protocol, holders: Sequence[tuple[Place, Json]], worked: Worked) -> None:
    for place, holder in holders:
        if (text := worked.get(place)) and text.results:
            holder[protocol.key] = text.text
            made = list(map(protocol.annotation, text.citations()))
            if made and holder.get("type") in (None, "output_text"):  # an event has no annotations
                holder["annotations"] = [*(holder.get("annotations") or ()), *made]


def _results(worked: Worked) -> list[Json]:
    return [each for (index, _), text in worked.items() for each in text.shown(index)]


def _number(data: Json, key: str) -> int:
    return value if isinstance(value := data.get(key), int) else 0


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

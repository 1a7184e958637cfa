"""Finds the texts in answers of OpenAI's two protocols, has them worked on, and puts them back."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, cast

from rarr.agent.postprocessing.conversation import LONGEST, latest_turns
from rarr.errors import InputError
from rarr.records.postprocessing import AnswerCitation, Postprocessed
from rarr.serve.gate import Call
from rarr.serve.jobs import Desk, Job, original
from rarr.serve.request_options import RequestOptions
from rarr.settings import Settings

Place = tuple[int, int]
"""Chat completions: (choice, 0). Responses: (output, content)."""
Json = dict[str, Any]
Protocol = Literal["chat", "responses"]
PROTOCOLS: Mapping[str, Protocol] = {"/v1/chat/completions": "chat", "/v1/responses": "responses"}


def why_not(protocol: Protocol, request: Json) -> str:
    """Tells why answers to this request pass unchanged, such as "logprobs"; "" if they are worked on."""
    if protocol == "chat":
        kind = _get(request, "response_format", "type")
        logprobs = bool(request.get("logprobs"))
        other = "audio" if "audio" in _list(request.get("modalities")) else ""
    else:
        kind = _get(request, "text", "format", "type")
        logprobs = "message.output_text.logprobs" in _list(request.get("include"))
        other = "background" if request.get("background") else ""
    if kind not in (None, "text"):
        return "structured output"
    return "logprobs" if logprobs else other


def conversation(protocol: Protocol, request: Json) -> Sequence[Mapping[str, Any]]:
    """Returns the messages of the request, to which the answer replies."""
    given = request.get("messages" if protocol == "chat" else "input")
    if protocol == "responses" and isinstance(given, str):
        return [{"role": "user", "content": given}]
    return [message for message in _objects(given) if isinstance(message.get("role"), str)]


def texts(protocol: Protocol, answer: Json) -> Iterator[tuple[Place, str]]:
    """Yields each text of a whole answer that can be worked on, with its place.

    A blank text is left out, and a text into which logprobs or annotations point.
    """
    for place, holder, logprobs in _holders(protocol, answer):
        text = holder.get("content" if protocol == "chat" else "text")
        if isinstance(text, str) and text.strip() and not (logprobs or holder.get("annotations")):
            yield place, text


def put(protocol: Protocol, answer: Json, results: Mapping[Place, Postprocessed]) -> None:
    """Replaces the texts of a whole answer by those of the results, and adds citations as annotations."""
    for place, holder, _ in _holders(protocol, answer):
        if result := results.get(place):
            holder["content" if protocol == "chat" else "text"] = result.text
            if made := annotations(protocol, result.citations):
                holder["annotations"] = [*(holder.get("annotations") or ()), *made]
    answer["rarr"] = {"results": [shown(result, place[0]) for place, result in results.items()]}


def _holders(protocol: Protocol, answer: Json) -> Iterator[tuple[Place, Json, Any]]:
    """Yields the objects that hold a text, each with its place and its logprobs."""
    if protocol == "chat":
        for number, choice in enumerate(_objects(answer.get("choices"))):
            if isinstance(message := choice.get("message"), dict):
                yield (number, 0), message, choice.get("logprobs")
        return
    for output, item in enumerate(_objects(answer.get("output"))):
        for number, part in enumerate(_objects(item.get("content"))):
            if part.get("type") == "output_text":
                yield (output, number), part, part.get("logprobs")


def annotations(protocol: Protocol, citations: Sequence[AnswerCitation], offset: int = 0) -> list[Json]:
    """Turns citations into annotations of the protocol. `offset` is added to their places."""
    made = [
        {
            "start_index": citation.start + offset,
            "end_index": citation.end + offset,
            "title": citation.title or citation.source,
            "url": citation.source,
        }
        for citation in citations
    ]
    if protocol == "chat":
        return [{"type": "url_citation", "url_citation": each} for each in made]
    return [{"type": "url_citation", **each} for each in made]


def shown(result: Postprocessed, index: int, offset: int = 0) -> Json:
    """Makes an entry of the object `rarr`: what was done to one text, which begins at `offset`.

    `sentences` are those that evidence does not support.
    """
    revision = result.revision
    edits = revision.edits if revision else ()
    sentences = revision.report.sentences if revision else ()
    return {
        "index": index,
        "start": offset,
        "end": offset + len(result.text),
        "run_id": revision.run_id if revision else None,
        "mode": result.mode,
        "outcome": result.outcome,
        "changed": result.changed,
        "notice": result.notice,
        "edits": [edit.model_dump(include={"id", "state", "old", "new", "reason"}) for edit in edits],
        "sentences": [
            {"text": sentence.text, "status": sentence.status}
            for sentence in sentences
            if sentence.status != "supported"
        ],
        "citations": [citation.model_dump() for citation in result.citations],
    }


class TextWork:
    """Revises, checks or cites the texts of one answer, as its caller chose, by jobs for the desk."""

    def __init__(
        self,
        desk: Desk,
        call: Call,
        options: RequestOptions,
        turns: Sequence[Mapping[str, Any]],
        settings: Settings,
    ) -> None:
        """`turns` are the messages of the conversation."""
        self._desk, self._call, self._options = desk, call, options
        self._turns = latest_turns(turns)  # without images, since each block's job has it
        self._deadline_s = options.deadline_s or settings.serve_deadline_s

    @property
    def changes_text(self) -> bool:
        """Tells whether the text may change. If not, it need not be held back."""
        return self._options.mode != "check"

    @property
    def needs_whole(self) -> bool:
        """Tells whether the text is worked on as a whole, as the modes cite and check need."""
        return self._options.mode in ("cite", "check")

    async def result(self, text: str, before: str = "") -> Postprocessed:
        """Returns the result of a text; if that fails, a result with the text as it is.

        `before` is the part of the same answer that stands before the text.
        """
        job = self._job(text, before)
        if not text.strip():
            return cast(Postprocessed, original(job, "nothing_to_check", "nothing to check"))
        try:
            result = cast(Postprocessed, await self._desk.done(job))
        except InputError as error:  # the text of a model, which its reader is to get all the same
            result = cast(Postprocessed, original(job, "failed", f"not checked: {error}"))
        self._call.log.setdefault("run_id", job.run_id)
        self._call.log["outcome"] = result.outcome
        return result

    def _job(self, text: str, before: str) -> Job:
        earlier = [{"role": "assistant", "content": before[-LONGEST:]}] if before.strip() else []
        search = {"search": self._options.search} if self._options.search else {}
        return Job(
            "postprocess",
            text,
            self._call.new_run(),
            context=[*self._turns, *earlier],
            sources=self._options.passages(),
            corpus=self._options.corpus,
            deadline_s=self._deadline_s,
            options={"mode": self._options.mode, **search},
        )


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

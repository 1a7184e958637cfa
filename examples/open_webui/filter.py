"""
title: rarr
author: rarr
version: 1.0.0
required_open_webui_version: 0.5.0
description: Checks each answer against sources, corrects it and cites it. It needs a server: `rarr serve`.
"""

# This file stands alone: Open WebUI runs its text, where `rarr` is not installed.

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from http.client import HTTPException
from typing import Any, Literal
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from pydantic import BaseModel, Field

Emitter = Callable[[dict[str, Any]], Awaitable[None]]

MOST_SOURCES = 1000
# What Open WebUI writes above an answer: thoughts, and the calls of tools.
DETAILS = re.compile(r"\s*<details\b.*?</details>\s*", re.DOTALL)
# What may stand between the end of a sentence and the number of its source. Elsewhere, such as inside a link,
# a number would break the Markdown.
CLOSING = re.compile(r"[*_~\"'”’)]*(?=\s|$)")
TOKEN = re.compile(r"[!-~]*")
ADDRESS = re.compile(r"https?://[^\s/?#]+[^\s?#]*", re.IGNORECASE)
FOOTNOTE = re.compile(r"\[\^(\d+)\]")


class NotCheckedError(Exception):
    """The server gave no result. The message tells the user why."""


class Filter:
    """A filter of Open WebUI: its outlet sends each answer to `rarr serve`, and shows what came back."""

    class Valves(BaseModel):
        """The settings, which Open WebUI shows as a form."""

        url: str = Field(default="http://localhost:8100", description="Address of `rarr serve`.")
        token: str = Field(default="", description="Token of `rarr serve`, if it asks for one.")
        mode: Literal["revise", "annotate", "check"] = Field(
            default="revise",
            description="revise: correct; annotate: mark what is not confirmed; check: tell in the status.",
        )
        chat_sources: bool = Field(
            default=True, description="Search the documents that Open WebUI gave the model, and these first."
        )
        deadline_s: float = Field(default=30, gt=0, description="Seconds, after which the answer stays.")
        priority: int = Field(default=0, description="Filters with a lower number run first.")

    def __init__(self) -> None:
        self.valves = self.Valves()

    async def outlet(self, body: dict[str, Any], __event_emitter__: Emitter | None = None) -> dict[str, Any]:
        """Revises the last answer of a chat. If that fails, the answer stays, and the status says why."""
        messages = body.get("messages") or []
        thoughts, answer = _split(messages[-1]) if messages else ("", "")
        if not answer.strip():
            return body
        await _tell(__event_emitter__, "checking the answer", done=False)
        try:
            result = await asyncio.to_thread(self._postprocessed, answer, messages)
            if self.valves.mode != "check":
                text = thoughts + _with_footnotes(result)
                messages[-1]["content"] = _replaced(messages[-1]["content"], text)
            notice = str(result["notice"])
        except NotCheckedError as error:
            notice = f"not checked: {error}"
        await _tell(__event_emitter__, notice, done=True)
        return body

    def _postprocessed(self, answer: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
        """Asks the server. Raises `NotCheckedError`."""
        asked: dict[str, Any] = {
            "text": answer,
            "mode": self.valves.mode,
            "deadline_s": self.valves.deadline_s,
            "context": [turn for turn in map(_turn, messages[:-1]) if turn["content"].strip()],
        }
        if self.valves.chat_sources and (sources := _sources(messages[-1])):
            asked["sources"] = sources[:MOST_SOURCES]
        headers = {"Content-Type": "application/json"}
        if token := self.valves.token.strip():
            headers["Authorization"] = f"Bearer {token}"
        if not TOKEN.fullmatch(token):
            raise NotCheckedError("the valve token has white space or letters that no token has: correct it")
        if not ADDRESS.fullmatch(self.valves.url.strip()):
            raise NotCheckedError(
                f"the valve url is {self.valves.url!r}: give an address, such as http://localhost:8100"
            )
        url = f"{self.valves.url.strip().rstrip('/').removesuffix('/v1')}/v1/postprocess"
        result = _answered(url, json.dumps(asked).encode(), headers, self.valves.deadline_s + 5)
        if not isinstance(result, dict) or not {"text", "notice", "citations"} <= result.keys():
            raise NotCheckedError(f"{self.valves.url} is no server of rarr: correct the valve url")
        return result


def _answered(url: str, body: bytes, headers: dict[str, str], timeout: float) -> Any:
    try:
        with urlopen(Request(url, body, headers), timeout=timeout) as response:
            return json.load(response)
    except HTTPError as error:
        raise NotCheckedError(_refusal(error)) from None
    except (TimeoutError, URLError) as error:  # the first while it reads, the second while it connects
        why = f"{url} cannot be reached ({getattr(error, 'reason', error)})"
        raise NotCheckedError(f"{why}: start rarr serve, or correct the valve url") from None
    except (OSError, ValueError, HTTPException):
        raise NotCheckedError(f"{url} did not answer with JSON: correct the valve url") from None


def _refusal(error: HTTPError) -> str:
    try:
        return str(json.load(error)["error"]["message"])
    except (OSError, ValueError, LookupError, TypeError):
        return f"the server answered with status {error.code}"


def _split(message: dict[str, Any]) -> tuple[str, str]:
    """Returns what Open WebUI wrote above the answer, and the answer; "" for no answer of a model."""
    text = "".join(_texts(message.get("content"))) if message.get("role") == "assistant" else ""
    end = max((match.end() for match in DETAILS.finditer(text)), default=0)
    return text[:end], text[end:]


def _texts(content: Any) -> list[str]:
    """Returns the texts of a message's content: it is a text itself, or a list of parts, such as images."""
    parts = [content] if isinstance(content, str) else _listed(content)
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return [text for text in texts if isinstance(text, str)]


def _replaced(content: Any, text: str) -> Any:
    """Returns the content with this text instead of its own. Parts without text stay."""
    if isinstance(content, str):
        return text
    first = next(number for number, part in enumerate(content) if _texts([part]))
    kept = [part for part in content[first:] if not _texts([part])]
    return [*content[:first], {"type": "text", "text": text}, *kept]


def _turn(message: dict[str, Any]) -> dict[str, str]:
    """Returns a message of the conversation as the server takes it: without images and thoughts."""
    text = "\n".join(_texts(message.get("content")))
    return {"role": str(message.get("role")), "content": DETAILS.sub("", text)}


def _sources(message: dict[str, Any]) -> list[dict[str, str]]:
    """Returns the passages that the model was given, from the message's list of sources.

    Another filter may have written the list: what has another form is left out.
    """
    found = []
    for source in filter(_is_object, _listed(message.get("sources"))):
        facts, origin = _listed(source.get("metadata")), source.get("source")
        for number, text in enumerate(_listed(source.get("document"))):
            about = facts[number] if number < len(facts) and _is_object(facts[number]) else {}
            name = str(about.get("name") or (origin.get("name") if _is_object(origin) else origin) or "")
            if isinstance(text, str) and text.strip():
                found.append({"text": text, "title": name, "source": str(about.get("source") or name)})
    return found


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _with_footnotes(result: dict[str, Any]) -> str:
    """Puts a footnote behind each cited sentence, and the list of sources below the text.

    A plain number would do harm: `[1]` is for Open WebUI the first document that it gave the model.
    """
    text: str = result["text"]
    first = max(map(int, FOOTNOTE.findall(text)), default=0) + 1
    names: dict[str, str] = {}
    marks = set()
    for citation in result["citations"]:
        source, title = citation["source"], citation["title"]
        names.setdefault(source, source if title in ("", source) else f"{title}, {source}")
        if closing := CLOSING.match(text, citation["end"]):
            marks.add((closing.end(), f"[^{first + list(names).index(source)}]"))
    for at, mark in sorted(marks, reverse=True):
        text = text[:at] + mark + text[at:]
    listed = [f"- [^{number}] {name}" for number, name in enumerate(names.values(), first)]
    return "\n".join([text.rstrip(), "", "Sources:", "", *listed]) if listed else text


async def _tell(emitter: Emitter | None, notice: str, *, done: bool) -> None:
    if emitter is not None:
        await emitter({"type": "status", "data": {"description": f"rarr: {notice}", "done": done}})

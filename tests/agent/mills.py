"""A made world: sentence i says when mill i was built, and the documents give the years as they are.

`answer` is what a good language model would answer to the package's prompts about it.
"""

import asyncio
import itertools
import re
from collections.abc import Callable, Sequence
from typing import Any

from rarr import Reviser, Revision, Settings, prompts
from rarr.records import Passage, with_edits
from rarr.testing import RETRIEVED_AT, Asked, ScriptedServer
from rarr.testing.card_answers import confirm_cards, read_cards

NAMES = ("Aldmoor", "Brackford", "Cressing", "Dunley", "Eastwick", "Farlow", "Garsdale", "Holbeck")


def built(number: int) -> int:
    return 1801 + 7 * number


def text_of(mills: int, wrong: int) -> str:
    """The first `wrong` of the mills have another year than the documents."""
    years = (built(number) + (3 if number < wrong else 0) for number in range(mills))
    return " ".join(f"{name} Mill was built in {year}." for name, year in zip(NAMES, years, strict=False))


def document(name: str) -> str:
    return f"{name} Mill stands below the bridge. {name} Mill was built in {built(NAMES.index(name))}."


class Documents:
    """A search that takes `seconds` and finds the documents about the mills that the query names."""

    def __init__(self, seconds: float = 0.0) -> None:
        self._seconds = seconds

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        await asyncio.sleep(self._seconds)
        texts = {name: document(name) for name in re.findall(r"(\w+) Mill", query)}
        return [
            Passage(text=text, source=f"{name}.md", start=0, end=len(text), retrieved_at=RETRIEVED_AT)
            for name, text in texts.items()
        ]


def answer(asked: Asked) -> dict[str, Any]:
    user = asked.messages[1].content  # also where an answer is asked for once more
    if asked.prompt in ("check_agreement", "check_agreement_doubt"):
        read = read_cards if asked.prompt == "check_agreement" else confirm_cards
        return read(prompts.load(asked.prompt).parse(user) or {})
    text = _between(user, "text")
    if asked.prompt == "generate_queries":
        claims = re.findall(r"(\w+ Mill) was built in (\d+)", text)
        asks = [{"question": f"When was {name} built?", "about": year} for name, year in claims]
        return {"questions": asks}
    [name] = re.findall(r"Query: When was (.+) built\?", user)
    [text_year] = re.findall(rf"{name} was built in (\d+)", text)
    [evidence_year] = re.findall(r"built in (\d+)", _between(user, "evidence"))
    if asked.prompt == "edit":
        return {"span": text_year, "revision": evidence_year}
    verdict = "agrees" if text_year == evidence_year else "disagrees"
    return {
        "text_answer": text_year,
        "evidence_answer": evidence_year,
        "reason": "The years.",
        "verdict": verdict,
    }


def settings_for(server: ScriptedServer | str, **more: Any) -> Settings:
    url = server if isinstance(server, str) else server.url
    return Settings(**({"model": "vllm:mills", "base_url": url, "search": Documents()} | more))


def revised(settings: Settings, text: str, **callbacks: Any) -> Revision:
    """The revision, whose text is what its edits make of the original."""
    with Reviser(settings, **callbacks) as reviser:
        revision = reviser.revise(text)
    assert with_edits(revision.original, revision.edits) == revision.text
    return revision


def codes(revision: Revision) -> set[str]:
    return {notice.code for notice in revision.warnings}


def statuses(revision: Revision) -> set[str]:
    return {sentence.status for sentence in revision.report.sentences}


def _between(message: str, tag: str) -> str:
    return message.split(f"<{tag}>\n")[1].split(f"\n</{tag}>")[0]


def stopping_at(last: int) -> Callable[[str], None]:
    """Raises `ZeroDivisionError` when it is told of the node of this number."""
    left = itertools.count(last - 1, -1)

    def stop(node: str) -> None:
        if next(left) == 0:
            raise ZeroDivisionError

    return stop

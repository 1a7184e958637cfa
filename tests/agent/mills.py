"""Runs about the made world of `benchmarks.mills`, and what must hold of each revision."""

import asyncio
import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from benchmarks import mills
from benchmarks.mills import SlowDocuments
from rarr import Reviser, Revision, Settings
from rarr.records import Passage
from rarr.testing import ScriptedModel, ScriptedServer

SIZE = 500  # characters of a block: two paragraphs or three
PARAGRAPH = 4  # mills


def settings_for(server: ScriptedServer | str, **more: Any) -> Settings:
    url = server if isinstance(server, str) else server.url
    return Settings(**({"model": "vllm:mills", "base_url": url, "search": SlowDocuments(0.0)} | more))


def by_blocks(**more: Any) -> Settings:
    given = {"model": ScriptedModel(mills.respond), "search": Searches(), "concurrency": 16}  # two blocks
    return Settings(**(given | more))


def revised(settings: Settings, text: str, **callbacks: Any) -> Revision:
    with Reviser(settings, **callbacks) as reviser:
        revision = reviser.revise(text)
    assert_sound(revision)
    return revision


def codes(revision: Revision) -> set[str]:
    return {notice.code for notice in revision.warnings}


def statuses(revision: Revision) -> set[str]:
    return {sentence.status for sentence in revision.report.sentences}


def judged(revision: Revision) -> list[bool]:
    return [sentence.status != "unjudged" for sentence in revision.report.sentences]


def assert_sound(revision: Revision) -> None:
    """All places are exact, ids are unique, and all edits can be taken back.

    A record that is read again checks itself that its edits lead from the original to the text.
    """
    at = 0
    for sentence in revision.report.sentences:
        assert at <= sentence.start < sentence.end
        assert revision.text[sentence.start : sentence.end] == sentence.text
        at = sentence.end
    records: list[Any] = [*revision.queries, *revision.evidence, *revision.edits]
    ids = [record.id for record in records]
    assert len(ids) == len(set(ids))
    accepted = [edit.id for edit in revision.edits if edit.accepted]
    assert not accepted or revision.revert(*accepted) == revision.original
    assert Revision.model_validate_json(revision.model_dump_json()) == revision


def stopping_at(last: int) -> Callable[[str], None]:
    """Raises `ZeroDivisionError` when it is told of the node of this number."""
    left = itertools.count(last - 1, -1)

    def stop(node: str) -> None:
        if next(left) == 0:
            raise ZeroDivisionError

    return stop


def long_text(paragraphs: int, wrong: Sequence[int] = (), separator: str = "\n\n") -> str:
    """The mills of the numbers `wrong` were built three years later than the documents say."""
    sentences = [mills.mills_text(1, int(n in wrong), first=n) for n in range(paragraphs * PARAGRAPH)]
    starts = range(0, len(sentences), PARAGRAPH)
    return separator.join(" ".join(sentences[start : start + PARAGRAPH]) for start in starts)


@contextmanager
def block_size(size: int = SIZE) -> Iterator[None]:
    """Divides texts into blocks of about `size` characters."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("rarr.agent.blocks.BLOCK_CHARS", size)
        yield


class Clock:
    """A clock that stands still but for those who move it on."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


class Searches(SlowDocuments):
    """Every search takes `seconds` of the clock."""

    def __init__(self, clock: Clock | None = None, seconds: float = 0.0) -> None:
        super().__init__(0.0)
        self._clock, self._takes = clock or Clock(), seconds

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        self._clock.now += self._takes
        await asyncio.sleep(0)
        return await super().retrieve(query, k)


WRONG = (0, 11, 12, 30, 47)
TEXT, RIGHT = long_text(12, WRONG), long_text(12)
SENTENCES = 48

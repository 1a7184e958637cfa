"""Long texts about mills, a paragraph for every four of them, and what counts how they are gone through."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from benchmarks import mills
from rarr import Revision, Settings
from rarr.records import Passage
from rarr.testing import ScriptedModel

SIZE = 500  # characters of a block: two paragraphs or three
PARAGRAPH = 4  # mills


def long_text(paragraphs: int, wrong: Sequence[int] = (), separator: str = "\n\n") -> str:
    """The mills of the numbers `wrong` were built three years later than the documents say."""
    numbers = range(paragraphs * PARAGRAPH)
    sentences = [mills.text_of(1, int(number in wrong), first=number) for number in numbers]
    return separator.join(
        " ".join(sentences[start : start + PARAGRAPH]) for start in range(0, len(sentences), PARAGRAPH)
    )


@contextmanager
def block_size(size: int = SIZE) -> Iterator[None]:
    """Divides texts into blocks of about `size` characters."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("rarr.agent.blocks.BLOCK_CHARS", size)
        yield


class Clock:
    """A clock that stands still but for those who move it on."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Searches(mills.SlowDocuments):
    """Every search takes `seconds` of the clock. `most`: searches under way at once."""

    def __init__(self, clock: Clock | None = None, seconds: float = 0.0) -> None:
        super().__init__(0.0)
        self._clock, self._takes = clock, seconds
        self.queries: list[str] = []

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        self.queries.append(query)
        if self._clock is not None:
            self._clock.now += self._takes
        await asyncio.sleep(0)
        return await super().retrieve(query, k)


def by_blocks(**more: Any) -> Settings:
    given: dict[str, Any] = {
        "model": ScriptedModel(mills.answer),
        "search": Searches(),
        "concurrency": 16,  # two blocks at once
    }
    return Settings(**(given | more))


def judged(revision: Revision) -> list[bool]:
    return [sentence.status != "unjudged" for sentence in revision.report.sentences]


def assert_sound(revision: Revision) -> None:
    """All places are exact, and every edit can be taken back, alone and with all others."""
    at = 0
    for sentence in revision.report.sentences:
        assert revision.text[sentence.start : sentence.end] == sentence.text
        assert at <= sentence.start
        at = sentence.end
    ids = [query.id for query in revision.queries] + [evidence.id for evidence in revision.evidence]
    ids += [edit.id for edit in revision.edits]
    assert len(ids) == len(set(ids))
    current = revision.original
    accepted = [edit for edit in revision.edits if edit.accepted]
    for edit in revision.edits:
        assert current[edit.start : edit.end] == edit.old
        if edit.accepted:
            current = current[: edit.start] + edit.new + current[edit.end :]
            others = [other_edit.id for other_edit in accepted if other_edit.id != edit.id]
            reverted = revision.revert(*others) if others else revision.text
            assert len(reverted) == len(revision.original) + len(edit.new) - len(edit.old)
    assert current == revision.text
    assert not accepted or revision.revert(*(edit.id for edit in accepted)) == revision.original
    searched = [query.start for query in revision.queries if query.searched]
    assert searched == sorted(searched)


WRONG = (0, 11, 12, 30, 47)
TEXT, RIGHT = long_text(12, WRONG), long_text(12)
SENTENCES = 48

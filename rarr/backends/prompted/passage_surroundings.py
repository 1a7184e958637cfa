"""Finds the block of a source that a model reads: the passage that the search found, and the text around it.

A search finds the right document more often than the right four sentences of it. The blocks of a text are
the same for every passage in it, so the cache of a server keeps the prefix that all questions about a block
share.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Protocol

from rarr.records import Evidence, Passage
from rarr.tools.guard.injection import suspicion
from rarr.tools.models.run_budget import meter
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.trace_spans import span

BLOCK = 4000
"""Characters of a block."""
_SNAP = 500  # a cut moves at most this many characters, to the end of a line or a word
_TEXTS = 8  # sources whose texts are kept at once

SourceText = Callable[[Evidence], Awaitable[str | None]]
"""The text into which the offsets of an evidence point; None where no source kept it."""


class BlockFinder(Protocol):
    """Finds the block around an evidence: a longer part of its source."""

    async def block(self, evidence: Evidence) -> Evidence:
        """Returns the evidence with the text of its block; unchanged if it has none."""


class Surroundings:
    """Finds blocks in the texts of the sources, which `source_text` gives.

    The last texts are cached for one run, in which files do not change.
    """

    def __init__(self, source_text: SourceText) -> None:
        self._source_text = source_text

    async def block(self, evidence: Evidence) -> Evidence:
        """Returns the evidence with the text and the place of its block.

        Unchanged if its source gives no text or another text, or if the block seems to speak to a model.
        """
        text = await self._text(evidence)
        if text is None or text[evidence.start : evidence.end] != evidence.text:
            return evidence
        place = block_of(text, Span(evidence.start, evidence.end))
        if suspicion(place.of(text)):
            return evidence
        block = _passage(evidence, place, text)
        with span("read", evidence.source) as reading:
            reading.body.update(evidence=evidence, block=block)  # a replay has no sources
        return with_block(evidence, block)

    async def _text(self, evidence: Evidence) -> str | None:
        texts, lock = meter().memo.setdefault((id(self), "texts"), (OrderedDict(), asyncio.Lock()))
        async with lock:  # many checks of one source begin at once
            if evidence.source not in texts:
                texts[evidence.source] = await self._source_text(evidence)
                while len(texts) > _TEXTS:
                    texts.popitem(last=False)
            texts.move_to_end(evidence.source)
            text: str | None = texts[evidence.source]
            return text


def with_block(evidence: Evidence, block: Passage) -> Evidence:
    """Returns the evidence with the text and the place of its block."""
    return evidence.model_copy(update={"text": block.text, "start": block.start, "end": block.end})


def _passage(evidence: Evidence, place: Span, text: str) -> Passage:
    """Returns the block as a passage: the same object each time in a run, so that a trace has one copy."""
    blocks = meter().memo.setdefault("blocks", {})
    key = (evidence.source, place)
    if key not in blocks:
        fields = {name: getattr(evidence, name) for name in Passage.model_fields}
        blocks[key] = Passage(**{**fields, "text": place.of(text), "start": place.start, "end": place.end})
    block: Passage = blocks[key]
    return block


def block_of(text: str, place: Span) -> Span:
    """Returns the block of `text` whose middle is nearest to `place`; the whole text if it is short.

    Blocks begin every 2,000 characters. A block has about 4,000 characters, and more if `place` needs it.
    """
    if len(text) <= BLOCK:
        return Span(0, len(text))
    half = BLOCK // 2
    number = max(0, round(((place.start + place.end) / 2 - half) / half))
    start, end = _cut(text, number * half), _cut(text, number * half + BLOCK)
    return Span(min(start, place.start), max(end, place.end))


def _cut(text: str, at: int) -> int:
    """Returns the end of the first line after `at`, else of the first word; `at` if neither is near."""
    if at <= 0 or at >= len(text):
        return max(0, min(at, len(text)))
    line = text.find("\n", at, at + _SNAP)
    if line >= 0:
        return line + 1
    word = text.find(" ", at, at + _SNAP)
    return word + 1 if word >= 0 else at

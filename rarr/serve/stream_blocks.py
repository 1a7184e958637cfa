"""Cuts a text that comes in pieces into blocks that can be worked on before the text is complete."""

import re

from rarr.tools.concurrency.worker_threads import work
from rarr.tools.text.blocks_and_sentences import split_sentences

SENTENCES = 3
"""The sentences of a block inside a paragraph."""
_BLANK_LINE = re.compile(r"\n[ \t]*\n\s*")
_SENTENCE_END = re.compile(r"[.!?:][\"'”’)\]*]*\s")
_WORD = re.compile(r"\w")
_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
_NO_PROSE = re.compile(r"^ {0,3}(?:```|~~~|\||#)|^ {4}", re.MULTILINE)
_HEADING = re.compile(r"\s*#[^\n]*\s*")


class StreamBlocks:
    """Takes the pieces of a text, and gives its blocks, which together are the text.

    A block ends at a blank line outside of code, or after some sentences of a long paragraph. A heading stays
    with the block below it. `whole`: the text is one block.
    """

    def __init__(self, *, whole: bool = False) -> None:
        self._whole, self._held, self._ends = whole, "", 0

    async def add(self, text: str) -> list[str]:
        """Adds a piece, and returns the blocks that are complete now."""
        self._held += text
        blocks = []
        while not self._whole and (cut := self._paragraph() or await self._sentences()):
            blocks.append(self._held[:cut])
            self._held, self._ends = self._held[cut:], 0
        return blocks

    def rest(self) -> str:
        """Returns the last block, which may be empty."""
        held, self._held = self._held, ""
        return held

    def _paragraph(self) -> int:
        for blank in _BLANK_LINE.finditer(self._held):
            above = self._held[: blank.start()]
            # More spaces may follow a blank line that ends the text so far.
            in_code = len(_FENCE.findall(above)) % 2
            if (
                blank.end() < len(self._held)
                and not in_code
                and above.strip()
                and not _HEADING.fullmatch(above)
            ):
                return blank.end()
        return 0

    async def _sentences(self) -> int:
        ends = list(_SENTENCE_END.finditer(self._held))
        if len(ends) <= self._ends or len(ends) < SENTENCES or _NO_PROSE.search(self._held):
            return 0
        if not _WORD.search(self._held, ends[-1].end()):
            return 0  # no further sentence has begun, without which nobody knows whether the last one ended
        self._ends = len(ends)
        spans = await work(split_sentences, self._held)
        if len(spans) <= SENTENCES:
            return 0
        last, following = spans[SENTENCES - 1], spans[SENTENCES]
        line = self._held.rfind("\n", last.end, following.start)
        return following.start if line < 0 else line + 1

"""Cuts a text that comes in pieces into blocks that can be worked on before the text is complete."""

import re

from rarr.tools.concurrency import work
from rarr.tools.text.blocks_and_sentences import split_sentences

SENTENCES = 3
"""The sentences of a block inside a paragraph."""
_PORTION = 1000
"""Characters that are looked at together, so that one long piece costs no more than many short ones."""
_SENTENCE_END = re.compile(r"[.!?:][\"'”’)\]*]*\s")
_WORD = re.compile(r"\w")
_FENCE = re.compile(r" {0,3}(?:```|~~~)")
_NO_PROSE = re.compile(r" {0,3}(?:```|~~~|\||#)| {4}")


class StreamBlocks:
    """Takes the pieces of a text, and gives its blocks, which together are the text.

    A block ends at a blank line outside of code, or after some sentences of a long paragraph. A heading stays
    with the block below it. `whole`: the text is one block.
    """

    def __init__(self, *, whole: bool = False) -> None:
        self._whole, self._held, self._seen = whole, "", _Seen()

    async def add(self, text: str) -> list[str]:
        """Adds a piece, and returns the blocks that are complete now."""
        if self._whole:
            self._held += text
            return []
        blocks = []
        for start in range(0, len(text), _PORTION):
            self._held += text[start : start + _PORTION]
            while cut := self._seen.paragraph(self._held) or await self._sentences():
                blocks.append(self._held[:cut])
                self._held, self._seen = self._held[cut:], _Seen()
        return blocks

    def rest(self) -> str:
        """Returns the last block, which may be empty. A piece that is added later begins a block."""
        held, self._held, self._seen = self._held, "", _Seen()
        return held

    async def _sentences(self) -> int:
        if not self._seen.has_further_sentence(self._held):
            return 0
        spans = await work(split_sentences, self._held)
        if len(spans) <= SENTENCES:
            return 0
        last, following = spans[SENTENCES - 1], spans[SENTENCES]
        line = self._held.rfind("\n", last.end, following.start)
        return following.start if line < 0 else line + 1


class _Seen:
    """What was seen of the block that is held. Each line is looked at once, however many pieces it has."""

    def __init__(self) -> None:
        self._line = 0  # where the line begins that is not complete
        self._worded, self._is_heading = 0, False
        self._in_code, self._is_prose = False, True
        self._has_ended = False  # a blank line came, and the block goes on to the next word
        self._ends, self._last_end, self._ends_to, self._ends_before = 0, 0, 0, 0

    def paragraph(self, held: str) -> int:
        """Returns the length of the block if it ends at a blank line; 0 if it has not ended."""
        while (end := held.find("\n", self._line)) >= 0:
            line = held[self._line : end]
            if cut := self._cut(line):
                return cut
            self._see(line)
            self._line = end + 1
        return self._cut(held[self._line :])

    def _cut(self, line: str) -> int:
        """Returns where the first word of the line stands if the block ends before it, otherwise 0."""
        words = line.lstrip()
        return self._line + len(line) - len(words) if words and self._has_ended else 0

    def _see(self, line: str) -> None:
        if not line.strip():
            alone = self._worded == 1 and self._is_heading
            self._has_ended = self._has_ended or bool(self._worded and not self._in_code and not alone)
            return
        self._worded += 1
        self._is_heading = line.lstrip().startswith("#")
        self._in_code ^= bool(_FENCE.match(line))
        self._is_prose = self._is_prose and not _NO_PROSE.match(line)

    def has_further_sentence(self, held: str) -> bool:
        """Tells whether there are enough ends of sentences, a new one, and a word behind the last."""
        if not self._is_prose or _NO_PROSE.match(held[self._line :]):
            return False
        for end in _SENTENCE_END.finditer(held[self._ends_to :]):
            self._ends, self._last_end = self._ends + 1, self._ends_to + end.end()
        # What may become an end holds no space, so it begins behind the last space.
        self._ends_to = max(self._last_end, held.rfind(" ", self._ends_to) + 1, self._ends_to)
        if self._ends <= self._ends_before or self._ends < SENTENCES:
            return False
        if not _WORD.search(held[self._last_end :]):
            return False  # without a further word, nobody knows whether the last sentence ended
        self._ends_before = self._ends
        return True

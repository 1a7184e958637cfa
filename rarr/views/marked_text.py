"""Cuts a revised text into runs with one mark each: its edits, its sentences and their deciding words.

The pages show the text as it was written, Markdown and all. Templates draw the runs.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rarr.records import Edit, Part, Sentence, Status
from rarr.tools.pages.html_rendering import clipped
from rarr.tools.text.edit_segments import Kind, by_sentence, traced

_LONGEST_TITLE = 100


class MarkedRun(NamedTuple):
    """Characters with the same mark: kind of change, id of the edit, and part of the sentence.

    A `deleted` run is not in the revised text. The run of an edit that was not accepted is empty.
    """

    kind: Kind
    text: str
    edit: str = ""
    part: Part | None = None


class MarkedSentence(NamedTuple):
    """The runs of a sentence, with its number from 1; number 0 and None between sentences."""

    number: int
    sentence: Sentence | None
    runs: list[MarkedRun]


def marked(original: str, edits: Sequence[Edit], sentences: Sequence[Sentence]) -> list[MarkedSentence]:
    """Returns the text in order, by sentence: runs with their edits and parts."""
    made, at, count = list[MarkedSentence](), 0, 0
    for sentence, pieces in by_sentence(traced(original, edits), sentences):
        count += sentence is not None
        runs = list[MarkedRun]()
        for kind, text, edit in pieces:
            if kind == "deleted":
                runs.append(MarkedRun(kind, text, edit))
                continue
            cut = _cut(at, at + len(text), sentence.parts if sentence else ())
            runs += [MarkedRun(kind, text[start - at : end - at], edit, part) for start, end, part in cut]
            at += len(text)
        if runs:
            made.append(MarkedSentence(count if sentence else 0, sentence, runs))
    return made


def _cut(start: int, end: int, parts: Sequence[Part]) -> Iterator[tuple[int, int, Part | None]]:
    """Yields the range in pieces, cut at the parts, with their part or None. Earlier parts win overlaps."""
    for part in sorted(parts, key=lambda part: part.start):
        begin, stop = max(part.start, start), min(part.end, end)
        if begin < stop:
            if start < begin:
                yield start, begin, None
            yield begin, stop, part
            start = stop
    if start < end:
        yield start, end, None


def title_of(text: str) -> str:
    """Returns the words of the first line with words, without marks of Markdown, at most 100 characters."""
    lines = (line.strip(" \t#*_>-`") for line in text.splitlines())
    return clipped(" ".join(next(filter(None, lines), "").split()), _LONGEST_TITLE)


def with_status(sentences: Sequence[Sentence], *statuses: Status) -> list[tuple[int, Sentence]]:
    """Returns the sentences of these statuses with their numbers from 1, ordered by status."""
    numbered = [(n, sentence) for n, sentence in enumerate(sentences, start=1) if sentence.status in statuses]
    return sorted(numbered, key=lambda pair: statuses.index(pair[1].status))


def quoted(text: str, says: Iterable[str], most: int = 600) -> list[tuple[bool, str]]:
    """Quotes at most `most` characters of a passage, from its start or around the first phrase of `says`.

    Returns the quote in pieces; True marks a piece that is such a phrase.
    """
    words = sorted({phrase for phrase in says if phrase in text}, key=len, reverse=True)
    first = min((text.find(phrase) for phrase in words), default=0)
    start = max(0, first - most // 3) if first > most // 2 else 0
    shown = f"{'… ' if start else ''}{clipped(text[start:], most)}"
    cut = re.split(f"({'|'.join(map(re.escape, words))})", shown) if words else [shown]
    return [(n % 2 == 1, piece) for n, piece in enumerate(cut) if piece]

"""Divides passages into lines with labels, such as P1.2, by which cards cite the lines."""

from collections.abc import Sequence
from functools import lru_cache

from rarr.components import Excerpt, SourceLine
from rarr.records import Evidence
from rarr.tools.text.blocks_and_sentences import Span, blocks, split_sentences


@lru_cache(maxsize=512)
def source_lines(text: str) -> tuple[Span, ...]:
    """Returns the places of the sentences, table rows, headings and code lines of a passage, in order."""
    spans = split_sentences(text)
    for block in blocks(text):
        if block.kind in ("heading", "code"):
            at = block.start
            for line in text[block.start : block.end].splitlines(keepends=True):
                if any(character.isalnum() for character in line):
                    left = len(line) - len(line.lstrip())
                    spans.append(Span(at + left, at + len(line.rstrip())))
                at += len(line)
    return tuple(sorted(span for span in spans if span.end > span.start)) or (Span(0, len(text)),)


def labelled_excerpts(evidence: Sequence[Evidence]) -> tuple[Excerpt, ...]:
    """Returns an excerpt for each evidence, with labelled lines: P1.1 is the first line of the first excerpt.

    If evidence overlaps, each line is shown only once, and an excerpt without a new line is left out.
    """
    excerpts: list[Excerpt] = []
    shown: set[tuple[str, int, str]] = set()
    for passage in evidence:
        lines = [(passage.start + span.start, span.of(passage.text)) for span in source_lines(passage.text)]
        new = [line for line in lines if (passage.source, *line) not in shown]
        shown |= {(passage.source, *line) for line in lines}
        if new:
            excerpts.append(_labelled_excerpt(f"P{len(excerpts) + 1}", passage, new))
    return tuple(excerpts)


def _labelled_excerpt(label: str, passage: Evidence, body: Sequence[tuple[int, str]]) -> Excerpt:
    lead = [(start, words) for start, words in passage.lead if start + len(words) <= passage.start]
    lines = tuple(
        SourceLine(f"{label}.{at}", words, passage.id, start, start + len(words))
        for at, (start, words) in enumerate([*lead, *body], start=1)
    )
    date = passage.published_at.date().isoformat() if passage.published_at else ""
    return Excerpt(label, passage.title or passage.source, date, lines)

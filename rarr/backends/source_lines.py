"""Divides the passages of a source into labelled lines, which a card cites."""

from collections.abc import Sequence
from functools import lru_cache

from rarr.components import Excerpt, SourceLine
from rarr.records import Evidence
from rarr.tools.text.blocks_and_sentences import Span, blocks, sentences_of


@lru_cache(maxsize=512)
def source_lines(text: str) -> tuple[Span, ...]:
    """Divides a passage into its sentences, table rows, headings and lines of code, in order."""
    parsed = blocks(text, indented_prose=True)
    spans = list(sentences_of(text, parsed, tables="rows"))
    for block in parsed:
        if block.kind in ("heading", "code"):
            at = block.start
            for line in text[block.start : block.end].splitlines(keepends=True):
                if any(character.isalnum() for character in line):
                    left = len(line) - len(line.lstrip())
                    spans.append(Span(at + left, at + len(line.rstrip())))
                at += len(line)
    return tuple(sorted(span for span in spans if span.end > span.start)) or (Span(0, len(text)),)


def labelled(evidence: Sequence[Evidence]) -> tuple[Excerpt, ...]:
    """Labels the lines of excerpts: P1.1 is the first line of the first excerpt, its heading included."""
    return tuple(_labelled(number, passage) for number, passage in enumerate(evidence, start=1))


def _labelled(number: int, passage: Evidence) -> Excerpt:
    lead = [(start, words) for start, words in passage.lead if start + len(words) <= passage.start]
    body = [(passage.start + span.start, span.of(passage.text)) for span in source_lines(passage.text)]
    lines = tuple(
        SourceLine(f"P{number}.{at}", words, passage.id, start, start + len(words))
        for at, (start, words) in enumerate([*lead, *body], start=1)
    )
    date = passage.published_at.date().isoformat() if passage.published_at else ""
    return Excerpt(f"P{number}", passage.title or passage.source, date, lines)

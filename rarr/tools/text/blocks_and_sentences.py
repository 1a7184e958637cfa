"""Finds the blocks and sentences of a text, and the parts of it that must not be edited.

Blocks are CommonMark's (with tables), by line; sentences are sentencex's, inside prose, and cells of tables.
All spans are half-open character ranges of the text that was given, whatever its line endings.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token
from sentencex import get_sentence_boundaries

from rarr.tools.text.markdown_tables import Cell, cells_of
from rarr.tools.text.span import Span as Span

BlockKind = Literal["prose", "heading", "table", "code"]
Tables = Literal["", "rows", "cells"]
"""The parts of tables that count as sentences: nothing, their rows, or their cells."""


class Block(NamedTuple):
    """Some whole lines of one kind. `level` is the level of a heading, from 1 to 6."""

    kind: BlockKind
    start: int
    end: int
    level: int = 0


# Inline content is not needed, and parsing it is the slow part.
_PARSER = MarkdownIt("commonmark").enable("table").disable("inline")
_PARSER.parse("x")  # compiles its rules now: on first use it would not be safe in threads
_HTML_TABLE = re.compile(r"\s*<table\b", re.IGNORECASE)
_LINE_END = re.compile(r"\r\n?|\n")
_INDENTED = re.compile(r"(?:[ \t]*+(?:\r\n?|\n)|(?: {4}| {0,3}\t)[^\r\n]*+(?:\r\n?|\n|\Z))*+[ \t]*+")
_KINDS: dict[str, BlockKind] = {
    "paragraph_open": "prose",
    "heading_open": "heading",
    "table_open": "table",
    "fence": "code",
    "code_block": "code",
    "html_block": "code",
}
_CONTAINERS = ("bullet_list_open", "ordered_list_open", "blockquote_open")
# Marks before the words of a line: quote marks, list markers, task boxes, footnote labels.
_MARKER = re.compile(r"\s*(?:(?:>|[-*+]|\d{1,9}[.)]|\[[ xX]\]|\[\^[^\]\s]+\]:)\s+|>)*")
# A measure at a possible end of a sentence: a number, and a short word or two with a full stop.
_UNIT = re.compile(
    r"\d[ \u00a0\u202f-]?(?:(?:sq|cu|fl|cubic|square)\.?[ \u00a0])?[A-Za-zµμ°]{1,5}\."
    r"[ \t\u00a0\u202f]*(?:\r\n?|\n)?[ \t]*\Z"
)
_SHORT = 55  # characters of a line that does not go on in the next one, at most
_GOES_ON = re.compile(
    r"""
      [,-]\Z
    | \b(?: a | an | the | its | their | of | in | on | at | by | to | for | from | with | than | and | or )\Z
    | \b(?: as | is | are | was | were )\Z
    """,
    re.VERBOSE,
)
_UNIT_ENDS = 40  # characters of such a measure, at most
_MAY_END = re.compile(r"\bMay\.\s+(?=[A-Z])")
_AFTER_UNIT = re.compile(r"[a-z]+(?![A-Za-z])")
# Bounded repetitions: hostile text must not make the search quadratic.
_PROTECTED = re.compile(
    r"""
      (?<!`)(?P<ticks>`{1,3})(?!`)[^`\n]{1,500}(?P=ticks)         # inline code
    | !?\[[^\]\[\n]{0,500}\](?:\([^)\n]{0,2000}\)|\[[^\]\n]{0,200}\])  # links and images
    | \[\^?[\w.-]{1,40}(?:\s*[,;–-]\s*[\w.-]{1,40})*\]            # citations [3], [3, 4], footnotes [^a]
    | <[A-Za-z/!][^<>\n]{0,2000}>                                 # autolinks and tags, but not comparisons
    | \b(?:https?://|www\.)\S+ | \b[\w.+-]{1,64}@[\w-]{1,64}\.[\w.]+
    | \$\$[^$\n]{1,500}\$\$ | \\\([^\n]{1,500}?\\\)                           # mathematics
    | \((?:see\ |cf\.\ )?[A-Z][\w'-]+(?:\ et\ al\.?|\ (?:and|&)\ [A-Z][\w'-]+)?,?\ (?:19|20)\d\d[a-z]?\)
    """,
    re.VERBOSE,
)


def blocks(text: str, *, indented_prose: bool = False) -> list[Block]:
    """Parses a Markdown (or plain) text into blocks, in order, without blank lines and thematic breaks.

    An indented block is code. It is prose where it reads like prose and either `indented_prose` is set or the
    whole text is indented.
    """
    return list(_parsed_blocks(text, indented_prose))


@lru_cache(maxsize=128)  # several steps parse the same text or excerpt
def _parsed_blocks(text: str, indented_prose: bool) -> tuple[Block, ...]:
    indented_prose = indented_prose or _INDENTED.fullmatch(text) is not None
    lines = [0, *(match.end() for match in _LINE_END.finditer(text)), len(text)]
    result: list[Block] = []
    for token in _PARSER.parse(text):
        kind = _kind(token, indented_prose=indented_prose)
        if kind is None or token.map is None:
            continue
        start, end = lines[token.map[0]], lines[min(token.map[1], len(lines) - 1)]
        if result and start < result[-1].end:  # the cells of a table come again as inline blocks
            continue
        result.append(Block(kind, start, end, int(token.tag[1]) if kind == "heading" else 0))
    return tuple(result)


def outline(text: str, longest: int) -> list[Block]:
    """Divides a text into its top-level blocks. Each extends to the next, and has the same meaning alone.

    Lists and quotes are prose. A list or quote of more than `longest` characters is split into its items.
    """
    lines = [0, *(match.end() for match in _LINE_END.finditer(text)), len(text)]
    parts: list[Block] = []
    divided = False
    for token in _PARSER.parse(text):
        if token.map is None or token.level > divided:
            continue
        start, end = lines[token.map[0]], lines[min(token.map[1], len(lines) - 1)]
        if token.level == 0:
            divided = token.type in _CONTAINERS and end - start > longest
            if divided:
                continue
        level = int(token.tag[1]) if token.type == "heading_open" else 0
        parts.append(Block(_kind(token, indented_prose=False) or "prose", start, end, level))
    starts = [0, *(part.start for part in parts[1:])]
    ends = [*starts[1:], len(text)]
    return [part._replace(start=s, end=e) for part, s, e in zip(parts, starts, ends, strict=False)]


@lru_cache(maxsize=64)  # texts
def sentences(text: str) -> tuple[Span, ...]:
    """Finds the sentences of the text of a run, and caches them, since every step reads the same text.

    Indented code is code. A cell of a table counts as a sentence; see `Cell`. Use `split_sentences` for
    documents and passages, which would push the text of the run out of the cache.
    """
    return tuple(sentences_of(text, blocks(text), tables="cells"))


def split_sentences(text: str, *, tables: Tables = "") -> list[Span]:
    """Finds the sentences of the prose of a document or passage, and with `tables` those of its tables.

    An indented paragraph is read as prose: in a text that is only read, too much is better than too little.
    """
    return sentences_of(text, blocks(text, indented_prose=True), tables=tables)


def sentences_of(text: str, parsed: Sequence[Block], *, tables: Tables = "") -> list[Span]:
    """Finds the sentences in blocks of `text` that are `parsed` already; `tables` as in `split_sentences`."""
    spans: list[Span] = []
    for block in parsed:
        if block.kind == "prose":
            spans.extend(_prose(text, block))
        elif block.kind == "table" and tables == "rows":
            spans.extend(span for span in _lines(text, block) if any(c.isalnum() for c in span.of(text)))
        elif block.kind == "table" and tables == "cells":
            spans.extend(cell.span for cell in cells_of(text, Span(block.start, block.end)))
    return spans


@lru_cache(maxsize=64)  # texts
def table_cells(text: str) -> Mapping[Span, Cell]:
    """Maps the span of each table cell among the sentences of a text to the cell with its headers."""
    tables = (Span(block.start, block.end) for block in blocks(text) if block.kind == "table")
    return {cell.span: cell for table in tables for cell in cells_of(text, table)}


def unread_tables(text: str) -> int:
    """Counts the tables of a text without a cell that is a sentence, and all tables in HTML."""
    if "|" not in text and "<" not in text:
        return 0
    parsed = blocks(text)
    unread = sum(
        block.kind == "table" and not cells_of(text, Span(block.start, block.end)) for block in parsed
    )
    return unread + sum(
        block.kind == "code" and bool(_HTML_TABLE.match(text, block.start)) for block in parsed
    )


def paragraph_end(text: str, start: int) -> int:
    """The position of the next empty line after `start`, or the length of the text."""
    end = text.find("\n\n", start)
    return len(text) if end < 0 else end


def protected(text: str, start: int, end: int) -> list[Span]:
    """Finds code, links, citations, footnote marks and formulas between `start` and `end`.

    They must not be edited.
    """
    return [Span(match.start(), match.end()) for match in _PROTECTED.finditer(text, start, end)]


def _kind(token: Token, *, indented_prose: bool) -> BlockKind | None:
    if token.type == "code_block" and indented_prose and _reads_as_prose(token):
        return "prose"
    return _KINDS.get(token.type)


def _reads_as_prose(code: Token) -> bool:
    """True if an indented block begins and ends like a sentence, and so is a paragraph."""
    first = code.content.strip()
    return bool(re.match(r"[\"“'(]?[A-Z0-9]", first)) and bool(re.search(r"[a-z]{2}[.!?][\"”')]*\s*$", first))


def _prose(text: str, block: Block) -> Iterator[Span]:
    marker = _MARKER.match(text, block.start, block.end)
    start = marker.end() if marker else block.start
    for begin, end in _boundaries(text[start : block.end]):
        for line in _broken_lines(text, start + begin, start + end):
            if any(character.isalnum() for character in line.of(text)):
                yield line


def _boundaries(prose: str) -> Iterator[Span]:
    """Splits a paragraph into sentences, but not after a unit with a full stop before a small letter.

    Also splits after "May.", which sentencex takes for an abbreviation, as it takes "Jan.".
    """
    begin = 0
    ends = [boundary["end_index"] for boundary in get_sentence_boundaries("en", prose)]
    for end in sorted({*ends, *(match.end() for match in _MAY_END.finditer(prose))}):
        if _AFTER_UNIT.match(prose, end) and _UNIT.search(prose, max(begin, end - _UNIT_ENDS), end):
            continue
        yield Span(begin, end)
        begin = end
    if begin < len(prose):
        yield Span(begin, len(prose))


def _broken_lines(text: str, start: int, end: int) -> Iterator[Span]:
    """Splits at line ends between sentences: after a short line, before a line that starts a new sentence."""
    begin = start
    # Other sentences may stand before it in its line.
    before = max(0, start - _SHORT)
    newline = max(before, text.rfind("\n", before, start) + 1)
    for match in _LINE_END.finditer(text, start, end):
        line = text[newline : match.start()].strip()
        newline = match.end() if match[0] != "\r" else newline
        after = text[match.end() : match.end() + 40].lstrip(" \t>*_-\"'“(")
        afresh = bool(after) and (after[0].isupper() or after[0].isdigit() or not after[0].isalnum())
        if len(line) < _SHORT and afresh and not _GOES_ON.search(line):
            yield _stripped(text, begin, match.start())
            begin = match.end()
    yield _stripped(text, begin, end)


def _lines(text: str, block: Block) -> Iterator[Span]:
    begin = block.start
    for match in _LINE_END.finditer(text, block.start, block.end):
        yield _stripped(text, begin, match.start())
        begin = match.end()
    yield _stripped(text, begin, block.end)


def _stripped(text: str, start: int, end: int) -> Span:
    inner = text[start:end]
    left = len(inner) - len(inner.lstrip())
    return Span(start + left, max(start + left, start + len(inner.rstrip())))

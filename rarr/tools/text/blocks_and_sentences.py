"""Finds the blocks and sentences of a text, its list of sources, and the parts that must not be edited.

A block is a paragraph, heading, table or code: whole lines, by the rules of CommonMark. The library sentencex
splits prose into sentences. In a text that is revised, a table cell counts as a sentence, and a list of
sources has no sentences, since it claims nothing. A span is a range of characters; its end is exclusive.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Literal, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token
from sentencex import get_sentence_boundaries

from rarr.tools.text.language_detection import text_language
from rarr.tools.text.markdown_tables import Cell, Span as Span, cells_of

BlockKind = Literal["prose", "heading", "table", "code"]
_Match = re.Match[str]


class Block(NamedTuple):
    """A block: whole lines of one kind. `level`: the level of a heading, from 1 to 6; 0 for other kinds."""

    kind: BlockKind
    start: int
    end: int
    level: int = 0


# Inline content is not needed, and parsing it is the slow part.
_PARSER = MarkdownIt("commonmark").enable("table").disable("inline")
_PARSER.parse("x")  # compiles its rules now: its first use would not be safe in threads
_HTML_BLOCK = re.compile(r"\s*<(?!table\b)[a-z!]", re.IGNORECASE)
_HTML_TABLE = re.compile(r"\s*<table\b", re.IGNORECASE)
_LINE_END = re.compile(r"\r\n?|\n")
_LINE = re.compile(r"[^\r\n]+")
_WHOLE_LINE = re.compile(r"(?P<words>[^\r\n]*)(?:\r\n?|\n|\Z)")
_INDENTED_PROSE = re.compile(r"[\"“'(]?[A-Z0-9].*[a-z]{2}[.!?][\"”')]*", re.DOTALL)
_KINDS: dict[str, BlockKind] = {
    "paragraph_open": "prose",
    "heading_open": "heading",
    "table_open": "table",
    "fence": "code",
    "code_block": "code",
    "html_block": "code",
}
# Marks before the words of a line: quote marks, list markers, footnote labels.
_LINE_MARKERS = re.compile(r"\s*(?:(?:>|[-*+]|\d{1,9}[.)]|\[\^[^\]\s]+\]:)\s+|>)*")
_MARK_NUMBERS = r"\d{1,3}(?:\s*[,;–-]\s*\d{1,3}){0,20}"
MARK = re.compile(
    rf"""
    (?=[\[\\【(¹²³⁰⁴-⁹<])(?:  # a quick test of the first sign
      \[\^(?P<footnote>[^\]\s\[]{{1,40}})\]
    | (?<!!)\\?\[(?:citation:\s*|source:?\s)?(?P<numbers>{_MARK_NUMBERS})\\?\](?![(\w])
    | 【(?P<wide>\d{{1,3}})(?:[:†][^】\n]{{0,60}})?】
    | \((?:Sources?|Quellen?)\s(?P<named>{_MARK_NUMBERS})\)
    | (?:(?<=[^\W\d_]{{3}})|(?<=[.,;:!?)\]"”’»*>])|(?<=\d{{4}}))  # but not the power of a unit or number
      (?:(?P<raised>[¹²³⁰⁴-⁹]{{1,3}}) | <sup>\s*\\?\[?(?P<sup>{_MARK_NUMBERS})\\?\]?\s*</sup>)
    )""",
    re.VERBOSE | re.IGNORECASE,
)
"""Matches a citation mark: [1], [^a], [citation:2], 【2†L10】, (Source 1), ¹, <sup>2</sup>."""
_CITED_WORD = re.compile(rf"[^\s\]*+-][^\S\r\n]*(?:{MARK.pattern})", re.VERBOSE | re.IGNORECASE)
_MARK_SIGN = re.compile(r"[\[【(<¹²³⁰⁴-⁹]")
# "[1] Title", "- [1] Title", "[1]: address", "[^a]: Title"
_ENTRY = re.compile(
    r" {0,3}(?P<item>[-*+] +)?\\?\[(?P<label>\^?[^\]\s\[\\]{1,40})\\?\](?P<colon>:?)[ \t]+(?P<entry>\S.*)"
)
_LISTED_ENTRY = re.compile(r" {0,3}(?:(?:[-*+] +)?(?P<label>\d{1,3})[.)][ \t]+|[-*+] +)(?P<entry>\S.*)")
LIST_TITLE = re.compile(
    r"[ #*_]{0,20}(?:(?P<surely>references|bibliography|works cited|literatur(?:verzeichnis)?"
    r"|quellenverzeichnis|références|bibliographie|referencias|bibliografía|see also|external links"
    r"|further reading)|sources|citations|quellen|fuentes"
    r"|(?P<notes>(?:foot)?notes|fu(?:ß|ss)noten|notas))\s{0,4}:?[ *_#]{0,20}",
    re.IGNORECASE,
)
_ADDRESS_OR_YEAR = re.compile(r"https?://|www\.|\w\.\w|\b(?:19|20)\d\d\b")
_SENTENCE_END = re.compile(r"[.!?…][\"”’')*_\s]*\Z")
_TIME = r"\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d{1,3})?"
# Labels before the words of a line: labels of notes, roles, times and subtitles.
_LINE_LABEL = re.compile(
    rf"""^[ \t>]*(?:
        (?:\[\^[^\]\s]{{1,40}}\]|\\?\[\d{{1,3}}\\?\]):[ \t]+
      | (?:\d+\r?\n)?{_TIME}[ \t]*-->[^\r\n]*(?:\r?\n|\Z)
      | \[{_TIME}\][ \t]*(?:[^\W\d_][\w.'’ -]{{0,40}}:[ \t]+)?
      | (?:[-*+][ \t]+)?[*_]{{0,2}}(?:user|assistant|system|human|ai|bot|agent|customer|q|a|speaker[ ]\w+)
        [*_]{{0,2}}:[*_]{{0,2}}[ \t]+
    )""",
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
_WORD = re.compile(r"\w+")
_ITEM_NUMBER = re.compile(r"\d{1,3}[.)](?=\s|\Z)")
_ROW_OF_COLUMNS = re.compile(r"\S {3,}\S")
_DAY = re.compile(r"(?<!\d)\d{1,2}\.\s*\Z")
_GERMAN_MONTH = re.compile(
    r"\s*(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)\b"
)
# For German, sentencex finds no end of a sentence before a number. These patterns find it, but not after an
# abbreviation: a word that is short, or that ends in the middle of a syllable, such as "Hauptstr."
_BEFORE_NUMBER = re.compile(
    r"(?<=[^\W\d_]{2})(?<!\bca)\.\s+(?=\d{4}\s[a-zäöü]{4})"
    r"|(?<=[^\W\d_]{5})(?<![bcdfgkpqstvwxz][lmnr])(?<!ch[lmnr])(?<!hr[gl])\.\s+(?=\d[\d.,]*\s[A-ZÄÖÜ][a-zäöüß]{2})"
)
_GERMAN_SHORT = re.compile(r"(?:\d[a-z]?\s(?:Mio|Mrd|Tsd|Abs)|\bNr)\.\s*\Z")
_GERMAN_ORDINAL = re.compile(r"(?i)\b(?:d(?:er|ie|as|e[nms])|[ai]m|vom|beim|zu[mr])\s\d{1,2}\.\s*\Z")
# A measure where a sentence may end: a number, and one or two short words with a full stop.
_MEASURE = re.compile(
    r"\d[ \u00a0\u202f-]?(?:(?:sq|cu|fl|cubic|square)\.?[ \u00a0])?[A-Za-zµμ°]{1,5}\."
    r"[ \t\u00a0\u202f]*(?:\r\n?|\n)?[ \t]*\Z"
)
_SHORT_LINE = 55  # a line with fewer characters may end a sentence, without a full stop
_UNFINISHED_LINE = re.compile(
    r"[,-]\Z|\b(?:an?|the|its|their|of|in|on|at|by|to|for|from|with|than|and|or|as|is|are|was|were)\Z"
)
# sentencex takes "May.", "m." and "no." for abbreviations, and the "V." of "230 V. Nervalin" for an initial.
# A word such as "The" is no surname: "Vitamin K. The dose" has two sentences, but not "Ursula K. Le Guin".
_MISSED_ENDS = re.compile(
    r"(?:\bMay|\d[ \u00a0\u202f]?(?:[a-zµ]{1,3}/)?[a-zµ])\.\s+(?=[\"“(]?[A-ZÄÖÜ])"
    r"|\d[ \u00a0\u202f]?[VWCF]\.\s+(?=[A-ZÄÖÜ][^\W\d_])"
    r"|\b[Nn]o\.\s+(?=[\"“(]?[A-ZÄÖÜ][a-zäöüß]+(?![\w-]))"
    r"|\b[A-Z]\.\s+(?=(?:The|This|These|Its?|They|Der|Die|Es|Eine|Sie|Im|Bei|Les|Ils?|Elle|Une|Cette)\s)"
)
_AFTER_MEASURE = re.compile(r"[a-z]+(?![A-Za-z])")
# Bounded repetitions: hostile text must not make the search quadratic.
_PROTECTED = re.compile(
    rf"(?i:{MARK.pattern})"
    r"""
    | (?<!`)(?P<ticks>`{1,3})(?!`)[^`\n]{1,500}(?P=ticks)         # inline code
    | !?\[[^\]\[\n]{0,500}\](?:\([^)\n]{0,2000}\)|\[[^\]\n]{0,200}\])  # links and images
    | \[\^?[\w.-]{1,40}(?:\s*[,;–-]\s*[\w.-]{1,40})*\]            # citations such as [a1]
    | <[A-Za-z/!][^<>\n]{0,2000}>                                 # autolinks and tags, but not comparisons
    | \b(?:https?://|www\.)\S+ | \b[\w.+-]{1,64}@[\w-]{1,64}\.[\w.]+
    | \$\$[^$\n]{1,500}\$\$ | \\\([^\n]{1,500}?\\\)                           # mathematics
    | \((?:see\ |cf\.\ )?[A-Z][\w'-]+(?:\ et\ al\.?|\ (?:and|&)\ [A-Z][\w'-]+)?,?\ (?:19|20)\d\d[a-z]?\)
    """,
    re.VERBOSE,
)


@lru_cache(maxsize=128)  # several steps parse the same text or excerpt
def blocks(text: str) -> tuple[Block, ...]:
    """Parses a Markdown (or plain) text into blocks, in order, without blank lines and thematic breaks.

    An indented block is code. If the whole text is indented, a block that looks like prose is prose.
    """
    result: list[Block] = []
    for token, block in line_tokens(text):
        # The parser yields the cells of a table again, as inline blocks.
        if token.type in _KINDS and not (result and block.start < result[-1].end):
            result.append(block)
    return tuple(result)


def line_tokens(text: str) -> Iterator[tuple[Token, Block]]:
    """Yields (token, block) for each Markdown token that has lines. A block of an unknown kind is prose."""
    lines = [0, *(match.end() for match in _LINE_END.finditer(text)), len(text)]
    is_indented = all(not it.strip() or it.expandtabs(4).startswith("    ") for it in text.splitlines())
    for token in _PARSER.parse(text):
        if token.map is not None:
            kind = _KINDS.get(token.type, "prose")
            is_code = token.type == "code_block"
            if is_code and is_indented and _INDENTED_PROSE.fullmatch(token.content.strip()):
                kind = "prose"
            level = int(token.tag[1]) if kind == "heading" else 0
            yield token, Block(kind, lines[token.map[0]], lines[min(token.map[1], len(lines) - 1)], level)


class SourceEntry(NamedTuple):
    """An entry of a list of sources. `names_source` is False if the entry may be a note with a claim."""

    place: Span
    label: str
    text: str
    names_source: bool


@lru_cache(maxsize=64)  # texts
def source_entries(text: str) -> tuple[SourceEntry, ...]:
    """Finds the entries of the lists of sources in `text`, in order.

    An entry is a line that begins with a label: `[^a]: ...` or `[1]: ...` anywhere, or `[1] ...` at the
    start of a block or below another entry. Below a title such as "References", each list item is an entry.
    """
    entries, code, is_cited = list[SourceEntry](), span_mask(text, code=True), bool(_CITED_WORD.search(text))
    begins, blank, title = True, True, None  # `begins`: the line may begin an entry
    for line in _WHOLE_LINE.finditer(text):
        words, before = line["words"].rstrip(), blank
        if blank := not words or code[line.start()] == 1:
            begins = True
        elif heading := LIST_TITLE.fullmatch(words.strip()):
            begins, title = True, heading
        elif entry := _match_entry(words, title, anywhere=begins or title is not None):
            begins, place = True, Span(line.start(), line.start() + len(words))
            names_source = _entry_names_source(entry, title, is_cited=is_cited)
            entries.append(SourceEntry(place, entry["label"] or "", entry["entry"], names_source))
        else:  # prose ends a list of sources
            title = None if words.lstrip().startswith("#") or (before and not words.endswith(":")) else title
            begins = False
    return tuple(entries)


def source_lists(text: str) -> list[Span]:
    """Returns the spans of all titles of lists of sources, and of all entries that name a source."""
    titles = [Span(*line.span()) for line in _LINE.finditer(text) if LIST_TITLE.fullmatch(line[0].strip())]
    return [*titles, *(entry.place for entry in source_entries(text) if entry.names_source)]


def _match_entry(words: str, title: _Match | None, *, anywhere: bool) -> _Match | None:
    """Matches the line `words` as a source entry. Unless `anywhere`, "[1]" needs a colon or list marker."""
    entry = _ENTRY.fullmatch(words)
    has_text = entry and any(map(str.isalnum, MARK.sub("", entry["entry"])))  # a row of marks is no entry
    if entry and has_text and (anywhere or entry["colon"] or entry["item"]):
        return entry
    return _LISTED_ENTRY.fullmatch(words) if title else None


def _entry_names_source(entry: _Match, title: _Match | None, *, is_cited: bool) -> bool:
    """Tells whether an entry names a source. An entry that ends like a sentence is probably a note."""
    is_title = _SENTENCE_END.search(MARK.sub("", entry["entry"])) is None
    if title and not title["notes"]:
        looks_so = is_title and (is_cited or _ADDRESS_OR_YEAR.search(entry["entry"]))
        return bool(title["surely"] or looks_so or (is_cited and entry["label"]))
    if entry.re is _ENTRY and (entry["colon"] or not entry["item"]):
        return is_title or (is_cited and not entry["colon"])
    return is_cited and entry["label"] is not None  # a model may begin any list item with a mark


def span_mask(text: str, spans: Iterable[Span] = (), *, code: bool = False) -> bytearray:
    """Returns a byte for each character of `text`: 1 in `spans` (and in code, if `code`), 0 elsewhere."""
    marked = bytearray(len(text))
    for start, end in (*spans, *(it[1:3] for it in blocks(text) if code and it.kind == "code")):
        marked[start:end] = b"\1" * (end - start)
    return marked


@lru_cache(maxsize=64)  # texts
def sentences(text: str) -> tuple[Span, ...]:
    """Finds the sentences of the text of a run, and caches them, since every step reads the same text.

    A cell of a table counts as a sentence (see `Cell`). For documents and passages use `split_sentences`,
    because they would push the text of the run out of the cache.
    """
    return tuple(split_sentences(text, revised=True))


def split_sentences(text: str, *, revised: bool = False) -> list[Span]:
    """Finds the sentences and table rows of a document or passage.

    If `revised`, the text is the text of a run: finds table cells, not rows, and nothing in lists of sources.
    """
    spans, language = list[Span](), "de" if text_language(text) == "de" else "en"
    for block in blocks(text):
        if block.kind == "prose":
            spans.extend(_block_sentences(text, block, language, is_revised=revised))
        elif block.kind == "table" and revised:
            spans.extend(cell.span for cell in cells_of(text, Span(block.start, block.end)))
        elif block.kind == "table":
            rows = (Span(*row.span()).stripped(text) for row in _LINE.finditer(text, block.start, block.end))
            spans.extend(row for row in rows if any(map(str.isalnum, row.of(text))))
    listed = span_mask(text, source_lists(text) if revised else ())
    return [span for span in spans if not listed[span.start]]


@lru_cache(maxsize=64)  # texts
def table_cells(text: str) -> Mapping[Span, Cell]:
    """Maps the span of each table cell that counts as a sentence to its `Cell`, which has the headers."""
    tables = (Span(block.start, block.end) for block in blocks(text) if block.kind == "table")
    return {cell.span: cell for table in tables for cell in cells_of(text, table)}


def count_unread_tables(text: str) -> int:
    """Counts tables that are not read: tables in HTML, and tables in which no cell counts as a sentence."""
    return sum(
        (it.kind == "table" and not cells_of(text, Span(it.start, it.end)))
        or (it.kind == "code" and _HTML_TABLE.match(text, it.start) is not None)
        for it in blocks(text)
    )


def html_share(text: str) -> float:
    """Returns the share (0 to 1) of `text` in HTML, where no sentences are found. Leaves out HTML tables."""
    html = (it for it in blocks(text) if it.kind == "code" and _HTML_BLOCK.match(text, it.start))
    return sum(block.end - block.start for block in html) / max(len(text), 1)


def closest_sentence(passage: str, claim: str) -> str:
    """Returns the sentence of `passage` with most of the words of `claim`; without sentences, `passage`."""
    words, texts = set(_WORD.findall(claim.casefold())), [it.of(passage) for it in split_sentences(passage)]
    return max(texts or [passage], key=lambda text: len(words.intersection(_WORD.findall(text.casefold()))))


@lru_cache(maxsize=8)  # one line may have many edits
def protected_spans(text: str, start: int, end: int) -> tuple[Span, ...]:
    """Finds the parts of `text[start:end]` that are never edited: code, links, citations and formulas."""
    return tuple(Span(*match.span()) for match in _PROTECTED.finditer(text, start, end))


def _block_sentences(text: str, block: Block, language: str, *, is_revised: bool) -> Iterator[Span]:
    """Yields a block's sentences. A label, as "User:", begins a sentence; if `is_revised`, it is left out."""
    begin = _LINE_MARKERS.match(text, block.start, block.end).end()  # type: ignore[union-attr]  # matches ""
    for label in _LINE_LABEL.finditer(text, block.start, block.end):
        if label.start() > begin:
            yield from _range_sentences(text, begin, label.start(), language)
        begin = max(begin, label.end() if is_revised else label.start())
    yield from _range_sentences(text, begin, block.end, language)


def _range_sentences(text: str, start: int, end: int, language: str) -> Iterator[Span]:
    lines = [line.strip() for line in text[start:end].splitlines()]
    is_wrapped = any(line[:1].islower() for line in lines[1:])
    width = max(map(len, lines), default=0) if is_wrapped else 0
    for sentence in _sentences_with_marks(text[start:end], language):
        for line in _split_at_line_ends(text, sentence.moved_by(start), width):
            words = line.of(text)
            if words[:1].isalpha() or any(map(str.isalnum, MARK.sub("", words))):
                yield line


def _sentences_with_marks(prose: str, language: str) -> Iterator[Span]:
    """Splits a paragraph into sentences. A sentence includes the citation marks that follow it."""
    marks = [Span(*match.span()) for match in MARK.finditer(prose)] if _MARK_SIGN.search(prose) else []
    plain = MARK.sub("", prose) if marks else prose
    begin = at = shift = 0
    ends = {boundary["end_index"] for boundary in get_sentence_boundaries(language, plain)}
    ends.update(match.end() for match in _MISSED_ENDS.finditer(plain))
    ends.update(match.end() for match in _BEFORE_NUMBER.finditer(plain) if language == "de")
    for end in sorted(ends):
        while at < len(marks) and marks[at].start - shift <= end:
            shift += marks[at].end - marks[at].start
            at += 1
        if not _sentence_continues(plain, end, language):
            yield Span(begin, end + shift)
            begin = end + shift
    if begin < len(prose):
        yield Span(begin, len(prose))


def _sentence_continues(plain: str, end: int, language: str) -> bool:
    """Tells whether the full stop at `end` belongs to a unit, ordinal or abbreviation inside a sentence."""
    start = max(0, end - 40)  # a measure has fewer characters
    return bool(
        (_AFTER_MEASURE.match(plain, end) and _MEASURE.search(plain, start, end))
        or (language == "de" and _GERMAN_ORDINAL.search(plain, start, end))
        or _GERMAN_SHORT.search(plain, start, end)  # checked in any language: a short text does not show it
        or (_GERMAN_MONTH.match(plain, end) and _DAY.search(plain, start, end))
    )


def _split_at_line_ends(text: str, sentence: Span, width: int) -> Iterator[Span]:
    """Splits a sentence after each short line, if the next line may begin a new sentence.

    `width` is the length of the longest line in a wrapped paragraph, and 0 in other paragraphs. In a wrapped
    paragraph, does not split after a line that has no room for the next word.
    """
    begin, end = sentence
    before = max(0, begin - _SHORT_LINE)
    newline = max(before, text.rfind("\n", before, begin) + 1)
    for match in _LINE_END.finditer(text, begin, end):
        line = text[newline : match.start()].strip()
        newline = match.end() if match[0] != "\r" else newline
        after = text[match.end() : match.end() + 200].lstrip(" \t>*_-\"'“(")
        is_full = len(line) + 1 + len(after.partition(" ")[0].split("\n")[0]) > width > 0
        number = _ITEM_NUMBER.match(after)  # the number of a list item or of a German day
        is_item = number is not None and not _GERMAN_ORDINAL.search(f"{line} {number[0]}")
        begins_sentence = is_item or _may_begin_sentence(after, text[begin])
        if len(line) < _SHORT_LINE and begins_sentence and not is_full and not _UNFINISHED_LINE.search(line):
            yield Span(begin, match.start()).stripped(text)
            begin = match.end()
    yield Span(begin, end).stripped(text)


def _may_begin_sentence(line: str, first_character: str) -> bool:
    """Tells whether `line` may begin a new sentence, if the sentence before has this `first_character`."""
    if line[:1].isdigit():
        return first_character.isdigit() or _ROW_OF_COLUMNS.search(line) is not None
    return line[:1].isupper() or (bool(line) and not line[0].isalnum() and line[0] not in "$€£¥")

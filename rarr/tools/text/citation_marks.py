"""Finds the citations that a text has already, and the entries of its own list of sources.

Citations are marks such as `[1]`, `[2, 3]`, `[4-6]` and `[^a]` (see `MARK`), links, and addresses. Code is
left out.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import NamedTuple

from rarr.tools.text.blocks_and_sentences import MARK, Span, blocks, protected, sentences

_LINE = re.compile(r"[^\r\n]+")
# "[1] Title", "- [1] Title", "[1]: address", "[^a]: Title"
_ENTRY = re.compile(
    r"(?P<lead> {0,3}(?:[-*+] +)?)\\?\[(?P<label>\^?[^\]\s\[\\]{1,40})\\?\](?P<colon>:?)[ \t]+(?P<entry>\S.*)"
)
_NUMBERED_ENTRY = re.compile(r" {0,3}(?:[-*+] +)?(?P<label>\d{1,3})[.)][ \t]+(?P<entry>\S.*)")
_LIST_TITLE = re.compile(
    r"[ #*_]*(?:references|sources|bibliography|works cited|citations|footnotes|notes)\s*:?[ *_#]*",
    re.IGNORECASE,
)
_MARK = re.compile(
    rf"(?i:{MARK.pattern})"
    r"""
    | (?<!!)\[[^\]\[\n]{0,500}\]\(<?(?P<link>[^)\s>]{1,2000})>?(?:\s[^)\n]{0,300})?\)
    | (?<!!)\[[^\]\[\n]{0,500}\]\[(?P<reference>[^\]\[\n]{1,40})\]
    | (?P<address>\bhttps?://[^\s<>]{1,2000})
    """,
    re.VERBOSE,
)
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_CLOSED = re.compile(r"[*_\"'”’)]*")
_RANGE = re.compile(r"(\d+)(?:\s*[–-]\s*(\d+))?")
_LONGEST_RANGE = 20


class CitationMark(NamedTuple):
    """A citation of a text: its place, the sentence that it stands in, and its label.

    The label is `1` for a number, `^a` for a footnote, and the address for a link. A mark with several
    numbers gives several of these.
    """

    place: Span
    sentence: Span
    label: str


class SourceEntry(NamedTuple):
    """An entry of a text's own list of sources: its place, its label as in `CitationMark`, and its text."""

    place: Span
    label: str
    text: str


@lru_cache(maxsize=64)  # texts
def source_entries(text: str) -> tuple[SourceEntry, ...]:
    """Finds the entries of the text's own list of sources, in order.

    An entry is a line that begins with a label and is no prose: `[^a]: ...` and `[1]: ...` anywhere,
    `[1] ...` at the start of a block or below another entry, and `1. ...` under a title such as "References".
    """
    code = _covered(text, _code_blocks(text))
    entries: list[SourceEntry] = []
    listed, begins = False, True  # under a title of a list; may the line begin an entry?
    position = 0
    for line in _LINE.finditer(text):
        begins = begins or len(re.findall(r"\r\n?|\n", text[position : line.start()])) > 1
        position = line.end()
        if code[line.start()] or not line[0].strip():
            begins = True
            continue
        if _LIST_TITLE.fullmatch(line[0].strip()):
            listed = begins = True
            continue
        listed = listed and not line[0].lstrip().startswith("#")
        entry = _entry(line[0], anywhere=begins or listed)
        entry = entry or (_NUMBERED_ENTRY.fullmatch(line[0]) if listed else None)
        begins = entry is not None
        if entry:
            entries.append(SourceEntry(Span(*line.span()), entry["label"], entry["entry"].strip()))
    return tuple(entries)


def _entry(line: str, *, anywhere: bool) -> re.Match[str] | None:
    """Matches a line with a label in brackets: without a colon or a list marker only where `anywhere`."""
    entry = _ENTRY.fullmatch(line)
    has_text = entry and any(map(str.isalnum, MARK.sub("", entry["entry"])))  # not marks in a row
    return entry if entry and has_text and (anywhere or entry["colon"] or entry["lead"].strip()) else None


def source_list_places(text: str) -> list[Span]:
    """Returns the places of the text's own lists of sources: their entries and titles."""
    titles = [Span(*line.span()) for line in _LINE.finditer(text) if _LIST_TITLE.fullmatch(line[0].strip())]
    return [*titles, *(entry.place for entry in source_entries(text))]


def citation_marks(text: str) -> list[CitationMark]:
    """Finds the citations in the sentences of `text`, in order, but not in code or its list of sources."""
    listed = _covered(text, source_list_places(text))
    references = {entry.label for entry in source_entries(text)}
    marks: list[CitationMark] = []
    before: Span | None = None
    spans = sentences(text)
    for span, following in zip_longest(spans, spans[1:], fillvalue=Span(len(text), len(text))):
        if not any(listed[slice(*span)]):
            leading = _leading_marks_end(text, span, before)
            alone = not has_words(text[span.end : following.start])  # a paragraph of marks may follow
            for place, label in _labels(text, span.start, following.start if alone else span.end, references):
                if not any(listed[slice(*place)]):
                    of_before = before is not None and place.end <= leading
                    marks.append(CitationMark(place, before if before and of_before else span, label))
        before = span
    return marks


def numbered_marks(text: str) -> list[tuple[Span, tuple[int, ...]]]:
    """Finds the marks with numbers, `[^1]` among them, anywhere in `text` but in code, with their numbers."""
    code = _covered(text, [*_code(text, 0, len(text)), *_code_blocks(text)])
    marks = ((Span(*match.span()), tuple(_numbers(match))) for match in _MARK.finditer(text))
    return [(place, numbers) for place, numbers in marks if numbers and not any(code[slice(*place)])]


def has_words(sentence: str) -> bool:
    """Tells if a sentence has words beside its citations."""
    return any(map(str.isalnum, _MARK.sub("", sentence)))


def highest_number(text: str, marks: Sequence[CitationMark]) -> int:
    """Returns the highest number that the text's citations and entries have; 0 without one."""
    labels = [*(mark.label for mark in marks), *(entry.label for entry in source_entries(text))]
    # A number in code or in brackets of another kind may still become a link to a new entry.
    labels += re.findall(r"\[\^?(\d{1,3})\]", text)
    return max((int(label) for each in labels if (label := each.removeprefix("^")).isdecimal()), default=0)


def _code(text: str, start: int, end: int) -> list[Span]:
    """Finds the code and formulas within lines; a mark such as \\[1\\] is none."""
    spans = (span for span in protected(text, start, end) if text[span.start] in "`$\\")
    return [span for span in spans if not MARK.match(text, span.start)]


def _code_blocks(text: str) -> list[Span]:
    return [Span(block.start, block.end) for block in blocks(text) if block.kind == "code"]


def _covered(text: str, spans: Iterable[Span]) -> bytearray:
    """Marks each character of `text` with 1 if it is in one of the spans, else with 0."""
    covered = bytearray(len(text))
    for start, end in spans:
        covered[start:end] = b"\1" * (end - start)
    return covered


def _leading_marks_end(text: str, sentence: Span, before: Span | None) -> int:
    """Returns the end of the marks at the start of `sentence` that belong to the sentence before it.

    They do if they follow it without a space, or if the sentence has nothing else. Marks of emphasis and
    quotes that close behind the sentence may stand before them.
    """
    if before is None or not (before.end == sentence.start or not has_words(sentence.of(text))):
        return sentence.start
    end = _CLOSED.match(text, sentence.start).end()  # type: ignore[union-attr]  # matches ""
    while match := _MARK.match(text, end, sentence.end):
        end = match.end()
    return end


def _labels(text: str, start: int, end: int, references: Collection[str]) -> Iterator[tuple[Span, str]]:
    """Yields the places and labels of the citations between two places, but not in code."""
    code = _code(text, start, end)
    for match in _MARK.finditer(text, start, end):
        place = Span(*match.span())
        if any(place.overlaps(span) for span in code):
            continue
        if match["address"]:
            address = match["address"].rstrip(".,;:!?\"'*_”’")  # the sentence's punctuation
            address = address[:-1] if address.endswith(")") and "(" not in address else address
            yield Span(place.start, place.start + len(address)), address
        elif match["reference"]:
            yield from [(place, match["reference"])] if match["reference"] in references else ()
        elif match["link"] or match["footnote"]:
            yield place, match["link"] or f"^{match['footnote']}"
        else:
            yield from ((place, str(number)) for number in _numbers(match))


def _numbers(match: re.Match[str]) -> list[int]:
    """Returns the numbers of a mark; [] for a link and a footnote with a name."""
    listed = next((match[name] for name in ("numbers", "wide", "named", "sup", "raised") if match[name]), "")
    footnote = match["footnote"] or ""
    numbers: list[int] = []
    for first, last in _RANGE.findall(listed.translate(_RAISED) or footnote * footnote.isdecimal()):
        numbers += range(int(first), min(int(last or first), int(first) + _LONGEST_RANGE) + 1)
    return numbers

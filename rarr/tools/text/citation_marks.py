"""Finds the citations of a text outside of code: links, and marks such as `[2, 3]` or `[^a]`."""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from rarr.tools.text.blocks_and_sentences import MARK, protected_spans, sentences, source_entries, span_mask
from rarr.tools.text.markdown_tables import Span

_CITATION = re.compile(
    rf"(?i:{MARK.pattern})"
    r"""
    | (?<!!)\[[^\]\[\n]{0,500}\]\(<?(?P<link>[^)\s>]{1,2000})>?(?:\s[^)\n]{0,300})?\)
    | (?<!!)\[[^\]\[\n]{0,500}\]\[(?P<reference>[^\]\[\n]{1,40})\]
    | (?P<address>\bhttps?://[^\s<>]{1,2000})
    """,
    re.VERBOSE,
)
_CITATION_ROW = re.compile(rf"(?:[\s>*_-]*+(?:{_CITATION.pattern}))*", re.VERBOSE)
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_CLOSING_SIGNS = re.compile(r"[*_\"'”’)]*")
_RANGE = re.compile(r"(\d+)(?:\s*[–-]\s*(\d+))?")
_LONGEST_RANGE = 20


class CitationMark(NamedTuple):
    """A citation in a text: its span, the span of the sentence to which it belongs, and its label.

    The label is `1` for a number, `^a` for a footnote, and the address for a link. A mark with several
    numbers gives a `CitationMark` for each number.
    """

    place: Span
    sentence: Span
    label: str


def citation_marks(text: str) -> list[CitationMark]:
    """Finds the citations in the sentences of `text`, in order. Leaves out code and lists of sources."""
    entries, spans, marks, before = source_entries(text), sentences(text), list[CitationMark](), None
    ends = (it.place.end if it.names_source else text.index(it.text, it.place.start) for it in entries)
    heads = [Span(it.place.start, end) for it, end in zip(entries, ends, strict=True)]
    hidden, references = span_mask(text, [*heads, *_code_in_lines(text)]), {entry.label for entry in entries}
    for span, following in zip_longest(spans, spans[1:], fillvalue=Span(len(text), len(text))):
        leading = _leading_marks_end(text, span, before)
        end = _CITATION_ROW.match(text, span.end, following.start).end()  # type: ignore[union-attr]  # matches ""
        for place, label in _citations_in(text, span.start, end, references):
            if not any(hidden[slice(*place)]):
                of_before = before is not None and place.end <= leading
                marks.append(CitationMark(place, before if before and of_before else span, label))
        before = span
    return marks


def numbered_marks(text: str) -> list[tuple[Span, tuple[int, ...]]]:
    """Returns (span, numbers) for each mark with numbers, such as `[2, 3]` or `[^1]`, outside of code."""
    code = span_mask(text, _code_in_lines(text), code=True)
    marks = ((Span(*match.span()), tuple(_numbers_of_mark(match))) for match in _CITATION.finditer(text))
    return [(place, numbers) for place, numbers in marks if numbers and not any(code[slice(*place)])]


def has_words(sentence: str) -> bool:
    """Tells whether a sentence has words other than its citations."""
    return any(map(str.isalnum, _CITATION.sub("", sentence)))


def highest_number(text: str, marks: Sequence[CitationMark]) -> int:
    """Returns the highest number of a citation, a source entry, or brackets such as [7]; 0 without any."""
    labels = [*(mark.label for mark in marks), *(entry.label for entry in source_entries(text))]
    # A number in code counts too: with a new entry of this number, Markdown may make a link of it.
    labels += re.findall(r"\[\^?(\d{1,3})\]", text)
    return max((int(label) for each in labels if (label := each.removeprefix("^")).isdecimal()), default=0)


def _code_in_lines(text: str) -> list[Span]:
    """Finds code and formulas inside lines. A mark such as \\[1\\] is no formula."""
    spans = (span for span in protected_spans(text, 0, len(text)) if text[span.start] in "`$\\")
    return [span for span in spans if not MARK.match(text, span.start)]


def _leading_marks_end(text: str, sentence: Span, before: Span | None) -> int:
    """Returns the end of the citations at the start of `sentence` that belong to the sentence `before`.

    The citations belong to `before` if no space is between the two sentences, or if `sentence` has no other
    words. Signs that close emphasis or quotes may come before the citations.
    """
    if before is None or not (before.end == sentence.start or not has_words(sentence.of(text))):
        return sentence.start
    end = _CLOSING_SIGNS.match(text, sentence.start).end()  # type: ignore[union-attr]  # matches ""
    while match := _CITATION.match(text, end, sentence.end):
        end = match.end()
    return end


def _citations_in(text: str, start: int, end: int, references: Collection[str]) -> Iterator[tuple[Span, str]]:
    """Yields (span, label) of each citation from `start` to `end`. `[words][a]` needs "a" in `references`."""
    for match in _CITATION.finditer(text, start, end):
        place = Span(*match.span())
        if match["address"]:
            address = match["address"].rstrip(".,;:!?\"'*_”’")  # the sentence's punctuation
            address = address[:-1] if address.endswith(")") and "(" not in address else address
            yield Span(place.start, place.start + len(address)), address
        elif match["reference"]:
            yield from [(place, match["reference"])] if match["reference"] in references else ()
        elif match["link"] or match["footnote"]:
            yield place, match["link"] or f"^{match['footnote']}"
        else:
            yield from ((place, str(number)) for number in _numbers_of_mark(match))


def _numbers_of_mark(match: re.Match[str]) -> list[int]:
    """Returns the numbers of a citation mark (2, 3, 4 for [2-4]); [] for a link or a footnote with a name."""
    listed = next((match[name] for name in ("numbers", "wide", "named", "sup", "raised") if match[name]), "")
    footnote = match["footnote"] or ""
    found = _RANGE.findall(listed.translate(_RAISED) or footnote * footnote.isdecimal())
    pairs = ((int(first), int(last or first)) for first, last in found)
    return [n for first, last in pairs for n in range(first, min(last, first + _LONGEST_RANGE) + 1)]

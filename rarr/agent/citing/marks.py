"""Plans the citations of a text, puts their marks and a list of sources into it, and keeps their places."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import NamedTuple

from rarr.records import UNNAMED, Evidence, Revision, Sentence
from rarr.records.citations import (
    Citation,
    CitationCheck,
    CitationStyle,
    Cited,
    CitedSource,
    UnsupportedMark,
)
from rarr.tools.text.blocks_and_sentences import Span, blocks, protected
from rarr.tools.text.citation_marks import has_words

NEEDED = "[citation needed]"
DISPUTED = "[sources disagree]"
_FENCE = re.compile(r"[ >]*(`{3,}|~{3,})")
_IN_MEMORY = "memory:"  # the source of a string in `rarr.testing.InMemoryRetriever`
_CLOSING = ".!?…\"'”’)*_]"


class PlannedCitation(NamedTuple):
    """A passage that a sentence cites at `at`, with the values of the sentence that it confirms."""

    at: int
    sentence: Sentence
    passage: Evidence
    words: tuple[str, ...] = ()


def planned_citations(revision: Revision, settled: Sequence[Span]) -> list[PlannedCitation]:
    """Plans the citations of the supported sentences, in the order of the text.

    A sentence cites each passage that its card quotes for it: only together they need to say all of it. The
    marks stand behind the sentence. Sentences at `settled` get none.
    """
    evidence = {passage.id: passage for passage in revision.evidence}
    planned = [
        citation
        for sentence in revision.report.sentences
        if sentence.status == "supported"
        and has_words(sentence.text)
        and not any(Span(sentence.start, sentence.end).overlaps(span) for span in settled)
        for citation in _of_sentence(revision.text, sentence, evidence)
    ]
    return sorted(planned, key=lambda citation: citation.at)


def _of_sentence(
    text: str, sentence: Sentence, evidence: Mapping[str, Evidence]
) -> Iterator[PlannedCitation]:
    quoted = [quote.evidence_id for quote in sentence.quotes if quote.side == "for"]
    for name in dict.fromkeys(quoted or sentence.evidence_ids):
        words = [text[part.start : part.end] for part in sentence.parts if part.evidence_id == name]
        yield PlannedCitation(mark_place(text, sentence.end), sentence, evidence[name], tuple(words))


def mark_place(text: str, end: int) -> int:
    """Moves the end of a sentence to a place where a mark may stand: not inside of a link.

    Marks that follow directly are passed too, since `[1][2]` may be a link.
    """
    line_end = re.compile(r"[\r\n]").search(text, end)
    limit = line_end.start() if line_end else len(text)
    for span in protected(text, text.rfind("\n", 0, end) + 1, limit):
        if span.start < end < span.end or (span.start == end and text[end] == "["):
            end = span.end
    return end


def cited_text(
    revision: Revision,
    planned: Sequence[PlannedCitation],
    unsupported: Sequence[Sentence] = (),
    existing: Sequence[CitationCheck] = (),
    *,
    style: CitationStyle,
    first_number: int = 1,
    numbers: Mapping[str, int] | None = None,
    disputed: Sequence[Sentence] = (),
) -> Cited:
    """Builds the cited text: a mark for each of `planned`, and `[citation needed]` behind each `unsupported`.

    Each sentence in `disputed` gets `[sources disagree]` behind its marks. The list of sources comes at the
    end. `numbers` are those that some sources have already; other sources are numbered from `first_number`.
    `existing`, the checks of earlier citations, only go into the result.
    """
    original = revision.original
    sources = _numbered(planned, numbers or {}, first_number)
    marks = [(it.at, _mark(sources[it.passage.source].number, style)) for it in planned]
    lacking = [*((each, NEEDED) for each in unsupported), *((each, DISPUTED) for each in disputed)]
    gaps = [(mark_place(original, each.end), mark) for each, mark in lacking]
    text, places = with_marks(original, dict.fromkeys([*marks, *gaps]))
    return Cited(
        original=original,
        text=text + _source_list(original, list(sources.values()), style),
        style=style,
        list_start=len(text),
        sources=tuple(sources.values()),
        existing=tuple(existing),
        research=revision,
        citations=tuple(
            Citation(
                number=sources[it.passage.source].number,
                **_places(it.sentence, mark, places[mark]),
                words=it.words,
                support=it.sentence.support,
                passage=it.passage,
            )
            for it, mark in zip(planned, marks, strict=True)
        ),
        unsupported=tuple(
            UnsupportedMark(**_places(sentence, gap, places[gap]))
            for (sentence, _), gap in zip(lacking, gaps, strict=True)
        ),
    )


def _places(sentence: Sentence, mark: tuple[int, str], place: Span) -> dict[str, int]:
    return {
        "at": mark[0],
        "start": place.start,
        "end": place.end,
        "sentence_start": sentence.start,
        "sentence_end": sentence.end,
    }


def _numbered(
    planned: Sequence[PlannedCitation], numbers: Mapping[str, int], first_number: int
) -> dict[str, CitedSource]:
    """Returns the cited sources by address, in the order of their numbers."""
    new = count(first_number)
    sources: dict[str, CitedSource] = {}
    for passage in (citation.passage for citation in planned):
        if passage.source not in sources:
            number = numbers[passage.source] if passage.source in numbers else next(new)
            sources[passage.source] = CitedSource(number=number, source=passage.source, title=passage.title)
    return dict(sorted(sources.items(), key=lambda item: item[1].number))


def _mark(number: int, style: CitationStyle) -> str:
    return f"[^{number}]" if style == "footnotes" else f"[{number}]"


def with_marks(original: str, marks: dict[tuple[int, str], None]) -> tuple[str, dict[tuple[int, str], Span]]:
    """Inserts the `marks`, pairs of a place in `original` and a text; marks of one place in the given order.

    Returns the new text, and the place of each mark in it. Spaces set a mark apart from words. A mark that
    begins with a line end is a paragraph of its own, and is inserted as it is.
    """
    pieces: list[str] = []
    places: dict[tuple[int, str], Span] = {}
    position = length = 0
    for at, mark in sorted(marks, key=lambda mark: mark[0]):
        pieces.append(original[position:at])
        length += at - position
        own = mark.startswith(("\r", "\n"))
        inserted = mark if own else _space_before(original, at, position) + mark + _space_behind(original, at)
        places[at, mark] = Span(length, length + len(inserted))
        pieces.append(inserted)
        length += len(inserted)
        position = at
    pieces.append(original[position:])
    return "".join(pieces), places


def _space_before(original: str, at: int, position: int) -> str:
    """Returns what to put before a mark at `at`: a space behind a word or an address, otherwise nothing.

    Nothing also behind another new mark, which ends at `position`.
    """
    if position == at:  # another mark was put in here
        return ""
    line_start = max(original.rfind("\n", 0, at), original.rfind("\r", 0, at)) + 1
    ends_protected = any(span.end == at for span in protected(original, line_start, at))
    if original[at - 1] in _CLOSING and not (ends_protected and original[at - 1] != "]"):
        return ""
    return " "


def _space_behind(original: str, at: int) -> str:
    """Returns a space to put behind a mark if it would make a link or an entry with the next character."""
    return " " if original[at : at + 1] in tuple("([:") else ""


def _source_list(original: str, sources: Sequence[CitedSource], style: CitationStyle) -> str:
    """Writes the list of sources with the line ends of the text; "" without sources."""
    if not sources:
        return ""
    if style == "footnotes":
        lines = [f"[^{each.number}]: {shown_source(each.source, each.title)}" for each in sources]
    else:
        entries = [f"- [{each.number}] {shown_source(each.source, each.title)}" for each in sources]
        lines = ["Sources:", "", *entries]
    end = next(iter(re.findall(r"\r\n|\r|\n", original)), "\n")
    return end.join([*_ended_blocks(original), *lines, ""])


def shown_source(source: str, title: str) -> str:
    """Writes a source for a list: its title and address; without an address, its title or its beginning."""
    title = " ".join(title.split())
    if source.startswith(_IN_MEMORY):
        beginning = " ".join(source.removeprefix(_IN_MEMORY).split())
        return title or (beginning if len(beginning) <= 80 else f"{beginning[:79].rstrip()}…")
    if source.startswith(UNNAMED):
        return title or "a passage without an address"
    address = " ".join(source.split())
    return f"{title}, {address}" if title and title != address else address


def _ended_blocks(original: str) -> list[str]:
    """Returns lines that end the last block before the list: an empty one, and the fence of open code."""
    ends_line = original.endswith(("\n", "\r"))
    last = next(reversed(blocks(f"{original}\n\nx")), None)
    fence = _FENCE.match(original, last.start) if last and last.kind == "code" else None
    closing = [fence[1]] if fence else []
    return [*([] if ends_line else [""]), *closing, ""]

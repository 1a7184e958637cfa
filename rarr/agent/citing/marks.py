"""Puts marks behind the sentences of a text, and a list of the cited sources at its end."""

import re
from collections.abc import Iterable, Mapping, Sequence
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
_CLOSING = ".!?…\"'”’)*_]"


class PlannedCitation(NamedTuple):
    """A passage that a sentence cites."""

    sentence: Sentence
    passage: Evidence


def planned_citations(revision: Revision, settled: Sequence[Span]) -> list[PlannedCitation]:
    """Plans the citations of the supported sentences, in the order of the text.

    A sentence cites each passage that its card quotes for it: only together they need to say all of it.
    Sentences at `settled` get none.
    """
    evidence = {passage.id: passage for passage in revision.evidence}
    return [
        PlannedCitation(sentence, evidence[name])
        for sentence in sorted(revision.report.sentences, key=lambda sentence: sentence.end)
        if sentence.status == "supported"
        and has_words(sentence.text)
        and not any(Span(sentence.start, sentence.end).overlaps(span) for span in settled)
        for name in _quoted(sentence)
    ]


def _quoted(sentence: Sentence) -> Iterable[str]:
    quoted = dict.fromkeys(quote.evidence_id for quote in sentence.quotes if quote.side == "for")
    return quoted or sentence.evidence_ids


def cited_text(
    revision: Revision,
    planned: Sequence[PlannedCitation],
    lacking: Sequence[tuple[Sentence, str]] = (),
    existing: Sequence[CitationCheck] = (),
    *,
    style: CitationStyle,
    first_number: int = 1,
    numbers: Mapping[str, int] | None = None,
) -> Cited:
    """Builds the cited text: a mark for each of `planned`, and its mark behind each sentence of `lacking`.

    The list of sources comes at the end. `numbers` are those that some sources have already; other sources
    are numbered from `first_number`. `existing`, the checks of earlier citations, only go into the result.
    """
    original = revision.original
    sources = _numbered(planned, numbers or {}, first_number)
    form = "[^{}]" if style == "footnotes" else "[{}]"
    marked = [(it.sentence, form.format(sources[it.passage.source].number)) for it in planned]
    text, places = with_marks(original, [*marked, *lacking])
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
                number=sources[it.passage.source].number, **_places(it.sentence, place), passage=it.passage
            )
            for it, place in zip(planned, places[: len(planned)], strict=True)
        ),
        unsupported=tuple(
            UnsupportedMark(**_places(sentence, place))
            for (sentence, _), place in zip(lacking, places[len(planned) :], strict=True)
        ),
    )


class MarkPlace(NamedTuple):
    """The place of a mark: `at` in the text without marks, and `start` to `end` in the text with marks."""

    at: int
    start: int
    end: int


def _places(sentence: Sentence, place: MarkPlace) -> dict[str, int]:
    return {**place._asdict(), "sentence_start": sentence.start, "sentence_end": sentence.end}


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


def with_marks(original: str, marks: Sequence[tuple[Sentence, str]]) -> tuple[str, list[MarkPlace]]:
    """Puts each of the `marks` behind its sentence of `original`; equal marks of one place come once.

    Returns the new text, and the place of each mark in it. Spaces set a mark apart from words.
    """
    at = [mark_place(original, sentence.end) for sentence, _ in marks]
    keys = list(zip(at, (mark for _, mark in marks), strict=True))
    pieces, places, position, length = list[str](), dict[tuple[int, str], MarkPlace](), 0, 0
    for place, mark in sorted(dict.fromkeys(keys), key=lambda key: key[0]):
        inserted = _space_before(original, place, position) + mark + _space_behind(original, place)
        pieces += [original[position:place], inserted]
        start = length + place - position
        position, length = place, start + len(inserted)
        places[place, mark] = MarkPlace(place, start, length)
    pieces.append(original[position:])
    return "".join(pieces), [places[key] for key in keys]


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
        lines = [f"[^{each.number}]: {_shown(each)}" for each in sources]
    else:
        lines = ["Sources:", "", *(f"- [{each.number}] {_shown(each)}" for each in sources)]
    end = next(iter(re.findall(r"\r\n|\r|\n", original)), "\n")
    return end.join([*_ended_blocks(original), *lines, ""])


def _shown(source: CitedSource) -> str:
    """Writes a source for the list: its title and address."""
    title, address = " ".join(source.title.split()), " ".join(source.source.split())
    if source.source.startswith(UNNAMED):
        return title or "a passage without an address"
    return f"{title}, {address}" if title and title != address else address


def _ended_blocks(original: str) -> list[str]:
    """Returns lines that end the last block before the list: an empty one, and the fence of open code."""
    ends_line = original.endswith(("\n", "\r"))
    last = next(reversed(blocks(f"{original}\n\nx")), None)
    fence = _FENCE.match(original, last.start) if last and last.kind == "code" else None
    closing = [fence[1]] if fence else []
    return [*([] if ends_line else [""]), *closing, ""]

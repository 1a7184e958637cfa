"""Puts the drafts of sections together to one text without marks, and keeps what each sentence cites."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from rarr.records.articles import PlannedSection, SectionDraft
from rarr.tools.text.blocks_and_sentences import Span, blocks, sentences
from rarr.tools.text.citation_marks import citation_marks, source_list_places

_NUMBER = re.compile(r"\^?(\d{1,3})")
_WORD = re.compile(r"\w+")
_LINES = re.compile(r"\n{3,}")


class DraftSentence(NamedTuple):
    """A sentence of an article: its place, its section, and the labels of its citations, each once."""

    span: Span
    section_id: str
    labels: tuple[str, ...]


class ArticleText(NamedTuple):
    """The text of an article without marks, the places of its sections, and its sentences in order."""

    text: str
    places: dict[str, Span]
    sentences: list[DraftSentence]


def article_text(
    topic: str,
    sections: Sequence[PlannedSection],
    drafts: Mapping[str, SectionDraft],
    gaps: Mapping[str, str],
) -> ArticleText:
    """Writes the article in Markdown: its title, and each section under its heading.

    A section without a draft has the reason of `gaps` in place of its text, in brackets.
    """
    pieces, length = [f"# {one_line(topic)}\n"], len(one_line(topic)) + 3
    places: dict[str, Span] = {}
    found: list[DraftSentence] = []
    for section in sections:
        head = f"\n## {section.heading}\n\n"
        draft = drafts.get(section.id)
        text, cited = unmarked(draft) if draft else (f"({gaps.get(section.id, 'not written')})", [])
        begin = length + len(head)
        found += [DraftSentence(span.moved(begin), section.id, labels) for span, labels in cited]
        places[section.id] = Span(begin, begin + len(text))
        pieces += [head, text, "\n"]
        length = begin + len(text) + 1
    return ArticleText("".join(pieces), places, found)


def unmarked(draft: SectionDraft) -> tuple[str, list[tuple[Span, tuple[str, ...]]]]:
    """Removes the citation marks of a draft, a heading of its own, and a list of sources.

    Returns the text, and each of its sentences with the labels that it cites.
    """
    written = _body(draft)
    marks = [mark for mark in citation_marks(written) if _NUMBER.fullmatch(mark.label)]
    removed = sorted({_with_space(written, mark.place) for mark in marks})
    text = _without(written, removed)
    lead = len(text) - len(text.lstrip())
    text = text.strip()
    spans = sentences(text)
    labels: dict[Span, list[str]] = {span: [] for span in spans}
    for mark in marks:
        place = Span(*(_moved(at, removed) - lead for at in mark.sentence))
        if (sentence := _closest(place, spans)) is not None:
            labels[sentence].append(mark.label.removeprefix("^"))
    return text, [(span, tuple(dict.fromkeys(labels[span]))) for span in spans]


def one_line(text: str) -> str:
    """Returns the text on one line."""
    return " ".join(text.split())


def word_count(text: str) -> int:
    """Counts the words of a sentence."""
    return len(_WORD.findall(text))


def _body(draft: SectionDraft) -> str:
    """Returns the draft without its heading, and without a list of sources."""
    text = draft.text.replace("\r\n", "\n").strip()
    own = [
        Span(block.start, block.end)
        for block in blocks(text)
        if block.kind == "heading" and _same(text[block.start : block.end], draft.heading)
    ]
    return _LINES.sub("\n\n", _without(text, sorted([*own, *source_list_places(text)]))).strip()


def _same(line: str, heading: str) -> bool:
    return one_line(line).strip("#*= :-").casefold() == heading.casefold()


def _with_space(text: str, place: Span) -> Span:
    """Returns the place of a mark, with the spaces before it."""
    start = place.start
    while start and text[start - 1] in " \t":
        start -= 1
    return Span(start, place.end)


def _without(text: str, places: Sequence[Span]) -> str:
    return "".join(_kept(text, places))


def _kept(text: str, places: Sequence[Span]) -> Iterator[str]:
    position = 0
    for place in places:
        yield text[position : max(position, place.start)]
        position = max(position, place.end)
    yield text[position:]


def _moved(at: int, removed: Sequence[Span]) -> int:
    """Returns a place of the text with marks as a place of the text without them."""
    return at - sum(max(0, min(at, place.end) - place.start) for place in removed)


def _closest(place: Span, spans: Sequence[Span]) -> Span | None:
    """Returns the sentence that has most of `place`; the last before it if none overlaps; None if none is."""

    def shared(span: Span) -> int:
        return min(span.end, place.end) - max(span.start, place.start)

    return max((span for span in spans if span.start <= place.end), key=shared, default=None)

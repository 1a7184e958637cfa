"""Puts the drafts of sections together to one text without marks, and keeps what each sentence cites.

A section without a draft is a gap, which has the reason in place of its text.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rarr.records.articles import PlannedSection, SectionDraft, SectionState
from rarr.state import State, kept_for
from rarr.tools.text.blocks_and_sentences import Span, blocks, sentences
from rarr.tools.text.citation_marks import numbered_marks, source_entries, source_list_places

_DEFINED = re.compile(r"\s*\[[^\]\n]+\]:")
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


def gap_reasons(state: State) -> dict[str, str]:
    """Returns the reason for each section without a draft, by the id of the section."""
    return {
        section.id: gap(state, section.query_id)[1]
        for section in state.get("sections", [])
        if section.id not in state.get("drafts", {})
    }


def gap(state: State, query_id: str) -> tuple[SectionState, str]:
    """Returns the state of a section without a draft, and the reason in words."""
    why = state.get("unsearched", {}).get(query_id)
    if why == "cut":
        return "failed", "not written: a limit of the run was reached"
    if why == "failed":
        return "failed", "not written: a search or the writer failed"
    if not kept_for(state, query_id):
        return "no_source", "not written: no source was found"
    return "no_source", "not written: its sources say nothing for it"


def unmarked(draft: SectionDraft) -> tuple[str, list[tuple[Span, tuple[str, ...]]]]:
    """Removes the citation marks of a draft, a heading of its own, and a list of sources.

    Returns the text, and each of its sentences with the labels that it cites.
    """
    written = _body(draft)
    marks = numbered_marks(written)
    removed = [Span(len(written[: place.start].rstrip(" \t")), place.end) for place, _ in marks]
    text = _without(written, removed)
    lead = len(text) - len(text.lstrip())
    text = text.strip()
    spans = sentences(text)
    labels: dict[Span, list[str]] = {span: [] for span in spans}
    for place, numbers in marks:
        cut = sum(max(0, min(place.start, it.end) - it.start) for it in removed)
        if sentence := _cited_sentence(place.start - cut - lead, text, spans):
            labels[sentence] += map(str, numbers)
    return text, [(span, tuple(dict.fromkeys(labels[span]))) for span in spans]


def has_sentence(draft: SectionDraft) -> bool:
    """Does the draft say anything beside marks, headings and a list of sources? Else the section is a gap."""
    return bool(unmarked(draft)[1])


def one_line(text: str) -> str:
    """Returns the text on one line."""
    return " ".join(text.split())


def word_count(text: str) -> int:
    """Counts the words of a sentence."""
    return len(_WORD.findall(text))


def _body(draft: SectionDraft) -> str:
    """Returns the draft without its heading, and without a list of sources."""
    text = draft.text.replace("\r\n", "\n").strip()
    headings = [
        Span(block.start, block.end)
        for block in blocks(text)
        if block.kind == "heading"
        and one_line(text[block.start : block.end]).strip("#*= :-").casefold() == draft.heading.casefold()
    ]
    return _LINES.sub("\n\n", _without(text, sorted([*headings, *_list_places(text)]))).strip()


def _list_places(text: str) -> list[Span]:
    """Returns the places of a list of sources: entries under its title, the title, and entries with a colon.

    Other lines that begin with a number in brackets are sentences, since a model may put its marks first.
    """
    entries = [entry.place for entry in source_entries(text)]
    titles = [place for place in source_list_places(text) if place not in entries]
    under = [place for place in entries if any(title.end <= place.start for title in titles)]
    headed = [title for title in titles if any(title.end <= place.start for place in under)]
    return [*headed, *under, *(place for place in entries if _DEFINED.match(text, place.start))]


def _without(text: str, places: Sequence[Span]) -> str:
    pieces, at = list[str](), 0
    for place in places:
        pieces.append(text[at : max(at, place.start)])
        at = max(at, place.end)
    return "".join([*pieces, text[at:]])


def _cited_sentence(at: int, text: str, spans: Sequence[Span]) -> Span | None:
    """Returns the sentence that a mark at `at` cites: the one around or before it, in its paragraph.

    A mark at the start of a paragraph cites the first sentence of the paragraph. None if there is none.
    """
    before = next((span for span in reversed(spans) if span.start < at), None)
    if before is not None and "\n" not in text[before.end : at]:
        return before
    return next((span for span in spans if span.start >= at), before)

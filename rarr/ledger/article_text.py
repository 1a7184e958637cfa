"""Joins the drafts of sections into a text without citation marks, with the citations of each sentence.

A section without a sentence is a gap: its text is the reason why it was not written.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from rarr.records.citations import PlannedSection, SectionState
from rarr.state import State, kept_evidence
from rarr.tools.text.blocks_and_sentences import Span, blocks, sentences, source_entries, source_lists
from rarr.tools.text.citation_marks import numbered_marks

_DEFINED = re.compile(r"\s*\[[^\]\n]+\]:")
_LINES = re.compile(r"\n{3,}")


class DraftSentence(NamedTuple):
    """A sentence of an article with its section, and with the labels of its citations, each label once."""

    span: Span
    section: PlannedSection
    labels: tuple[str, ...]


class Gap(NamedTuple):
    """The state of a section that was not written, and the reason."""

    state: SectionState
    reason: str


class ArticleText(NamedTuple):
    """The text of an article without citation marks, with its sentences and their citations."""

    text: str
    sentences: list[DraftSentence]
    places: dict[str, Span]  # of the text of each section, by section id
    gaps: dict[str, Gap]  # why a section has no text, by section id


def article_text(state: State) -> ArticleText:
    """Joins the drafts to an article in Markdown: its title, and each section under its heading.

    If a section has no draft, or a draft without a sentence, its text is the reason in round brackets.
    """
    title = " ".join(state.get("topic", state["original"]).split())
    pieces, length = [f"# {title}\n"], len(title) + 3
    found, places, gaps = list[DraftSentence](), dict[str, Span](), dict[str, Gap]()
    for section in state.get("sections", []):
        head = f"\n## {section.heading}\n\n"
        text, cited = unmarked_draft(state.get("drafts", {}).get(section.id, ""), section.heading)
        if not cited:
            gaps[section.id] = _gap(state, section)
            text = f"({gaps[section.id].reason})"
        begin = length + len(head)
        found += [DraftSentence(it.moved_by(begin), section, labels) for it, labels in cited]
        places[section.id] = Span(begin, begin + len(text))
        pieces += [head, text, "\n"]
        length = begin + len(text) + 1
    return ArticleText("".join(pieces), found, places, gaps)


def _gap(state: State, section: PlannedSection) -> Gap:
    why = state.get("unsearched", {}).get(section.query_id)
    if why is not None:
        limit, failed = "a limit of the run was reached", "a search or the writer failed"
        return Gap("failed", f"not written: {limit if why == 'cut' else failed}")
    has_sources = bool(kept_evidence(state, section.query_id))
    silent = "its sources have nothing about it" if has_sources else "no source was found"
    return Gap("no_source", f"not written: {silent}")


def unmarked_draft(draft: str, heading: str) -> tuple[str, list[tuple[Span, tuple[str, ...]]]]:
    """Removes the citation marks, the `heading` and the list of sources from the draft of a section.

    Returns the remaining text, and the place of each sentence with the labels that the sentence cites.
    """
    written = _body(draft, heading)
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


def _body(draft: str, heading: str) -> str:
    """Returns the draft without its heading and its list of sources.

    A list of sources consists of entries under a title, or of entries with a colon. Other lines that begin
    with a number in brackets are sentences, since a model may put its marks first.
    """
    text = draft.replace("\r\n", "\n").strip()
    headings = [Span(block.start, block.end) for block in blocks(text) if block.kind == "heading"]
    plain = {it: " ".join(it.of(text).split()).strip("#*= :-").casefold() for it in headings}
    own = [it for it in headings if plain[it] == heading.casefold()]
    entries = [entry.place for entry in source_entries(text)]
    titles = [place for place in source_lists(text) if place not in entries]
    under = [place for place in entries if any(title.end <= place.start for title in titles)]
    headed = [title for title in titles if any(title.end <= place.start for place in under)]
    defined = [place for place in entries if _DEFINED.match(text, place.start)]
    return _LINES.sub("\n\n", _without(text, sorted([*own, *headed, *under, *defined]))).strip()


def _without(text: str, places: Sequence[Span]) -> str:
    pieces, at = list[str](), 0
    for place in places:
        pieces.append(text[at : max(at, place.start)])
        at = max(at, place.end)
    return "".join([*pieces, text[at:]])


def _cited_sentence(at: int, text: str, spans: Sequence[Span]) -> Span | None:
    """Returns the sentence that contains or precedes a mark in its paragraph, else the next sentence."""
    before = next((span for span in reversed(spans) if span.start < at), None)
    if before is not None and "\n" not in text[before.end : at]:
        return before
    return next((span for span in spans if span.start >= at), before)

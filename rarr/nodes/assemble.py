"""Step 3 of writing: joins the drafts of the sections to one text. Later steps check and edit this text.

The text has no citation marks. The labels of a citation are the numbers in its mark: "2" and "3" for [2, 3].
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.records import Query
from rarr.records.citations import OutlineSection, SectionState
from rarr.state import State, kept_evidence, numbered_id
from rarr.tools.concurrency import work
from rarr.tools.text.blocks_and_sentences import Span, blocks, sentences, source_entries, source_lists
from rarr.tools.text.citation_marks import numbered_marks

_DEFINED = re.compile(r"\s*\[[^\]\n]+\]:")
_LINES = re.compile(r"\n{3,}")


class DraftSentence(NamedTuple):
    """A sentence of an article, the section of the sentence, and the labels that the sentence cites."""

    span: Span
    section: OutlineSection
    labels: tuple[str, ...]


class Gap(NamedTuple):
    """The state of a section that was not written, and the reason why it was not written."""

    state: SectionState
    reason: str


class ArticleText(NamedTuple):
    """The text of an article without citation marks, and the sentences of the text with their citations."""

    text: str
    sentences: list[DraftSentence]
    places: dict[str, Span]  # the place of the text of each section, by section id
    gaps: dict[str, Gap]  # the sections that were not written, by section id


async def assemble(state: State, runtime: Runtime[Components]) -> State:
    """Joins the written sections to an article, which becomes the text to check.

    Each sentence gets the passages of its section as evidence.
    """
    article = await work(article_text, state)
    ids = {it.id: [kept.id for kept in kept_evidence(state, it.query_id)] for it in state.get("sections", [])}
    kept = {it.span: ids[it.section.id] for it in article.sentences}
    update = await work(text_update, state, article.text, state["topic"], kept)
    return {**update, "original": article.text}


def text_update(state: State, text: str, context: str | None, kept: Mapping[Span, Sequence[str]]) -> State:
    """Returns a state update: `text` is the text to check. `kept` has the evidence ids of each sentence."""
    queries, number, by_query = list(state["queries"]), state.get("round", 1), dict(state.get("kept", {}))
    for span, ids in kept.items():
        name, place = numbered_id(state, "q", len(queries) + 1), span._asdict()
        queries.append(Query(id=name, text=span.of(text), searched=False, round=number, **place))
        by_query[name] = list(ids)
    return {"text": text, "context": context, "queries": queries, "kept": by_query}


def article_text(state: State) -> ArticleText:
    """Joins the drafts into an article in Markdown: a title, then each section under a heading.

    A section is a gap if its draft is missing or has no sentence. Then the article has the reason instead.
    """
    title = " ".join(state.get("topic", state["original"]).split())
    pieces, length = [f"# {title}\n"], len(title) + 3
    found, places, gaps = list[DraftSentence](), dict[str, Span](), dict[str, Gap]()
    for section in state.get("sections", []):
        head = f"\n## {section.heading}\n\n"
        text, cited = unmarked_draft(state.get("drafts", {}).get(section.id, ""), section.heading)
        if not cited:
            gaps[section.id] = _make_gap(state, section)
            text = f"({gaps[section.id].reason})"
        begin = length + len(head)
        found += [DraftSentence(it.moved_by(begin), section, labels) for it, labels in cited]
        places[section.id] = Span(begin, begin + len(text))
        pieces += [head, text, "\n"]
        length = begin + len(text) + 1
    return ArticleText("".join(pieces), found, places, gaps)


def _make_gap(state: State, section: OutlineSection) -> Gap:
    why = state.get("unsearched", {}).get(section.query_id)
    if why is not None:
        limit, failed = "a limit of the run was reached", "a search or the writer failed"
        return Gap("failed", f"not written: {limit if why == 'cut' else failed}")
    has_sources = bool(kept_evidence(state, section.query_id))
    silent = "its sources have nothing about it" if has_sources else "no source was found"
    return Gap("no_source", f"not written: {silent}")


def unmarked_draft(draft: str, heading: str) -> tuple[str, list[tuple[Span, tuple[str, ...]]]]:
    """Removes the citation marks, the `heading` and the list of sources from the draft of a section.

    Returns the remaining text, and a pair for each sentence: its place, and the labels that it cites.
    """
    written = _without_heading_and_sources(draft, heading)
    marks = numbered_marks(written)
    removed = [Span(len(written[: place.start].rstrip(" \t")), place.end) for place, _ in marks]
    text = _without_places(written, removed)
    lead = len(text) - len(text.lstrip())
    text = text.strip()
    spans = sentences(text)
    labels: dict[Span, list[str]] = {span: [] for span in spans}
    for place, numbers in marks:
        cut = sum(max(0, min(place.start, it.end) - it.start) for it in removed)
        if sentence := _cited_sentence(place.start - cut - lead, text, spans):
            labels[sentence] += map(str, numbers)
    return text, [(span, tuple(dict.fromkeys(labels[span]))) for span in spans]


def _without_heading_and_sources(draft: str, heading: str) -> str:
    """Returns the draft of a section without the `heading` of the section and without the list of sources.

    An entry of a list begins with a number in brackets. It is removed if the list has a title, or if a colon
    follows the brackets. Any other line with a number in brackets at its start is a sentence, and stays.
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
    return _LINES.sub("\n\n", _without_places(text, sorted([*own, *headed, *under, *defined]))).strip()


def _without_places(text: str, places: Sequence[Span]) -> str:
    pieces, at = list[str](), 0
    for place in places:
        pieces.append(text[at : max(at, place.start)])
        at = max(at, place.end)
    return "".join([*pieces, text[at:]])


def _cited_sentence(at: int, text: str, spans: Sequence[Span]) -> Span | None:
    """Returns the sentence before the mark at `at` if it is in the same line, else the sentence after it."""
    before = next((span for span in reversed(spans) if span.start < at), None)
    if before is not None and "\n" not in text[before.end : at]:
        return before
    return next((span for span in spans if span.start >= at), before)

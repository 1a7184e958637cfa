"""Puts marks such as `[1]` behind sentences of a text, and a list of the cited sources behind the text."""

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple

from rarr.records import UNNAMED, Evidence, Revision, Sentence
from rarr.records.citations import Citation, CitationCheck, Cited, CitedSource, Mark
from rarr.tools.text.blocks_and_sentences import Span, blocks, protected_spans
from rarr.tools.text.citation_marks import has_words

_NEEDED_MARK = "[citation needed]"
_FENCE = re.compile(r"[ >]*(`{3,}|~{3,})")
_LINE_END = re.compile(r"\r\n|\r|\n")
_END_SIGNS = ".!?…\"'”’)*_]"


class PlannedCitation(NamedTuple):
    """A citation to put into a text: the mark behind `sentence` will cite `passage`."""

    sentence: Sentence
    passage: Evidence


def planned_citations(revision: Revision, cited_places: Sequence[Span] = ()) -> list[PlannedCitation]:
    """Plans the citations of the supported sentences, in the order of the text.

    A sentence cites each passage with a quote that supports the sentence. One passage may support only a part
    of the sentence; together, the passages support all of it. Sentences at `cited_places` get no citation.
    """
    evidence, planned = {passage.id: passage for passage in revision.evidence}, list[PlannedCitation]()
    for it in sorted(revision.report.sentences, key=lambda sentence: sentence.end):
        is_cited = any(Span(it.start, it.end).overlaps(span) for span in cited_places)
        if it.status == "supported" and has_words(it.text) and not is_cited:
            quoted = dict.fromkeys(quote.evidence_id for quote in it.quotes if quote.side == "for")
            planned += [PlannedCitation(it, evidence[name]) for name in quoted or it.evidence_ids]
    return planned


def cited_text(
    revision: Revision,
    planned: Sequence[PlannedCitation],
    unsupported: Sequence[Sentence] = (),
    existing: Sequence[CitationCheck] = (),
    numbers: Mapping[str, int] | None = None,
    own_sources: Collection[str] = (),
    *,
    footnotes: bool = False,
    first_number: int = 1,
) -> Cited:
    """Puts `planned` citations into a text, and `[citation needed]` behind each sentence in `unsupported`.

    The list at the end has the cited sources, except `own_sources`, which the text itself already lists.
    `numbers` maps a source to its number in the text; new sources are numbered from `first_number`. With
    `footnotes`, marks look like `[^1]`. `existing` are the checks of citations that the text had before.
    """
    original, new, known = revision.original, count(first_number), numbers or {}
    sources = dict[str, CitedSource]()
    for passage in (citation.passage for citation in planned):
        if (name := passage.source) not in sources:
            number = known[name] if name in known else next(new)
            sources[name] = CitedSource(number=number, source=name, title=passage.title)
    for passage in (it.passage for it in existing if sources and it.passage and it.passage.source in known):
        cited = CitedSource(number=known[passage.source], source=passage.source, title=passage.title)
        sources.setdefault(passage.source, cited)
    ending = sorted((it for it in sources.values() if it.source not in own_sources), key=lambda it: it.number)
    form = "[^{}]" if footnotes else "[{}]"
    marked = [(it.sentence, form.format(sources[it.passage.source].number)) for it in planned]
    text, places = insert_marks(original, [*marked, *((it, _NEEDED_MARK) for it in unsupported)])
    return Cited(
        original=original,
        text=text + _source_list(original, ending, footnotes=footnotes),
        list_start=len(text),
        sources=tuple(ending),
        existing=tuple(existing),
        research=revision,
        citations=tuple(
            Citation(number=sources[it.passage.source].number, **place, passage=it.passage)
            for it, place in zip(planned, places[: len(planned)], strict=True)
        ),
        unsupported=tuple(Mark(**place) for place in places[len(planned) :]),
    )


def insert_marks(original: str, marks: Sequence[tuple[Sentence, str]]) -> tuple[str, list[dict[str, Any]]]:
    """Puts marks into `original`. `marks` has pairs: a sentence, and the mark to put behind the sentence.

    Equal marks at one place become one mark. Returns the new text, and the fields of a `Mark` for each pair.
    """
    keys = [(_mark_place(original, sentence.end), mark) for sentence, mark in marks]
    pieces, places, previous_at, length = list[str](), dict[tuple[int, str], dict[str, int]](), 0, 0
    for at, mark in sorted(dict.fromkeys(keys), key=lambda key: key[0]):
        # Without a space, a mark and the next bracket or colon would become a link or a list entry.
        behind = " " if original[at : at + 1] in tuple("([:") else ""
        inserted = _space_before(original, at, previous_at) + mark + behind
        pieces += [original[previous_at:at], inserted]
        start = length + at - previous_at
        previous_at, length = at, start + len(inserted)
        places[at, mark] = {"at": at, "start": start, "end": length}
    return "".join([*pieces, original[previous_at:]]), [
        places[key] | {"sentence_start": sentence.start, "sentence_end": sentence.end}
        for key, (sentence, _) in zip(keys, marks, strict=True)
    ]


def _mark_place(text: str, end: int) -> int:
    """Returns the place of a mark for a sentence that ends at `end`: outside of links, behind other marks."""
    ending = _LINE_END.search(text, end)
    for span in protected_spans(text, text.rfind("\n", 0, end) + 1, ending.start() if ending else len(text)):
        if span.start < end < span.end or (span.start == end and text[end] == "["):
            end = span.end
    return end


def _space_before(original: str, at: int, previous_at: int) -> str:
    """Returns the space before a mark at `at`: " " behind a word or address, "" behind a sign or mark."""
    if previous_at == at:
        return ""
    line_start = max(original.rfind("\n", 0, at), original.rfind("\r", 0, at)) + 1
    ends_protected = any(span.end == at for span in protected_spans(original, line_start, at))
    return "" if original[at - 1] in _END_SIGNS and not (ends_protected and original[at - 1] != "]") else " "


def _source_list(original: str, sources: Sequence[CitedSource], *, footnotes: bool) -> str:
    """Makes the source list to put after `original`. First ends a code block that `original` left open."""
    if not sources:
        return ""
    form = "[^{}]: {}" if footnotes else "- [{}] {}"
    lines = [form.format(each.number, _source_entry(each)) for each in sources]
    last = next(reversed(blocks(f"{original}\n\nx")), None)
    fence = _FENCE.match(original, last.start) if last and last.kind == "code" else None
    before = [*([] if original.endswith(("\n", "\r")) else [""]), *([fence[1]] if fence else []), ""]
    first = _LINE_END.search(original)
    end = first[0] if first else "\n"
    return end.join([*before, *([] if footnotes else ["Sources:", ""]), *lines, ""])


def _source_entry(source: CitedSource) -> str:
    """Writes the entry of a source in the list: title and address."""
    title, address = " ".join(source.title.split()), " ".join(source.source.split())
    if source.source.startswith(UNNAMED):
        return title or "a passage without an address"
    return f"{title}, {address}" if title and title != address else address

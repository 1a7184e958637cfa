"""Decides which passages a sentence cites, and where in the text the marks stand."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from rarr.records import Evidence, Revision, Sentence
from rarr.records.citations import CitationPlace
from rarr.tools.text.blocks_and_sentences import Span, protected
from rarr.tools.text.citation_marks import has_words

_WORD_END = re.compile(r"[^\s,.;:!?|]*")
"""The rest of the word, with quotes, brackets and emphasis that close behind it."""


class PlannedCitation(NamedTuple):
    """A passage that a sentence cites at `at`, with the values of the sentence that it confirms."""

    at: int
    sentence: Sentence
    passage: Evidence
    words: tuple[str, ...]


def planned_citations(
    revision: Revision, place: CitationPlace, settled: Sequence[Span]
) -> list[PlannedCitation]:
    """Plans the citations of the supported sentences, in the order of the text.

    A sentence cites each passage that its card quotes for it: only together they need to say all of it. With
    the place `sentence`, the marks stand behind the sentence. With `part`, a passage has its mark behind the
    last value that it confirms. Sentences at `settled` get none.
    """
    evidence = {passage.id: passage for passage in revision.evidence}
    planned = [
        citation
        for sentence in revision.report.sentences
        if sentence.status == "supported"
        and has_words(sentence.text)
        and not any(Span(sentence.start, sentence.end).overlaps(span) for span in settled)
        for citation in _of_sentence(revision.text, sentence, evidence, place)
    ]
    return sorted(planned, key=lambda citation: citation.at)


def _of_sentence(
    text: str, sentence: Sentence, evidence: Mapping[str, Evidence], place: CitationPlace
) -> Iterator[PlannedCitation]:
    last = max((part.end for part in sentence.parts), default=0)
    quoted = [quote.evidence_id for quote in sentence.quotes if quote.side == "for"]
    for name in dict.fromkeys(quoted or sentence.evidence_ids):
        parts = [part for part in sentence.parts if part.evidence_id == name]
        end = max((part.end for part in parts), default=last)
        end = sentence.end if place == "sentence" or end == last else end
        words = tuple(text[part.start : part.end] for part in parts)
        yield PlannedCitation(mark_place(text, end, sentence.end), sentence, evidence[name], words)


def mark_place(text: str, end: int, sentence_end: int) -> int:
    """Moves the end of a part to a place where a mark may stand: behind its word, and not inside of a link.

    Marks that follow directly are passed too, since `[1][2]` may be a link.
    """
    if end < sentence_end:
        end = min(_WORD_END.match(text, end).end(), sentence_end)  # type: ignore[union-attr]  # matches ""
    line_end = re.compile(r"[\r\n]").search(text, end)
    limit = line_end.start() if line_end else len(text)
    for span in protected(text, text.rfind("\n", 0, end) + 1, limit):
        if span.start < end < span.end or (span.start == end and text[end] == "["):
            end = span.end
    return end

"""Decides which passages a sentence cites, and where in the text the marks stand."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from rarr.ledger.confirmed_parts import sentence_parts
from rarr.ledger.sentence_support import Support
from rarr.records import Evidence, Part, Revision, Sentence
from rarr.records.citations import CitationPlace
from rarr.tools.text.blocks_and_sentences import Span, protected
from rarr.tools.text.citation_marks import has_words

_WORD_END = re.compile(r"[^\s,.;:!?|]*")
"""The rest of the word, with quotes, brackets and emphasis that close behind it."""


class PlannedCitation(NamedTuple):
    """A passage that a sentence cites at `at`, with the parts of the sentence that it confirms."""

    at: int
    sentence: Sentence
    passage: Evidence
    words: tuple[str, ...]


def planned_citations(
    revision: Revision, context: str | None, place: CitationPlace, settled: Sequence[Span]
) -> list[PlannedCitation]:
    """Plans the citations of the supported sentences whose every part is confirmed, in the order of the text.

    With the place `sentence`, the mark stands behind the sentence. It names the passage that supports the
    sentence most, if that confirms every part by itself, because a reader takes the mark as a source for all
    of the sentence (with several passages, a reader found 1 of 8 right: benchmarks/cite.py). With
    `part`, each passage has a mark behind the last part that it confirms. Sentences at `settled` get none.
    """
    evidence = {passage.id: passage for passage in revision.evidence}
    return [
        citation
        for sentence in revision.report.sentences
        if sentence.status == "supported"
        and has_words(sentence.text)
        and not any(Span(sentence.start, sentence.end).overlaps(span) for span in settled)
        for citation in _of_sentence(revision.text, context, sentence, evidence, place)
    ]


def _of_sentence(
    text: str,
    context: str | None,
    sentence: Sentence,
    evidence: Mapping[str, Evidence],
    place: CitationPlace,
) -> Iterator[PlannedCitation]:
    confirmed = _confirmed_parts(text, context, sentence, evidence)
    if place == "sentence":
        best = sentence.evidence_ids[0]
        whole = len(confirmed.get(best, ())) == len(sentence.parts)
        confirmed = {best: confirmed.get(best, [])} if whole else {}
    ends = _ends(sentence, confirmed)
    for name, parts in sorted(confirmed.items(), key=lambda item: ends[item[0]]):
        words = tuple(text[part.start : part.end] for part in parts)
        yield PlannedCitation(mark_place(text, ends[name], sentence.end), sentence, evidence[name], words)


def _confirmed_parts(
    text: str, context: str | None, sentence: Sentence, evidence: Mapping[str, Evidence]
) -> dict[str, list[Part]]:
    """Returns the ids of passages that confirm parts of the sentence, each with these parts.

    The first is the passage that supports the sentence most. Others come only for parts that the passages
    before them do not confirm. For a sentence without parts, the first comes alone, with no part.
    """
    best = sentence.evidence_ids[0]
    chosen = {best: _confirmed_by(text, context, sentence, evidence[best])}
    for part in sentence.parts:
        if part.evidence_id and not any(part in parts for parts in chosen.values()):
            chosen.setdefault(part.evidence_id, []).append(part)
    return {name: parts for name, parts in chosen.items() if parts or not sentence.parts}


def _confirmed_by(text: str, context: str | None, sentence: Sentence, passage: Evidence) -> list[Part]:
    """Returns the parts that this passage confirms: by a check of the run, or by its words."""
    support = Support(Span(sentence.start, sentence.end), (), {passage.id: sentence.support}, searched=True)
    alone = sentence_parts(text, context, support, [], {passage.id: passage}, [])
    said = [Span(part.start, part.end) for part in alone if part.state == "confirmed"]
    return [
        part
        for part in sentence.parts
        if part.evidence_id == passage.id or any(Span(part.start, part.end).overlaps(span) for span in said)
    ]


def _ends(sentence: Sentence, confirmed: Mapping[str, Sequence[Part]]) -> dict[str, int]:
    """Returns for each passage where its mark stands: at the end of its last part.

    For the passage with the last of all parts, this is the end of the sentence.
    """
    ends = {
        name: max((part.end for part in parts), default=sentence.end) for name, parts in confirmed.items()
    }
    last = max(ends.values(), default=sentence.end)
    return {name: sentence.end if end == last else end for name, end in ends.items()}


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

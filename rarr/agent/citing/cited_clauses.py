"""Finds the words that a citation inside a sentence stands for: the clause before its mark."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from rarr.backends.rules.atomic_facts import clause_statement
from rarr.backends.rules.standalone_claims import masked
from rarr.tools.text.blocks_and_sentences import Span, sentences, table_cells
from rarr.tools.text.citation_marks import CitationMark, has_words

_END = re.compile(r"[\s.,;:–—-]+\Z")


class CitedClause(NamedTuple):
    """A clause as the last sentence (`span`) of a `text`, which has what stands before it in the original."""

    text: str
    span: Span


def clause_before(text: str, mark: CitationMark, marks: Sequence[CitationMark]) -> CitedClause | None:
    """Returns the clause between the mark and the mark before it, with the subject of the sentence.

    None if the mark stands for the whole sentence, in a cell of a table, and if the clause has no verb: a
    name alone states nothing. `marks` are all marks of the text.
    """
    sentence = mark.sentence
    beside = sorted({other.place for other in marks if other.sentence == sentence})
    begin, end = sentence.start, mark.place.start
    for place in reversed([place for place in beside if place.end <= mark.place.start]):
        if has_words(text[place.end : end]):
            begin = place.end
            break
        end = place.start
    if begin == sentence.start and not has_words(text[mark.place.end : sentence.end]):
        return None
    if sentence in table_cells(text):
        return None
    return _as_sentence(text, sentence, Span(begin, end))


def _as_sentence(text: str, sentence: Span, clause: Span) -> CitedClause | None:
    stated = clause_statement(masked(text, clause), masked(text, sentence))
    if stated is None:
        return None
    before = _END.sub("", masked(text, Span(sentence.start, clause.start)))
    own = f"{text[: sentence.start]}{before}.\n\n{stated}" if before else f"{text[: sentence.start]}{stated}"
    last = sentences(own)[-1]
    return CitedClause(own, last) if last.start >= len(own) - len(stated) else None

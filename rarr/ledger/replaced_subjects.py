"""Finds an edit that puts something else in the place of a subject, where another word may be wrong.

"The painter Ansel Rook was born in Trosk" is not wrong because a chemist was born there.
"""

from rarr.backends.rules.counterparts import parsed_passage
from rarr.backends.rules.name_matching import same_name
from rarr.backends.rules.namesakes import kinds_of
from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.proper_names import proper_names
from rarr.backends.rules.subjects import is_subject_between
from rarr.ledger.nearest_clauses import clauses_of
from rarr.records import Evidence
from rarr.tools.text.blocks_and_sentences import Span


def description_not_said(sentence: ParsedSentence, changed: Span, answer: str, source: Evidence) -> str:
    """Returns the kind of the subject that an edit at `changed` replaces, if the source does not say it.

    It is a stem, such as "paint" for the painter Ansel Rook. Empty if the edit keeps the subject, or if the
    sentence does not say of which kind it is.
    """
    passage = parsed_passage(source.text, source.title)
    for name in proper_names(sentence.text):
        replaced = changed.overlaps(Span(name.start, name.end)) and not same_name(name.text, answer)
        if replaced and is_subject_between(sentence.text[: name.start], sentence.text[name.end :]):
            unsaid = kinds_of(sentence.text, name.text) - {*passage.spread, *passage.title_stems}
            return min(unsaid, default="")
    return ""


def is_subject_told_otherwise(sentence: ParsedSentence, changed: Span, source: Evidence) -> bool:
    """Does the source tell something else of the subject that an edit at `changed` would replace?

    "A red light means that the tray is full" may be wrong in its subject or in its end, beside "A red light
    means that the tank is empty". The subject is the first word with meaning; the source must have it before
    the same next word, at the start of a clause that lacks another word of the sentence.
    """
    first = sentence.content[:1]
    behind = [word for word in sentence.content if word.start >= changed.end]
    if not first or not behind or not changed.start <= first[0].start < changed.end:
        return False
    replaced = [word.stem for word in sentence.content if word.start < changed.end]
    told = [*replaced, behind[0].stem]
    stems = {word.stem for word in sentence.content}
    clauses = clauses_of(parsed_passage(source.text, source.title).sentences)
    found = ([word.stem for word in clause.content] for clause in clauses)
    return any(words[: len(told)] == told and not stems <= {*words} for words in found)

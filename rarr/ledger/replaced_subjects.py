"""Finds an edit that puts a thing of another kind in the place of a sentence's subject.

"The painter Ansel Rook was born in Trosk" is not wrong because a chemist was born there.
"""

from rarr.backends.rules.counterparts import parsed_passage
from rarr.backends.rules.name_matching import same_name
from rarr.backends.rules.namesakes import kinds_of
from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.proper_names import proper_names
from rarr.backends.rules.subjects import is_subject_between
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

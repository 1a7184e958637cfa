"""Checks the headers of a table's cell: a passage confirms it only in a sentence that mentions them."""

from collections.abc import Sequence

from rarr.backends.rules.counterparts import ParsedPassage
from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.proper_names import proper_names
from rarr.backends.rules.standalone_claims import Claim
from rarr.backends.rules.values import Value, same_value
from rarr.backends.rules.words import word_tokens


def under_other_headers(claim: Claim, words: str, held: Sequence[Value], evidence: ParsedPassage) -> bool:
    """Does no sentence that has the cell's `words` or values mention the headers of its row and column?

    A name of a header has to be in the sentence or the title, and a number in the sentence. For a header
    without names, one content word is enough. A claim outside of tables has no headers: the result is False.
    """
    if not claim.headers:
        return False
    headers = claim.sentence.text[claim.put_in - claim.headers : claim.put_in].removesuffix(" is ")
    row, _, column = headers.rpartition(": ")
    named = [header for header in (row, column) if header]
    return not any(
        all(_mentions(header, part, evidence) for header in named)
        for part in evidence.sentences
        if _states(part, words, held)
    )


def _states(part: ParsedSentence, words: str, held: Sequence[Value]) -> bool:
    if not held:
        return words.casefold() in part.text.casefold()
    return all(any(same_value(value, other) for other in part.values) for value in held)


def _mentions(header: str, part: ParsedSentence, evidence: ParsedPassage) -> bool:
    header_stems = {word.stem for word in word_tokens(header) if word.stem}
    stems = {word.stem for word in part.content}
    if any(map(str.isdigit, header)):  # a page about one year speaks of others as well
        return header_stems <= stems
    if proper_names(header):
        return header_stems <= stems | evidence.title_stems
    return bool(header_stems & stems - evidence.title_stems) or header_stems <= evidence.title_stems

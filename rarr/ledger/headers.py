"""Cells of tables: a passage confirms one only in a sentence that speaks of what its headers name."""

from collections.abc import Sequence

from rarr.backends.rules.claims import Claim
from rarr.backends.rules.counterparts import ParsedPassage
from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.proper_names import proper_names
from rarr.backends.rules.values import Value, same_value
from rarr.backends.rules.words import word_tokens


def under_other_headers(claim: Claim, words: str, held: Sequence[Value], evidence: ParsedPassage) -> bool:
    """Does no sentence of the passage that says the cell's `words` or values speak of its row and column?

    What a header names has to be in the sentence or the title, and its numbers in the sentence. Of a header
    that names nothing one word with meaning is enough. What stands in no table is never under other headers.
    """
    if not claim.headers:
        return False
    headers = claim.sentence.text[claim.put_in - claim.headers : claim.put_in].removesuffix(" is ")
    row, _, column = headers.rpartition(": ")
    named = [one for one in (row, column) if one]
    return not any(
        all(_speaks_of(one, part, evidence) for one in named)
        for part in evidence.sentences
        if _says(part, words, held)
    )


def _says(part: ParsedSentence, words: str, held: Sequence[Value]) -> bool:
    if not held:
        return words.casefold() in part.text.casefold()
    return all(any(same_value(value, other) for other in part.values) for value in held)


def _speaks_of(header: str, part: ParsedSentence, evidence: ParsedPassage) -> bool:
    wanted = {word.stem for word in word_tokens(header) if word.stem}
    told = {word.stem for word in part.content}
    if any(map(str.isdigit, header)):  # a page about one year speaks of others as well
        return wanted <= told
    if proper_names(header):
        return wanted <= told | evidence.title_stems
    return bool(wanted & told - evidence.title_stems) or wanted <= evidence.title_stems

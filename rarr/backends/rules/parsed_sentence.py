"""Parses a sentence by rules: its words, its clauses, and its values, such as dates, numbers and names."""

import re
from bisect import bisect_right
from functools import lru_cache
from typing import NamedTuple

from rarr.backends.rules.values import Value, checkable_values
from rarr.backends.rules.words import Token, word_tokens
from rarr.tools.text.blocks_and_sentences import Span

_CLAUSE = re.compile(
    r"""
      [;:()] | \s[–—-]\s | —
    | ,\s+(?: and | but | while | whereas | which | who | whose | where | when | with | though | although | so
            | yet | after | before | since | until | because | as )\b
    | \s(?: while | whereas | but | whose )\s
    | \sand\s(?=(?:about\s)?[\d$€£])                   # wide and 30 metres long
    | \sand\s(?=(?: \w+ly | \w+ed                      # built in 1937 and opened in 1938
            | is | was | are | were | has | had | have | can | will
            | stands | lies | runs | holds | covers | makes | takes | gives | goes | serves | measures
            | contains | carries | includes | became | began | won | lost | took | made | led | left
            | went | ran | grew | rose | fell )\b)
    """,
    re.VERBOSE,
)
# An insertion interrupts its clause. The clause continues after it.
_INSERTION = re.compile(
    r"""
      ,\s(?: which | who | whose | where | when | an? | the | born | known | called | named | founded | built
        | led )\s[^,;:()]*,
    | \([^()]*\)
    | \s–\s[^–]*\s–\s
    | —[^—]*—
    """,
    re.VERBOSE,
)


class ParsedSentence(NamedTuple):
    """A sentence with its words and values; offsets are within `text`.

    `content` are the words with meaning, which are no stop words. `insertions`, such as a relative clause
    between commas, are in order and do not overlap.
    """

    text: str
    words: tuple[Token, ...]
    content: tuple[Token, ...]
    values: tuple[Value, ...]
    clause_ends: tuple[int, ...]
    insertions: tuple[Span, ...]

    def clause(self, place: int) -> int:
        """Returns the number of the clause that holds the character at `place`; negative in an insertion."""
        number = bisect_right(
            self.insertions, (place, len(self.text))
        )  # insertions that begin here or before
        if number and place < self.insertions[number - 1].end:
            return -number
        return bisect_right(self.clause_ends, place)


@lru_cache(maxsize=4096)
def parsed_sentence(text: str) -> ParsedSentence:
    """Parses `text` as one sentence."""
    insertions = tuple(Span(*match.span()) for match in _INSERTION.finditer(text))
    inserted = bytearray(len(text))  # which characters are in an insertion
    for start, end in insertions:
        inserted[start:end] = b"1" * (end - start)
    ends = tuple(m.end() for m in _CLAUSE.finditer(text) if not any(inserted[m.start() : m.end()]))
    words = tuple(word_tokens(text))
    content = tuple(word for word in words if word.stem)
    return ParsedSentence(text, words, content, checkable_values(text), ends, insertions)

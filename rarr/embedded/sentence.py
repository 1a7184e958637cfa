"""A sentence as the rules see it: its words, its values, and its clauses."""

import re
from bisect import bisect_right
from typing import NamedTuple

from rarr.embedded.values import Value, values
from rarr.embedded.words import Token, tokens
from rarr.tools.document import Span

_CLAUSE = re.compile(
    r"[;:()]|\s[–—-]\s|—"
    r"|,\s+(?:and|but|while|whereas|which|who|whose|where|when|with|though|although|so|yet|after|before|since|until"
    r"|because|as)\b|\s(?:while|whereas|but|whose)\s"
    r"|\sand\s(?=(?:about\s)?[\d$€£])|\sand\s(?=(?:\w+ly|is|was|are|were|has|had|have|can|will|\w+ed|stands|lies|runs|holds|covers|makes|takes|gives|goes"
    r"|serves|measures|contains|carries|includes|became|began|won|lost|took|made|led|left|went|ran|grew|rose|fell)\b)"
)
# An insertion interrupts its clause, which goes on behind it.
_INSERTION = re.compile(
    r",\s(?:which|who|whose|where|when|an?|the)\s[^,;:()]*,|\([^()]*\)|\s–\s[^–]*\s–\s|—[^—]*—"
)


class Sentence(NamedTuple):
    """A sentence with its words and values; offsets are within `text`."""

    text: str
    words: tuple[Token, ...]
    values: tuple[Value, ...]
    clause_ends: tuple[int, ...]
    insertions: tuple[Span, ...]

    def clause(self, place: int) -> int:
        """The number of the clause that the character at `place` is in; negative in an insertion."""
        for number, (start, end) in enumerate(self.insertions, start=1):
            if start <= place < end:
                return -number
        return bisect_right(self.clause_ends, place)

    @property
    def content(self) -> tuple[Token, ...]:
        """The words that carry meaning, in order."""
        return tuple(word for word in self.words if word.stem)


def sentence(text: str) -> Sentence:
    """`text`, taken as one sentence, with its words and values."""
    insertions = tuple(Span(*match.span()) for match in _INSERTION.finditer(text))
    ends = tuple(
        match.end()
        for match in _CLAUSE.finditer(text)
        if not any(span.overlaps(Span(*match.span())) for span in insertions)
    )
    return Sentence(text, tuple(tokens(text)), values(text), ends, insertions)

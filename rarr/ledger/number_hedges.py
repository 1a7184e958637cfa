"""Finds hedges: words before a number that change what a sentence says about it, such as "rarely".

"The tower is 135 metres high" does not confirm "the tower is rarely 135 metres high".
"""

import re

from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.values import Value

_REACH = 2
"""At most this many words with meaning stand between a hedge and its number."""
_HEDGE = re.compile(
    r"""\b(?:
        barely | hardly | scarcely | rarely | seldom | infrequently | occasionally | sporadically
      | sometimes | often | frequently | usually | mostly | normally | generally | typically | customarily
      | perhaps | maybe | possibly | probably | presumably | conceivably | arguably | ostensibly
      | theoretically | hypothetically | nominally | potentially | virtually | practically
      | in\s+theory | on\s+paper
      | at\s+(?:times|best|worst|first) | now\s+and\s+(?:then|again) | from\s+time\s+to\s+time
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
# Other adverbs, and phrases, directly before a number. Inside a sentence a capital letter begins a name.
_DIRECTLY_BEFORE = re.compile(
    r"(?P<hedge>(?:^[^\w\s]*[A-Z]|\b[a-z])[a-z]*ly|\b[Aa]ll\s+but|\bas\s+good\s+as)"
    r"\s+(?:a\s+total\s+of\s+|an?\s+|the\s+)?[$€£]?$"
)
_CHARACTERS = 60  # before a number that are searched for these
# These adverbs do not change the number: an exact number confirms a rounded number, and the other way round.
_HARMLESS = {
    *("actually", "additionally", "approximately", "correctly", "currently", "exactly", "finally", "merely"),
    *("nearly", "only", "precisely", "presently", "really", "respectively", "roughly", "simply", "truly"),
    *("annually", "daily", "hourly", "monthly", "weekly", "yearly", "early"),
}


def number_hedges(part: ParsedSentence, value: Value) -> set[str]:
    """Returns the hedges before a number, such as "rarely" or "virtually", in lower case; empty for none.

    Adverbs that leave the number as it is, such as "exactly" and "nearly", are no hedges here.
    """
    hedges = {match[0].lower() for match in _HEDGE.finditer(part.text, _start(part, value), value.start)}
    before = _DIRECTLY_BEFORE.search(part.text, max(0, value.start - _CHARACTERS), value.start)
    return hedges | ({before["hedge"].lower()} - _HARMLESS if before else set())


def _start(part: ParsedSentence, value: Value) -> int:
    """Finds the place in front of a number, in its clause, from which on a hedge may refer to the number."""
    clause, start, between = part.clause(value.start), value.start, 0
    for word in reversed([word for word in part.words if word.end <= value.start]):
        if part.clause(word.start) != clause or between > _REACH:
            break
        start = word.start
        between += bool(word.stem)
    return start

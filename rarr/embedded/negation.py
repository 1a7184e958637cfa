"""Negation: claim and evidence tell the same, but one denies it, or says the opposite or the reverse."""

import re
from collections.abc import Iterator, Sequence

from rarr.embedded.exchange import exchanged
from rarr.embedded.opposites import opposed
from rarr.embedded.sentence import Sentence

TOLD = 0.8  # of the claim's words with meaning, for a sentence of the evidence to tell the same
SCOPE = 2  # words with meaning behind a negator: what it denies
_NEGATOR = re.compile(
    r"(?:not|non|no|never|without|neither|nor|none|nobody|nothing|cannot|\w+n['’]t)$", re.IGNORECASE
)
# "Not only" and "no fewer than" deny nothing, "not until 1950" says when, "No. 5" is a number.
_DENIES_NOTHING = re.compile(
    r"not\s+(?:only|just|merely)\b | (?:not|\w+n['’]t)\b[^,;]*\suntil\b"
    r"| no\s+(?:fewer|less|more|later|earlier)\s+than\b | no\.\s",
    re.IGNORECASE | re.VERBOSE,
)


def denies(claim: Sentence, evidence: Sequence[Sentence]) -> bool:
    """Is what the claim says denied by the sentences of the evidence that tell most of it, or the reverse?"""
    stems = {word.stem for word in claim.content if not _NEGATOR.match(word.text)}
    told = [_told(claim, stems, one) for one in evidence]
    most = max((count for count, _ in told), default=0)
    return most >= max(1.0, TOLD * len(stems)) and all(turned for count, turned in told if count == most)


def _told(claim: Sentence, stems: set[str], one: Sentence) -> tuple[int, bool]:
    """How many of `stems` a sentence tells, itself or by an opposite, and whether it says the reverse."""
    shared = stems.intersection(word.stem for word in one.content)
    if len(shared) < TOLD * len(stems) - 1:  # one may be told by its opposite
        return len(shared), False
    mine, its = set(_denied(claim)), set(_denied(one))
    pairs = list(opposed(claim, one))
    count = len(shared | {word.stem for word, _ in pairs} & stems)
    if exchanged(claim, one):
        return count, True
    if pairs:  # "not safe" says what "contraindicated" says
        return count, any((word.stem in mine) == (other.stem in its) for word, other in pairs)
    return count, not shared.isdisjoint(mine ^ its)


def _denied(part: Sentence) -> Iterator[str]:
    """The stems behind each negator, in its clause."""
    for word in part.words:
        if _NEGATOR.match(word.text) and not _DENIES_NOTHING.match(part.text, word.start):
            clause = part.clause(word.start)
            behind = [
                one for one in part.content if one.start > word.end and part.clause(one.start) == clause
            ]
            yield from (one.stem for one in behind[:SCOPE])

"""Negation: claim and evidence tell the same, but one of them denies it."""

import re
from collections.abc import Iterator, Sequence

from rarr.embedded.sentence import Sentence

TOLD = 0.8  # of the claim's words with meaning, for a sentence of the evidence to tell the same
SCOPE = 2  # words with meaning behind a negator: what it denies
_NEGATOR = re.compile(
    r"(?:not|no|never|without|neither|nor|none|nobody|nothing|cannot|\w+n['’]t)$", re.IGNORECASE
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
    told = [(stems.intersection(word.stem for word in one.content), one) for one in evidence]
    most = max((len(shared) for shared, _ in told), default=0)
    if most == 0 or most < TOLD * len(stems):
        return False
    mine = set(_denied(claim))
    return all(shared & (mine ^ set(_denied(one))) for shared, one in told if len(shared) == most)


def _denied(part: Sentence) -> Iterator[str]:
    """The stems behind each negator, in its clause."""
    for word in part.words:
        if _NEGATOR.match(word.text) and not _DENIES_NOTHING.match(part.text, word.start):
            clause = part.clause(word.start)
            behind = [
                one for one in part.content if one.start > word.end and part.clause(one.start) == clause
            ]
            yield from (one.stem for one in behind[:SCOPE])

"""Finds a claim that states as a fact what the passages only plan, hope, allow, or say under a condition.

"The company has ordered two ferries" is not said by "the company plans to order two ferries", although the
passage has all its words and values.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from rarr.backends.rules.counterparts import ParsedPassage
from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.values import value_extent
from rarr.ledger.nearest_clauses import Clause, clauses_of, nearest_clauses
from rarr.tools.text.blocks_and_sentences import Span

_NO_VERB = r"(?!\s+(?:the|an?|its|their|his|her|north|south|east|west|\d))"
_INTENDED = r"(?:due|set|scheduled|planned|intended|expected|supposed|meant|likely|going|ready|yet)"
_FRAMES = {
    "planned": re.compile(
        rf"""\b(?:
            will | shall | would | should | \w+['’]ll
          | (?:is|are|was|were|be|been)\s+(?:(?:also|now|still|not|only|soon)\s+)?(?:{_INTENDED}\s+)?
            to(?={_NO_VERB}\s+(?-i:[a-z]))
          | (?:plan|intend|aim|hope|propose|promise|pledge|want|try|demand|threaten|recommend|advise
              |suggest|consider|prepare|wish|agree|decide)(?:s|d|ed)?\s+(?:to|that|for|an?|the)
          | (?:expect|forecast|predict)(?:s|ed)?
          | (?:plann|try|propos|intend|aim|hop|consider|prepar)(?:ed|ing)
          | (?:tried|tries|offers?|offered)\s+to
          | (?:almost|nearly|about\s+to|partly|half)(?=\s+\w+(?:ed|en|t)\b)
        )\b""",
        re.IGNORECASE | re.VERBOSE,
    ),
    "possible": re.compile(
        r"\b(?:(?-i:may)|might|can|cannot|could|possibly|perhaps|unlikely)\b", re.IGNORECASE
    ),
    "past": re.compile(
        r"\b(?:formerly|previously|(?<!is\s)(?<!are\s)(?<!was\s)(?<!were\s)used\s+to|no\s+longer"
        r"|(?:before|until|till)\s+(?:\w+\s+)?\d{4})\b",
        re.IGNORECASE,
    ),
}
"""The frames of a clause. A claim must have every frame that the passage has."""
_OBLIGED = re.compile(r"\b(?:must|ha(?:s|ve)\s+to|needs?\s+to)\b", re.IGNORECASE)
_SHALL = re.compile(r"\b(?:shall|should)\b", re.IGNORECASE)
"""A claim with "must" says the same as a passage with "shall"."""
_CONDITION = re.compile(
    r"\b(?:if|unless|provided(?:\s+that|,)|except|as\s+long\s+as|only\s+(?:with|when|after)|in\s+case"
    r"|with\s+(?:\w+\s+){0,2}(?:consent|permission|approval))\b",
    re.IGNORECASE,
)

_LEAST_CLAUSE_WORDS = 3
"""The least number of words with meaning of a clause of the claim that is looked at alone."""
_OWN_SUBJECT = re.compile(
    r"\W*(?:(?:and|but|while|whereas|though|although|so|yet)\s+)?"
    r"(?:the|an?|its?|he|she|they|their|his|her|this|these|who|which|(?-i:[A-Z0-9]))\b|\W*(?-i:[A-Z])",
    re.IGNORECASE,
)
_ALLOWED = re.compile(
    r"\b(?:(?-i:may)|can|could|must|shall|entitled|allowed|permitted|has\s+to|have\s+to)\b", re.IGNORECASE
)
_FROM_THEN_ON = re.compile(r"\b(?:after|once|following|not\s+before|at\s+the\s+earliest)\b", re.IGNORECASE)
"""What is allowed "after two years" is allowed under a condition. What happened after it only has a time."""


def unreal_place(claim: ParsedSentence, passages: Sequence[ParsedPassage]) -> Span | None:
    """Finds the word of the claim that is stated as a fact, where the passages do not state it so.

    The clauses of the passages that have most of the claim's words and values decide, if they have at least
    half of the words. None if one of them states it, if the claim has such a frame too, or if no clause
    tells about the same. Each longer clause of the claim is looked at alone as well: "has ordered a ferry,
    which will sail in May" has a frame, but not where it says "ordered". A clause without a subject of its
    own, as in "plans to close, and sell the hall", has the frames of the one before.
    """
    parts = [
        part
        for part in clauses_of([claim])
        if len(part.content) >= _LEAST_CLAUSE_WORDS and _OWN_SUBJECT.match(part.text)
    ]
    whole = Clause.whole(claim)
    return next(filter(None, (_stated_plan(part, passages) for part in (whole, *parts))), None)


def _stated_plan(claim: Clause, passages: Sequence[ParsedPassage]) -> Span | None:
    """Finds the word in one clause of a claim; a condition may stand anywhere in its sentence."""
    claim_frames = _frames(claim.sentence.text, claim.place)
    best = nearest_clauses(claim, passages)
    framed = [_frames(clause.sentence.text, clause.place) for clause in best]
    if _OBLIGED.search(claim.text) and all(_SHALL.search(clause.text) for clause in best):
        claim_frames.setdefault("planned", Span(0, 0))
    if not best or not all(frames.keys() - claim_frames.keys() for frames in framed):
        return None
    missing = framed[0].keys() - claim_frames.keys()
    return _framed_word(claim, best[0], framed[0][min(missing)])


def _frames(text: str, place: Span) -> dict[str, Span]:
    """Returns the first word of each kind of frame in a clause, and of a condition in the whole sentence."""
    return dict(_found_frames(text, place))


@lru_cache(maxsize=4096)  # each clause is compared with many
def _found_frames(text: str, place: Span) -> tuple[tuple[str, Span], ...]:
    found = {kind: frame.search(text, place.start, place.end) for kind, frame in _FRAMES.items()}
    found["condition"] = _CONDITION.search(text) or (
        _FROM_THEN_ON.search(text) if _ALLOWED.search(text) else None
    )
    return tuple((kind, Span(*match.span())) for kind, match in found.items() if match is not None)


def _framed_word(claim: Clause, clause: Clause, frame: Span) -> Span:
    """Returns the place in the claim of the first word behind the frame that the claim has too."""
    behind = [word.stem for word in clause.content if word.start >= frame.end]
    taken = [value_extent(value) for value in claim.values]
    words = [
        word for word in claim.content if not any(span.start <= word.start < span.end for span in taken)
    ] or list(claim.content)
    chosen = next((word for stem in behind for word in words if word.stem == stem), words[-1])
    return Span(chosen.start, chosen.end)

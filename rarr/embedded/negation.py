"""Negation: claim and evidence tell the same, but one denies it, or says the opposite or the reverse."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from rarr.embedded.exchange import exchanged
from rarr.embedded.sentence import Sentence
from rarr.embedded.words import Token

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
# Either side of a bar says the opposite of the other. What `terms` compares wherever it stands is not here.
# Either side of a bar says the opposite of the other; `terms` compares others, wherever they stand.
_OPPOSITES = """
safe safely harmless | unsafe contraindicated dangerous harmful hazardous
recommended indicated advised | contraindicated discouraged
permitted permits allowed allows allow authorised authorized | prohibited prohibits forbidden forbids banned
must shall | may
mandatory compulsory obligatory required | optional voluntary
guilty convicted liable | innocent acquitted exonerated
granted grants grant upheld upholds affirmed | denied denies dismissed dismisses overturned reversed
valid enforceable | void unenforceable
includes include included including | excludes exclude excluded excluding
causes cause caused triggers induces | prevents prevent prevented
raises raise raised worsens worsened | lowers lower lowered reduces reduce reduced improves improved
strengthened strengthens | weakened weakens
succeeded succeeds | failed fails
supported supports support favoured favored | opposed opposes oppose
survived survives survive | died dies die
benign | malignant
acute | chronic
positive | negative
arterial | venous
systolic | diastolic
ascending | descending
major | minor
maximum | minimum
more | fewer less
many | few
all every | some
common frequent | rare
higher taller | lower shorter
larger bigger greater | smaller
longer | shorter
older | younger
faster quicker | slower
heavier | lighter
better | worse
tenant lessee | landlord lessor
buyer purchaser | seller vendor
borrower debtor | lender creditor
employer | employee
plaintiff claimant appellant petitioner prosecution | defendant respondent defence defense
trustee | beneficiary
insurer | insured
patient patients | doctor doctors physician physicians nurse
"""
_PREFIXES = ("un", "in", "im", "il", "ir", "non", "dis")
_TWINS = ("hyper", "hypo"), ("intra", "extra"), ("micro", "macro"), ("pre", "post")


def denies(claim: Sentence, evidence: Sequence[Sentence]) -> bool:
    """Is what the claim says denied by the sentences of the evidence that tell most of it, or the reverse?"""
    stems = {word.stem for word in claim.content if not _NEGATOR.match(word.text)}
    told = [_told(claim, stems, one) for one in evidence]
    most = max((count for count, _ in told), default=0)
    return most >= max(1.0, TOLD * len(stems)) and all(turned for count, turned in told if count == most)


def _told(claim: Sentence, stems: set[str], one: Sentence) -> tuple[int, bool]:
    """How many of `stems` a sentence tells, itself or by an opposite, and whether it says the reverse."""
    shared = stems.intersection(word.stem for word in one.content)
    if len(shared) < TOLD * len(stems) - 1:
        return len(shared), False
    mine, its = set(_denied(claim)), set(_denied(one))
    opposed = list(_opposed(claim, one))
    count = len(shared | {word.stem for word, _ in opposed} & stems)
    if exchanged(claim, one):
        return count, True
    if opposed:  # "not safe" says what "contraindicated" says
        return count, any((word.stem in mine) == (other.stem in its) for word, other in opposed)
    return count, not shared.isdisjoint(mine ^ its)


def _opposed(claim: Sentence, one: Sentence) -> Iterator[tuple[Token, Token]]:
    """Words that only the claim has, each with its opposite that only the other sentence has."""
    mine, its = _words(claim), _words(one)
    only_mine, only_its = mine.keys() - its.keys(), its.keys() - mine.keys()
    for said in sorted(only_mine):
        for other in sorted(only_its):
            if other in _AGAINST.get(said, ()) or _is_prefixed(said, other):
                yield mine[said], its[other]


def _words(part: Sentence) -> dict[str, Token]:
    return {word.text.lower(): word for word in part.words}


def _is_prefixed(one: str, other: str) -> bool:
    """Is one the other with "un" or the like before it, or do they differ in "hyper" and "hypo"?"""
    short, long = sorted((one, other), key=len)
    if len(short) > 3 and any(long == prefix + short for prefix in _PREFIXES):
        return True
    return any(
        (one.startswith(first) and other == second + one.removeprefix(first))
        or (one.startswith(second) and other == first + one.removeprefix(second))
        for first, second in _TWINS
    )


def _denied(part: Sentence) -> Iterator[str]:
    """The stems behind each negator, in its clause."""
    for word in part.words:
        if _NEGATOR.match(word.text) and not _DENIES_NOTHING.match(part.text, word.start):
            clause = part.clause(word.start)
            behind = [
                one for one in part.content if one.start > word.end and part.clause(one.start) == clause
            ]
            yield from (one.stem for one in behind[:SCOPE])


def _against() -> dict[str, set[str]]:
    """The opposites of each word."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for line in _OPPOSITES.strip().splitlines():
        left, right = (side.split() for side in line.split("|"))
        for word in left:
            found[word].update(right)
        for word in right:
            found[word].update(left)
    return found


_AGAINST = _against()

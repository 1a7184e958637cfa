"""Which of several answers the sources speak for, whatever the order in which they were read.

Each independent source has a weight by its kind. Passages of one registered domain, or of one file, are one
source, and so are pages that say the same words: a mirror, or an agency's text in two papers. What does not
say where it is from counts as one source, and as no more than any page. Where the question is about the
present, the side with the newer source is believed, if both are dated.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from rarr.records import UNNAMED, Evidence
from rarr.retrievers.web.source_domains import host_of, site_of
from rarr.settings import Kind

WEIGHTS: dict[Kind, float] = {"own": 3, "official": 3, "reference": 3, "news": 2, "other": 1, "forum": 0.5}
"""What an independent source of a kind counts; `own` are the user's documents."""

KINDS: dict[str, Kind] = {
    **dict.fromkeys(("gov", "mil", "int", "gov.uk", "gouv.fr", "gc.ca", "europa.eu", "un.org"), "official"),
    **dict.fromkeys(("wikipedia.org", "wikidata.org", "britannica.com", "edu", "ac.uk"), "reference"),
    **dict.fromkeys(("nature.com", "science.org", "nih.gov", "who.int", "arxiv.org"), "reference"),
    **dict.fromkeys(("reuters.com", "apnews.com", "bbc.co.uk", "bbc.com", "nytimes.com"), "news"),
    **dict.fromkeys(("theguardian.com", "washingtonpost.com", "lemonde.fr", "spiegel.de", "dw.com"), "news"),
    **dict.fromkeys(("reddit.com", "quora.com", "stackexchange.com", "medium.com", "blogspot.com"), "forum"),
    **dict.fromkeys(("fandom.com", "x.com", "twitter.com", "facebook.com", "youtube.com"), "forum"),
}
"""Kinds by domain or its ending; the longest that fits counts, and what fits none is `other`."""

_PRESENT = re.compile(
    r"\b(?:current(?:ly)?|latest|now(?:adays)?|today|at present|most recent(?:ly)?|newest|still|record"
    r"|as of)\b",
    re.IGNORECASE,
)
_SHINGLE = 6  # words
_MIRRORS = 0.8  # of the shingles of the shorter of two texts


LEAST_RELEVANCE_SHARE = 0.6
"""Evidence of less than this share of another's relevance does not speak against it."""


def relevant_beside(evidence: Sequence[Evidence], best: Evidence) -> list[Evidence]:
    """The evidence from the source of `best`, and all that is `LEAST_RELEVANCE_SHARE` as relevant."""
    least = LEAST_RELEVANCE_SHARE * best.relevance
    return [one for one in evidence if one.relevance >= least or one.source == best.source]


class Side:
    """The evidence for one answer."""

    def __init__(self, evidence: Iterable[Evidence], kinds: Mapping[str, Kind]) -> None:
        self.evidence = sorted(evidence, key=lambda one: (one.source, one.start, one.id))
        self.weight = sum(
            max(WEIGHTS[source_kind(one.source, kinds)] for one in group)
            for group in independent_groups(self.evidence)
        )
        # Ignore a date in the future: a page may claim any date.
        dates = [d for one in self.evidence if (d := one.published_at) is not None and d <= one.retrieved_at]
        self.newest = max(dates, default=None)
        self.relevance = max((one.relevance for one in self.evidence), default=0.0)

    def outweighs(self, other: "Side", query: str) -> bool:
        """Is this side believed rather than the other? Neither is where they weigh the same."""
        if not self.evidence:
            return False
        if _PRESENT.search(query) and self.newest and other.newest and self.newest != other.newest:
            return self.newest > other.newest
        return self.weight > other.weight


def source_kind(source: str, kinds: Mapping[str, Kind]) -> Kind:
    """The kind of a source by its domain, as `kinds`, else as `KINDS` has it; a file is the user's own."""
    if source.startswith(UNNAMED):
        return "other"
    if not site_of(source):
        return "own"
    kinds = {name.lower().removeprefix("www."): kind for name, kind in kinds.items()}
    labels = host_of(source).split(".")
    for start in range(len(labels)):
        ending = ".".join(labels[start:])
        if ending in kinds or ending in KINDS:
            return kinds.get(ending) or KINDS[ending]
    return "other"


def independent_groups(evidence: Iterable[Evidence]) -> list[list[Evidence]]:
    """Group the evidence by independent source.

    Evidence joins a group if it shares the origin of a member, or nearly all of its words.
    """
    groups: list[list[_SourceText]] = []
    for one in evidence:
        read = _SourceText(one, _origin(one.source), _shingles(one.text))
        apart: list[list[_SourceText]] = []
        same: list[_SourceText] = []
        for group in groups:
            if any(_is_same_source(read, other) for other in group):
                same += group
            else:
                apart.append(group)
        groups = [*apart, [*same, read]]
    return [[read.evidence for read in group] for group in groups]


class _SourceText(NamedTuple):
    evidence: Evidence
    origin: str
    shingles: frozenset[tuple[str, ...]]


def _is_same_source(one: _SourceText, other: _SourceText) -> bool:
    if one.origin == other.origin:
        return True
    shared, fewer = one.shingles & other.shingles, min(len(one.shingles), len(other.shingles))
    return len(shared) >= _MIRRORS * fewer > 0


def _origin(source: str) -> str:
    return UNNAMED if source.startswith(UNNAMED) else site_of(source) or source


def _shingles(text: str) -> frozenset[tuple[str, ...]]:
    words = re.findall(r"\w+", text.casefold())
    starts = range(max(1, len(words) - _SHINGLE + 1))
    return frozenset(tuple(words[start : start + _SHINGLE]) for start in starts)

"""Weighs the sources of one answer against those of another. The order of the sources does not matter.

Each independent source has a weight by its kind. Passages of one registered domain, or of one file, count as
one source. So do pages with the same words, such as a mirror, or an agency's text in two papers. All passages
without a source count as one source with the weight of any page. For a question about the present, the side
with the newer source wins, if both sides have dates.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from rarr.records import UNNAMED, Evidence
from rarr.records.card import Card, Side as CardSide
from rarr.retrievers.web.domain_and_date_limits import host_of, site_of
from rarr.settings import Kind

WEIGHTS: dict[Kind, float] = {"own": 3, "official": 3, "reference": 3, "news": 2, "other": 1, "forum": 0.5}
"""The weight of an independent source by its kind; `own` are the user's documents."""

KINDS: dict[str, Kind] = {
    **dict.fromkeys(("gov", "mil", "int", "gov.uk", "gouv.fr", "gc.ca", "europa.eu", "un.org"), "official"),
    **dict.fromkeys(("wikipedia.org", "wikidata.org", "britannica.com", "edu", "ac.uk"), "reference"),
    **dict.fromkeys(("nature.com", "science.org", "nih.gov", "who.int", "arxiv.org"), "reference"),
    **dict.fromkeys(("reuters.com", "apnews.com", "bbc.co.uk", "bbc.com", "nytimes.com"), "news"),
    **dict.fromkeys(("theguardian.com", "washingtonpost.com", "lemonde.fr", "spiegel.de", "dw.com"), "news"),
    **dict.fromkeys(("reddit.com", "quora.com", "stackexchange.com", "medium.com", "blogspot.com"), "forum"),
    **dict.fromkeys(("fandom.com", "x.com", "twitter.com", "facebook.com", "youtube.com"), "forum"),
}
"""Kinds by domain or ending of a domain. The longest match counts; a domain without a match is `other`."""

_PRESENT = re.compile(
    r"\b(?:current(?:ly)?|latest|now(?:adays)?|today|at present|most recent(?:ly)?|newest|still|record"
    r"|as of)\b",
    re.IGNORECASE,
)
_SHINGLE = 6  # words
_MIRRORS = 0.8  # of the shingles of the shorter of two texts


LEAST_RELEVANCE_SHARE = 0.6
"""Evidence below this share of another's relevance does not count against it."""


def relevant_beside(evidence: Sequence[Evidence], best: Evidence) -> list[Evidence]:
    """Selects the evidence that is at least 60% as relevant as `best`, or from the same source."""
    least = LEAST_RELEVANCE_SHARE * best.relevance
    return [passage for passage in evidence if passage.relevance >= least or passage.source == best.source]


class Side:
    """The evidence for one answer, with the weight of its sources, its newest date and its best relevance."""

    def __init__(self, evidence: Iterable[Evidence], kinds: Mapping[str, Kind]) -> None:
        self.evidence = sorted(evidence, key=lambda passage: (passage.source, passage.start, passage.id))
        self.weight = sum(
            max(WEIGHTS[source_kind(passage.source, kinds)] for passage in group)
            for group in independent_groups(self.evidence)
        )
        # Ignore a date in the future: a page may claim any date.
        dates = [
            d
            for passage in self.evidence
            if (d := passage.published_at) is not None and d <= passage.retrieved_at
        ]
        self.newest = max(dates, default=None)
        self.relevance = max((passage.relevance for passage in self.evidence), default=0.0)

    def outweighs(self, other: "Side", query: str) -> bool:
        """Does this side win over the other? Neither does if both weigh the same, or without evidence.

        For a query about the present the newer side wins, if both have a date.
        """
        if not self.evidence:
            return False
        if _PRESENT.search(query) and self.newest and other.newest and self.newest != other.newest:
            return self.newest > other.newest
        return self.weight > other.weight


def source_kind(source: str, kinds: Mapping[str, Kind]) -> Kind:
    """Finds the kind of a source, such as `news`, by its domain: in `kinds`, else in the package's list.

    `own` for files; `other` for a domain without a match, and for a source without a name.
    """
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
    """Groups the evidence by independent source.

    Evidence joins a group if it shares the origin of a member, or nearly all of its words.
    """
    groups: list[list[_SourceText]] = []
    for passage in evidence:
        read = _SourceText(passage, _origin(passage.source), _shingles(passage.text))
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


def _is_same_source(text: _SourceText, other: _SourceText) -> bool:
    if text.origin == other.origin:
        return True
    shared, fewer = text.shingles & other.shingles, min(len(text.shingles), len(other.shingles))
    return len(shared) >= _MIRRORS * fewer > 0


def _origin(source: str) -> str:
    return UNNAMED if source.startswith(UNNAMED) else site_of(source) or source


def _shingles(text: str) -> frozenset[tuple[str, ...]]:
    words = re.findall(r"\w+", text.casefold())
    starts = range(max(1, len(words) - _SHINGLE + 1))
    return frozenset(tuple(words[start : start + _SHINGLE]) for start in starts)


def weighed(card: Card, text: str, evidence: Sequence[Evidence], kinds: Mapping[str, Kind]) -> Card:
    """Finds the side of a `mixed` card of `text` that weighs more; sources of the kind `own` outweigh all."""
    if card.verdict != "mixed":
        return card
    by_id = {passage.id: passage for passage in evidence}
    ours, theirs = (
        [by_id[quote.evidence_id] for quote in card.quotes if quote.side == side]
        for side in ("for", "against")
    )
    ours_own, theirs_own = (
        any(source_kind(it.source, kinds) == "own" for it in its) for its in (ours, theirs)
    )
    sentence = text[card.start : card.end]
    side: CardSide | None = None
    if ours_own != theirs_own:
        side = "for" if ours_own else "against"
    elif Side(ours, kinds).outweighs(Side(theirs, kinds), sentence):
        side = "for"
    elif Side(theirs, kinds).outweighs(Side(ours, kinds), sentence):
        side = "against"
    return card.model_copy(update={"side": side})

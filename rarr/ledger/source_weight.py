"""Weighs the sources for and against a sentence on which the sources disagree (its card is `mixed`).

Each independent source has a weight by its kind. Passages count as one source if they are of one registered
domain or file, or have nearly the same words. All passages without a named source are one source (`other`).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from rarr.records import UNNAMED, Evidence
from rarr.records.cards_and_edits import Card, Side
from rarr.retrievers.web.domain_and_date_limits import host_of, site_of
from rarr.settings import Kind

WEIGHTS: dict[Kind, float] = {"own": 3, "official": 3, "reference": 3, "news": 2, "other": 1, "forum": 0.5}
"""The weight of an independent source by its kind. `own` are the user's documents."""

DOMAIN_KINDS: dict[str, Kind] = {
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
_SHINGLE = 6  # the words of a shingle, a run of words of a text


def with_heavier_side(card: Card, text: str, evidence: Sequence[Evidence], kinds: Mapping[str, Kind]) -> Card:
    """Sets `side` of a `mixed` card to the heavier side. `kinds` are those of the setting `source_kinds`."""
    if card.verdict != "mixed":
        return card
    by_id = {passage.id: passage for passage in evidence}
    ours, theirs = (
        [by_id[quote.evidence_id] for quote in card.quotes if quote.side == side]
        for side in ("for", "against")
    )
    return card.model_copy(update={"side": heavier_side(ours, theirs, text[card.start : card.end], kinds)})


def heavier_side(
    ours: Sequence[Evidence], theirs: Sequence[Evidence], sentence: str, kinds: Mapping[str, Kind]
) -> Side | None:
    """Returns the side whose sources weigh more; None for a tie.

    `ours` support the sentence, `theirs` contradict it. A side wins if only this side has a document of the
    user. Otherwise, for a sentence about the present, the side with the newest date wins if both sides have
    dates. Otherwise, the side wins whose independent sources weigh more in total.
    """
    weights = [_side_weight(side, kinds) for side in (ours, theirs)]
    has_dates = _PRESENT.search(sentence) is not None and all(newest for _, newest, _ in weights)
    if not has_dates:  # a date on one side only decides nothing
        weights = [(own, 0.0, total) for own, _, total in weights]
    first, second = weights
    if first == second:
        return None
    return "for" if first > second else "against"


def _side_weight(side: Sequence[Evidence], kinds: Mapping[str, Kind]) -> tuple[bool, float, float]:
    """Returns whether a side has the user's documents, its newest date (in seconds, or 0), and its weight."""
    found = {it.id: source_kind(it.source, kinds) for it in side}
    # A date in the future does not count.
    dates = [it.published_at for it in side if it.published_at and it.published_at <= it.retrieved_at]
    newest = max((date.timestamp() for date in dates), default=0.0)
    total = sum(max(WEIGHTS[found[it.id]] for it in each) for each in independent_groups(side))
    return "own" in found.values(), newest, total


def source_kind(source: str, kinds: Mapping[str, Kind]) -> Kind:
    """Returns the kind of a source, such as `news`, by its domain in `kinds`, or else in `DOMAIN_KINDS`.

    Returns `own` for files, and `other` for a domain without a match or a source without a name.
    """
    if source.startswith(UNNAMED) or not site_of(source):
        return "other" if source.startswith(UNNAMED) else "own"
    known = DOMAIN_KINDS | {name.lower().removeprefix("www."): kind for name, kind in kinds.items()}
    labels = host_of(source).split(".")
    endings = (".".join(labels[start:]) for start in range(len(labels)))
    return next((known[ending] for ending in endings if ending in known), "other")


def independent_groups(evidence: Iterable[Evidence]) -> list[list[Evidence]]:
    """Groups evidence by source. Passages of one domain or file, or with nearly equal words, form a group."""
    groups: list[list[Evidence]] = []
    for passage in evidence:
        same = [group for group in groups if any(_is_same_source(passage, it) for it in group)]
        groups = [group for group in groups if group not in same]
        groups.append([*(it for group in same for it in group), passage])
    return groups


def _is_same_source(passage: Evidence, other: Evidence) -> bool:
    if _site_or_file(passage.source) == _site_or_file(other.source):
        return True
    shingles = _shingles(passage.text), _shingles(other.text)
    return len(frozenset.intersection(*shingles)) >= 0.8 * min(map(len, shingles)) > 0  # of the shorter


def _site_or_file(source: str) -> str:
    return UNNAMED if source.startswith(UNNAMED) else site_of(source) or source


@lru_cache(maxsize=256)  # each passage is compared with all others
def _shingles(text: str) -> frozenset[tuple[str, ...]]:
    words = re.findall(r"\w+", text.casefold())
    starts = range(max(1, len(words) - _SHINGLE + 1))
    return frozenset(tuple(words[start : start + _SHINGLE]) for start in starts)

"""Merges the passages that queries kept into excerpts."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from rarr.backends.source_lines import source_lines
from rarr.records import Evidence

LONGEST = 12
"""The most sentences, list items and table rows of an excerpt."""


def merged(kept: Sequence[Evidence]) -> tuple[list[Evidence], dict[str, list[str]]]:
    """Merges overlapping passages of one source, and returns the excerpts and, by query, their ids.

    `kept` is in the order of the queries. An excerpt has the id, query and relevance of the first passage in
    it. Suspicious passages stay as they are.
    """
    order = {passage.id: number for number, passage in enumerate(kept)}
    groups: dict[tuple[str, str], list[Evidence]] = defaultdict(list)
    for passage in sorted(kept, key=lambda it: (it.start, it.end, order[it.id])):
        if not passage.suspicious:
            groups[passage.source, passage.title].append(passage)
    runs = [run for group in groups.values() for run in _runs(group, order)]
    excerpts = [*(excerpt for excerpt, _ in runs), *(passage for passage in kept if passage.suspicious)]
    # Numbered by query, so that a replay, which has no passages, gives the same ids.
    names, counts = dict[str, str](), Counter[str]()
    for excerpt in (excerpts := sorted(excerpts, key=lambda it: order[it.id])):
        names[excerpt.id] = excerpt.id
        if not is_given(excerpt.id):
            counts[excerpt.query_id] += 1
            names[excerpt.id] = f"{excerpt.query_id}.{counts[excerpt.query_id]}"
    by_query: dict[str, dict[str, None]] = defaultdict(dict)
    for excerpt, members in runs:
        for passage in members:
            by_query[passage.query_id][names[excerpt.id]] = None
    numbered = [excerpt.model_copy(update={"id": names[excerpt.id]}) for excerpt in excerpts]
    return numbered, {query_id: list(ids) for query_id, ids in by_query.items()}


def is_given(evidence_id: str) -> bool:
    """Is this the id of a passage that the caller gave, and that was not searched?"""
    return evidence_id.startswith("g")


def _runs(group: Sequence[Evidence], order: Mapping[str, int]) -> list[tuple[Evidence, list[Evidence]]]:
    """Joins each run of overlapping passages to an excerpt; returns these with the passages in them."""
    runs, end = list[tuple[str, int, list[Evidence]]](), 0
    for passage in group:
        text, start, members = runs[-1] if runs else ("", 0, [])
        cut = max(0, end - passage.start)
        rest = passage.text[cut:]
        meets = bool(runs) and passage.start <= end and _agree(text, start, passage)
        if meets and (not rest or len(source_lines(text + rest)) <= LONGEST):
            runs[-1] = text + rest, start, [*members, passage]
            end = max(end, passage.end)
        else:
            left = len(rest) - len(rest.lstrip())
            runs.append((rest.lstrip(), passage.start + cut + left, [passage]))
            end = passage.end
    excerpts = []
    for text, start, members in runs:
        first = min(members, key=lambda passage: order[passage.id])
        place = {"text": text, "start": start, "end": start + len(text), "lead": members[0].lead}
        excerpts.append((first.model_copy(update=place), members))
    return excerpts


def _agree(text: str, start: int, passage: Evidence) -> bool:
    """Do both have the same words where they overlap? Two extractions of one page may differ there."""
    begin = max(start, passage.start)
    ours, theirs = text[begin - start :], passage.text[begin - passage.start :]
    return ours.startswith(theirs) or theirs.startswith(ours)

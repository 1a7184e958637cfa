"""Merges the passages that queries kept into excerpts."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from rarr.backends.source_lines import source_lines
from rarr.records import Evidence

LONGEST = 12
"""The most sentences, list items and table rows of an excerpt."""


def merged(kept: Sequence[Evidence]) -> tuple[list[Evidence], dict[str, list[str]]]:
    """Merges overlapping passages of one source, and returns the excerpts and, by query, their ids.

    `kept` is in the order of the queries. An excerpt has the id, query and relevance of the first passage in
    it. Suspicious passages stay as they are.
    """
    groups: dict[tuple[str, str], list[Evidence]] = defaultdict(list)
    for passage in kept:
        if not passage.suspicious:
            groups[passage.source, passage.title].append(passage)
    order = {passage.id: number for number, passage in enumerate(kept)}
    excerpts: list[Evidence] = []
    by_query: dict[str, list[str]] = defaultdict(list)
    for group in groups.values():
        for excerpt, members in _runs(sorted(group, key=lambda it: (it.start, it.end, order[it.id])), order):
            excerpts.append(excerpt)
            for passage in members:
                if excerpt.id not in by_query[passage.query_id]:
                    by_query[passage.query_id].append(excerpt.id)
    excerpts += [passage for passage in kept if passage.suspicious]
    # Numbered by query, so that a replay, which has no passages, gives the same ids.
    names: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for excerpt in (excerpts := sorted(excerpts, key=lambda it: order[it.id])):
        names[excerpt.id] = excerpt.id
        if not is_given(excerpt.id):
            counts[excerpt.query_id] += 1
            names[excerpt.id] = f"{excerpt.query_id}.{counts[excerpt.query_id]}"
    numbered = [excerpt.model_copy(update={"id": names[excerpt.id]}) for excerpt in excerpts]
    return numbered, {query: [names[name] for name in ids] for query, ids in by_query.items()}


def _runs(group: Sequence[Evidence], order: Mapping[str, int]) -> Iterator[tuple[Evidence, list[Evidence]]]:
    """Yields each run of overlapping passages as one excerpt, with the passages in it."""
    run: list[Evidence] = []
    text, start, end = "", 0, 0
    for passage in group:
        more = passage.text[max(0, end - passage.start) :]
        meets = bool(run) and passage.start <= end and _agree(text, start, passage)
        if meets and (not more or len(source_lines(text + more)) <= LONGEST):
            text, end = text + more, max(end, passage.end)
            run.append(passage)
            continue
        cut = 0
        if run:
            yield _excerpt(run, order, text, start), run
            cut = max(0, end - passage.start) if passage.start < end else 0
        rest = passage.text[cut:]
        space = len(rest) - len(rest.lstrip())
        run, text, start, end = [passage], rest.lstrip(), passage.start + cut + space, passage.end
    if run:
        yield _excerpt(run, order, text, start), run


def _agree(text: str, start: int, passage: Evidence) -> bool:
    """Do both have the same words where they overlap? Two extractions of one page may differ there."""
    begin = max(start, passage.start)
    ours, theirs = text[begin - start :], passage.text[begin - passage.start :]
    return ours.startswith(theirs) or theirs.startswith(ours)


def _excerpt(run: Sequence[Evidence], order: Mapping[str, int], text: str, start: int) -> Evidence:
    first = min(run, key=lambda passage: order[passage.id])
    place = {"text": text, "start": start, "end": start + len(text), "lead": run[0].lead}
    return first.model_copy(update=place)


def is_given(evidence_id: str) -> bool:
    """Is this the id of a passage that the caller gave, and that was not searched?"""
    return evidence_id.startswith("g")

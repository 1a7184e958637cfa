"""Metrics of a search among namesakes, and of citations to triples, by hand."""

import pytest

from rarr.evals.metrics import triples
from rarr.evals.metrics.retrieval import RankedQuery, accuracy, all_correct, confusion
from rarr.evals.metrics.triples import MarkedGaps, TripleCitations


def query(set_id: str, entity: str, *ranking: str) -> RankedQuery:
    """A query about an entity whose only document has its name."""
    rivals = frozenset({"head", "tail", "last"} - {entity})
    return RankedQuery(set_id, entity == "head", frozenset({entity}), rivals, tuple(ranking))


# The first set: the head is found; the tail is second, after a document of nobody in the set.
# The second set: head and tail are found. The third set: the tail is below the head, and `last` is missing.
SETS = [
    query("1", "head", "head", "tail"),
    query("1", "tail", "other", "tail", "head"),
    query("2", "head", "head", "head", "tail"),
    query("2", "tail", "tail"),
    query("3", "head", "head"),
    query("3", "tail", "head", "head", "tail"),
    query("3", "last", "head", "tail"),
]
HEADS = [each for each in SETS if each.is_head]
TAILS = [each for each in SETS if not each.is_head]


def test_search_among_namesakes() -> None:
    assert [accuracy(each).value for each in (SETS, HEADS, TAILS)] == pytest.approx([4 / 7, 1, 1 / 4])
    assert accuracy(TAILS, k=2).value == pytest.approx(3 / 4)  # a repeated document takes one place
    assert [all_correct(SETS).value, all_correct(SETS).n] == pytest.approx([1 / 3, 3])
    assert [confusion(HEADS).value, confusion(TAILS).value] == pytest.approx([0, 2 / 4])
    nothing = [each._replace(ranking=()) for each in SETS]
    assert (accuracy(nothing).value, confusion(nothing).value, accuracy([]).value) == (0, 0, None)


GRAPH = frozenset("abcdef")
ANSWERS = [
    TripleCitations(tuple("abca"), GRAPH, frozenset("ab")),  # 3 of 4 precise; 2 of 2
    TripleCitations(tuple("xd"), GRAPH, frozenset("def")),  # 1 of 2 precise; 1 of 3 recalled
    TripleCitations((), GRAPH, frozenset("c")),
]


def values(scores: triples.Scores) -> tuple[float | None, ...]:
    return tuple(measured.value for measured in scores.values())


def test_citations_of_triples() -> None:
    assert triples.correctness(ANSWERS).value == 5 / 6
    assert values(triples.micro(ANSWERS)) == pytest.approx((4 / 6, 3 / 6, 2 * 4 / 6 * 0.5 / (4 / 6 + 0.5)))
    assert values(triples.macro(ANSWERS))[:2] == pytest.approx(((3 / 4 + 1 / 2) / 2, 4 / 9))
    assert values(triples.micro([])) == (None, None, None)


def test_marked_gaps() -> None:
    made = [
        MarkedGaps((frozenset("a"), frozenset()), frozenset("ab")),
        MarkedGaps((), frozenset("c")),
        MarkedGaps((frozenset("de"),), frozenset("de")),
    ]
    assert values(triples.gaps(made))[:2] == (2 / 3, 3 / 5)

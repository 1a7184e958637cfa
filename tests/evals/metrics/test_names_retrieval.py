"""Metrics of a search among namesakes, worked by hand on three sets."""

import pytest

from rarr.evals.metrics import (
    RankedQuery,
    accuracy_at,
    all_correct,
    by_gap,
    entity_confusion,
    mean_reciprocal_rank,
    recall_at,
)

POPULARITY = {"head": 100.0, "tail": 60.0, "last": 20.0}  # gaps: 67% and 400%


def query(set_id: str, entity: str, *ranking: str) -> RankedQuery:
    """A query about an entity whose only document has its name."""
    rivals = frozenset({"head", "tail", "last"} - {entity})
    popularity = POPULARITY[entity]
    return RankedQuery(
        set_id, entity, entity == "head", popularity, frozenset({entity}), rivals, tuple(ranking)
    )


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


def test_accuracy_at_one_of_three_sets() -> None:
    assert accuracy_at(SETS).value == pytest.approx(4 / 7)
    assert accuracy_at(HEADS).value == 1
    assert accuracy_at(TAILS).value == pytest.approx(1 / 4)


def test_repeated_document_takes_one_place() -> None:
    assert accuracy_at(TAILS, k=2).value == pytest.approx(3 / 4)


def test_recall_and_reciprocal_rank() -> None:
    assert recall_at(TAILS, 2).value == pytest.approx(3 / 4)
    assert mean_reciprocal_rank(TAILS).value == pytest.approx((1 / 2 + 1 + 1 / 2 + 0) / 4)


def test_set_is_correct_if_all_of_its_queries_are() -> None:
    assert all_correct(SETS).value == pytest.approx(1 / 3)
    assert all_correct(SETS).n == 3


def test_document_of_no_member_above_the_right_one_is_no_confusion() -> None:
    assert entity_confusion(HEADS).value == 0
    assert entity_confusion(TAILS).value == pytest.approx(2 / 4)


def test_loss_of_tails_by_their_gap() -> None:
    gaps = by_gap(SETS)
    assert [*gaps] == ["60% to 80%", "100% and more"]
    assert gaps["60% to 80%"].value == pytest.approx(2 / 3)  # pairs lose 1, 0 and 1
    assert gaps["100% and more"].value == 1


def test_gap_at_a_limit_falls_into_the_upper_bin() -> None:
    queries = [query("1", "head", "head"), query("1", "tail")._replace(popularity=62.5)]  # a gap of 60%
    assert [*by_gap(queries)] == ["60% to 80%"]


def test_perfect_search() -> None:
    perfect = [each._replace(ranking=(each.entity_id,)) for each in SETS]
    assert (accuracy_at(perfect).value, all_correct(perfect).value, entity_confusion(perfect).value) == (
        1,
        1,
        0,
    )
    assert {gap.value for gap in by_gap(perfect).values()} == {0}


def test_search_that_returns_only_the_head() -> None:
    queries = [each._replace(ranking=("head",)) for each in SETS]
    heads, tails = ([each for each in queries if each.is_head is head] for head in (True, False))
    assert (accuracy_at(heads).value, accuracy_at(tails).value, all_correct(queries).value) == (1, 0, 0)
    assert (entity_confusion(heads).value, entity_confusion(tails).value) == (0, 1)


def test_search_that_finds_nothing_confuses_nothing() -> None:
    queries = [each._replace(ranking=()) for each in SETS]
    assert (accuracy_at(queries).value, entity_confusion(queries).value) == (0, 0)


def test_no_queries_give_no_value() -> None:
    assert accuracy_at([]).value is None
    assert by_gap([]) == {}

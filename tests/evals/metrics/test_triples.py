"""The metrics of citations to triples, by hand on three answers where micro and macro differ."""

from rarr.evals.metrics.triples import (
    MarkedGaps,
    TripleCitations,
    TripleScores,
    gap_scores,
    macro_triple_scores,
    micro_triple_scores,
    triple_correctness,
)

GRAPH = frozenset("abcdef")
ANSWERS = [
    # 4 citations, all right, 3 of them precise (a comes twice); 2 of 2 recalled.
    TripleCitations(("a", "a", "b", "c"), GRAPH, frozenset("ab")),
    # 1 citation, right and precise; 1 of 4 recalled.
    TripleCitations(("d",), GRAPH, frozenset("abcd")),
    # No citation; 0 of 2 recalled.
    TripleCitations((), GRAPH, frozenset("ef")),
]


def rounded(scores: TripleScores) -> tuple[float | None, ...]:
    return tuple(None if x is None else round(x, 4) for x in (scores.precision, scores.recall, scores.f1))


def test_micro_counts_citations_and_triples() -> None:
    # precision 4/5, recall 3/8, F1 2 * 0.8 * 0.375 / 1.175
    assert rounded(micro_triple_scores(ANSWERS)) == (0.8, 0.375, 0.5106)


def test_macro_is_the_mean_over_answers() -> None:
    # precision (3/4 + 1/1) / 2, the third answer left out; recall (2/2 + 1/4 + 0/2) / 3
    assert rounded(macro_triple_scores(ANSWERS)) == (0.875, 0.4167, 0.5645)


def test_correctness_is_the_share_in_the_graph() -> None:
    assert triple_correctness(ANSWERS) == 1.0
    assert triple_correctness([TripleCitations(("a", "x"), GRAPH)]) == 0.5
    assert triple_correctness([TripleCitations((), GRAPH)]) is None


def test_citation_outside_of_the_graph_is_neither_precise_nor_recalled() -> None:
    answer = TripleCitations(("x",), GRAPH, frozenset("x"))
    assert rounded(micro_triple_scores([answer])) == (0.0, 0.0, 0.0)


def test_nothing_to_count_is_no_score() -> None:
    assert rounded(micro_triple_scores([])) == (None, None, None)


def test_gaps_are_counted_by_statement_and_by_triple() -> None:
    # 3 statements, 2 of which tell an absent triple, both the same; 1 of 3 absent triples is told.
    answers = [
        MarkedGaps((frozenset("a"), frozenset("a")), frozenset("ab")),
        MarkedGaps((frozenset(),), frozenset()),
        MarkedGaps((), frozenset("c")),
    ]
    assert rounded(gap_scores(answers)) == (0.6667, 0.3333, 0.4444)

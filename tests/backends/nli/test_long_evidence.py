"""Long evidence: what the judge sees, how often, and what is kept. Here sizes are in words."""

from collections.abc import Sequence

import pytest
from hypothesis import given, strategies as st

from rarr.backends.nli.long_evidence import Pair, stretches

CLAIM = "The dam opened in 1936."
FILLER = [f"Sentence {n} tells of the weather on that day." for n in range(40)]
LIMIT = 45


def size(pair: Pair) -> int:
    return len(pair.evidence.split()) + len(pair.claim.split())


class Judge:
    """The number of words of the claim in the evidence. Records what it was asked."""

    def __init__(self) -> None:
        self.calls: list[list[Pair]] = []

    def __call__(self, pairs: Sequence[Pair]) -> list[float]:
        self.calls.append(list(pairs))
        assert all(size(pair) <= LIMIT for pair in pairs)
        return [float(sum(word in pair.evidence for word in pair.claim.split())) for pair in pairs]


def good(score: float) -> float:
    return score


def bad(score: float) -> float:
    return -score


def long(*telling: str) -> str:
    return " ".join([*FILLER[:20], *telling, *FILLER[20:]])


def test_short_evidence_is_judged_whole_and_once() -> None:
    judge = Judge()
    assert stretches([Pair("It opened in 1936.", CLAIM)], judge, size, LIMIT, [good]) == [3.0]
    assert judge.calls == [[Pair("It opened in 1936.", CLAIM)]]


def test_best_two_sentences_of_long_evidence_are_judged_together_in_their_order() -> None:
    judge = Judge()
    evidence = long("It opened in 1936.", "Rain fell.", "The dam is high.")
    [judged] = stretches([Pair(evidence, CLAIM)], judge, size, LIMIT, [good])
    assert judge.calls[1] == [Pair("It opened in 1936. The dam is high.", CLAIM)]
    assert judged == 5.0


def test_each_ranking_keeps_two_sentences() -> None:
    judge = Judge()
    evidence = long("It opened.", "The dam opened in 1936.")
    stretches([Pair(evidence, CLAIM)], judge, size, LIMIT, [good, bad])
    assert judge.calls[1][0].evidence == f"{FILLER[0]} {FILLER[1]} It opened. The dam opened in 1936."


def test_earlier_sentences_win_a_tie() -> None:
    judge = Judge()
    stretches([Pair(long(), "Nothing.")], judge, size, LIMIT, [good])
    assert judge.calls[1][0].evidence == f"{FILLER[0]} {FILLER[1]}"


def test_pairs_are_judged_at_once_and_stay_in_order() -> None:
    judge = Judge()
    pairs = [Pair(long(), CLAIM), Pair("In 1936.", CLAIM), Pair(long("It opened."), CLAIM)]
    assert stretches(pairs, judge, size, LIMIT, [good])[1] == 1.0
    assert [len(call) for call in judge.calls] == [40 + 1 + 41, 2]


def test_sentence_that_is_too_long_is_cut_between_words() -> None:
    judge = Judge()
    stretches([Pair("word " * 300, CLAIM)], judge, size, LIMIT, [good])
    assert {word for pair in judge.calls[0] for word in pair.evidence.split()} == {"word"}


def test_text_without_spaces_is_cut() -> None:
    parts: list[str] = []

    def judge(pairs: Sequence[Pair]) -> list[float]:
        parts.extend(pair.evidence for pair in pairs)
        return [0.0] * len(pairs)

    stretches([Pair("大" * 1000, "x")], judge, lambda pair: len(pair.evidence) + len(pair.claim), 100, [good])
    assert max(map(len, parts)) <= 99


@pytest.mark.parametrize("claim", ["word " * 60, "word " * 44])
def test_claim_as_long_as_the_limit_is_not_judged(claim: str) -> None:
    assert stretches([Pair(long(), claim)], Judge(), size, LIMIT, [good]) == [None]


def test_no_pairs_give_no_scores() -> None:
    assert stretches([], Judge(), size, LIMIT, [good]) == []


@given(st.lists(st.text(max_size=400), max_size=4), st.integers(1, 2))
def test_judge_never_sees_more_than_the_limit(evidence: list[str], rankings: int) -> None:
    def judge(pairs: Sequence[Pair]) -> list[float]:
        assert all(len(pair.evidence) + len(pair.claim) <= 120 for pair in pairs)
        return [float(len(pair.evidence)) for pair in pairs]

    pairs = [Pair(document, "A claim.") for document in evidence]
    chars = lambda pair: len(pair.evidence) + len(pair.claim)  # noqa: E731
    assert len(stretches(pairs, judge, chars, 120, [good, bad][:rankings])) == len(pairs)

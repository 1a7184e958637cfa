"""The report: the best evidences within the limit, and the right status for each sentence."""

from collections.abc import Sequence
from itertools import combinations
from math import comb, e

import pytest
from hypothesis import given, strategies as st
from makers import TEXT, check, evidence, query, runtime, state

from rarr.ledger import evidence_selection as ledger_coverage
from rarr.ledger.evidence_selection import select_evidence
from rarr.nodes.attribute import attribute
from rarr.records import Check, Evidence, Sentence
from rarr.settings import Settings
from rarr.state import Unsearched
from rarr.testing import ScriptedVerifier


def coverage(chosen: Sequence[Evidence]) -> float:
    best: dict[str, float] = {}
    for candidate in chosen:
        best[candidate.query_id] = max(candidate.relevance, best.get(candidate.query_id, 0.0))
    return sum(best.values())


@st.composite
def findings(draw: st.DrawFn, most: int = 8) -> list[Evidence]:
    """Evidence of up to four queries, each at a place of its own."""
    pairs = draw(st.lists(st.tuples(st.integers(1, 4), st.floats(0, 1)), max_size=most))
    return [
        evidence(id=f"q{q}.{rank}", relevance=relevance, start=1000 * rank)
        for rank, (q, relevance) in enumerate(pairs)
    ]


@given(findings(), st.integers(1, 5))
def test_selection_is_the_best_of_all(evidences: list[Evidence], most: int) -> None:
    best = max(coverage(subset) for subset in combinations(evidences, min(most, len(evidences))))
    chosen, covered = select_evidence(evidences, most)
    assert covered == pytest.approx(best)
    assert covered == pytest.approx(
        coverage([candidate for candidate in evidences if candidate.id in chosen])
    )


@pytest.mark.slow
@given(findings(), st.integers(1, 5))
def test_greedy_selection_keeps_its_bound(evidences: list[Evidence], most: int) -> None:
    """Nemhauser, Wolsey and Fisher 1978: at least 1 - 1/e of the best."""
    _, best = select_evidence(evidences, most)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ledger_coverage, "EXHAUSTIVE_SUBSETS", 0)
        chosen, covered = select_evidence(evidences, most)
    assert covered == pytest.approx(
        coverage([candidate for candidate in evidences if candidate.id in chosen])
    )
    assert best * (1 - 1 / e) - 1e-9 <= covered <= best + 1e-9


@given(findings(most=40), st.integers(1, 10))
def test_selection_is_at_most_m_and_names_each_once(evidences: list[Evidence], most: int) -> None:
    chosen, _ = select_evidence(evidences, most)
    assert len(chosen) == len(set(chosen)) == min(most, len(evidences))


def test_large_selections_are_greedy() -> None:
    assert comb(40, 5) > ledger_coverage.EXHAUSTIVE_SUBSETS
    evidences = [evidence(id=f"q{n}.1", relevance=n / 40, start=1000 * n) for n in range(1, 41)]
    assert select_evidence(evidences, 5)[0] == ["q40.1", "q39.1", "q38.1", "q37.1", "q36.1"]


def test_one_passage_covers_all_its_queries() -> None:
    shared = [evidence(id="q1.1", relevance=0.6), evidence(id="q2.1", relevance=0.6)]
    better = [evidence(id="q1.2", relevance=0.9, start=1000), evidence(id="q2.2", relevance=0.8, start=2000)]
    assert select_evidence([*better, *shared], 1) == (["q1.1"], 1.2)


def test_selection_of_nothing() -> None:
    assert select_evidence([], 5) == ([], 0.0)


CONFIRMING = evidence(TEXT)
SUPPORTS = ScriptedVerifier(lambda sentence, evidence: 0.8)
DENIES = ScriptedVerifier(lambda sentence, evidence: 0.2)


async def only_sentence(
    checks: Sequence[Check] = (),
    verifier: ScriptedVerifier = DENIES,
    *,
    evidences: Sequence[Evidence] = (evidence(),),
    unsearched: dict[str, Unsearched] | None = None,
    threshold: float = 0.5,
) -> Sentence:
    before = state(queries=[query()], found=evidences, checks=checks, unsearched=unsearched or {})
    settings = Settings(support_threshold=threshold)
    [sentence] = (await attribute(before, runtime(settings, verifier=verifier)))["report"].sentences
    return sentence


async def test_sentence_is_aligned_to_the_evidence_that_supports_it() -> None:
    sentence = await only_sentence([check("agrees")], SUPPORTS, evidences=[CONFIRMING])
    assert sentence == Sentence(
        text=TEXT,
        start=0,
        end=len(TEXT),
        status="supported",
        evidence_ids=("q1.1",),
        support=0.8,
    )


@pytest.mark.parametrize(("threshold", "status"), [(0.8, "supported"), (0.81, "unconfirmed")])
async def test_support_threshold(threshold: float, status: str) -> None:
    sentence = await only_sentence([check("agrees")], SUPPORTS, evidences=[CONFIRMING], threshold=threshold)
    assert sentence.status == status


async def test_without_evidence_no_threshold_is_met() -> None:
    assert (await only_sentence(evidences=(), threshold=0)).status == "no_evidence"


async def test_contradiction_outweighs_support() -> None:
    sentence = await only_sentence([check("disagrees")], SUPPORTS)
    assert (sentence.status, sentence.evidence_ids) == ("contradicted", ("q1.1",))


async def test_stale_contradiction_does_not_count() -> None:
    sentence = await only_sentence(
        [check("disagrees", stale=True), check("agrees")], SUPPORTS, evidences=[CONFIRMING]
    )
    assert sentence.status == "supported"


async def test_more_relevant_disagreement_makes_a_dispute() -> None:
    checks = [check("disagrees"), check("agrees", "q1.2")]
    evidences = [evidence(), evidence("Another.", id="q1.2", source="other.md", relevance=0.9)]
    assert (await only_sentence(checks, SUPPORTS, evidences=evidences)).status == "contradicted"


async def test_search_without_results_is_no_evidence() -> None:
    sentence = await only_sentence(evidences=())
    assert (sentence.status, sentence.support) == ("no_evidence", 0.0)


async def test_sentence_that_a_check_left_undecided_is_unconfirmed() -> None:
    assert (await only_sentence([check("unknown")])).status == "unconfirmed"


async def test_sentence_that_the_verifier_cannot_judge_is_unjudged() -> None:
    sentence = await only_sentence([check("irrelevant")], ScriptedVerifier({}))
    assert (sentence.status, sentence.support) == ("unjudged", None)


async def test_failed_search_is_not_a_search_without_results() -> None:
    sentence = await only_sentence(evidences=(), unsearched={"q1": "failed"})
    assert (sentence.status, sentence.support) == ("retrieval_failed", None)


async def test_sentence_without_a_query_is_unjudged_without_support() -> None:
    before = state("Georgia grows the most peaches. Is that so?", queries=[query()])
    sentences = (await attribute(before, runtime()))["report"].sentences
    assert [(s.status, s.support) for s in sentences] == [("no_evidence", 0.0), ("unjudged", None)]


async def test_neighbour_is_judged_by_the_same_evidence() -> None:
    before = state("Yes. Georgia grows peaches. No. Never.", queries=[query(5, 12)], found=[evidence()])
    sentences = (await attribute(before, runtime(verifier=SUPPORTS)))["report"].sentences
    assert [s.support for s in sentences] == [0.8, 0.8, 0.8, None]


async def test_failed_verification_is_a_warning_and_other_evidence_counts() -> None:
    def fails_for_the_first(sentence: str, evidence: Evidence) -> float:
        if evidence.id == "q1.1":
            raise TimeoutError("no answer")
        return 0.9

    evidences = [evidence(), evidence("Georgia has peaches, too.", id="q1.2", start=1000)]
    before = state("Georgia has peaches.", queries=[query()], found=evidences, checks=[check("agrees")])
    update = await attribute(before, runtime(verifier=ScriptedVerifier(fails_for_the_first)))
    assert [(s.status, s.support) for s in update["report"].sentences] == [("supported", 0.9)]
    [warning] = update["warnings"]
    assert (warning.code, warning.query_id) == ("verification_failed", "q1")
    assert "q1.1 could not be judged: TimeoutError: no answer" in warning.message


async def test_verifier_that_leaves_a_sentence_out_is_a_warning() -> None:
    class SaysNothing(ScriptedVerifier):
        async def support(self, *_: object) -> Sequence[float | None]:
            return []

    before = state(queries=[query()], found=[evidence()])
    update = await attribute(before, runtime(verifier=SaysNothing()))
    assert [w.code for w in update["warnings"]] == ["verification_failed"]


async def test_report_has_at_most_m_evidences_and_their_coverage() -> None:
    evidences = [evidence(id=f"q1.{n}", relevance=1 / n, start=1000 * n) for n in (1, 2, 3)]
    report = (await attribute(state(found=evidences), runtime(Settings(report_size=2))))["report"]
    assert (report.evidence_ids, report.coverage) == (("q1.1", "q1.2"), 1.0)

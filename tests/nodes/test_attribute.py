"""The report: the best evidences within the limit, and the right status for each sentence."""

from collections.abc import Sequence

import pytest
from component_doubles import ScriptedVerifier
from makers import TEXT, check, evidence, query, runtime, state

from rarr.nodes.attribute import attribute
from rarr.records import Check, Evidence, Sentence
from rarr.settings import Settings
from rarr.state import Unsearched

CONFIRMING = evidence(TEXT)
SUPPORTS = ScriptedVerifier(lambda sentence, evidence: 0.8)
DENIES = ScriptedVerifier(lambda sentence, evidence: 0.2)


async def only_sentence(
    checks: Sequence[Check] = (),
    verifier: ScriptedVerifier = DENIES,
    *,
    evidences: Sequence[Evidence] = (evidence(),),
    unsearched: dict[str, Unsearched] | None = None,
) -> Sentence:
    before = state(queries=[query()], found=evidences, checks=checks, unsearched=unsearched or {})
    settings = Settings()
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


@pytest.mark.parametrize(("score", "status"), [(0.55, "supported"), (0.54, "unconfirmed")])
async def test_support_threshold(score: float, status: str) -> None:
    judge = ScriptedVerifier(lambda sentence, evidence: score)
    sentence = await only_sentence([check("agrees")], judge, evidences=[CONFIRMING])
    assert sentence.status == status


async def test_contradiction_outweighs_support() -> None:
    sentence = await only_sentence([check("disagrees")], SUPPORTS)
    assert (sentence.status, sentence.evidence_ids) == ("contradicted", ("q1.1",))


async def test_stale_contradiction_does_not_count() -> None:
    sentence = await only_sentence(
        [check("disagrees", stale=True), check("agrees")], SUPPORTS, evidences=[CONFIRMING]
    )
    assert sentence.status == "supported"


async def test_search_without_results_is_no_evidence() -> None:
    sentence = await only_sentence(evidences=())
    assert (sentence.status, sentence.support) == ("no_evidence", 0.0)


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


async def test_report_has_at_most_m_evidences_and_their_coverage() -> None:
    evidences = [evidence(id=f"q1.{n}", relevance=1 / n, start=1000 * n) for n in (1, 2, 3)]
    report = (await attribute(state(found=evidences), runtime(Settings(report_size=2))))["report"]
    assert (report.evidence_ids, report.coverage) == (("q1.1", "q1.2"), 1.0)

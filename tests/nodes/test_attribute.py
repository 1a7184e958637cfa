"""The report: the best evidences within the limit, and the right status for each sentence."""

from typing import Any
from unittest.mock import Mock

import pytest
from component_doubles import ScriptedVerifier
from makers import TEXT, check, evidence, query, runtime, state

from rarr.nodes.attribute import attribute
from rarr.records import Check
from rarr.settings import Settings

CONFIRMING = evidence(TEXT)


def judging(score: float) -> ScriptedVerifier:
    return ScriptedVerifier(lambda sentence, evidence: score)


SUPPORTS, DENIES = judging(0.8), judging(0.2)
STALE = check("disagrees", stale=True)


@pytest.mark.parametrize(
    ("checks", "verifier", "more", "status", "support"),
    [
        ([check("agrees")], judging(0.55), {"found": [CONFIRMING]}, "supported", 0.55),
        ([check("agrees")], judging(0.54), {"found": [CONFIRMING]}, "unconfirmed", 0.54),
        ([check("disagrees")], SUPPORTS, {}, "contradicted", 0.8),
        ([STALE, check("agrees")], SUPPORTS, {"found": [CONFIRMING]}, "supported", 0.8),
        ([], DENIES, {"found": ()}, "no_evidence", 0.0),
        ([check("irrelevant")], ScriptedVerifier(lambda *_: None), {}, "unjudged", None),
        ([], DENIES, {"found": (), "unsearched": {"q1": "failed"}}, "retrieval_failed", None),
    ],
    ids=["threshold", "below", "contradicted", "stale", "nothing found", "not judged", "not searched"],
)
async def test_status_of_a_sentence(
    checks: list[Check], verifier: ScriptedVerifier, more: Any, status: str, support: float | None
) -> None:
    before = state(queries=[query()], checks=checks, **({"found": [evidence()]} | more))
    [sentence] = (await attribute(before, runtime(verifier=verifier)))["report"].sentences
    assert (sentence.text, sentence.start, sentence.end) == (TEXT, 0, len(TEXT))
    assert (sentence.status, sentence.support) == (status, support)
    assert status != "supported" or sentence.evidence_ids == ("q1.1",)


async def test_failed_verification_is_a_warning_and_other_evidence_counts() -> None:
    evidences = [evidence(), evidence("Georgia has peaches, too.", id="q1.2", start=1000)]
    before = state("Georgia has peaches.", queries=[query()], found=evidences, checks=[check("agrees")])
    fails_for_the_first = ScriptedVerifier(Mock(side_effect=[TimeoutError("no answer"), 0.9]))
    update = await attribute(before, runtime(verifier=fails_for_the_first))
    assert [(s.status, s.support) for s in update["report"].sentences] == [("supported", 0.9)]
    [warning] = update["warnings"]
    assert (warning.code, warning.query_id) == ("verification_failed", "q1")
    assert "peaches.md could not be judged: TimeoutError: no answer" in warning.message


async def test_report_has_at_most_m_evidences_and_their_coverage() -> None:
    evidences = [evidence(id=f"q1.{n}", relevance=1 / n, start=1000 * n) for n in (1, 2, 3)]
    report = (await attribute(state(found=evidences), runtime(Settings(report_size=2))))["report"]
    assert (report.evidence_ids, report.coverage) == (("q1.1", "q1.2"), 1.0)

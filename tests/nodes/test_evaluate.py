"""Scores of a run."""

import pytest
from component_doubles import ScriptedVerifier
from makers import edit, evidence, query, runtime, state

from rarr.nodes.evaluate import evaluate
from rarr.records import Report, Scores
from rarr.settings import Settings
from rarr.state import SentenceSupport, State
from rarr.tools.text.blocks_and_sentences import Span


def reported(*supports: float | None) -> State:
    """Sentences with this support by the only passage, which is the report."""
    return {
        "report": Report(evidence_ids=("q1.1",)),
        "supports": [
            SentenceSupport(Span(20 * n, 20 * n + 9), {"q1.1": support}, searched=True)
            for n, support in enumerate(supports)
        ],
    }


LAST = Settings(rounds=1)
BEFORE, AFTER = "Georgia grows them. Really.", "California grows them. Really."
REVISED = state(
    AFTER,
    original=BEFORE,
    queries=[query(0, 10)],
    found=[evidence("California grows them.")],
    edits=[edit(0, 7, "California")],
)


async def test_unchanged_text_is_judged_once() -> None:
    verifier = ScriptedVerifier()
    found = state(found=[evidence()])
    update = await evaluate(found | reported(1.0, 0.5), runtime(LAST, verifier=verifier))
    attributions = {"attribution_before": 0.75, "attribution_after": 0.75}
    assert update["scores"] == Scores(**attributions, preservation=1.0, f1_ap=2 * 0.75 / 1.75)
    assert verifier.calls == []


async def test_original_is_judged_by_the_same_evidence_and_all_sentences_count() -> None:
    """As in the paper, where auto-AIS is the mean over all sentences."""
    texts: State = {"original": f"{BEFORE} So it is.", "text": f"{AFTER} So it is."}
    verifier = ScriptedVerifier({"Georgia": 0.25, "Really": 0.0, "So it is": 0.5})
    judged = REVISED | texts | reported(1.0, 0.0, 0.5)
    scores = (await evaluate(judged, runtime(LAST, verifier=verifier)))["scores"]
    assert (scores.attribution_before, scores.attribution_after) == (0.75 / 3, 1.5 / 3)
    assert scores.preservation == pytest.approx(1 - 6 / len(texts["original"]))  # o, r, i and a stay


async def test_nothing_judged_has_no_attribution_and_is_kept_whole() -> None:
    unsearched: State = {"report": Report(), "supports": [SentenceSupport(Span(0, 9), {}, searched=False)]}
    update = await evaluate(state() | unsearched, runtime(LAST))
    assert update["scores"] == Scores(preservation=1.0)


async def test_failed_verification_of_the_original_is_a_warning() -> None:
    failing = runtime(LAST, verifier=ScriptedVerifier(TimeoutError("no answer")))
    update = await evaluate(REVISED | reported(1.0, 0.0), failing)
    assert (update["scores"].attribution_before, update["scores"].attribution_after) == (None, 0.5)
    assert [(w.code, w.node) for w in update["warnings"]] == [("verification_failed", "evaluate")]

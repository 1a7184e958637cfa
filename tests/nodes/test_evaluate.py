"""Scores of a run."""

import pytest
from makers import edit, evidence, query, runtime, state

from rarr.nodes.evaluate import evaluate
from rarr.records import Report, Scores, Sentence
from rarr.settings import Settings
from rarr.testing import ScriptedVerifier


def report(*supports: float | None) -> Report:
    return Report(
        sentences=tuple(
            Sentence(text="", start=0, end=0, status="unjudged", support=support) for support in supports
        )
    )


BEFORE, AFTER = "Georgia grows them. Really.", "California grows them. Really."
REVISED = state(
    AFTER,
    original=BEFORE,
    queries=[query(0, 10)],
    found=[evidence("California grows them.")],
    edits=[edit(0, 7, "California")],
)
VERIFIER = ScriptedVerifier({("Georgia", ""): 0.25, ("California", ""): 1.0})


async def test_unchanged_text_has_one_attribution() -> None:
    verifier = ScriptedVerifier()
    update = await evaluate(state(report=report(1.0, None)), runtime(verifier=verifier))
    assert update["scores"] == Scores(
        attribution_before=1.0, attribution_after=1.0, preservation=1.0, f1_ap=1.0
    )
    assert verifier.calls == []


async def test_original_is_judged_by_the_same_evidence() -> None:
    update = await evaluate(REVISED | {"report": report(1.0, None)}, runtime(verifier=VERIFIER))
    scores = update["scores"]
    assert (scores.attribution_before, scores.attribution_after) == (0.25, 1.0)
    assert scores.preservation == pytest.approx(1 - 6 / len(BEFORE))  # o, r, i and a stay


async def test_sentence_without_queries_stays_out_of_both_attributions() -> None:
    far = state(
        f"{AFTER} So it is.",
        original=f"{BEFORE} So it is.",
        queries=[query(0, 10)],
        found=REVISED["evidence"],
        edits=REVISED["edits"],
        report=report(1.0, None, None),
    )
    scores = (await evaluate(far, runtime(verifier=VERIFIER)))["scores"]
    assert (scores.attribution_before, scores.attribution_after) == (0.25, 1.0)


async def test_nothing_judged_has_no_attribution_and_is_kept_whole() -> None:
    update = await evaluate(state(report=report(None)), runtime())
    assert update["scores"] == Scores(preservation=1.0)


async def test_failed_verification_of_the_original_is_a_warning() -> None:
    failing = runtime(verifier=ScriptedVerifier(TimeoutError("no answer")))
    update = await evaluate(REVISED | {"report": report(1.0, None)}, failing)
    assert (update["scores"].attribution_before, update["scores"].attribution_after) == (None, 1.0)
    assert [(w.code, w.node) for w in update["warnings"]] == [("verification_failed", "evaluate")]


LAST = Settings(rounds=1)


class Judge:
    """Says 0 of every revision, or raises."""

    def __init__(self, error: Exception | None = None) -> None:
        self.calls: list[tuple[str, str]] = []
        self._error = error

    async def preserved(self, original: str, revised: str, context: str | None) -> float:
        self.calls.append((original, revised))
        if self._error:
            raise self._error
        return 0.0


async def test_intent_is_what_a_judge_says_of_both_texts() -> None:
    judge = Judge()
    update = await evaluate(
        REVISED | {"report": report(1.0)}, runtime(LAST, verifier=VERIFIER, intent_judge=judge)
    )
    assert (update["scores"].intent, judge.calls) == (0.0, [(BEFORE, AFTER)])


async def test_intent_of_an_unchanged_text_is_kept_unasked() -> None:
    judge = Judge()
    update = await evaluate(state(report=report(1.0)), runtime(LAST, intent_judge=judge))
    assert (update["scores"].intent, judge.calls) == (1.0, [])


async def test_intent_that_could_not_be_judged_is_none_and_a_warning() -> None:
    judge = Judge(TimeoutError("no answer"))
    update = await evaluate(
        REVISED | {"report": report(1.0)}, runtime(LAST, verifier=VERIFIER, intent_judge=judge)
    )
    assert (update["scores"].intent, [w.code for w in update["warnings"]]) == (None, ["evaluate_failed"])


async def test_intent_is_judged_after_the_last_round() -> None:
    judge = Judge()
    update = await evaluate(REVISED | {"report": report(1.0)}, runtime(verifier=VERIFIER, intent_judge=judge))
    assert (update["lacking"] != [], update["scores"].intent, judge.calls) == (True, None, [])


async def test_sentence_that_was_judged_on_one_side_alone_is_in_neither_mean() -> None:
    verifier = ScriptedVerifier({("Georgia", ""): 0.25, ("Really", ""): None})
    scores = (await evaluate(REVISED | {"report": report(1.0, 0.5)}, runtime(verifier=verifier)))["scores"]
    assert (scores.attribution_before, scores.attribution_after) == (0.25, 1.0)

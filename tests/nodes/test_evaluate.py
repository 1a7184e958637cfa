"""Scores, by the worked examples that define them."""

import pytest
from hypothesis import given, strategies as st
from makers import edit, evidence, query, runtime, state

from rarr.nodes.evaluate import attribution, evaluate, f1_ap, preservation
from rarr.records import Report, Scores, Sentence
from rarr.testing import ScriptedVerifier


@pytest.mark.parametrize(
    ("original", "revised", "kept"),
    [
        ("peach", "peach", 1.0),
        ("peach", "beach", 0.8),  # one of five characters
        ("1969", "1972", 0.5),
        ("ab", "", 0.0),
        ("ab", "wxyz", 0.0),  # four changes of two characters: never below 0
        ("abcd", "abcdefgh", 0.0),
        ("☃☃☃☃", "☃☃☃", 0.75),  # characters, not bytes
    ],
)
def test_preservation(original: str, revised: str, kept: float) -> None:
    assert preservation(original, revised) == pytest.approx(kept)


@pytest.mark.parametrize(
    ("supports", "mean"),
    [([1.0, 0.0], 0.5), ([0.9, None, 0.3], 0.6), ([None, None], None), ([], None), ([0.0], 0.0)],
)
def test_attribution_is_the_mean_of_what_was_judged(supports: list[float | None], mean: float | None) -> None:
    assert attribution(supports) == (None if mean is None else pytest.approx(mean))


@pytest.mark.parametrize(
    ("attributed", "kept", "f1"),
    [
        (1.0, 1.0, 1.0),
        (0.5, 1.0, 2 / 3),
        (0.6, 0.9, 0.72),
        (0.0, 1.0, 0.0),
        (0.0, 0.0, 0.0),
        (None, 1.0, None),
    ],
)
def test_f1_ap(attributed: float | None, kept: float, f1: float | None) -> None:
    assert f1_ap(attributed, kept) == (None if f1 is None else pytest.approx(f1))


@given(st.floats(0, 1), st.floats(0, 1))
def test_f1_ap_lies_between_its_parts(attributed: float, kept: float) -> None:
    f1 = f1_ap(attributed, kept)
    assert f1 is not None
    assert min(attributed, kept) - 1e-9 <= f1 <= max(attributed, kept) + 1e-9


@given(st.text(min_size=1), st.text())
def test_preservation_lies_between_0_and_1(original: str, revised: str) -> None:
    assert 0 <= preservation(original, revised) <= 1


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

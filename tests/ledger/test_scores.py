"""Attribution, preservation and F1_AP, by the worked examples that define them."""

import pytest
from component_doubles import ScriptedVerifier
from hypothesis import given, strategies as st
from makers import evidence, query, runtime, state

from rarr.ledger.scores import auto_ais, best_support, citation_scores, f1_ap, scores_of, sentence_support
from rarr.records import pres_lev


@pytest.mark.parametrize(
    ("original", "revised", "kept"),
    [
        ("peach", "beach", 1 - 1 / 5),  # one of five characters
        ("1969", "1972", 1 - 2 / 4),
        ("ab", "wxyz", 0.0),  # four changes of two characters: never below 0
        ("☃☃☃☃", "☃☃☃", 1 - 1 / 4),  # characters, not bytes
        *(("", "", 1.0), ("", "something", 0.0)),
    ],
)
def test_pres_lev(original: str, revised: str, kept: float) -> None:
    assert pres_lev((original, revised)) == pytest.approx(kept)


@given(st.text(), st.text())
def test_pres_lev_lies_between_0_and_1_and_only_equal_texts_have_1(original: str, revised: str) -> None:
    kept = pres_lev((original, revised))
    assert 0 <= kept <= 1
    assert (kept == 1) == (original == revised)


def test_f1_ap_is_the_harmonic_mean_of_what_is_known() -> None:
    assert f1_ap(0.6, 0.9) == pytest.approx(2 * 0.6 * 0.9 / 1.5)
    assert [f1_ap(0.0, 0.0), f1_ap(None, 1.0), f1_ap(1.0, None)] == [0.0, None, None]


def test_auto_ais_counts_0_for_what_was_not_judged() -> None:
    assert auto_ais([0.9, 0.4, 0.0]) == pytest.approx(1.3 / 3)
    assert auto_ais([0.6, None, 0.9]) == pytest.approx(1.5 / 3)
    assert (auto_ais([None, None]), auto_ais([])) == (None, None)


def test_citation_scores() -> None:
    """Three of four judged sentences are entailed; their citations by 1, 1/2, 0 and 1; 20 of 26 words."""
    alone = [(True,), (False, True), (), (None,), (True, None)]
    scored = citation_scores(alone, [5, 10, 6, 50, 5])
    assert (scored.recall, scored.precision, scored.rate) == (0.75, 0.625, 20 / 26)
    assert (scored.sentences, scored.unjudged) == (5, 2)


def test_sentence_unjudged_in_one_text_counts_0_in_both() -> None:
    got = scores_of(([0.2, None], [0.8, 0.9]), 1.0)
    assert (got.attribution_before, got.attribution_after) == (0.1, 0.4)


TEXT = "One is. Two is. Three is. Four is."
TWO = [query(8, 11)]


async def test_evidence_is_judged_on_its_sentence_and_the_neighbours_and_the_report_on_all() -> None:
    verifier = ScriptedVerifier(lambda sentence, passage: 0.5)
    found = [evidence(), evidence("B", id="q1.2", start=500), evidence(id="q2.1")]
    before = state(TEXT, found=found, unsearched={"q2": "failed"})
    components = runtime(verifier=verifier).context
    supports, failures = await sentence_support("attribute", before, TEXT, TWO, ["q1.2"], components)
    asked = {passage.id: [span.of(TEXT) for span in spans] for _, _, spans, passage in verifier.calls}
    every = TEXT.replace(". ", ".|").split("|")
    assert asked == {"q1.1": every[:3], "q1.2": every}
    assert [sorted(it.by_evidence) for it in supports] == [["q1.1", "q1.2"]] * 3 + [["q1.2"]]
    assert [(it.query_ids, it.searched) for it in supports[:2]] == [((), False), (("q1",), True)]
    assert failures == []


async def test_evidence_of_a_query_outside_all_sentences_is_not_judged() -> None:
    text = "# Heading\n\nProse is here."
    before, verifier = state(text, found=[evidence()]), ScriptedVerifier()
    components = runtime(verifier=verifier).context
    [support], _ = await sentence_support("attribute", before, text, [query(2, 9)], [], components)
    assert (support.query_ids, best_support(support), verifier.calls) == ((), None, [])

"""Auto-AIS by the passages of the report, against values computed by hand."""

import pytest
from makers import evidence, runtime, state

from rarr.ledger.attribution_scores import JudgedTexts, attribution_scores, judged_by_report
from rarr.records import Report, Scores
from rarr.state import SentenceSupport
from rarr.testing import ScriptedVerifier
from rarr.tools.text.blocks_and_sentences import Span, sentences

TEXT = "Oru has a lake. The lake is deep. It is cold."
FOUND = [evidence("A", id="q1.1"), evidence("B", id="q2.1", start=500), evidence("C", id="q3.1", start=900)]
SPANS = sentences(TEXT)


def judged(*tables: dict[str, float | None], searched: bool = True) -> list[SentenceSupport]:
    spans = [Span(10 * n, 10 * n + 9) for n in range(len(tables))]
    return [SentenceSupport(span, table, searched) for span, table in zip(spans, tables, strict=True)]


def scores(
    before: list[SentenceSupport],
    after: list[SentenceSupport],
    report_ids: tuple[str, ...] = ("q1.1", "q2.1"),
) -> Scores:
    return attribution_scores(JudgedTexts(before, after), FOUND, report_ids, 1.0, None)


def test_auto_ais_of_the_paper_counts_passages_of_the_report_and_all_sentences() -> None:
    """By the report 0.9, 0.4 and 0 of three sentences; by all evidence 0.9, 0.4 and 0.8."""
    sentences_judged = judged({"q1.1": 0.9, "q2.1": 0.1}, {"q1.1": 0.2, "q2.1": 0.4}, {"q3.1": 0.8})
    got = scores(sentences_judged, sentences_judged)
    assert got.attribution_after == pytest.approx((0.9 + 0.4 + 0) / 3)
    assert got.attribution_all_evidence_after == pytest.approx((0.9 + 0.4 + 0.8) / 3)
    assert got.f1_ap == pytest.approx(2 * (1.3 / 3) / (1.3 / 3 + 1))


def test_unjudged_sentence_counts_0_and_a_text_without_judgements_is_unjudged() -> None:
    one = judged({"q1.1": 0.6}, {"q1.1": None}, {"q1.1": None, "q2.1": 0.9})
    assert scores(one, one).attribution_after == pytest.approx((0.6 + 0 + 0.9) / 3)
    none = judged({"q1.1": None}, {"q2.1": None})
    assert scores(none, none).attribution_after is None
    assert scores(none, none).attribution_all_evidence_after is None


def test_sentence_that_was_never_searched_is_unjudged_and_one_without_evidence_has_0() -> None:
    unsearched = judged({}, searched=False)
    assert scores(unsearched, unsearched).attribution_after is None
    nothing = judged({})
    assert scores(nothing, nothing, ()).attribution_after == 0


def test_evidence_at_the_place_of_a_report_passage_counts_as_that_passage() -> None:
    same_place = [*FOUND, evidence("A", id="q4.1")]
    table = judged({"q4.1": 0.7})
    got = attribution_scores(JudgedTexts(table, table), same_place, ("q1.1",), 1.0, None)
    assert got.attribution_after == 0.7


def test_sentence_unjudged_in_one_text_counts_0_in_both() -> None:
    got = scores(judged({"q1.1": 0.2}, {"q1.1": None}), judged({"q1.1": 0.8}, {"q1.1": 0.9}))
    assert (got.attribution_before, got.attribution_after) == (0.1, 0.4)


def test_sentences_that_an_edit_divided_are_not_paired() -> None:
    got = scores(judged({"q1.1": 0.2}), judged({"q1.1": 0.8}, {"q1.1": None}))
    assert (got.attribution_before, got.attribution_after) == (0.2, 0.4)


async def test_every_sentence_is_judged_by_every_passage_of_the_report_once() -> None:
    verifier = ScriptedVerifier(lambda sentence, passage: 0.5)
    known = [SentenceSupport(span, {}, searched=True) for span in SPANS]
    known[0] = SentenceSupport(SPANS[0], {"q1.1": 0.9}, searched=True)
    asked = state(TEXT, found=FOUND, report=Report(evidence_ids=("q1.1", "q2.1")))
    full, notices = await judged_by_report("evaluate", asked, TEXT, known, runtime(verifier=verifier).context)
    assert [table.by_evidence for table in full] == [
        {"q1.1": 0.9, "q2.1": 0.5},
        {"q1.1": 0.5, "q2.1": 0.5},
        {"q1.1": 0.5, "q2.1": 0.5},
    ]
    assert notices == []
    assert [call[2] for call in verifier.calls] == [tuple(SPANS[1:]), tuple(SPANS)]


async def test_passage_that_cannot_be_judged_is_a_warning() -> None:
    verifier = ScriptedVerifier(TimeoutError("no answer"))
    known = [SentenceSupport(span, {}, searched=True) for span in SPANS]
    asked = state(TEXT, found=FOUND, report=Report(evidence_ids=("q2.1",)))
    full, notices = await judged_by_report("evaluate", asked, TEXT, known, runtime(verifier=verifier).context)
    assert [table.by_evidence for table in full] == [{"q2.1": None}] * 3
    assert [(notice.code, notice.query_id) for notice in notices] == [("verification_failed", "q2")]

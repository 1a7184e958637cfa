"""Suggested edits that a person accepts after the run."""

from typing import Any

import pytest
from makers import check

from rarr import InputError, Revision
from rarr.records import Edit, EditState, Part, Query, Quote, Report, Scores, Sentence, with_edits

TEXT = "The mill burned in 1932. It had 9 rooms."


def edit(name: str, old: str, new: str, state: EditState, query: str = "q1", **more: bool) -> Edit:
    """Replaces `old`, which stands in the text once."""
    start = TEXT.index(old)
    return Edit(
        id=name, start=start, end=start + len(old), old=old, new=new, query_id=query, evidence_id="q1.1",
        state=state, reason="", **more,
    )  # fmt: skip


def revision(*edits: Edit) -> Revision:
    """Two sentences, each with two parts and a quote; the first query is about the year."""
    text = with_edits(TEXT, edits)
    middle = text.index(". ") + 1
    quote = Quote(evidence_id="q1.1", start=0, end=4, text="1923", side="against")
    sentences = [
        Sentence(
            text=text[start:end], start=start, end=end, status="contradicted", quotes=(quote,),
            parts=(
                Part(start=end - 5, end=end - 1, state="differs"),
                Part(start=start, end=start + 3, state="open"),
            ),
        )
        for start, end in ((0, middle), (middle + 1, len(text)))
    ]  # fmt: skip
    return Revision(
        run_id="r", original=TEXT, text=text, changed=text != TEXT, edits=edits,
        queries=(
            Query(id="q1", text="When?", start=19, end=23),
            Query(id="q2", text="How many?", start=32, end=33),
        ),
        checks=(check("disagrees", evidence_id="q1.1"), check("disagrees", evidence_id="q2.1")),
        report=Report(sentences=tuple(sentences)),
        scores=Scores(attribution_before=0.4, attribution_after=0.4, preservation=1.0, f1_ap=0.5),
    )  # fmt: skip


YEAR = edit("e1", "1932", "1923", "suggested")


def test_accepted_suggestion_is_in_the_text_and_can_be_reverted() -> None:
    before = revision(YEAR)
    after = before.accept("e1")
    assert (after.text, after.changed) == ("The mill burned in 1923. It had 9 rooms.", True)
    assert [edit.state for edit in after.edits] == ["accepted"]
    assert after.revert("e1") == before.text
    assert Revision.model_validate_json(after.model_dump_json()) == after
    assert after.scores == Scores(attribution_before=0.4, preservation=1 - 2 / len(TEXT))
    assert [(check.query_id, check.stale) for check in after.checks] == [("q1", True), ("q2", False)]


def test_sentence_whose_value_code_did_not_find_is_unjudged_with_a_reason() -> None:
    after = revision(edit("e1", "1932", "in 1923", "suggested")).accept("e1")
    first, second = after.report.sentences
    assert (first.text, first.status, first.quotes) == ("The mill burned in in 1923.", "unjudged", ())
    assert [part.state for part in first.parts] == ["open", "open"]
    assert (second.text, second.status) == ("It had 9 rooms.", "contradicted")
    assert [after.text[p.start : p.end] for p in second.parts] == ["ooms", "It "]
    assert [notice.code for notice in after.warnings] == ["not_judged_again"]


def test_sentence_whose_value_code_found_in_the_source_is_supported() -> None:
    first, _ = revision(edit("e1", "1932", "1923", "suggested", confirmed=True)).accept("e1").report.sentences
    assert (first.status, [quote.side for quote in first.quotes]) == ("supported", ["for"])
    assert first.parts[0].state == "confirmed"


def test_half_of_the_suggestions_of_a_sentence_support_nothing() -> None:
    both = (
        edit("e1", "1932", "1923", "suggested", confirmed=True),
        edit("e2", "burned", "fell", "suggested", confirmed=True),
    )
    half = revision(*both).accept("e1")
    assert half.report.sentences[0].status == "unjudged"
    assert half.accept("e2").report.sentences[0].status == "supported"


def test_suggestion_moves_with_the_edits_made_after_it() -> None:
    after = revision(YEAR, edit("e2", "The mill", "That old mill", "accepted")).accept("e1")
    assert after.text == "That old mill burned in 1923. It had 9 rooms."
    assert after.revert("e2") == "The mill burned in 1923. It had 9 rooms."


def test_several_suggestions_are_accepted_at_once() -> None:
    edits = (edit("e1", "1932", "the year 1923", "suggested"), edit("e2", "9 rooms", "11 rooms", "suggested"))
    assert revision(*edits).accept("e2", "e1").text == "The mill burned in the year 1923. It had 11 rooms."


def test_suggestion_whose_words_another_edit_changed_is_refused() -> None:
    made = edit("e2", "in 1932", "last year", "accepted")
    with pytest.raises(InputError, match="e1 replaces '1932', which another edit changed"):
        revision(YEAR, made).accept("e1")


@pytest.mark.parametrize("ids", [(), (["e1"],)])
def test_ids_are_named_one_by_one(ids: Any) -> None:
    for call in (revision(YEAR).accept, revision(YEAR).accept("e1").revert):
        with pytest.raises(InputError, match="one by one: e1"):
            call(*ids)


@pytest.mark.parametrize("state", ["accepted", "refused"])
def test_only_suggested_edits_can_be_accepted(state: EditState) -> None:
    told = "is in the text already, and Revision.revert" if state == "accepted" else "is refused"
    with pytest.raises(InputError, match=f"{told}.*: none"):
        revision(edit("e1", "1932", "1923", state)).accept("e1")

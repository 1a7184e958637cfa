import pytest
from makers import check

from rarr import InputError, Revision
from rarr.records import Edit, EditState, Part, Query, Report, Scores, Sentence, with_edits

TEXT = "The mill burned in 1932. It had 9 rooms."


def edit(name: str, old: str, new: str, state: EditState, text: str = TEXT) -> Edit:
    """Replaces `old`, which stands in `text` once."""
    start = text.index(old)
    return Edit(
        id=name, start=start, end=start + len(old), old=old, new=new, query_id="q1", evidence_id="q1.1",
        state=state, confidence=0.6, reason="",
    )  # fmt: skip


def revision(*edits: Edit, original: str = TEXT) -> Revision:
    """Two sentences, each with a part; the first query is about the year."""
    text = with_edits(original, edits)
    middle = text.index(". ") + 1
    sentences = [
        Sentence(
            text=text[start:end], start=start, end=end, status="contradicted", support=0.4,
            parts=(
                Part(start=end - 5, end=end - 1, state="differs"),
                Part(start=start, end=start + 3, state="open"),
            ),
        )
        for start, end in ((0, middle), (middle + 1, len(text)))
    ]  # fmt: skip
    return Revision(
        run_id="r", original=original, text=text, changed=text != original, edits=edits,
        queries=(
            Query(id="q1", text="When?", start=19, end=23),
            Query(id="q2", text="How many?", start=32, end=33),
        ),
        checks=(check("disagrees", evidence_id="q1.1"), check("disagrees", evidence_id="q2.1")),
        report=Report(sentences=tuple(sentences)),
        scores=Scores(attribution_before=0.4, attribution_after=0.4, preservation=1.0, f1_ap=0.5, intent=1.0),
    )  # fmt: skip


def test_accepted_suggestion_is_in_the_text_and_can_be_reverted() -> None:
    before = revision(edit("e1", "1932", "1923", "suggested"))
    after = before.accept("e1")
    assert (after.text, after.changed) == ("The mill burned in 1923. It had 9 rooms.", True)
    assert [edit.state for edit in after.edits] == ["accepted"]
    assert after.revert("e1") == before.text
    assert Revision.model_validate_json(after.model_dump_json()) == after


def test_sentence_of_an_accepted_suggestion_is_unjudged_with_a_reason() -> None:
    after = revision(edit("e1", "1932", "in 1923", "suggested")).accept("e1")
    first, second = after.report.sentences
    assert (first.text, first.status, first.support) == ("The mill burned in in 1923.", "unjudged", None)
    assert [part.state for part in first.parts] == ["open", "open"]
    assert (second.text, second.status, second.support) == ("It had 9 rooms.", "contradicted", 0.4)
    assert [after.text[p.start : p.end] for p in second.parts] == ["ooms", "It "]
    assert [notice.code for notice in after.warnings] == ["not_judged_again"]


def test_scores_that_need_a_judge_are_none_after_a_suggestion_is_accepted() -> None:
    scores = revision(edit("e1", "1932", "1923", "suggested")).accept("e1").scores
    assert scores == Scores(attribution_before=0.4, preservation=1 - 2 / len(TEXT))


def test_checks_of_the_changed_sentence_are_stale() -> None:
    after = revision(edit("e1", "1932", "1923", "suggested")).accept("e1")
    assert [(check.query_id, check.stale) for check in after.checks] == [("q1", True), ("q2", False)]


def test_suggestion_moves_with_the_edits_made_after_it() -> None:
    made = edit("e2", "The mill", "That old mill", "accepted")
    after = revision(edit("e1", "1932", "1923", "suggested"), made).accept("e1")
    assert after.text == "That old mill burned in 1923. It had 9 rooms."
    assert after.revert("e2") == "The mill burned in 1923. It had 9 rooms."


def test_several_suggestions_are_accepted_at_once() -> None:
    edits = (edit("e1", "1932", "the year 1923", "suggested"), edit("e2", "9 rooms", "11 rooms", "suggested"))
    assert revision(*edits).accept("e2", "e1").text == "The mill burned in the year 1923. It had 11 rooms."


def test_suggestion_whose_words_another_edit_changed_is_refused() -> None:
    made = edit("e2", "in 1932", "last year", "accepted")
    with pytest.raises(InputError, match="e1 replaces '1932', which another edit changed"):
        revision(edit("e1", "1932", "1923", "suggested"), made).accept("e1")


@pytest.mark.parametrize("state", ["accepted", "refused"])
def test_only_suggested_edits_can_be_accepted(state: EditState) -> None:
    with pytest.raises(InputError, match=r"e1 is (accepted|refused): the suggested edits are none"):
        revision(edit("e1", "1932", "1923", state)).accept("e1")


def test_ids_are_given_one_by_one() -> None:
    with pytest.raises(InputError, match="one by one"):
        revision(edit("e1", "1932", "1923", "suggested")).accept(["e1"])  # type: ignore[arg-type]


def test_older_record_has_only_the_field_accepted() -> None:
    made = edit("e1", "1932", "1923", "refused")
    old = {name: value for name, value in made.model_dump().items() if name not in ("state", "confidence")}
    assert Edit.model_validate(old).state == "refused"
    assert Edit.model_validate(old | {"accepted": True}).state == "accepted"


def test_record_that_contradicts_itself_is_refused() -> None:
    with pytest.raises(ValueError, match="its field accepted says True"):
        Edit.model_validate(edit("e1", "1932", "1923", "suggested").model_dump() | {"accepted": True})

"""Several edits of one text at once: their places, their records, and the queries that have to wait."""

from collections.abc import Sequence

import pytest
from makers import check, query, state

from rarr.ledger.edit_gate import Decision
from rarr.ledger.editing_text import EditingText, Proposal
from rarr.records import Change, Check, Query, with_edits
from rarr.tools.text.blocks_and_sentences import Span, sentences

TEXT = "One is 1. Two is 2. Three is 3."


def queries(*about: str) -> list[Query]:
    places = [TEXT.index(part) for part in about]
    return [
        query(place, place + len(part), id=f"q{n}")
        for n, (place, part) in enumerate(zip(places, about, strict=True), 1)
    ]


def editing(*about: str) -> EditingText:
    asked = queries(*about)
    return EditingText(
        state(TEXT, queries=asked, checks=[check(evidence_id=f"{query.id}.1") for query in asked])
    )


def proposal(old: str, new: str, query_id: str = "q1", refusal: str = "", text: str = TEXT) -> Proposal:
    start = text.index(old)
    sentence = next(span for span in sentences(text) if span.start <= start < span.end)
    change = Change(start=start, end=start + len(old), new=new)
    return Proposal(change, query_id, f"{query_id}.1", Decision(sentence, refusal), "so it says")


def pending(ids: str) -> list[list[Check]]:
    return [[check(evidence_id=f"{query_id}.1")] for query_id in ids.split()]


def chosen(waves: Sequence[Sequence[Check]]) -> list[str]:
    return [asked[0].query_id for asked in waves]


def test_queries_about_different_sentences_are_independent() -> None:
    assert chosen(editing("1", "2", "3").independent(pending("q3 q1 q2"))) == ["q3", "q1", "q2"]


def test_first_query_about_a_sentence_goes_first() -> None:
    assert chosen(editing("1", "One", "2").independent(pending("q2 q1 q3"))) == ["q2", "q3"]


def test_query_about_two_sentences_waits_for_both() -> None:
    assert chosen(editing("1", "1. Two", "2").independent(pending("q1 q2 q3"))) == ["q1"]


def test_query_about_no_sentence_waits_for_none() -> None:
    draft = EditingText(state("# Title\n\nOne is 1.", queries=[query(2, 7)]))
    assert chosen(draft.independent(pending("q1"))) == ["q1"]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0), (1, 0, 2)])
def test_proposals_for_one_text_are_applied_in_any_order(order: tuple[int, ...]) -> None:
    made = [proposal("1", "eleven", "q1"), proposal("Two", "2", "q2"), proposal("3", "", "q3")]
    draft = editing("1", "2", "3")
    assert draft.apply([made[n] for n in order]) == set()
    assert draft.text == "One is eleven. 2 is 2. Three is ."
    assert with_edits(TEXT, draft.edits) == draft.text
    assert [edit.id for edit in draft.edits] == ["e1", "e2", "e3"]
    assert [edit.old for edit in draft.edits] == [["1", "Two", "3"][n] for n in order]


def test_queries_move_with_the_edited_text() -> None:
    draft = editing("1", "2", "3")
    draft.apply([proposal("2", "two hundred", "q2"), proposal("1", "", "q1")])
    places = [Span(asked.start, asked.end).of(draft.text) for asked in map(draft.query, ("q1", "q2", "q3"))]
    assert places == ["", "two hundred", "3"]


def test_second_proposal_for_a_sentence_is_left_out() -> None:
    draft = editing("1", "2", "3")
    assert draft.apply(
        [proposal("1", "11", "q1"), proposal("One", "Uno", "q2"), proposal("3", "33", "q3")]
    ) == {"q2"}
    assert (draft.text, len(draft.edits)) == ("One is 11. Two is 2. Three is 33.", 2)


def test_left_out_proposal_can_be_made_again_for_the_current_text() -> None:
    draft = editing("1", "2")
    draft.apply([proposal("1", "11", "q1"), proposal("One", "Uno", "q2")])
    assert chosen(draft.independent(pending("q2"))) == ["q2"]
    draft.apply([proposal("One", "Uno", "q2", text=draft.text)])
    assert draft.text == "Uno is 11. Two is 2. Three is 3."


def test_refused_proposals_are_in_the_ledger_alone() -> None:
    draft = editing("1", "2")
    draft.apply([proposal("1", "11", "q1", refusal="too long"), proposal("One", "Uno", "q2")])
    assert draft.text == "Uno is 1. Two is 2. Three is 3."
    assert [(edit.accepted, edit.reason) for edit in draft.edits] == [
        (False, "too long"),
        (True, "so it says"),
    ]


def test_queries_about_a_changed_sentence_are_touched_and_wait() -> None:
    draft = editing("1", "One", "2", "1. Two")
    draft.apply([proposal("1", "11", "q1")])
    assert draft.touched == {"q1", "q2", "q4"}
    assert chosen(draft.independent(pending("q2 q4"))) == []


def test_queries_are_touched_by_sentence_and_not_by_old_offsets() -> None:
    draft = editing("1", "2", "3")
    draft.apply([proposal("1", "1" * 30, "q1"), proposal("3", "33", "q3")])
    assert draft.touched == {"q1", "q3"}


def test_update_has_the_new_text_and_marks_stale_checks() -> None:
    draft = editing("1", "2")
    draft.apply([proposal("1", "11", "q1")])
    update = draft.update(stale=lambda check: check.query_id in draft.touched)
    assert (update["text"], [c.stale for c in update["checks"]]) == (draft.text, [True, False])


def test_sentences_that_touch_are_not_changed_at_once() -> None:
    text = "一是一。二是二。"
    first, second = sentences(text)
    assert first.end == second.start
    draft = EditingText(state(text, queries=[query(0, 1, id="q1"), query(4, 5, id="q2")]))
    insertion = Change(start=first.end, end=first.end, new="是")
    replacement = Change(start=second.start, end=second.start + 1, new="三")
    made = [
        Proposal(insertion, "q1", "q1.1", Decision(first, ""), ""),
        Proposal(replacement, "q2", "q2.1", Decision(second, ""), ""),
    ]
    assert draft.apply(made) == {"q2"}
    assert with_edits(text, draft.edits) == draft.text == "一是一。是二是二。"


def suggested(old: str, new: str, query_id: str) -> Proposal:
    made = proposal(old, new, query_id)
    return made._replace(decision=made.decision._replace(doubt="it may be another"))


def states(draft: EditingText) -> list[tuple[str, str]]:
    return [(edit.new, edit.state) for edit in draft.edits]


def test_first_of_two_suggestions_for_the_same_words_stays() -> None:
    draft = editing("1", "1", "2")
    for made in (suggested("1", "4", "q1"), suggested("1", "5", "q2"), suggested("2", "6", "q3")):
        draft.apply([made])
    assert states(draft) == [("4", "suggested"), ("5", "refused"), ("6", "suggested")]
    assert draft.edits[1].reason == "e1 is suggested for these words"


def test_suggestion_about_a_whole_sentence_replaces_another() -> None:
    draft = editing("1", "1")
    draft.queries[1] = draft.queries[1].model_copy(update={"text": "Is it true that One is 1?"})
    for made in (suggested("1", "4", "q1"), suggested("1", "5", "q2")):
        draft.apply([made])
    assert states(draft) == [("4", "refused"), ("5", "suggested")]


def test_accepted_edit_replaces_the_suggestions_for_its_words_at_their_place_then() -> None:
    draft = editing("2", "1", "2")
    draft.apply([suggested("2", "6", "q1")])
    draft.apply([proposal("1", "one hundred", "q2")])
    draft.apply([proposal("2", "7", "q3", text=draft.text)])
    assert draft.text == "One is one hundred. Two is 7. Three is 3."
    assert states(draft) == [("6", "refused"), ("one hundred", "accepted"), ("7", "accepted")]


def test_refused_edit_leaves_suggestions_alone() -> None:
    draft = editing("1", "1")
    draft.apply([suggested("1", "4", "q1")])
    draft.apply([proposal("1", "5", "q2", refusal="it is too long")])
    assert states(draft) == [("4", "suggested"), ("5", "refused")]
    assert draft.edits[1].reason == "it is too long"

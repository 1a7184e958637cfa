"""Records are frozen, exact through JSON; an edit can be taken back, and a suggested one accepted."""

from typing import Any

import pytest
from hypothesis import given, strategies as st
from makers import VALID, check, edit, edited, passage, query, revision
from pydantic import ValidationError

from rarr.errors import InputError
from rarr.records import NodeUsage, Notice, Part, Passage, Quote, Report, Revision, Scores, Sentence, Usage
from rarr.records.cards_and_edits import Edit, EditState

MILL = "The mill burned in 1932.\nIt had 9 rooms."

FULL = revision(
    "Georgia grows the most peaches.",
    edit(0, 7, "California", old="Georgia", id="e1"),
    edit(0, 0, "Maybe ", state="refused", reason="support did not rise", id="e2"),
    queries=(query(),),
    checks=(check(stale=True),),
    scores=Scores(attribution_before=0.0, attribution_after=1 / 7, preservation=1.0),
    usage=Usage(seconds=1e-9, by_node={"edit": NodeUsage(calls=2, seconds=0.7)}),
    warnings=(Notice(code="search_failed", message="no route", node="retrieve", query_id="q1"),),
)


def test_json_round_trip_is_exact_and_records_are_frozen() -> None:
    again = Revision.model_validate_json(FULL.model_dump_json())
    assert (again, again.model_dump_json()) == (FULL, FULL.model_dump_json())
    with pytest.raises(ValidationError, match="frozen"):
        FULL.text = "other"  # type: ignore[misc]  # what is tested
    earlier = FULL.model_dump_json().replace('"state":', '"accepted":true,"state":')
    assert Revision.model_validate_json(earlier) == FULL


@pytest.mark.parametrize("fields", [{"source": ""}, {"start": 5, "end": 3}, {"start": -1}])
def test_passage_with_invalid_fields_is_a_one_line_error(fields: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"^a passage .*: give .*$"):
        Passage(**(passage().model_dump() | fields))


@pytest.mark.parametrize("title", ["x " * 100_000, "x" * 300, ""])
def test_long_title_is_cut_and_not_cut_again(title: str) -> None:
    made = Passage(**(passage().model_dump() | {"title": title}))
    assert made.title == (title if len(title) <= 300 else f"{title[:299].rstrip()}…")
    assert Passage.model_validate_json(made.model_dump_json()) == made


def test_edits_must_lead_from_original_to_text() -> None:
    with pytest.raises(ValidationError, match="do not lead"):
        Revision(run_id="r1", original="a", text="b", changed=True)


def test_later_edits_follow_an_insertion_where_a_reverted_edit_deleted() -> None:
    made = revision("abcd", edit(1, 2, "", id="e1"), edit(1, 1, "X", id="e2"), edit(1, 2, "Y", id="e3"))
    assert (made.text, made.revert("e1")) == ("aYcd", "abYcd")


@given(edited())
def test_reverting_all_edits_gives_the_original_and_one_keeps_the_others_or_names_a_later_one(
    case: tuple[str, list[Edit]],
) -> None:
    original, edits = case
    accepted = [it for it in edits if it.accepted]
    assert not accepted or revision(original, *edits).revert(*(it.id for it in accepted)) == original
    for which, one in enumerate(accepted):
        try:
            after = revision(original, *edits).without(one.id)
        except InputError as error:
            assert str(error).split()[0] in {it.id for it in accepted[which + 1 :]}
        else:
            grown = sum(len(it.new) - (it.end - it.start) for it in accepted if it != one)
            assert len(after.text) == len(original) + grown
            assert Revision.model_validate_json(after.model_dump_json()) == after
            assert [it.id for it in after.edits if it.accepted] == [it.id for it in accepted if it != one]


Pieces = list[tuple[str, str, bool]]
SHORT = st.text(VALID, max_size=4)


@given(st.lists(st.tuples(SHORT, SHORT, st.booleans()), max_size=6), st.randoms(use_true_random=False))
def test_reverting_some_edits_equals_making_only_the_others(pieces: Pieces, random: Any) -> None:
    """Edits that do not touch, made in any order: each replaces the piece between two bars."""
    current, edits = [old for old, _, _ in pieces], list[Edit]()
    for i in random.sample(range(len(pieces)), len(pieces)):
        old, new, _ = pieces[i]
        start = len("|".join([*current[:i], ""]))
        edits.append(edit(start, start + len(old), new, id=f"e{i}"))
        current[i] = new
    made = revision("|".join(old for old, _, _ in pieces), *edits)
    reverted = [f"e{i}" for i, (_, _, revert) in enumerate(pieces) if revert]
    text = made.revert(*reverted) if reverted else made.text
    assert text == "|".join(old if revert else new for old, new, revert in pieces)


def change(name: str, old: str, new: str, state: EditState = "suggested", **more: bool) -> Edit:
    """Replaces `old`, which stands in the text about the mill once."""
    start = MILL.index(old)
    return edit(start, start + len(old), new, id=name, old=old, state=state, **more)


def mill(*edits: Edit) -> Revision:
    """Two sentences, each with two parts and a quote."""
    made = revision(MILL, *edits, statuses=["contradicted"] * 2)
    sentences = list[Sentence]()
    for it in made.report.sentences:
        quote = Quote(evidence_id="q1.1", start=0, end=4, text="1923", side="against")
        differs = Part(start=it.end - 5, end=it.end - 1, state="differs")
        parts = (differs, Part(start=it.start, end=it.start + 3, state="open"))
        sentences.append(it.model_copy(update={"quotes": (quote,), "parts": parts}))
    scores = Scores(attribution_before=0.4, attribution_after=0.4, preservation=1.0, f1_ap=0.5)
    return made.model_copy(update={"report": Report(sentences=tuple(sentences)), "scores": scores})


YEAR = change("e1", "1932", "1923")


def test_accepted_suggestion_is_in_the_text_and_can_be_reverted() -> None:
    before = mill(YEAR)
    after = before.accept("e1")
    assert (after.text, after.changed) == ("The mill burned in 1923.\nIt had 9 rooms.", True)
    assert ([it.state for it in after.edits], after.revert("e1")) == (["accepted"], before.text)
    assert Revision.model_validate_json(after.model_dump_json()) == after
    assert after.scores == Scores(attribution_before=0.4, preservation=1 - 2 / len(MILL))


def test_sentence_whose_value_code_did_not_find_is_unjudged_with_a_reason() -> None:
    after = mill(change("e1", "1932", "in 1923")).accept("e1")
    first, second = after.report.sentences
    assert (first.text, first.status, first.quotes) == ("The mill burned in in 1923.", "unjudged", ())
    assert [part.state for part in first.parts] == ["open", "open"]
    assert (second.text, second.status) == ("It had 9 rooms.", "contradicted")
    assert [after.text[p.start : p.end] for p in second.parts] == ["ooms", "It "]
    assert [notice.code for notice in after.warnings] == ["not_judged_again"]


def test_sentence_is_supported_where_code_found_the_values_of_all_its_suggestions() -> None:
    sure = change("e1", "1932", "1923", confirmed=True)
    first, _ = mill(sure).accept("e1").report.sentences
    assert (first.status, [quote.side for quote in first.quotes]) == ("supported", ["for"])
    assert first.parts[0].state == "confirmed"
    undone = mill(sure).accept("e1").without("e1").report.sentences[0].parts[0]
    assert (undone.state, undone.says) == ("differs", "1923")
    half = mill(sure, change("e2", "burned", "fell", confirmed=True)).accept("e1")
    assert half.report.sentences[0].status == "unjudged"
    assert half.accept("e2").report.sentences[0].status == "supported"


def test_suggestions_move_with_other_edits() -> None:
    after = mill(YEAR, change("e2", "The mill", "That old mill", "accepted")).accept("e1")
    assert after.text == "That old mill burned in 1923.\nIt had 9 rooms."
    assert after.revert("e2") == "The mill burned in 1923.\nIt had 9 rooms."
    assert after.sentence_of(YEAR) == after.sentence_of("e1") == after.report.sentences[0]
    both = change("e1", "1932", "the year 1923"), change("e2", "9 rooms", "11 rooms")
    assert mill(*both).accept("e2", "e1").text == "The mill burned in the year 1923.\nIt had 11 rooms."


TWICE = revision("a b", edit(2, 3, "bee"), edit(3, 5, "ig", id="e2"))
REFUSED, MADE = change("e1", "1932", "1923", "refused"), change("e1", "1932", "1923", "accepted")
LOST = change("e2", "in 1932", "last year", "accepted")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: FULL.revert("e2"), "edit 'e2' is refused; accepted edits, one by one: e1"),
        (lambda: FULL.revert("e9"), "edit 'e9' is unknown"),
        (lambda: FULL.sentence_of("e9"), "edit 'e9' is unknown; edits: e1, e2"),
        (lambda: TWICE.revert("e1"), "revert e2 as well"),
        (lambda: mill(YEAR).accept(), "no edit is named; suggested edits, one by one: e1"),
        (lambda: mill(YEAR).accept(["e1"]), "one by one: e1"),  # type: ignore[arg-type]  # what is tested
        (lambda: mill(YEAR).accept("e1").revert(), "one by one: e1"),
        (lambda: mill(MADE).accept("e1"), "is in the text already; .*: none"),
        (lambda: mill(REFUSED).accept("e1"), "is refused.*: none"),
        (lambda: mill(YEAR, LOST).accept("e1"), "e1 replaces '1932', which another edit changed"),
    ],
)
def test_edit_that_cannot_be_accepted_or_reverted_is_named(call: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()

"""Records are frozen, exact through JSON, and an edit can be taken back."""

from datetime import UTC, datetime
from itertools import count
from typing import Any

import pytest
from hypothesis import given, strategies as st
from makers import VALID
from pydantic import ValidationError

from rarr.errors import InputError
from rarr.records import (
    LONGEST_TITLE,
    Check,
    Edit,
    NodeUsage,
    Notice,
    Passage,
    Query,
    Report,
    Revision,
    Scores,
    Usage,
    with_edits,
)


def edit(edit_id: str, start: int, end: int, new: str, **changed: Any) -> Edit:
    fields = {"old": "", "query_id": "q1", "evidence_id": "v1", "state": "accepted", "reason": ""}
    return Edit(**(fields | changed), id=edit_id, start=start, end=end, new=new)


def revision(original: str, *edits: Edit, **fields: Any) -> Revision:
    text = with_edits(original, edits)
    return Revision(
        run_id="r1", original=original, text=text, changed=text != original, edits=edits, **fields
    )


FULL = revision(
    "Georgia grows the most peaches.",
    edit("e1", 0, 7, "California", old="Georgia"),
    edit("e2", 0, 0, "Maybe ", state="refused", reason="support did not rise"),
    queries=(Query(id="q1", text="Which state?", start=0, end=7),),
    checks=(Check(query_id="q1", evidence_id="v1", verdict="disagrees", stale=True),),
    scores=Scores(attribution_before=0.0, attribution_after=1 / 7, preservation=1.0),
    usage=Usage(seconds=1e-9, by_node={"edit": NodeUsage(calls=2, seconds=0.7)}),
    warnings=(Notice(code="search_failed", message="no route", node="retrieve", query_id="q1"),),
)


def test_json_round_trip_is_exact() -> None:
    again = Revision.model_validate_json(FULL.model_dump_json())
    assert (again, again.model_dump_json()) == (FULL, FULL.model_dump_json())


@given(
    original=st.text(VALID), new=st.text(VALID), relevance=st.floats(allow_nan=False, allow_infinity=False)
)
def test_json_round_trip_keeps_any_text_and_number(original: str, new: str, relevance: float) -> None:
    made = revision(original, edit("e1", 0, 0, new), report=Report(coverage=relevance))
    assert Revision.model_validate_json(made.model_dump_json()) == made


def test_records_are_frozen() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        FULL.text = "other"  # type: ignore[misc]  # what is tested


@pytest.mark.parametrize("fields", [{"source": ""}, {"start": 5, "end": 3}, {"start": -1}])
def test_passage_with_invalid_fields_is_a_one_line_error(fields: dict[str, Any]) -> None:
    known = {"text": "It opened.", "source": "a.md", "start": 0, "end": 9, "retrieved_at": datetime.now(UTC)}
    with pytest.raises(InputError, match=r"^a passage .*: give .*$"):
        Passage(**(known | fields))


def test_edits_must_lead_from_original_to_text() -> None:
    with pytest.raises(ValidationError, match="do not lead"):
        Revision(run_id="r1", original="a", text="b", changed=True)


@pytest.mark.parametrize("unknown", ["e2", "e9"])
def test_revert_names_an_edit_that_was_never_made(unknown: str) -> None:
    with pytest.raises(InputError, match=unknown):
        FULL.revert(unknown)


def test_edit_changed_by_a_later_edit_is_reverted_only_together_with_it() -> None:
    made = revision("a b c", edit("e1", 2, 3, "bee"), edit("e2", 3, 5, "ig"))
    with pytest.raises(InputError, match="revert e2 as well"):
        made.revert("e1")
    assert made.revert("e1", "e2") == "a b c"


def test_later_edits_follow_an_insertion_where_a_reverted_edit_deleted() -> None:
    made = revision("abcd", edit("e1", 1, 2, ""), edit("e2", 1, 1, "X"), edit("e3", 1, 2, "Y"))
    assert (made.text, made.revert("e1")) == ("aYcd", "abYcd")


@st.composite
def edited(draw: st.DrawFn, accepted: int | None = None) -> tuple[str, list[Edit]]:
    """Any text, and any edits of it, each of the text that the one before left; one is surely accepted."""
    original = current = draw(st.text(VALID, max_size=20))
    edits: list[Edit] = []
    for number in range(draw(st.integers(0 if accepted is None else accepted + 1, 6))):
        start, end = sorted(draw(st.tuples(*[st.integers(0, len(current))] * 2)))
        made = number == accepted or draw(st.booleans())
        edits.append(
            edit(
                f"e{number}",
                start,
                end,
                draw(st.text(VALID, max_size=5)),
                state="accepted" if made else "refused",
            )
        )
        current = with_edits(current, edits[-1:])
    return original, edits


@given(edited())
def test_reverting_all_edits_gives_the_original(case: tuple[str, list[Edit]]) -> None:
    original, edits = case
    accepted = [e.id for e in edits if e.accepted]
    assert not accepted or revision(original, *edits).revert(*accepted) == original


@given(st.integers(0, 5).flatmap(lambda which: st.tuples(edited(which), st.just(which))))
def test_reverting_one_edit_keeps_the_others_or_names_a_later_one(
    case: tuple[tuple[str, list[Edit]], int],
) -> None:
    (original, edits), which = case
    later = {e.id for e in edits[which + 1 :] if e.accepted}
    try:
        text = with_edits(original, edits, [edits[which].id])
    except InputError as error:
        assert str(error).split()[0] in later
    else:
        grown = sum(len(e.new) - (e.end - e.start) for e in edits if e.accepted and e != edits[which])
        assert len(text) == len(original) + grown


@given(
    pieces=st.lists(
        st.tuples(st.text(VALID, max_size=4), st.text(VALID, max_size=4), st.booleans()), max_size=6
    ),
    random=st.randoms(use_true_random=False),
)
def test_reverting_some_edits_equals_making_only_the_others(
    pieces: list[tuple[str, str, bool]], random: Any
) -> None:
    """Edits that do not touch, made in any order: each replaces the piece between two bars."""
    current = [old for old, _, _ in pieces]
    edits, reverted, number = [], [], count()
    for i in random.sample(range(len(pieces)), len(pieces)):
        old, new, revert = pieces[i]
        start = len("|".join([*current[:i], ""]))
        edits.append(edit(f"e{next(number)}", start, start + len(old), new))
        reverted += [edits[-1].id] if revert else []
        current[i] = new
    made = revision("|".join(old for old, _, _ in pieces), *edits)
    text = made.revert(*reverted) if reverted else made.text
    assert text == "|".join(old if revert else new for old, new, revert in pieces)


@pytest.mark.parametrize("title", ["x " * 100_000, "x" * 300, ""])
def test_long_title_is_cut_and_not_cut_again(title: str) -> None:
    known = {"text": "It.", "source": "a.md", "start": 0, "end": 3, "retrieved_at": datetime.now(UTC)}
    made = Passage(**known, title=title)
    assert made.title == (title if len(title) <= LONGEST_TITLE else f"{title[:299].rstrip()}…")
    assert Passage.model_validate_json(made.model_dump_json()) == made

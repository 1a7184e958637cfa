"""The queries and the evidence of a sentence, also after an edit."""

import pytest
from component_doubles import ScriptedVerifier
from hypothesis import given, strategies as st
from makers import VALID, edit, evidence, query, runtime, state

from rarr.ledger.edit_gate import moved_queries
from rarr.ledger.sentence_support import sentence_support, support_by
from rarr.records import Edit, Query


def places(queries: list[Query]) -> list[tuple[int, int]]:
    return [(query.start, query.end) for query in queries]


def test_query_that_a_change_overlaps_covers_all_of_it() -> None:
    queries = [query(0, 6), query(6, 7), query(7, 12), query(0, 12)]
    assert places(moved_queries(queries, [edit(5, 8, "longer")])) == [(0, 11), (5, 11), (5, 15), (0, 15)]


@st.composite
def edited(draw: st.DrawFn) -> tuple[list[Query], list[Edit]]:
    """Queries of a text of 30 characters, and edits that touch none of them, each of the text before it."""
    bounds = sorted(draw(st.sets(st.integers(0, 30), min_size=2, max_size=8)))
    asked = [query(start, end, id=f"q{start}") for start, end in zip(bounds[::2], bounds[1::2], strict=False)]
    current, edits = asked, list[Edit]()
    for _ in range(draw(st.integers(1, 4))):
        ends = [0, *(p for query in current for p in (query.start, query.end)), 40]
        gap = draw(st.integers(0, len(current)))
        low, high = ends[2 * gap], ends[2 * gap + 1]
        start, end = sorted(draw(st.tuples(*[st.integers(low, max(low, high))] * 2)))
        edits.append(edit(start, end, draw(st.text(VALID, max_size=6)), accepted=draw(st.booleans())))
        current = moved_queries(current, edits[-1:])
    return asked, edits


@pytest.mark.slow
@given(edited())
def test_query_that_no_edit_touches_keeps_its_length(case: tuple[list[Query], list[Edit]]) -> None:
    lengths = [query.end - query.start for query in case[0]]
    assert [query.end - query.start for query in moved_queries(*case)] == lengths


TEXT = "One is. Two is. Three is. Four is."
TWO = [query(8, 11)]


async def test_evidence_is_judged_on_its_sentence_and_the_neighbours_and_the_report_on_all() -> None:
    verifier = ScriptedVerifier(lambda sentence, passage: 0.5)
    found = [evidence(), evidence("B", id="q1.2", start=500), evidence(id="q2.1")]
    before = state(TEXT, found=found, unsearched={"q2": "failed"})
    components = runtime(verifier=verifier).context
    supports, failures = await sentence_support("attribute", before, TEXT, TWO, ["q1.2"], components)
    asked = {passage.id: [span.of(TEXT) for span in spans] for _, _, spans, passage in verifier.calls}
    assert asked == {
        "q1.1": ["One is.", "Two is.", "Three is."],
        "q1.2": [*TEXT.replace(". ", ".|").split("|")],
    }
    assert [sorted(it.by_evidence) for it in supports] == [["q1.1", "q1.2"]] * 3 + [["q1.2"]]
    assert [(it.query_ids, it.searched) for it in supports[:2]] == [((), False), (("q1",), True)]
    assert failures == []


async def test_evidence_of_a_query_outside_all_sentences_is_not_judged() -> None:
    text = "# Heading\n\nProse is here."
    verifier = ScriptedVerifier()
    components = runtime(verifier=verifier).context
    [support], _ = await sentence_support(
        "attribute", state(text, found=[evidence()]), text, [query(2, 9)], [], components
    )
    assert (support.query_ids, support_by(support), verifier.calls) == ((), None, [])

"""The parts of a sentence, and the evidence that confirms each."""

from collections.abc import Sequence

import pytest
from makers import check, evidence, query

from rarr.ledger.asked_places import AskedPlace, agrees_on_other_amounts, asked_places
from rarr.ledger.confirmed_parts import (
    sentence_parts,
)
from rarr.ledger.sentence_support import Support
from rarr.records import Check, Evidence, Part, Query
from rarr.tools.text.blocks_and_sentences import Span

MILL = "Aldmoor Mill was built in 1801 by Ann Reed."
YEAR, NAME = Span(26, 30), Span(34, 42)
TOLD = evidence("Aldmoor Mill was built in 1801 by Ann Reed.")


def parts(
    text: str = MILL,
    *,
    asked: Sequence[AskedPlace] = (),
    passages: Sequence[Evidence] = (TOLD,),
    support: float = 0.5,
    against: Sequence[str] = (),
) -> list[Part]:
    sentence_support = Support(
        Span(0, len(text)), ("q1",), {it.id: support for it in passages}, searched=True
    )
    return sentence_parts(text, None, sentence_support, asked, {it.id: it for it in passages}, against)


def part_states(text: str, judged_parts: Sequence[Part]) -> list[tuple[str, str]]:
    return [(text[part.start : part.end], part.state) for part in judged_parts]


def places(asked: Query, *checks: Check) -> list[Span]:
    return [asked_place.place for asked_place in asked_places(MILL, Span(0, len(MILL)), asked, checks)]


def test_values_that_nothing_asks_about_are_open_parts() -> None:
    assert part_states(MILL, parts()) == [("1801", "open"), ("Ann Reed", "open")]


@pytest.mark.parametrize(("support", "state"), [(0.7, "confirmed"), (0.69, "open")])
def test_words_of_a_passage_confirm_where_it_is_sure_to_support(support: float, state: str) -> None:
    assert part_states(MILL, parts(support=support)) == [("1801", state), ("Ann Reed", state)]


def test_agreeing_check_confirms_the_words_of_its_passage() -> None:
    agreed = AskedPlace(YEAR, (check("agrees", mine="1801"),))
    assert part_states(MILL, parts(asked=[agreed])) == [("1801", "confirmed"), ("Ann Reed", "confirmed")]


def test_answer_that_says_less_confirms_nothing() -> None:
    text, passage = "The mill burned on 3 May 1801.", evidence("The mill burned in 1801.")
    agreed = AskedPlace(Span(19, 29), (check("agrees", mine="3 May 1801", its="1801"),))
    assert part_states(text, parts(text, asked=[agreed], passages=[passage])) == [("3 May 1801", "open")]


def test_disagreeing_check_marks_its_part_as_different() -> None:
    disputed = AskedPlace(YEAR, (check("disagrees", mine="1801", its="1805"),))
    [year, _] = parts(asked=[disputed], against=["q1.1"])
    assert (year.state, year.evidence_id, year.says) == ("differs", "q1.1", "1805")


def test_passage_about_another_subject_confirms_nothing() -> None:
    other = evidence("Brackford Mill was built in 1801 by Ann Reed.")
    states = part_states(MILL, parts(passages=[other], support=0.9))
    assert states == [("Aldmoor Mill", "open"), ("1801", "open"), ("Ann Reed", "open")]


def test_name_of_the_page_alone_supports_no_sentence() -> None:
    text = "Few places are painted as often as Aldmoor Mill."
    page = evidence("Painters come to Aldmoor Mill.").model_copy(update={"title": "Aldmoor Mill"})
    agreed = AskedPlace(Span(35, 47), (check("agrees", mine="Aldmoor Mill"),))
    for support, state in ((0.79, "open"), (0.8, "confirmed")):
        assert part_states(text, parts(text, asked=[agreed], passages=[page], support=support)) == [
            ("Few", "open"),
            ("Aldmoor Mill", state),
        ]


def test_query_about_some_words_asks_about_these() -> None:
    assert places(query(*YEAR), check("agrees", mine="1801")) == [YEAR]


def test_query_about_the_sentence_asks_about_the_answers_found_in_it() -> None:
    checks = [check("agrees", mine="Ann Reed"), check("agrees", mine="yes")]
    assert places(query(0, len(MILL)), *checks) == [NAME, Span(0, len(MILL))]
    assert places(query(0, len(MILL))) == [Span(0, len(MILL))]


def test_place_around_another_place_is_no_part_of_its_own() -> None:
    asked = [AskedPlace(Span(0, len(MILL)), ()), AskedPlace(YEAR, ())]
    assert [(part.start, part.end) for part in parts(asked=asked)] == [YEAR, NAME]


def test_agreement_may_be_on_another_amount() -> None:
    assert agrees_on_other_amounts(check("agrees", mine="221", its="726"))
    assert not agrees_on_other_amounts(check("agrees", mine="221", its="221"))
    assert not agrees_on_other_amounts(check("agrees", mine="Crowe", its="Frank Crowe"))
    assert not agrees_on_other_amounts(check("disagrees", mine="221", its="726"))


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("The valve was noisy.", [("noisy", "open")]),
        ("The pump was noisy.", []),
        ("The pump was rusty.", [("rusty", "open")]),
    ],
)
def test_sentence_with_nothing_else_to_check_needs_a_clause_with_its_words(
    text: str, states: list[tuple[str, str]]
) -> None:
    passage = evidence("The valve was tested beside the pump for a week. The pump was noisy.")
    assert part_states(text, parts(text, passages=[passage], support=0.9)) == states

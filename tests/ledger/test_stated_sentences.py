"""The parts of a sentence that a model chose: its words are confirmed, and its values by readings alone."""

import pytest
from makers import check, evidence

from rarr.ledger.asked_places import AskedPlace
from rarr.ledger.confirmed_parts import sentence_parts
from rarr.ledger.sentence_support import Support
from rarr.ledger.stated_sentences import is_contrast_chosen, numbers_outside, stating_check
from rarr.records import Check, Part
from rarr.tools.text.blocks_and_sentences import Span

SENTENCE = "Only the roof of the mill was not mended in 1801."
YEAR = Span(44, 48)
PASSAGE = evidence("In 1801 Aldmoor Mill was put in order, but for its roof.")
STATED = check("agrees", mine=SENTENCE, its="put in order, but for its roof").model_copy(
    update={"chosen": True}
)


def states(*readings: Check, stated: Check | None = STATED) -> dict[str, str]:
    support = Support(Span(0, len(SENTENCE)), ("q1",), {PASSAGE.id: 0.3}, searched=True)
    asked = [AskedPlace(YEAR, readings), AskedPlace(support.span, (STATED,) if stated else ())]
    parts = sentence_parts(SENTENCE, None, support, asked, {PASSAGE.id: PASSAGE}, (), stated)
    return {SENTENCE[part.start : part.end]: part.state for part in parts}


def test_words_are_confirmed_and_a_number_by_a_reading_that_gives_the_same() -> None:
    assert set(states(check("agrees", mine="1801", its="1801")).values()) == {"confirmed"}


def test_without_the_choice_the_words_are_open() -> None:
    open_words = {word for word, state in states(stated=None).items() if state == "open"}
    assert {"Only", "not"} <= open_words


@pytest.mark.parametrize("reading", [check("unknown", mine="1801"), check("agrees", mine="1801", its="1805")])
def test_number_stays_open_without_such_a_reading_though_the_passage_has_it(reading: Check) -> None:
    assert [word for word, state in states(reading).items() if state == "open"] == ["1801"]


@pytest.mark.parametrize(
    "other",
    [
        check("disagrees", mine=SENTENCE).model_copy(update={"chosen": True}),
        check("agrees", mine=SENTENCE),
        check("irrelevant", mine=SENTENCE),
    ],
)
def test_only_a_chosen_sentence_is_stated(other: Check) -> None:
    assert stating_check([other]) is None
    assert stating_check([other, STATED]) == STATED


def test_contrast_is_chosen_if_every_disagreement_is_a_choice() -> None:
    plain = check("disagrees", mine="not")
    chosen = plain.model_copy(update={"chosen": True})
    assert is_contrast_chosen([chosen, check("agrees"), chosen])
    assert not is_contrast_chosen([chosen, plain])
    assert not is_contrast_chosen([check("agrees")])


def test_number_that_no_part_holds_is_open() -> None:
    sentence = "Half of the children of 14 must not be given it."
    parts = [Part(start=27, end=31, state="confirmed"), Part(start=24, end=26, state="confirmed")]
    assert numbers_outside(parts[:1], Span(0, len(sentence)), sentence) == [Span(0, 4), Span(24, 26)]
    assert numbers_outside(parts, Span(5, len(sentence)), sentence) == []

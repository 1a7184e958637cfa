"""The parts of a sentence that a model chose: its words are confirmed, and its values by readings alone."""

import pytest
from makers import check, evidence, query

from rarr.ledger.asked_places import AskedPlace
from rarr.ledger.confirmed_parts import sentence_parts
from rarr.ledger.sentence_support import Support
from rarr.ledger.stated_sentences import is_doubtful_choice, stating_check
from rarr.records import Check
from rarr.tools.text.blocks_and_sentences import Span

SENTENCE = "Only the roof of Aldmoor Mill was not mended in 1801."
YEAR = Span(48, 52)
PASSAGE = evidence("In 1801 Aldmoor Mill was put in order, but for its roof.")
STATED = check("agrees", mine=SENTENCE, its="put in order, but for its roof")
WHOLE = query(0, len(SENTENCE)).model_copy(update={"text": f"Is it true that {SENTENCE[:-1]}?"})


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
def test_number_stays_open_without_such_a_reading_and_passage(reading: Check) -> None:
    support = Support(Span(0, len(SENTENCE)), ("q1",), {PASSAGE.id: 0.3}, searched=True)
    other = PASSAGE.model_copy(update={"text": "Aldmoor Mill was put in order, but for its roof."})
    asked = [AskedPlace(YEAR, (reading,))]
    parts = sentence_parts(SENTENCE, None, support, asked, {other.id: other}, (), STATED)
    assert [SENTENCE[part.start : part.end] for part in parts if part.state == "open"] == ["1801"]


@pytest.mark.parametrize(
    "other",
    [check("disagrees", mine=SENTENCE), check("agrees", mine="Only"), check("irrelevant", mine=SENTENCE)],
)
def test_other_checks_do_not_state_the_sentence(other: Check) -> None:
    assert stating_check(SENTENCE, [(WHOLE, other), (WHOLE, STATED)]) == STATED
    assert stating_check(SENTENCE, [(WHOLE, other)]) is None
    assert stating_check(SENTENCE, [(query(0, len(SENTENCE)), STATED)]) is None


@pytest.mark.parametrize(("confidence", "doubtful"), [(0.6, True), (0.9, False), (None, False)])
def test_choice_is_in_doubt_below_the_confidence_of_accepted_edits(
    confidence: float | None, doubtful: bool
) -> None:
    disputed = check("disagrees", mine="not").model_copy(update={"confidence": confidence})
    assert is_doubtful_choice(WHOLE, [disputed, STATED], 0.9) == doubtful
    assert not is_doubtful_choice(query(0, 4), [disputed], 0.9)

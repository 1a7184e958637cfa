"""Sentences are compared as a whole with sentences of a passage that nearly quote them."""

import pytest

from rarr.backends.rules.agreement import queried_value
from rarr.backends.rules.counterparts import parsed_passage
from rarr.backends.rules.editing import ValueEditor
from rarr.backends.rules.questions import statement_questions
from rarr.backends.rules.standalone_claims import claims
from rarr.backends.rules.whole_sentence_agreement import is_about_statement, stated_claim, statement_agreement
from rarr.records import Agreement, Check, Evidence, Query
from rarr.testing.doubles import RETRIEVED_AT
from rarr.tools.text.span import Span


def compared(text: str, passage: str, title: str = "") -> Agreement:
    [claim] = claims(text, None)
    return statement_agreement(claim, parsed_passage(passage, title))


def asked(text: str) -> Query:
    [question] = statement_questions(text, None)
    return Query(id="q1", round=1, **question.model_dump(include={"text", "start", "end"}))


@pytest.mark.parametrize(
    ("text", "passage", "answers"),
    [
        ("Rovan may be given to infants.", "Rovan must not be given to infants.", ("may", "must not")),
        ("The Elm gate is locked.", "The Elm gate is not locked at night.", None),
        ("The lower Elm gate is locked.", "The lower Elm gate is not locked.", ("is", "is not")),
        ("The pump starts at dawn.", "The pump never starts at dawn.", ("starts", "never starts")),
        ("All guests of the inn get tea.", "Some guests of the inn get tea.", ("All", "Some")),
        ("Tarvin rose higher than Olm.", "Tarvin rose lower than Olm.", ("higher", "lower")),
        ("Lamps with a switch are sold.", "Lamps without a switch are sold.", ("with", "without")),
        ("The first Orrel mill burned.", "The last Orrel mill burned.", ("first", "last")),
        ("The boats of Olm arrived on Friday.", "The boats of Olm left on Friday.", ("arrived", "left")),
    ],
)
def test_telling_words_of_nearly_the_same_sentence_decide(
    text: str, passage: str, answers: tuple[str, str] | None
) -> None:
    agreement = compared(text, passage)
    if answers is None:
        assert agreement.verdict == "irrelevant"
    else:
        assert (agreement.verdict, agreement.text_answer, agreement.evidence_answer) == (
            "disagrees",
            *answers,
        )


@pytest.mark.parametrize(
    ("text", "passage"),
    [
        ("The pool is not safe for children.", "The pool is unsafe for children."),
        ("The Elm gate of Olm is not open.", "The Elm gate of Olm is shut."),
        ("Every guest of the inn gets tea.", "All guests of the inn get tea."),
        ("The Orrel mill burned in May.", "It is known that the Orrel mill burned in May."),
    ],
)
def test_sentence_that_says_the_same_does_not_disagree(text: str, passage: str) -> None:
    assert compared(text, passage).verdict in ("agrees", "irrelevant")


@pytest.mark.parametrize(
    ("text", "passage"),
    [
        ("Rovan may be given to infants.", "Rovan may be given to goats."),  # another word of content
        ("Visitors may enter the keep.", "Some say visitors may not enter the keep."),  # only reported
        ("Tea is served in the hall.", "If it rains, tea is not served in the hall."),  # on a condition
        ("The Elm ferry carries cars.", "The Elm ferry carries 40 cars."),  # another value
        ("Rovan may not be given to infants.", "Rovan must not be given to infants."),  # both forbid it
        ("Many guests of the inn get tea.", "Most guests of the inn get tea."),  # follows from it
    ],
)
def test_passage_that_says_something_else_does_not_disagree(text: str, passage: str) -> None:
    assert compared(text, passage).verdict in ("irrelevant", "unknown")


def test_subject_that_stands_in_the_title_is_no_difference() -> None:
    [claim] = claims("The tenant may sublet the shop.", None)
    passage = "Rent is due in May. The tenant may not sublet the shop."
    assert statement_agreement(claim, parsed_passage(passage, "Lease of Elm Street")).verdict == "disagrees"


def test_word_that_only_the_text_has_leaves_it_open() -> None:
    assert compared("All guests of the inn get tea.", "Guests of the inn get tea.").verdict == "unknown"


def test_claim_about_another_subject_is_not_compared() -> None:
    text = "# Elm Castle\n\nVisitors may enter the great hall."
    [claim] = claims(text, None)
    assert statement_agreement(claim, parsed_passage("Visitors must not enter the great hall.", "")).reason


def test_a_sentence_without_enough_words_is_not_asked_about() -> None:
    assert not list(statement_questions("What a view!", None))


def test_question_about_a_statement_is_known_again() -> None:
    text = "It rained. The Elm ferry carries cars."
    query = asked(text)
    assert is_about_statement(query) and query.text == "Is it true that The Elm ferry carries cars?"
    claim = stated_claim(text, None, query)
    assert claim is not None and claim.span.of(text) == "The Elm ferry carries cars."


def test_yes_or_no_question_asks_about_its_whole_sentence_alone() -> None:
    text = "It rained. The Elm ferry carries 40 cars."
    sentence, number = Span(11, len(text)), Span(33, 35)

    def about(place: Span, question: str) -> tuple[bool, bool]:
        query = Query(id="q1", round=1, text=question, start=place.start, end=place.end)
        return stated_claim(text, None, query) is not None, queried_value(text, None, query) is not None

    assert about(sentence, "Does the Elm ferry carry 40 cars?") == (True, False)
    assert about(number, "Does the Elm ferry carry 40 cars?") == (False, True)
    assert about(sentence, "How many cars does the Elm ferry carry?") == (False, True)


async def test_the_words_that_decide_are_replaced() -> None:
    text, passage = "Rovan may be given to infants.", "Rovan must not be given to infants."
    evidence = Evidence(
        id="q1.1", query_id="q1", text=passage, source="page", title="", start=0, end=len(passage),
        relevance=1.0, retrieved_at=RETRIEVED_AT,
    )  # fmt: skip
    check = Check(query_id="q1", evidence_id="q1.1", **compared(text, passage).model_dump())
    change = await ValueEditor().edit(text, None, asked(text), check, evidence)
    assert change is not None and (text[change.start : change.end], change.new) == ("may", "must not")

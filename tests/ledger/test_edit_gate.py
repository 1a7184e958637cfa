"""The gate decides by the wording of an edit, for every editor."""

import pytest
from makers import evidence, query, runtime, state

from rarr.ledger.edit_gate import Decision, decide
from rarr.records import Agreement, Change, Check, Verdict
from rarr.testing import ScriptedChecker, ScriptedVerifier
from rarr.tools.text.blocks_and_sentences import Span

LONG = "The Vell Bridge is 212 metres long and was painted green in 1931."
SAYS = "The Vell Bridge, painted green, is 221 metres long. A visitor centre, never finished, closed in 1990."


async def decision(
    old: str,
    new: str,
    *,
    text: str = LONG,
    says: str = SAYS,
    claim: str = "212 metres",
    answer: str = "221 metres",
    again: Verdict = "agrees",
    about: str = "",
) -> Decision:
    """Of the edit that puts `new` in the place of `old`; the query asks about `about`, else about `claim`."""
    place, asked = text.index(old), about or claim
    start = text.index(asked) if asked in text else 0
    made = query(start, start + len(asked) if asked in text else len(text))
    check = Check(
        verdict="disagrees", text_answer=claim, evidence_answer=answer, query_id="q1", evidence_id="q1.1"
    )
    context = runtime(
        verifier=ScriptedVerifier(lambda sentence, _: 0.4 if sentence == text else 0.9),
        checker=ScriptedChecker(lambda *_: Agreement(verdict=again, evidence_answer=answer)),
    ).context
    change = Change(start=place, end=place + len(old), new=new)
    before = state(text, queries=[made], found=[evidence(says)], checks=[check])
    return await decide(text, change, made, check, [check], before, [made], context)


async def refusal(old: str, new: str, **more: object) -> str:
    return (await decision(old, new, **more)).refusal  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("212", "221"),
        ("212 metres", "221 metres"),
        ("212 metres", "221 m"),
        ("212 metres", "0.221 kilometres"),
        ("212 metres", "725 feet"),
        ("is 212 metres", "is 221 metres"),
        ("212", "two hundred and twenty-one"),
    ],
)
async def test_edit_that_gives_the_evidences_answer_is_made(old: str, new: str) -> None:
    made = await decision(old, new)
    assert (made.refusal, made.sentence) == ("", Span(0, len(LONG)))
    assert [(check.evidence_id, check.verdict) for check in made.checks] == [("q1.1", "agrees")]


@pytest.mark.parametrize(
    ("old", "new", "answer"),
    [
        ("15 million", "20,000,000", "20 million"),
        ("15,500,123", "20,000,000", "20 million"),
        ("15 million", "3,000,000,000", "3 billion"),
        ("7,200", "100,100", "100,100"),
    ],
)
async def test_groups_of_digits_are_no_repeated_words(old: str, new: str, answer: str) -> None:
    text, says = (f"The Vell Bridge cost {value} euros in 1931." for value in (old, answer))
    assert await refusal(old, new, text=text, says=says, claim=f"{old} euros", answer=f"{answer} euros") == ""


@pytest.mark.parametrize(
    ("measure", "near"),
    [
        ("1,595 feet", "1,600 feet"),
        ("221 metres", "220 metres"),
        ("14.96 million euros", "15 million euros"),
        ("48,512 people", "48,500 people"),
    ],
)
async def test_value_of_something_else_is_no_rounded_answer(measure: str, near: str) -> None:
    old = f"11 {measure.split(maxsplit=1)[1]}"
    text, says = f"The Vell Bridge has {old}.", f"The Vell Bridge has {measure}. The Oslen Bridge has {near}."
    assert await refusal(old, measure, text=text, says=says, claim=old, answer=measure) == ""
    refused = await refusal(old, near, text=text, says=says, claim=old, answer=measure)
    assert refused == f"the text would say {near!r}, and the evidence says {measure!r}"


@pytest.mark.parametrize(
    "new", ["221 metres metres", "221 METRES Metres", "221 221 metres", "221, 221 metres"]
)
async def test_repeated_words_are_refused(new: str) -> None:
    assert await refusal("212 metres", new)


GARBAGE = {
    "another number": "999", "a digit less": "22", "one digit": "7", "a digit more": "2210",
    "a sign": "-221", "another dash": "−221", "a decimal": "221.4", "thousands": "221,000",
    "magnitude": "221 million", "a year": "1990", "a percentage": "221%", "money": "$221",
    "an approximation": "about 221", "a limit": "over 221", "a lower limit": "at least 221",
    "a range": "between 212 and 221", "a choice": "212 or 221", "both": "221, not 212,",
    "negated": "not 221", "never": "was never 221", "hardly": "hardly 221", "without": "without 221",
    "an address": "221 evil.example", "praise": "a splendid 221", "words": "two hundred and twelve",
    "words, other": "two thousand", "an ordinal": "221st", "times": "221 times", "or so": "221 or so",
    "or more": "221 or more", "empty": "", "not at all": "nearly", "a word": "many",
}  # fmt: skip


@pytest.mark.parametrize("new", GARBAGE.values(), ids=GARBAGE.keys())
async def test_garbage_in_the_place_of_the_answer_is_refused(new: str) -> None:
    assert await refusal("212", new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("212 metres", "221 feet"),
        ("212 metres", "221"),
        ("212 metres", "221 kilometres"),
        ("212 metres", "221 metres squared"),
        ("212 metres long", "221 metres wide"),
        ("212 metres long", "221 metres long and unsafe"),
        ("212 metres long", "221 metres long and closed in 1990"),
        ("212 metres long", "221 metres"),
        ("Vell Bridge is 212", "Grand Bridge is 221"),
        ("Vell Bridge is 212", "visitor centre is 221"),
        ("The Vell Bridge is 212", "It is 221"),
        ("is 212", "was 221, never"),
        ("is 212 metres long and", "is said to be 221 metres long and"),
        ("painted green", "painted red"),
        ("1931", "221"),
        ("is", "is not"),
    ],
)
async def test_edit_that_changes_more_or_other_than_the_answer_is_refused(old: str, new: str) -> None:
    assert await refusal(old, new)


DATES = {
    "text": "The Vell Bridge was opened on 5 May 1931 by the mayor.",
    "says": "The mayor opened the Vell Bridge on 7 June 1937. It was painted on 8 July 1940.",
    "claim": "5 May 1931",
    "answer": "7 June 1937",
}
NAMES = {
    "text": "The bridge was designed by Anna Reed, who lived in Oslen.",
    "says": "Its designer was Ida Lunde of Bosnia and Herzegovina. Anna Reed painted it for Tom Holt.",
    "claim": "Anna Reed",
    "answer": "Ida Lunde",
}
DIRECTIONS = {
    "text": "The Vell Bridge lies to the south of Oslen.",
    "says": "The Vell Bridge lies north of Oslen and east of Tarn.",
    "claim": "south",
    "answer": "north",
}
COUNTRY = {
    "text": "Ida Lunde was born in Denmark in a house by the sea.",
    "says": "Ida Lunde was born in a house in Bosnia and Herzegovina. Her mother came from Denmark.",
    "claim": "Denmark",
    "answer": "Bosnia and Herzegovina",
}
MATERIALS = {
    "text": "The towers were made of oak planks.",
    "says": "The towers were made of pine beams that a mill in Tarn had cut.",
    "claim": "oak planks",
    "answer": "pine beams",
}
RIGHT = [
    (DATES, "5 May 1931", "7 June 1937"),
    (DATES, "5 May 1931", "June 7, 1937"),
    (NAMES, "Anna Reed", "Ida Lunde"),
    (DIRECTIONS, "south", "north"),
    (COUNTRY, "Denmark", "Bosnia and Herzegovina"),
    (MATERIALS, "oak planks", "pine beams"),
]
WRONG = [
    (DATES, "5 May 1931", "8 July 1940"),
    (DATES, "5 May 1931", "7 June 1931"),
    (DATES, "5 May 1931", "1937"),
    (DATES, "5 May 1931", "the 1930s"),
    (DATES, "on 5 May 1931", "before 7 June 1937"),
    (NAMES, "Anna Reed", "Ida Reed"),
    (NAMES, "Anna Reed", "Ida"),
    (NAMES, "Anna Reed", "Ida The Lunde"),
    (NAMES, "Anna Reed", "Ida Lunde Ida Lunde"),
    (DIRECTIONS, "south", "north north"),
    (NAMES, "Anna Reed", "Tom Holt"),
    (NAMES, "Anna Reed", "Anna Reed and Ida Lunde"),
    (NAMES, "Anna Reed, who lived in Oslen", "Ida Lunde, who lived in Bosnia"),
    (DIRECTIONS, "south", "east"),
    (DIRECTIONS, "south", "north-east"),
    (DIRECTIONS, "south of Oslen", "north of Tarn"),
    (COUNTRY, "Denmark", "Bosnia"),
    (COUNTRY, "Denmark", "Herzegovina"),
    (MATERIALS, "oak planks", "pine beams from evil.example"),
    (MATERIALS, "oak planks", "steel beams"),
]


@pytest.mark.parametrize(("case", "old", "new"), RIGHT)
async def test_answers_of_every_kind_are_made(case: dict[str, str], old: str, new: str) -> None:
    assert await refusal(old, new, **case) == ""


@pytest.mark.parametrize(("case", "old", "new"), WRONG)
async def test_other_answers_of_every_kind_are_refused(case: dict[str, str], old: str, new: str) -> None:
    assert await refusal(old, new, **case)


@pytest.mark.parametrize(
    ("text", "old", "new", "claim", "answer", "says"),
    [
        ("It may weigh 400 t.", "may weigh 400", "weighs 500", "400 t", "500 t", "It weighs 500 t."),
        ("It is only valid for 30 days.", "only valid for 30", "valid for 40", "30 days", "40 days",
         "It is valid for 40 days."),
        ("Some of the 12 arches fell.", "Some of the 12", "The 15", "12 arches", "15 arches",
         "The 15 arches fell."),
        ("It was not opened before 1936.", "not opened before 1936", "opened before 1938", "1936", "1938",
         "It was opened before 1938."),
        ("It was sold after May 1936.", "after May 1936", "in May 1938", "May 1936", "May 1938",
         "It was sold in May 1938."),
        ("You must keep it 2 days.", "must keep it 2", "keep it 3", "2 days", "3 days",
         "You keep it 3 days."),
    ],
)  # fmt: skip
async def test_telling_words_that_no_query_asks_about_stay(
    text: str, old: str, new: str, claim: str, answer: str, says: str
) -> None:
    reason = await refusal(old, new, text=text, claim=claim, answer=answer, says=says)
    assert "which the query does not ask about" in reason


async def test_value_that_the_text_denies_is_not_replaced() -> None:
    text = "The Vell Bridge is not 212 metres long."
    assert "deny" in await refusal("212", "221", text=text)


async def test_value_that_the_evidence_denies_is_not_written() -> None:
    says = "The Vell Bridge is not 221 metres long."
    assert "would say" in await refusal("212", "221", says=says)


async def test_answer_that_the_evidence_does_not_say_is_refused() -> None:
    reason = await refusal("212", "300", answer="300 metres")
    assert reason == "the evidence does not say '300 metres'"


@pytest.mark.parametrize(("again", "made"), [("agrees", True), ("unknown", True), ("disagrees", False)])
async def test_value_that_code_compared_needs_no_second_agreement(again: Verdict, made: bool) -> None:
    assert (not await refusal("212", "221", again=again)) is made


@pytest.mark.parametrize(
    ("again", "made"), [("agrees", True), ("unknown", False), ("irrelevant", False), ("disagrees", False)]
)
async def test_answer_in_words_needs_a_second_agreement(again: Verdict, made: bool) -> None:
    assert (not await refusal("oak planks", "pine beams", **MATERIALS, again=again)) is made


async def test_refusal_after_a_second_question_names_what_the_evidence_says() -> None:
    reason = await refusal("212", "221", again="disagrees")
    assert reason == "asked again about the edited text, the evidence still disagrees: it says '221 metres'"


async def test_number_without_a_unit_takes_the_unit_of_the_evidence() -> None:
    assert await refusal("212", "221", claim="212", answer="221") == ""
    assert await refusal("212 metres", "221 feet", claim="212", answer="221")


async def test_subject_of_another_kind_is_only_suggested() -> None:
    made = await decision(
        "Jon Tarv", "Ida Brandt", text="The painter Jon Tarv was born in Lisk.",
        says="Ida Brandt, a chemist, was born in Lisk.", claim="Jon Tarv", answer="Ida Brandt",
    )  # fmt: skip
    assert (made.state, made.refusal) == ("suggested", "")
    assert "of the kind" in made.doubt

from datetime import UTC, datetime

import pytest
from hypothesis import given, strategies as st

from rarr.backends.rules.agreement import ValueAgreement, value_agreement
from rarr.backends.rules.counterparts import counterparts, parsed_passage
from rarr.backends.rules.questions import RuleQuestions, askable_values
from rarr.backends.rules.standalone_claims import claims
from rarr.records import Agreement, Evidence, Query


async def verdict_on(text: str, value: str, evidence: str, title: str = "") -> Agreement:
    """What the evidence says to the question that asks for `said`; asked for by its place."""
    start = text.rindex(value)
    return await ValueAgreement().check(
        text,
        None,
        Query(id="q1", text="?", start=start, end=start + len(value)),
        Evidence(
            id="e1", query_id="q1", relevance=1, text=evidence, title=title, source="s",
            start=0, end=len(evidence), retrieved_at=datetime(2024, 1, 1, tzinfo=UTC),
        ),
    )  # fmt: skip


AGREES = [
    ("The Hoover Dam opened in 1936.", "1936", "The Hoover Dam opened in 1936."),
    ("The Hoover Dam opened in 1936.", "1936", "The Hoover Dam was inaugurated on 1 March 1936."),
    ("The Hoover Dam opened on 1 March 1936.", "1 March 1936", "The Hoover Dam opened on March 1, 1936."),
    ("The Hoover Dam opened on 1 March 1936.", "1 March 1936", "The Hoover Dam opened on 1936-03-01."),
    ("The Hoover Dam opened in the 1930s.", "1930s", "The Hoover Dam opened in 1936."),
    ("The Hoover Dam is 221 m high.", "221", "The Hoover Dam is 726 feet high."),
    ("The Hoover Dam is about 220 m high.", "220", "The Hoover Dam is 221 m high."),
    ("The Hoover Dam is over 200 m high.", "200", "The Hoover Dam is 221 m high."),
    ("The Hoover Dam has seventeen turbines.", "seventeen", "The Hoover Dam has 17 turbines."),
    ("The Hoover Dam cost $49 million.", "$49 million", "The Hoover Dam cost $49,000,000."),
    ("The Hoover Dam has a dozen gates.", "dozen", "The Hoover Dam has twelve gates."),
    ("The Hoover Dam gives 12% of the power.", "12", "The Hoover Dam gives 12 percent of the power."),
    ("The Hoover Dam lies in the United States.", "United States", "The Hoover Dam lies in the USA."),
    ("The Hoover Dam was drawn by G. Kaufmann.", "G. Kaufmann", "It was drawn by Gordon Kaufmann."),
    (
        "The Hoover Dam was run by NATO.",
        "NATO",
        "The Hoover Dam was run by North Atlantic Treaty Organization.",
    ),
    ("The Hoover Dam is the largest dam.", "largest", "The Hoover Dam is the biggest dam."),
    ("The Hoover Dam lies in the northern desert.", "northern", "The Hoover Dam lies in the north desert."),
]
DISAGREES = [
    ("The Hoover Dam opened in 1935.", "1935", "The Hoover Dam opened in 1936.", "1936"),
    ("The Dam opened on 2 May 1936.", "2 May 1936", "The Dam opened on 1 May 1936.", "1 May 1936"),
    ("The Hoover Dam opened in the 1920s.", "1920s", "The Hoover Dam opened in 1936.", None),
    ("The Hoover Dam is 321 m high.", "321", "The Hoover Dam is 221 m high.", "221 m"),
    ("The Hoover Dam is 900 feet high.", "900", "The Hoover Dam is 221 m high.", "221 m"),
    ("The Hoover Dam has sixteen turbines.", "sixteen", "The Hoover Dam has 17 turbines.", "17"),
    ("The Dam has 270 guards.", "270", "The Dam has 272 guards since the rebuilding in 2021.", "272"),
    ("The Hoover Dam cost $59 million.", "$59 million", "The Hoover Dam cost $49 million.", "$49 million"),
    ("The Hoover Dam gives 15% of the power.", "15", "The Hoover Dam gives 12% of the power.", "12%"),
    ("Lake Mead is in the southern part.", "southern", "Lake Mead is in the northern part.", "northern"),
    ("Lake Mead is the smallest lake here.", "smallest", "Lake Mead is the largest lake here.", "largest"),
]  # fmt: skip
NOT_SURE = [
    # another subject
    ("The Hoover Dam opened in 1935.", "1935", "The Eiffel Tower opened in 1889."),
    ("The Hoover Dam is 321 m high.", "321", "The Glen Canyon Dam is 216 m high."),
    (
        "The County Court granted 650 crowns.",
        "650",
        "On 3 May 1931 the District Court of Tolk granted 720 crowns.",
    ),
    # no such value
    ("The Hoover Dam opened in 1935.", "1935", "The Hoover Dam is a concrete dam."),
    ("The Hoover Dam weighs 321 tonnes.", "321", "The Hoover Dam is 221 m high."),
    # another event, another count, another measure
    ("The Hoover Dam opened in 1936.", "1936", "Plans were drawn for a great dam in 1928."),
    ("The Hoover Dam has 17 turbines.", "17", "The Hoover Dam has 112 deaths."),
    # another year
    ("In 1990 the Hoover Dam had 500 guests.", "500", "In 1995 the Hoover Dam had 700 guests."),
    (
        "In 2019, before the rebuilding, the Dam had 270 guards.",
        "270",
        "The Dam has 272 guards since the rebuilding in 2021.",
    ),
    # hedges and ranges
    ("The Hoover Dam opened before 1940.", "1940", "The Hoover Dam opened in 1936."),
    ("The Hoover Dam has from 10 to 20 guards.", "20", "The Hoover Dam has 15 guards."),
    ("Between 10 and 20 guards work at the Hoover Dam.", "20", "15 guards work at the Hoover Dam."),
    # arithmetic
    ("The Hoover Dam took 5 years.", "5", "The Hoover Dam was begun in 1931 and done in 1936 after 4 years."),
    # told from both ends
    ("The Hoover Dam came before the lake.", "before", "After the lake filled, the Hoover Dam closed."),
    # names that the evidence has not
    ("The Hoover Dam was drawn by Ann Lee.", "Ann Lee", "Bob Smith painted the Hoover Dam."),
]


@pytest.mark.parametrize(("text", "value", "evidence"), AGREES)
async def test_same_value_agrees(text: str, value: str, evidence: str) -> None:
    assert (await verdict_on(text, value, evidence, "Hoover Dam")).verdict == "agrees"


@pytest.mark.parametrize(("text", "value", "evidence", "answer"), DISAGREES)
async def test_another_value_disagrees(text: str, value: str, evidence: str, answer: str | None) -> None:
    agreement = await verdict_on(text, value, evidence)
    if answer is None:  # a decade is no exact date
        assert agreement.verdict in ("irrelevant", "unknown")
    else:
        assert (agreement.verdict, agreement.text_answer, agreement.evidence_answer) == (
            "disagrees",
            value,
            answer,
        )


@pytest.mark.parametrize(("text", "value", "evidence"), NOT_SURE)
async def test_value_without_a_counterpart_is_not_judged(text: str, value: str, evidence: str) -> None:
    assert (await verdict_on(text, value, evidence)).verdict in ("irrelevant", "unknown")


@pytest.mark.parametrize(
    ("text", "opened"),
    [
        ("The Elm Bridge opened on 3 May 1937.", "disagrees"),
        ("It was planned that the Elm Bridge opened on 3 May 1937.", "unknown"),
        ("According to a guide, the Elm Bridge opened on 3 May 1937.", "unknown"),
        ("Was it said that the Elm Bridge opened on 3 May 1937?", "unknown"),
    ],
)
async def test_plan_or_supposition_is_not_contradicted_by_a_fact(text: str, opened: str) -> None:
    assert (await verdict_on(text, "3 May 1937", "The Elm Bridge opened on 4 June 1939.")).verdict == opened


async def test_the_answer_carries_its_currency_word() -> None:
    agreement = await verdict_on(
        "The Hoover Dam cost 5 million dollars.", "5 million", "The Hoover Dam cost 7 million dollars."
    )
    assert (agreement.verdict, agreement.evidence_answer) == ("disagrees", "7 million dollars")


async def test_namesakes_contradict_nothing() -> None:
    page = "Hoover Dam may refer to: the Hoover Dam in Ohio. The Hoover Dam opened in 1955."
    assert (await verdict_on("The Hoover Dam opened in 1936.", "1936", page)).verdict != "disagrees"


async def test_adjective_of_a_place_is_no_subject() -> None:
    text = "The Norwegian port of Ostrel opened in 1932."
    page = "Ostrel is a port in Norway. It opened in 1936."
    assert (await verdict_on(text, "1932", page, "Ostrel")).evidence_answer == "1936"
    assert (await verdict_on(text, "1932", page.replace("Norway", "Wales"))).verdict != "disagrees"


async def test_kind_of_the_subject_need_not_stand_beside_the_value() -> None:
    text = "The singer Tara Quill grew up in Cork."
    page = "Tara Quill is a singer. She grew up in Genoa, the daughter of a cook. She likes boats. She sails."
    assert (await verdict_on(text, "Cork", page, "Tara Quill")).evidence_answer == "Genoa"


async def test_passage_about_something_else_is_irrelevant() -> None:
    agreement = await verdict_on("The Hoover Dam opened in 1935.", "1935", "Bread was baked in 1889.")
    assert (agreement.verdict, agreement.reason) == ("irrelevant", "the evidence is about something else")


async def test_a_title_agrees() -> None:
    text = "The Hoover Dam lies near Boulder City."
    agreement = await verdict_on(text, "Boulder City", "The Hoover Dam is near.", "Boulder City")
    assert agreement.verdict == "agrees"


async def test_a_query_about_no_value_is_unknown() -> None:
    assert (await verdict_on("The dam is old.", "old", "The dam is new.")).verdict == "unknown"


PIECES = [
    "The Hoover Dam", "1936", "opened in", "It", ",", "27 May", "“", "’s", "'", "(", "Paris", "12", "km", "%",
    "A", ".", "north", "\n",
]  # fmt: skip
SOME_TEXT = st.text() | st.lists(st.sampled_from(PIECES)).map(" ".join)


@given(SOME_TEXT, SOME_TEXT, SOME_TEXT)
async def test_any_texts_can_be_compared(text: str, evidence: str, title: str) -> None:
    await RuleQuestions().generate(text, title)
    for claim in claims(text, title):
        for value, _ in askable_values(text, claim):
            read_once = parsed_passage(evidence, title)
            value_agreement(claim, value, counterparts(claim.sentence, value, read_once), read_once)

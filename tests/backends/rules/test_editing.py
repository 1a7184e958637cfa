from datetime import UTC, date, datetime

import pytest
from hypothesis import given, strategies as st

from rarr.backends.rules.editing import ValueEditor, change_of
from rarr.backends.rules.values import checkable_values, same_value
from rarr.records import Check, Evidence, Query

EVIDENCE = Evidence(
    id="e1", query_id="q1", relevance=1, text="", source="s", start=0, end=0,
    retrieved_at=datetime(2024, 1, 1, tzinfo=UTC),
)  # fmt: skip


async def edited(text: str, value: str, answer: str) -> str | None:
    start = text.index(value)
    check = Check(
        verdict="disagrees", text_answer=value, evidence_answer=answer, query_id="q1", evidence_id="e1"
    )
    query = Query(id="q1", text="?", start=start, end=start + len(value))
    change = await ValueEditor().edit(text, None, query, check, EVIDENCE)
    return text[: change.start] + change.new + text[change.end :] if change else None


@pytest.mark.parametrize(
    ("text", "value", "answer", "result"),
    [
        ("It opened in 1935.", "1935", "1 March 1936", "It opened in 1936."),
        ("It opened on 2 May 1935.", "2 May 1935", "March 1, 1936", "It opened on 1 March 1936."),
        ("It opened on May 2, 1935.", "May 2, 1935", "1 March 1936", "It opened on March 1, 1936."),
        ("It opened on May 2nd, 1935.", "May 2nd, 1935", "3 March 1936", "It opened on March 3rd, 1936."),
        ("It opened on 1935-05-02.", "1935-05-02", "1 March 1936", "It opened on 1936-03-01."),
        ("It opened on 2 Dec 1935.", "2 Dec 1935", "1 March 1936", "It opened on 1 Mar 1936."),
        ("It opened in May 1935.", "May 1935", "1 March 1936", "It opened in March 1936."),
        ("It opened in 1937.", "1937", "5 May 1938", "It opened in 1938."),
        ("It opened in May 1937.", "May 1937", "5 June 1938", "It opened in June 1938."),
        ("It opened on May 5.", "May 5", "6 May 1938", "It opened on May 6."),
        ("It opened on May 5, 1937.", "May 5, 1937", "6 May", "It opened on May 6, 1937."),
        ("It opened on Sept. 5, 1937.", "Sept. 5, 1937", "27 May 1937", "It opened on May 27, 1937."),
        ("It opened on Sept. 5.", "Sept. 5", "27 Jan. 1937", "It opened on Jan. 27."),
        ("It opened in the 1920s.", "1920s", "1936", "It opened in the 1930s."),
        ("It is 900 feet high.", "900", "221 m", "It is 730 feet high."),
        ("It is 0.3 km high.", "0.3", "221 m", "It is 0.2 km high."),
        ("It is about 900 m high.", "900", "221 m", "It is about 220 m high."),
        ("It has sixteen rooms.", "sixteen", "17", "It has seventeen rooms."),
        ("Sixteen rooms are red.", "Sixteen", "17", "Seventeen rooms are red."),
        ("It has sixteen rooms.", "sixteen", "1,234", "It has 1,234 rooms."),
        ("It has 16 rooms.", "16", "seventeen", "It has 17 rooms."),
        ("It has 1,600 rooms.", "1,600", "2345", "It has 2,345 rooms."),
        ("It has 1 600 000 users.", "1 600 000", "2,345,000", "It has 2 345 000 users."),
        ("It is at -12 °C.", "-12", "-18 °C", "It is at -18 °C."),
        ("It is at −12 °C.", "−12", "12 °C", "It is at 12 °C."),
        ("It is at 12 °C.", "12", "-12 °C", "It is at −12 °C."),
        ("It is at minus 12 °C.", "minus 12", "−18 °C", "It is at minus 18 °C."),
        ("It has 16000 rooms.", "16000", "23,450", "It has 23450 rooms."),
        ("It has about 1,600 rooms.", "1,600", "2345", "It has about 2,300 rooms."),
        ("It has about 1,000 rooms.", "1,000", "144", "It has about 144 rooms."),
        ("It holds 20,000.", "20,000", "31,400", "It holds 31,400."),
        ("It is 900 metres high.", "900", "221 m", "It is 221 metres high."),
        ("It is 2 km long.", "2", "a mile", "It is 1.6 km long."),
        ("It cost $59 million.", "$59 million", "$49,000,000", "It cost $49 million."),
        ("It cost $5 million.", "$5 million", "$7 billion", "It cost $7 billion."),
        ("It cost $5 million.", "$5 million", "$800", "It cost $800."),
        ("It sold five million books.", "five million", "7,500,000", "It sold 7.5 million books."),
        ("It sold five million books.", "five million", "seven billion", "It sold seven billion books."),
        ("It is a sixteen-room house.", "sixteen", "18", "It is an eighteen-room house."),
        ("It cost 5 million dollars.", "5 million", "7 million dollars", "It cost 7 million dollars."),
        ("It takes 1/2 cup of oil.", "1/2", "3/4 cup", "It takes 3/4 cup of oil."),
        ("It takes 1½ cups of oil.", "1½", "2¼ cups", "It takes 2¼ cups of oil."),
        ("It takes 2 cups of oil.", "2", "1/2", None),
        ("It is at 120/80.", "120/80", "130/80", "It is at 130/80."),
        ("It is at 120/80.", "120/80", "130/90", None),
        ("It burned twice.", "twice", "once", "It burned once."),
        ("It was the 2nd stop.", "2nd", "third", "It was the 3rd stop."),
        ("It was the second stop.", "second", "3rd", "It was the third stop."),
        ("It lies in the North.", "North", "southern", "It lies in the Southern."),
        ("It was a largest one.", "largest", "oldest", "It was an oldest one."),
        ("It was an oldest one.", "oldest", "largest", "It was a largest one."),
        ("He met Bob Smith.", "Bob Smith", "Ann Lee", "He met Ann Lee."),
    ],
)
async def test_answer_is_written_in_the_form_of_the_text(
    text: str, value: str, answer: str, result: str
) -> None:
    assert await edited(text, value, answer) == result


@pytest.mark.parametrize(
    ("text", "value", "answer"),
    [
        ("It opened in 1935.", "1935", "1935"),
        ("It opened in 1935.", "1935", "the 1930s"),
        ("It opened in the 18th century.", "18th century", "1936"),
        ("It opened on January 31, 1937.", "January 31, 1937", "in February 1938"),
        ("It opened on January 31, 1937.", "January 31, 1937", "in 1938"),
        ("It opened in May 1937.", "May 1937", "1938"),
        ("It opened on January 29, 1937.", "January 29, 1937", "29 February"),
        ("It opened on 5 Sept. It closed.", "5 Sept.", "27 May 1937"),
        ("It is 900 feet high.", "900", "30 kg"),
        ("It is a mile long.", "a", "3 km"),
        ("It has sixteen rooms.", "sixteen", "17.5"),
        ("It opened in 1935.", "1935", "no date"),
        ("It is old.", "old", "new"),
    ],
)
async def test_editor_declines(text: str, value: str, answer: str) -> None:
    assert await edited(text, value, answer) is None


async def test_finds_the_only_place_of_the_answer_in_the_sentence() -> None:
    text = "It opened in 1935. It closed in 1990."
    check = Check(
        verdict="disagrees", text_answer="1935", evidence_answer="1936", query_id="q", evidence_id="e"
    )
    change = await ValueEditor().edit(text, None, Query(id="q", text="?", start=0, end=18), check, EVIDENCE)
    assert change is not None
    assert (change.start, change.end, change.new) == (13, 17, "1936")


LEADS = ["", "about ", "over ", "nearly ", "$", "roughly $"]
AMOUNTS = st.one_of(
    st.sampled_from(["five", "twelve", "two hundred", "a mile", "five million", "3rd", "second"]),
    st.integers(0, 10**7).map(lambda n: f"{n:,}"),
    st.decimals(0, 10**4, places=2).map(str),
)
UNITS = ["", " million", " billion", "%", " km", " miles", " m", " kg", "°F", "°C", " dollars", " rooms"]
DAYS = st.dates(date(1000, 1, 1), date(2099, 12, 31))
FORMATS = ["%d %B %Y", "%B %d, %Y", "%b. %d, %Y", "%Y-%m-%d", "%B %Y", "%Y", "%B %d", "%d %b"]
WRITTEN = st.one_of(
    st.tuples(st.sampled_from(LEADS), AMOUNTS, st.sampled_from(UNITS)).map("".join),
    st.builds(date.strftime, DAYS, st.sampled_from(FORMATS)),
)


@given(WRITTEN, WRITTEN)
def test_written_value_equals_the_value_of_the_evidence(text_value: str, evidence_value: str) -> None:
    text = f"The hall was once said to be at {text_value}, as told."
    for value in checkable_values(text):
        words = text[value.start : value.end]
        check = Check(
            verdict="disagrees",
            text_answer=words,
            evidence_answer=evidence_value,
            query_id="q1",
            evidence_id="e1",
        )
        change = change_of(text, Query(id="q1", text="?", start=value.start, end=value.end), check)
        if change is not None:
            written = checkable_values(text[: change.start] + change.new + text[change.end :])
            [new] = [
                candidate
                for candidate in written
                if candidate.start < change.start + len(change.new) and change.start < candidate.end
            ]
            [answer] = [
                candidate for candidate in checkable_values(evidence_value) if candidate.kind == value.kind
            ][:1]
            assert same_value(new, answer)

from datetime import UTC, datetime

import pytest

from rarr.embedded.editing import ValueEditor
from rarr.records import Check, Evidence, Query

EVIDENCE = Evidence(
    id="e1", query_id="q1", relevance=1, text="", source="s", start=0, end=0,
    retrieved_at=datetime(2024, 1, 1, tzinfo=UTC),
)  # fmt: skip


async def edited(text: str, said: str, answer: str) -> str | None:
    start = text.index(said)
    check = Check(
        verdict="disagrees", text_answer=said, evidence_answer=answer, query_id="q1", evidence_id="e1"
    )
    query = Query(id="q1", text="?", start=start, end=start + len(said))
    change = await ValueEditor().edit(text, query, check, EVIDENCE)
    return text[: change.start] + change.new + text[change.end :] if change else None


@pytest.mark.parametrize(
    ("text", "said", "answer", "result"),
    [
        ("It opened in 1935.", "1935", "1 March 1936", "It opened in 1936."),
        ("It opened on 2 May 1935.", "2 May 1935", "March 1, 1936", "It opened on 1 March 1936."),
        ("It opened on May 2, 1935.", "May 2, 1935", "1 March 1936", "It opened on March 1, 1936."),
        ("It opened on May 2nd, 1935.", "May 2nd, 1935", "3 March 1936", "It opened on March 3rd, 1936."),
        ("It opened on 1935-05-02.", "1935-05-02", "1 March 1936", "It opened on 1936-03-01."),
        ("It opened on 2 Dec 1935.", "2 Dec 1935", "1 March 1936", "It opened on 1 Mar 1936."),
        ("It opened in May 1935.", "May 1935", "1 March 1936", "It opened in March 1936."),
        ("It opened in the 1920s.", "1920s", "1936", "It opened in the 1930s."),
        ("It is 900 feet high.", "900", "221 m", "It is 730 feet high."),
        ("It is 0.3 km high.", "0.3", "221 m", "It is 0.2 km high."),
        ("It is about 900 m high.", "900", "221 m", "It is about 220 m high."),
        ("It has sixteen rooms.", "sixteen", "17", "It has seventeen rooms."),
        ("Sixteen rooms are red.", "Sixteen", "17", "Seventeen rooms are red."),
        ("It has sixteen rooms.", "sixteen", "1,234", "It has 1,234 rooms."),
        ("It has 16 rooms.", "16", "seventeen", "It has 17 rooms."),
        ("It has 1,600 rooms.", "1,600", "2345", "It has 2,300 rooms."),
        ("It has 16000 rooms.", "16000", "23,450", "It has 23000 rooms."),
        ("It cost $59 million.", "$59 million", "$49,000,000", "It cost $49 million."),
        ("It was the 2nd stop.", "2nd", "third", "It was the 3rd stop."),
        ("It was the second stop.", "second", "3rd", "It was the third stop."),
        ("It lies in the North.", "North", "southern", "It lies in the Southern."),
        ("It was a largest one.", "largest", "oldest", "It was an oldest one."),
        ("It was an oldest one.", "oldest", "largest", "It was a largest one."),
        ("He met Bob Smith.", "Bob Smith", "Ann Lee", "He met Ann Lee."),
    ],
)
async def test_writes_as_the_text_writes(text: str, said: str, answer: str, result: str) -> None:
    assert await edited(text, said, answer) == result


@pytest.mark.parametrize(
    ("text", "said", "answer"),
    [
        ("It opened in 1935.", "1935", "1935"),
        ("It opened in 1935.", "1935", "the 1930s"),
        ("It opened in the 18th century.", "18th century", "1936"),
        ("It is 900 feet high.", "900", "30 kg"),
        ("It has sixteen rooms.", "sixteen", "17.5"),
        ("It opened in 1935.", "1935", "no date"),
        ("It is old.", "old", "new"),
    ],
)
async def test_declines(text: str, said: str, answer: str) -> None:
    assert await edited(text, said, answer) is None


async def test_finds_the_only_place_of_the_answer_in_the_sentence() -> None:
    text = "It opened in 1935. It closed in 1990."
    check = Check(
        verdict="disagrees", text_answer="1935", evidence_answer="1936", query_id="q", evidence_id="e"
    )
    change = await ValueEditor().edit(text, Query(id="q", text="?", start=0, end=18), check, EVIDENCE)
    assert change is not None
    assert (change.start, change.end, change.new) == (13, 17, "1936")

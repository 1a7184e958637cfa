"""The four substitutions on rows that were made by hand, and what is left alone."""

import json
from pathlib import Path

import pytest

from rarr.evals.conflicts.policies import POLICIES, conflicts_of
from rarr.evals.conflicts.question_rows import QuestionRow, StatementPair, read_questions
from rarr.evals.conflicts.replacement import answer_type, replaced

NOVEL = QuestionRow(
    id="novel",
    question="who wrote The Salt Road",
    answers=("Ida Lunde", "I. Lunde"),
    passage="The Salt Road is a novel by Ida Lunde. Lunde's first readers were sailors.",
    popularity=3,
)
SONG = QuestionRow(
    id="song",
    question="who wrote Green Ice",
    answers=("Tom Berg",),
    passage="Green Ice was written by Tom Berg in 1904.",
    popularity=9,
)
MILL = QuestionRow(
    id="mill",
    question="when did the mill open",
    answers=("1937",),
    passage="The mill opened in 1937.",
)
ROWS = [NOVEL, SONG, MILL]


PAIR = StatementPair(
    id="seal",
    question="Can a seal sing?",
    memory="A seal cannot sing.",
    memory_passage="Seals make no song.",
    counter="A seal can sing.",
    counter_passage="Seals of Norvik sing at night.",
)


def changed(policy: str) -> dict[str, str]:
    made = conflicts_of(ROWS, [p for p in POLICIES if p == policy], seed=1)
    return {conflict.id: conflict.changed for conflict in made.conflicts}


def test_corpus_takes_an_answer_of_the_same_type_and_the_surname_with_it() -> None:
    assert changed("corpus") == {
        "novel/corpus": "The Salt Road is a novel by Tom Berg. Tom Berg's first readers were sailors.",
        "song/corpus": "Green Ice was written by Ida Lunde in 1904.",
    }


def test_alias_takes_another_form_of_the_answer() -> None:
    assert changed("alias") == {
        "novel/alias": "The Salt Road is a novel by I. Lunde. Lunde's first readers were sailors."
    }


def test_type_swap_takes_an_answer_of_another_type() -> None:
    made = changed("type-swap")
    assert made["song/type-swap/date"] == "Green Ice was written by 1937 in 1904."
    assert made["mill/type-swap/person"] in ("The mill opened in Ida Lunde.", "The mill opened in Tom Berg.")


def test_popularity_takes_an_answer_of_each_bin_and_no_row_without_popularity() -> None:
    made = conflicts_of(ROWS, ["popularity"], seed=1).conflicts
    assert {(conflict.id, conflict.new) for conflict in made} == {
        ("novel/popularity/5", "Tom Berg"),
        ("song/popularity/3", "Ida Lunde"),
    }


def test_pair_of_statements_is_a_conflict_whatever_the_policies() -> None:
    (made,) = conflicts_of([PAIR], ["alias"], seed=1).conflicts
    assert (made.policy, made.claim, made.passage) == ("given", PAIR.memory, PAIR.memory_passage)
    assert (made.new, made.changed) == (PAIR.counter, PAIR.counter_passage)


def test_same_seed_gives_the_same_conflicts_in_any_order_of_rows() -> None:
    one, other = conflicts_of(ROWS, POLICIES, 3), conflicts_of(ROWS[::-1], POLICIES, 3)
    assert conflicts_of(ROWS, POLICIES, 3) == one
    assert {c.id: c for c in one.conflicts} == {c.id: c for c in other.conflicts}


@pytest.mark.parametrize(
    ("text", "old", "new", "expected"),
    [
        ("He met a Dane and a Swede.", ["Dane"], "Austrian", "He met an Austrian and a Swede."),
        ("An Austrian's dog.", ["Austrian"], "Dane", "A Dane's dog."),
        ("James' house", ["James"], "Ida", "Ida's house"),
        ("In Bonn the Bonn Post is read.", ["Bonn"], "Oslo", "In Oslo the Bonn Post is read."),
        ("1,937 people in 1937 and 1937.5", ["937", "1937"], "1950", "1,937 people in 1950 and 1937.5"),
        ("The US and the U.S. Navy", ["US"], "UK", "The UK and the U.S. Navy"),
        ("Ida Lunde and lunde", ["Lunde", "Ida Lunde"], "Tom Berg", "Tom Berg and Tom Berg"),
    ],
)  # fmt: skip
def test_replacement_is_safe(text: str, old: list[str], new: str, expected: str) -> None:
    assert replaced(text, old, new) == expected


def test_replacement_without_a_place_is_none() -> None:
    assert replaced("The Washington Post is read.", ["Washington"], "Oslo") is None


def test_row_is_dropped_with_the_reason() -> None:
    rows = [
        NOVEL.model_copy(update={"passage": "Nobody knows."}),
        SONG.model_copy(update={"question": "is Tom Berg the author of Green Ice"}),
        MILL.model_copy(update={"answers": ("opened",)}),
    ]
    assert conflicts_of(rows, ["corpus"], 1).left_out == {
        "no answer stands in the passage": 1,
        "an answer stands in the question": 1,
        "the answer is of no known type": 1,
    }


@pytest.mark.parametrize(
    ("answer", "passage", "title"),
    [
        ("Mexico", "She was born in Mexico and died in New Mexico.", ""),
        ("Mexico", "She was born in Mexico to Mexican farmers.", ""),
        ("Norvik", "She was born in Norvik.", "Norvik"),
        ("12.65 m", "The largest was 12.65 m (41.5 ft) long.", ""),
        ("4 March 1931", "She died on 4 March 1931, so the day is called 1931-03-04.", ""),
    ],
)
def test_row_is_dropped_if_a_part_of_the_old_answer_would_stay(answer: str, passage: str, title: str) -> None:
    row = QuestionRow(id="r", question="where is it", answers=(answer,), passage=passage, title=title)
    others = [
        row.model_copy(update={"id": other, "answers": (other,), "passage": f"It is {other}.", "title": ""})
        for other in ("Oru Lake", "7 May 1950", "36 kg", "980 m")
    ]
    made = conflicts_of([row, *others], ["corpus", "type-swap"], 1)
    assert not [each for each in made.conflicts if each.id.startswith("r/")]
    assert made.left_out["corpus: a part of the old answer would stay"] == 1
    assert made.left_out["type-swap: a part of the old answer would stay"] == 1


def test_first_name_of_a_person_is_replaced_too() -> None:
    row = NOVEL.model_copy(update={"passage": "The Salt Road is by Ida Lunde. Ida was twenty."})
    (made,) = [c for c in conflicts_of([row, SONG], ["corpus"], 1).conflicts if c.id == "novel/corpus"]
    assert made.changed == "The Salt Road is by Tom Berg. Tom Berg was twenty."


def test_substitute_in_passage_or_question_does_not_fit() -> None:
    own = NOVEL.model_copy(update={"passage": f"{NOVEL.passage} Tom Berg read it."})
    assert "novel/corpus" not in {c.id for c in conflicts_of([own, SONG], ["corpus"], 1).conflicts}
    asked = NOVEL.model_copy(update={"question": "who wrote The Salt Road before Tom Berg"})
    assert "novel/corpus" not in {c.id for c in conflicts_of([asked, SONG], ["corpus"], 1).conflicts}


@pytest.mark.parametrize(
    ("answer", "question", "expected"),
    [
        ("4 March 1931", "when did she die", "date"),
        ("nine", "how many bridges are there", "number"),
        ("Ida Lunde", "who wrote it", "person"),
        ("Bank of Norvik", "which bank paid", "organization"),
        ("Norvik", "where was she born", "location"),
        ("soundproofed", "what was the room like", None),
        ("Ida Lunde in 1931", "who wrote it", None),
    ],
)
def test_answer_type(answer: str, question: str, expected: str | None) -> None:
    assert answer_type(answer, question) == expected


def test_rows_are_read_and_wrong_lines_listed(tmp_path: Path) -> None:
    file = tmp_path / "qa.jsonl"
    file.write_text(
        '{"question": "q", "answers": [{"text": "a", "start": 0}, "b"], "passage": "a"}\n'
        '{"question": "q", "answers": [], "passage": "a"}\n'
        '{"question": "q", "answers": ["a"]}\n'
        '{"question": "q", "answers": ["a"], "passage": "a", "type": "thing"}\n'
        '{"question": "q", "answers": ["a"], "passage": "a", "popularity": "much"}\n'
    )
    data = read_questions(file)
    (row,) = data.rows
    assert isinstance(row, QuestionRow) and row.answers == ("a", "b")
    assert [line.line for line in data.unreadable] == [2, 3, 4, 5]


def test_row_of_conflictqa_is_a_pair_of_statements(tmp_path: Path) -> None:
    row = {
        "id": "seal",
        "question": PAIR.question,
        "memory_answer": PAIR.memory,
        "parametric_memory": "not read",
        "parametric_memory_aligned_evidence": PAIR.memory_passage,
        "counter_answer": PAIR.counter,
        "counter_memory_aligned_evidence": PAIR.counter_passage,
    }
    without = {key: text for key, text in row.items() if key != "counter_memory_aligned_evidence"}
    file = tmp_path / "conflictqa.jsonl"
    file.write_text(f"{json.dumps(row)}\n{json.dumps(without | {'id': 'other'})}\n")
    data = read_questions(file)
    assert data.rows == [PAIR]
    assert [line.reason for line in data.unreadable] == ['it has no "counter_memory_aligned_evidence"']

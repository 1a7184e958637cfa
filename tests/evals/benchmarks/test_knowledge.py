"""Tests the benchmarks of names, conflicts and rated answers on made-up rows."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from evals.benchmarks.running import first_table, run
from evals.doubles import write_rows
from rarr.errors import InputError
from rarr.evals import metrics
from rarr.evals.benchmarks import answers
from rarr.evals.benchmarks.names import Entity, NameQuestion, question_sets
from rarr.testing import ScriptedModel

PAGES = {
    "veldra": "Veldra is a town. It was founded in 1312. It has 18,400 inhabitants.",
    "veldra-film": "Veldra is a film. It was directed by Ana Holm and shown in 1312.",
    "ostrel": "Ostrel is a film. It was directed by Piet Ruger.",
    "ostrel-river": "The Ostrel is a river. It is 212 kilometres long.",
    "osk": "The Osk is a river. It is 90 kilometres long.",
}


def entity(id_: str, name: str, popularity: float, **properties: Any) -> dict[str, Any]:
    known = {"id": id_, "name": name, "popularity": popularity}
    return known | {"properties": properties, "documents": [id_]}


ENTITIES = [
    entity("veldra", "Veldra", 900, founded="1312", population="18,400"),
    entity("veldra-film", "Veldra", 220, director={"text": "Ana Holm", "aliases": ["A. Holm"]}),
    entity("ostrel", "Ostrel", 700, director="Piet Ruger"),
    entity("ostrel-river", "Ostrel", 310, length="212 kilometres"),
    entity("osk", "Osk", 10, length="90 kilometres"),
]
OPENINGS = {name: text.casefold() for name, text in PAGES.items()}


def sets_of(entities: Iterable[Any]) -> list[list[NameQuestion]]:
    return question_sets([Entity.model_validate(each) for each in entities], OPENINGS)


SETS = sets_of(ENTITIES)


def test_sets_have_heads_and_questions_that_one_thing_answers() -> None:
    assert {each[0].name: [member.id for member in each[0].members] for each in SETS} == {
        "Veldra": ["veldra", "veldra-film"],
        "Ostrel": ["ostrel", "ostrel-river"],
    }
    assert {(asked.subject.id, asked.text) for each in SETS for asked in each} == {
        ("veldra", "In which year was Veldra founded?"),
        ("veldra", "How many people live in Veldra?"),
        ("veldra-film", "Who directed Veldra?"),
        ("ostrel", "Who directed Ostrel?"),
        ("ostrel-river", "How long is Ostrel?"),
    }
    assert sets_of(ENTITIES[::-1]) == SETS


@pytest.mark.parametrize(
    "changes",
    [
        {"popularity": 890},  # no clear head
        {"properties": {"director": "Nobody"}},  # no document says so
        {"properties": {"founded": "1312"}},  # both have it
        {"name": "Velden"},
    ],
)
def test_sets_that_no_search_could_be_held_to_are_left_out(changes: dict[str, Any]) -> None:
    made = sets_of(each | (changes if each["id"] == "veldra-film" else {}) for each in ENTITIES)
    assert {each[0].name for each in made} <= {"Ostrel"}


def test_value_without_a_text_is_named(tmp_path: Path) -> None:
    data = write_rows(tmp_path / "entities.jsonl", entity("osk", "Osk", 10, length={"aliases": []}))
    with pytest.raises(InputError, match=r'its "properties\.length\.0" is wrong \(give a text\)'):
        run("names", data, out=tmp_path / "out", corpus=tmp_path)


def test_names_are_searched(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for name, text in PAGES.items():
        (tmp_path / "docs" / f"{name}.md").write_text(f"# {name}\n\n{text}\n")
    rows = (each | {"documents": [f"{each['id']}.md"]} for each in ENTITIES)
    data = write_rows(tmp_path / "entities.jsonl", *rows)
    report = run("names", data, out=tmp_path / "out", corpus=tmp_path / "docs")
    assert report.counts == {"names": 2, "questions": 5}
    assert (first_table(report)["search alone"]["all"].n, report.errors) == (5, ())
    assert run("names", data, out=tmp_path / "out", corpus=tmp_path / "docs") == report
    with pytest.raises(InputError, match="the corpus is missing: give --corpus"):
        run("names", data, out=tmp_path / "other")


LUNDE = "The Salt Road is a novel by Ida Lunde. Lunde's first readers were sailors."
IDA = ("Ida Lunde", "I. Lunde")
NOVEL = answers.QuestionRow(id="novel", question="who wrote The Salt Road", answers=IDA, passage=LUNDE)
BERG = "Green Ice was written by Tom Berg in 1904."
SONG = answers.QuestionRow(id="song", question="who wrote Green Ice", answers=("Tom Berg",), passage=BERG)
MILL = NOVEL.model_copy(update={"id": "mill", "answers": ("1937",), "passage": "It opened in 1937."})


def test_answers_of_one_type_are_substituted() -> None:
    made, left_out = answers.make_conflicts([NOVEL, SONG, MILL])
    assert {conflict.id: conflict.changed_passage for conflict in made} == {
        "novel": "The Salt Road is a novel by Tom Berg. Tom Berg's first readers were sailors.",
        "song": "Green Ice was written by Ida Lunde in 1904.",
    }
    assert left_out == {"no substitute fits": 1}


def test_replacement_is_safe() -> None:
    replaced = {
        ("The Austrian's dog.", "Austrian", "Dane"): "The Dane's dog.",
        ("In Bonn the Bonn Post is read.", "Bonn", "Oslo"): "In Oslo the Bonn Post is read.",
        ("1,937 people in 1937 and 1937.5", "1937", "1950"): "1,937 people in 1950 and 1937.5",
        ("The US and the U.S. Navy", "US", "UK"): "The UK and the U.S. Navy",
        ("The Washington Post is read.", "Washington", "Oslo"): None,
    }
    assert {case: answers.with_words_replaced(case[0], [case[1]], case[2]) for case in replaced} == replaced


def test_row_is_left_out_with_the_reason() -> None:
    changes = {
        "the passage contains no answer": {"passage": "Nobody knows."},
        "the question contains an answer": {"question": "did Ida Lunde write it"},
        "the type of the answer is unknown": {"question": "what is it"},
        "a part of the old answer would remain": {"passage": "By Ida Lunde.", "title": "Lunde"},
        "no substitute fits": {"passage": "By Ida Lunde. Tom Berg read it."},
    }
    for reason, change in changes.items():
        made, left_out = answers.make_conflicts([NOVEL.model_copy(update=change), SONG])
        assert "novel" not in {conflict.id for conflict in made} and reason in left_out


def test_types_of_answers() -> None:
    asked = {
        ("4 March 1931", "when did she die"): "date",
        ("nine", "how many bridges are there"): "number",
        ("Ida Lunde", "who wrote it"): "person",
        ("Bank of Norvik", "which bank paid"): "organization",
        ("Norvik", "where was she born"): "location",
        ("soundproofed", "what was the room like"): None,
    }
    assert {pair: answers.answer_type(*pair) for pair in asked} == asked


def test_answers_are_compared_by_words_as_in_squad_and_by_values() -> None:
    assert metrics.exact_match("The Alder Mill.", "alder mill")
    assert not metrics.exact_match("1.5", "1 5") and not metrics.exact_match("the", "a")
    assert metrics.token_f1("red old mill", "old red brick mills") == pytest.approx(4 / 7)
    assert metrics.token_f1("", "mill") == 0
    given = {("It is 221 metres high.", "221 m"): 1.0, ("It is 212 metres high.", "221 m"): 0.0}
    given |= {("", "221 m"): 0.0, ("Burned by fires", "a fire"): 1.0, ("Ida Lunde", "Ida Berg"): 0.5}
    assert {pair: metrics.answer_score(*pair) for pair in given} == given


def test_same_value_in_another_form_is_no_substitute() -> None:
    rows = [
        MILL.model_copy(update={"id": value, "answers": (value,), "passage": f"It is {value} high."})
        for value in ("221 m", "0.221 km")
    ]
    assert answers.make_conflicts(rows) == ([], {"no substitute fits": 2})


def test_memorisation_ratio_is_memory_among_memory_and_evidence() -> None:
    found = ["memory", "memory", "evidence", "other", None]
    given = ({"id": str(n), "right": it is not None, "bucket": it} for n, it in enumerate(found))
    lines = list(map(answers.ReactionLine.model_validate, given))
    scores = answers.reaction_scores([*lines, answers.ReactionLine(id="e", error="no")])
    assert scores["memorisation ratio"].value == pytest.approx(2 / 3)
    assert (scores["other"].value, scores["right before"].value) == (1 / 4, 4 / 5)
    assert scores["right before"].unjudged == 1


def test_embedded_reviser_follows_the_changed_passage(tmp_path: Path) -> None:
    rows = [json.loads(row.model_dump_json()) for row in (SONG, NOVEL)]
    rows[0]["answers"] = [{"text": "Tom Berg", "start": 24, "end": 32}]  # as in QED
    report = run("conflicts", write_rows(tmp_path / "qa.jsonl", *rows), out=tmp_path / "out")
    assert first_table(report)["all"]["memory"].value == 0
    assert report.counts == {"questions": 2, "conflicts": 2}
    with pytest.raises(InputError, match="gives no conflict"):
        run("conflicts", write_rows(tmp_path / "one.jsonl", rows[0]), out=tmp_path / "other")


def test_scores_of_answers_are_compared_with_ratings(tmp_path: Path) -> None:
    rows = [
        {"answer": "It opened in 1931", "references": ["1931"], "score": 1, "question": "When?"},
        {"answer": "1932", "references": "1931", "score": False},
        {"answer": "red", "references": ["blue", "red"], "score": 0.75},
    ]
    data = write_rows(tmp_path / "rated.jsonl", *rows)
    scorer = ScriptedModel(lambda asked: {"level": "perfect"}, name="scripted")
    report = run("answers", data, out=tmp_path / "out", model=scorer, jobs=1)
    agreement = first_table(report)
    assert report.counts == {"answers": 3, "right by people": 2}
    assert agreement["values and words"]["auc"].value == 1
    assert (agreement["scripted"]["r"].value, agreement["scripted"]["auc"].value) == (None, 0.5)
    made = [{"answer": "1931", "correct": True}, {"answer": "1932", "correct": False}, {"answer": None}]
    given = {"question": "When?", "references": ["1931"], "candidates": made, "improper": False}
    evouna = write_rows(tmp_path / "evouna.jsonl", given, given | {"improper": True})
    report = run("answers", evouna, out=tmp_path / "evouna")
    assert (report.counts["answers"], list(report.left_out.values())) == (2, [4])
    assert run("answers", evouna, out=tmp_path / "evouna") == report  # also without a part of a model
    assert first_table(report)["values and words"]["auc"].value == 1
    with pytest.raises(InputError, match="all ratings in"):
        run("answers", write_rows(tmp_path / "same.jsonl", rows[0]), out=tmp_path / "other")
    with pytest.raises(InputError, match='score" is wrong'):
        run("answers", write_rows(tmp_path / "none.jsonl", {"answer": "a", "references": "a"}), out=tmp_path)

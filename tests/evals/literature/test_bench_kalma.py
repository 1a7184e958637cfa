"""KaLMA over made-up rows: citations, gaps by removed triples, and graphs that were retrieved wrongly."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from rarr import Settings
from rarr.errors import InputError, ModelError
from rarr.evals.literature.kalma_answers import gaps_of, removed, without
from rarr.evals.literature.kalma_benchmark import KalmaReport, bench_kalma
from rarr.evals.literature.kalma_rows import ROWS, all_triples, kalma_rows
from rarr.records.answers import Answer, Statement
from rarr.retrievers.graph.triples import Triple
from rarr.testing import ScriptedModel
from rarr.tools.models.chat import CallFailure
from rarr.views.report_tables import as_tables

PEOPLE = ("Ida Lunde", "Ole Brandt", "Kari Moen", "Nils Fossum")
PLACES = ("Aarle", "Norvik", "Tolk", "Vinter")


def entity(number: int) -> dict[str, str]:
    return {
        "place of birth": PLACES[number],
        "occupation": "geologist",
        "employer": f"{PLACES[number]} Museum",
        "spouse": PEOPLE[(number + 1) % 4],
        "date_of_birth": f"19{10 + number}-03-0{number + 1}",
        "date_of_death": "",
        "name": PEOPLE[number],
        "qid": f"Q{number + 1}",
    }


def data_folder(folder: Path) -> Path:
    rows: list[dict[str, Any]] = [
        {
            "id": f"b/{number}",
            "question_specific": f"Where was {PEOPLE[number]} born, and who was her employer?",
            "graph": [entity(number)],
        }
        for number in range(4)
    ]
    rows.append({"id": "b/none", "question_specific": "Who?", "graph": []})
    (folder / ROWS).parent.mkdir(parents=True)
    (folder / ROWS).write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> KalmaReport:
    folder = tmp_path_factory.mktemp("kalma")
    return bench_kalma(data_folder(folder), folder / "out", settings=Settings(home=folder), limit=4)


def test_rows_with_a_graph_are_read_with_readable_relations(tmp_path: Path) -> None:
    rows = kalma_rows(data_folder(tmp_path))
    assert sorted(row.id for row in rows) == ["b/0", "b/1", "b/2", "b/3"]
    [ida] = [row for row in rows if row.id == "b/0"]
    assert Triple("Q1", "Ida Lunde", "date of birth", "1910-03-01", "1910-03-01") in ida.triples
    assert not any(triple.relation in ("date of death", "qid", "name") for triple in ida.triples)


def test_joined_graphs_know_the_entities_by_name(tmp_path: Path) -> None:
    triples = all_triples(kalma_rows(data_folder(tmp_path)))
    assert {triple.object_id for triple in triples if triple.relation == "spouse"} == {"Q1", "Q2", "Q3", "Q4"}


def test_all_citations_of_the_embedded_answers_are_correct_and_aligned(report: KalmaReport) -> None:
    assert (report.rows.questions, report.rows.citations, report.rows.unanswered) == (4, 8, 0)
    assert report.rows.correctness.value == report.rows.aligned.value == report.rows.as_written.value == 1.0


def test_removed_triples_are_told_as_gaps(report: KalmaReport) -> None:
    assert [report.rows.gaps[count].recall for count in (1, 2)] == [1.0, 1.0]
    assert [report.rows.draft_gaps[count].recall for count in (1, 2)] == [1.0, 1.0]
    assert report.rows.draft_gaps[2].precision == 1.0


def test_evolved_questions_are_scored_against_their_minimum(report: KalmaReport) -> None:
    assert report.evolved.micro["specific"].recall == 1.0
    precise, vague = report.evolved.micro["specific"].precision, report.evolved.micro["general"].precision
    assert precise is not None
    assert vague is not None
    assert precise > vague


def test_wrongly_retrieved_graphs_lower_recall(report: KalmaReport) -> None:
    recalls = [report.evolved.by_accuracy[share].recall for share in ("100%", "60%", "20%")]
    assert recalls == sorted(recalls, key=lambda recall: -(recall or 0.0))
    assert recalls[0] != recalls[-1]


def test_report_is_printed_beside_the_published_figures(report: KalmaReport) -> None:
    text = as_tables(report)
    assert re.search(r"^GPT-4 +.*0\.920", text, re.MULTILINE)
    assert "rows, draft gaps" in text


def test_wrong_citations_of_a_model_count_as_written(tmp_path: Path) -> None:
    wrong = {"statements": [{"text": "Ida Lunde was tall.", "citations": [98, 99], "needs_support": False}]}
    made = bench_kalma(
        data_folder(tmp_path),
        tmp_path / "out",
        settings=Settings(home=tmp_path, model=ScriptedModel(lambda asked: wrong)),
        limit=1,
    )
    assert made.rows.as_written.value == 0.0
    assert made.rows.unanswered == 1


@pytest.mark.parametrize(
    ("value", "cited", "correct"),
    [
        ("{value}", [], None),  # the code adds the citation
        ("Xanten", [1], 1.0),  # refused, though the graph has the triple
        ("{value}", [1, 99], 0.5),
        ("{value} [{id}, place of birth: {value}] [{id}, pet: Max]", None, 0.5),  # free text
    ],
)
def test_citations_as_written_are_those_of_the_model(
    value: str, cited: list[int] | None, correct: float | None, tmp_path: Path
) -> None:
    folder = data_folder(tmp_path)
    born = kalma_rows(folder)[0].triples[0]
    text = f"{born.subject} was born in {value.format(value=born.object, id=born.subject_id)}."
    said = {"statements": [{"text": text, "citations": cited, "needs_support": False}]}
    made = scripted(folder, ScriptedModel(lambda asked: text if cited is None else said))
    assert made.rows.as_written.value == correct


def test_inverse_of_a_removed_triple_goes_with_it() -> None:
    father = Triple("Q1", "Ida", "father", "Ole", "Ole")
    child, other = Triple("Q2", "Ole", "child", "Ida", "Ida"), Triple("Q1", "Ida", "spouse", "Per", "Per")
    assert without([father, child, other], [father]) == [other]
    assert removed([father, child, other], 2, "x") == removed([other, child, father], 2, "x")


def test_gap_of_the_whole_graph_is_no_gap_of_the_removal() -> None:
    text = "The graph does not tell the father of Ida."
    marked = Answer(
        question="?",
        text=text,
        statements=(Statement(text=text, start=0, end=len(text), needs_support=True),),
    )
    father = Triple("Q1", "Ida", "father", "Ole", "Ole")
    assert gaps_of(marked, [father]).told == (frozenset({father}),)
    assert gaps_of(marked, [father], before=marked).told == ()


@pytest.mark.parametrize(
    ("line", "problem"), [("{", "line 1 is no row"), ("", "has no question with a graph")]
)
def test_wrong_data_are_told(line: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / ROWS).parent.mkdir(parents=True)
    (tmp_path / ROWS).write_text(line, encoding="utf-8")
    with pytest.raises(InputError, match=problem):
        kalma_rows(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        kalma_rows(tmp_path / "none")


def test_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    data_folder(tmp_path)
    with pytest.raises(InputError, match="holds dev, not a run"):
        bench_kalma(tmp_path, tmp_path, settings=Settings())


RIGHT = {"statements": [{"text": "Ida Lunde was born in Aarle.", "citations": [1], "needs_support": False}]}


def scripted(folder: Path, model: ScriptedModel) -> KalmaReport:
    return bench_kalma(
        folder, folder / "out", settings=Settings(home=folder, model=model, attempts=1), limit=1
    )


def test_same_call_asks_no_question_again(tmp_path: Path) -> None:
    data_folder(tmp_path)
    first, second = ScriptedModel(lambda asked: RIGHT), ScriptedModel(lambda asked: RIGHT)
    report = scripted(tmp_path, first)
    assert scripted(tmp_path, second) == report
    assert first.calls
    assert not second.calls


def test_question_that_failed_does_not_count_and_is_asked_again(tmp_path: Path) -> None:
    data_folder(tmp_path)
    busy = CallFailure("refused", "the model is busy")
    report = scripted(tmp_path, ScriptedModel(lambda asked: RIGHT, failures=[busy]))
    assert (report.rows.questions, len(report.errors)) == (0, 1)
    assert "the model is busy" in report.errors[0]
    assert scripted(tmp_path, ScriptedModel(lambda asked: RIGHT)).rows.questions == 1


def test_model_that_is_not_there_ends_the_run_after_three_questions(tmp_path: Path) -> None:
    data_folder(tmp_path)
    model = ScriptedModel(lambda asked: RIGHT, failures=[CallFailure("refused", "no such server")] * 9)
    with pytest.raises(ModelError, match="no such server"):
        scripted(tmp_path, model)
    assert len(model.calls) == 3

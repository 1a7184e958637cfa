"""Tests KaLMA and WikiGenBench on made-up rows: citations, gaps by removed triples, and articles."""

import re
from pathlib import Path
from typing import Any

import pytest
from agent.answer_writer import read

from evals.benchmarks.running import first_table, run
from evals.doubles import lines, write_rows
from rarr import SettingsError
from rarr.evals.benchmarks import citations
from rarr.evals.benchmarks.citations import KalmaRow, read_events
from rarr.evals.rows import read_rows
from rarr.records.citations import Answer, Statement
from rarr.retrievers.graph.triples import Triple
from rarr.testing import Asked, RuleModel, ScriptedModel, ScriptedServer
from rarr.tools.models.chat import CallFailure
from rarr.views.report_tables import as_tables

PEOPLE = ("Ida Lunde", "Ole Brandt", "Kari Moen", "Nils Fossum")
PLACES = ("Aarle", "Norvik", "Tolk", "Vinter")


def entity(number: int) -> dict[str, str]:
    person = {"name": PEOPLE[number], "qid": f"Q{number + 1}", "spouse": PEOPLE[(number + 1) % 4]}
    dates = {"date_of_birth": f"19{10 + number}-03-0{number + 1}", "date_of_death": ""}
    work = {"occupation": "geologist", "employer": f"{PLACES[number]} Museum"}
    return {"place of birth": PLACES[number], **work, **dates, **person}


def data_folder(folder: Path) -> Path:
    asked = "Where was {} born, and who was her employer?"
    rows: list[dict[str, Any]] = [
        {"id": f"b/{n}", "question_specific": asked.format(PEOPLE[n]), "graph": [entity(n)]} for n in range(4)
    ]
    write_rows(folder / citations.BIOKALMA, *rows, {"id": "b/none", "question_specific": "Who?", "graph": []})
    return folder


def test_triples_of_a_row_are_the_relations_of_its_entities_that_have_a_value(tmp_path: Path) -> None:
    row, *_ = read_rows(data_folder(tmp_path) / citations.BIOKALMA, KalmaRow)
    assert Triple("Q1", "Ida Lunde", "date of birth", "1910-03-01", "1910-03-01") in row.triples
    assert not any(triple.relation in ("date of death", "qid", "name") for triple in row.triples)


def every_source(asked: Asked) -> Any:
    """States every source with its citation, and reads the statements."""
    listed = re.findall(r"^\[(\d+)\] (.*)$", asked.user, re.MULTILINE)
    statements = [{"text": text, "citations": [int(n)], "needs_support": False} for n, text in listed]
    return {"statements": statements} if asked.prompt == "answer_with_citations" else read(asked)


def test_answers_from_every_triple_are_correct_and_cite_what_was_asked(tmp_path: Path) -> None:
    model = ScriptedModel(every_source)
    report = run("kalma", data_folder(tmp_path), out=tmp_path / "out", model=model, limit=4)
    shares, gaps = report.tables.values()
    assert {shares["rows of the data"][it].value for it in ("correctness", "as written", "aligned")} == {1}
    assert gaps["rows of the data, 2 removed"]["recall"].n == 8
    assert "GPT-4" in as_tables(report)
    with pytest.raises(SettingsError, match="bench kalma needs a language model"):
        run("kalma", tmp_path, out=tmp_path / "none")


WRONG = {"statements": [{"text": "Ida Lunde was tall.", "citations": [98, 99], "needs_support": False}]}


def test_wrong_citations_count_as_written_and_only_a_failed_question_is_asked_again(tmp_path: Path) -> None:
    data, out, busy = data_folder(tmp_path), tmp_path / "out", CallFailure("refused", "the model is busy")
    models = [ScriptedModel(lambda asked: WRONG, failures=it) for it in ([busy], [], [])]
    failed, made, again = (run("kalma", data, out=out, model=it, limit=1, jobs=1) for it in models)
    assert len(failed.errors) == 1 and "the model is busy" in failed.errors[0]
    written = first_table(made)["rows of the data"]
    assert (written["as written"].value, written["without a citation"].value) == (0, 1)
    assert (again, made.errors, models[2].calls) == (made, (), [])


def test_inverse_of_a_removed_triple_goes_with_it_and_a_gap_of_the_whole_graph_does_not_count() -> None:
    father = Triple("Q1", "Ida", "father", "Ole", "Ole")
    child, other = Triple("Q2", "Ole", "child", "Ida", "Ida"), Triple("Q1", "Ida", "spouse", "Per", "Per")
    assert citations.without_triples([father, child, other], [father]) == [other]
    text = "The graph does not tell the father of Ida."
    statement = Statement(text=text, start=0, end=len(text), needs_support=True)
    marked = Answer(question="?", text=text, statements=(statement,))
    nothing = marked.model_copy(update={"statements": ()})
    assert citations.count_gaps(marked, [father, other], nothing) == ((1, 1), (1, 2))
    assert citations.count_gaps(marked, [father], marked) == ((0, 0), (0, 1))


def test_gaps_by_hand() -> None:
    """One of 2 [NA] statements names the removed triple; none of 2 others names the other."""
    counts = [((1, 2), (1, 1)), ((0, 2), (0, 1))]
    lines = [citations.AnswerLine(id="q", gaps={1: citations.GapCounts(*it)}) for it in counts]
    *_, gaps = citations.answer_tables({"rows": [(None, line) for line in lines]}).values()
    assert [it.value for it in gaps["rows, 1 removed"].values()] == pytest.approx([1 / 4, 1 / 2, 1 / 3])


FOLDER = Path(__file__).resolve().parents[3] / "examples/benchmark/wikigen"
EVENTS, DOCS = FOLDER / "events.jsonl", FOLDER / "docs.jsonl"


async def test_events_have_all_their_pages_but_those_of_wikipedia(tmp_path: Path) -> None:
    events = {event.id: event for event in read_events(EVENTS, DOCS)}
    assert set(events) == {"kestrel-hall", "kestrel-library", "ashdown-observatory"}
    assert [page.title for page in events["kestrel-hall"].documents] == ["Kestrel Hall"]
    assert events["kestrel-hall"].sections[0].text.startswith("Kestrel Hall is a concert hall in Tarrow")
    library = events["kestrel-library"]
    found = await citations.retriever_of_pages(library.documents).retrieve("anything", 9)
    assert {passage.source for passage in found} == {page.url for page in library.documents}


@pytest.mark.loopback
def test_articles_are_cited_and_kept(tmp_path: Path) -> None:
    with ScriptedServer(RuleModel()) as server:
        model: Any = {"model": "vllm:scripted", "models": {"check_agreement": "embedded"}}
        model |= {"base_url": server.url, "out": tmp_path / "out"}
        first = run("wikigen", EVENTS, DOCS, limit=1, **model)
        [kept] = (tmp_path / "out").glob("*scripted*")
        before = lines(kept)
        made = run("wikigen", EVENTS, DOCS, **model)
    assert {"outline", "write_section"} <= {request.prompt for request in server.requests}
    written, checked = first_table(made).values()
    assert (first_table(first)["vllm:scripted, checked"]["recall"].n, written["recall"].n) == (1, 3)
    assert (written["recall"].value, checked["precision"].value, made.errors) == (1, 1, ())
    assert lines(kept)[:1] == before

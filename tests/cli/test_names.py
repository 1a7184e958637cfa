"""`rarr bench names` and `rarr bench name-sets`."""

import json
from pathlib import Path

import pytest

from cli.helpers import Command, Result, is_complaint
from rarr.evals.namesakes.benchmark import NamesReport
from rarr.evals.namesakes.records import read_sets

SHARED_NAMES = Path(__file__).resolve().parents[2] / "examples" / "shared_names"
DOCUMENTS = {
    "Veldra": "Veldra is a town on the Osk. It was founded in 1312 by monks, as a port for their barges.",
    "Veldra (film)": "Veldra is a drama film. It was directed by Ana Holm.",
    "Merle": "Merle is a town. It was founded in 1405.",
    "The Lamp": "The Lamp is a film. It was directed by Piet Ruger.",
}


@pytest.fixture(autouse=True)
def _corpus(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for title, text in DOCUMENTS.items():
        (tmp_path / "docs" / f"{title}.md").write_text(f"# {title}\n\n{text}\n", encoding="utf-8")


def complains(done: Result, about: str) -> None:
    assert (done.status, done.out) == (2, b"")
    assert is_complaint(done.err) and about in done.err


def made(command: Command) -> None:
    rows = [
        {
            "id": "t",
            "name": "Veldra",
            "popularity": 9,
            "documents": ["Veldra.md"],
            "properties": {"founded": "1312"},
        },
        {
            "id": "f",
            "name": "Veldra",
            "popularity": 2,
            "documents": ["Veldra (film).md"],
            "properties": {"director": "Ana Holm"},
        },
    ]
    Path("entities.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    done = command("bench", "name-sets", "entities.jsonl", "--corpus", "docs", "-o", "sets.jsonl")
    assert (done.status, done.out.decode()) == (0, "sets.jsonl: 1 name, 6 queries\n")


def test_sets_of_a_list_of_things(command: Command) -> None:
    made(command)
    assert [each.name for each in read_sets(Path("sets.jsonl"))] == ["Veldra"]


def test_things_without_a_shared_name_make_no_sets(command: Command) -> None:
    made(command)
    one = Path("entities.jsonl").read_text(encoding="utf-8").splitlines()[0]
    Path("entities.jsonl").write_text(one, encoding="utf-8")
    call = ("bench", "name-sets", "entities.jsonl", "--corpus", "docs", "-o", "other.jsonl")
    complains(command(*call), "no name makes a set")


def test_sets_need_a_corpus_and_a_known_task(command: Command) -> None:
    made(command)
    complains(command("bench", "name-sets", "entities.jsonl", "-o", "sets.jsonl"), "give --corpus PATH")
    call = ("bench", "name-sets", "entities.jsonl", "--corpus", "docs", "-o", "sets.jsonl")
    complains(command(*call, "--task", "ner"), "'ner' is unknown: give qa, sf, fc")


@pytest.mark.slow
def test_bench_prints_searches_and_edits(command: Command) -> None:
    things, pages = (str(SHARED_NAMES / name) for name in ("tuned.jsonl", "pages.jsonl"))
    call = ("bench", "names", things, "--corpus", pages, "-o", "out", "--reranker", "overlap")
    done = command(*call, "--limit", "2")
    out = done.out.decode()
    assert done.status == 0
    assert "\nBM25 " in out and "\noverlap " in out
    [alone] = [line.split() for line in out.splitlines() if line.startswith("namesakes' pages alone  ")]
    assert alone[-6:-1] == ["0.000"] * 5
    assert len(Path("out/claims.jsonl").read_text().splitlines()) == 2 * int(alone[-1])


@pytest.mark.slow
def test_bench_json_is_the_report_alone(command: Command) -> None:
    made(command)
    done = command("bench", "names", "sets.jsonl", "--corpus", "docs", "-o", "out", "--no-edits", "--json")
    report = NamesReport.model_validate_json(done.out)
    assert [*report.search] == ["BM25", "overlap", "embedded"] and report.editing == {}
    assert json.loads(Path("out/report.json").read_text()) == report.model_dump(mode="json")


def test_bench_complains_about_a_file_that_has_no_sets(command: Command) -> None:
    Path("sets.jsonl").write_text('{"id": "x"}\n', encoding="utf-8")
    complains(command("bench", "names", "sets.jsonl", "--corpus", "docs", "-o", "out"), "name-sets")


def test_bench_makes_the_sets_of_things_itself(command: Command) -> None:
    call = ("--corpus", "docs", "-o", "out", "--reranker", "overlap", "--no-edits", "--json")
    made(command)
    of_sets = command("bench", "names", "sets.jsonl", *call)
    of_list = command("bench", "names", "entities.jsonl", *call)
    assert of_sets.status == of_list.status == 0
    assert of_sets.out == of_list.out
    things, pages = (str(SHARED_NAMES / name) for name in ("tuned.jsonl", "pages.jsonl"))
    of_things = command("bench", "names", things, "--corpus", pages, "-o", "of_things", *call[4:])
    assert NamesReport.model_validate_json(of_things.out).queries > 100
    complains(command("bench", "names", things, "-o", "out"), "give --corpus PATH")

"""`rarr bench names`, `rarr bench name-sets` and `rarr doctor names`."""

import json
from pathlib import Path

import pytest

from cli.helpers import Command, Result, is_complaint
from rarr.evals.namesakes.benchmark import NamesReport
from rarr.evals.namesakes.corpus_check import NamesCheck
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
    assert command("bench", "name-sets", "--corpus", "docs", "-o", "sets.jsonl").status == 0


def test_sets_of_a_corpus(command: Command) -> None:
    done = command("bench", "name-sets", "--corpus", "docs", "-o", "sets.jsonl")
    assert (done.status, done.out.decode()) == (0, "sets.jsonl: 1 name, 8 queries\n")
    assert [each.name for each in read_sets(Path("sets.jsonl"))] == ["Veldra"]


def test_sets_of_a_list_of_entities(command: Command) -> None:
    rows = [
        {
            "id": "t",
            "name": "V",
            "popularity": 9,
            "documents": ["Veldra.md"],
            "properties": {"founded": "1312"},
        },
        {
            "id": "f",
            "name": "V",
            "popularity": 2,
            "documents": ["Veldra (film).md"],
            "properties": {"director": "Ana Holm"},
        },
    ]
    Path("entities.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    done = command(
        "bench", "name-sets", "entities.jsonl", "--corpus", "docs", "-o", "sets.jsonl", "--task", "qa"
    )
    assert (done.status, done.out.decode()) == (0, "sets.jsonl: 1 name, 2 queries\n")


def test_corpus_without_shared_names_makes_no_sets(command: Command) -> None:
    Path("docs/Veldra (film).md").unlink()
    complains(command("bench", "name-sets", "--corpus", "docs", "-o", "sets.jsonl"), "no name makes a set")


def test_sets_need_a_corpus_and_a_known_task(command: Command) -> None:
    complains(command("bench", "name-sets", "-o", "sets.jsonl"), "give --corpus PATH")
    wrong = command("bench", "name-sets", "--corpus", "docs", "-o", "sets.jsonl", "--task", "ner")
    complains(wrong, "'ner' is unknown: give qa, sf, fc")


@pytest.mark.slow
def test_bench_prints_searches_and_edits(command: Command) -> None:
    made(command)
    done = command("bench", "names", "sets.jsonl", "--corpus", "docs", "-o", "out", "--reranker", "overlap")
    out = done.out.decode()
    assert done.status == 0
    assert out.startswith("1 name of 2 things, 8 queries\n")
    assert "\nBM25 " in out and "\noverlap " in out
    [alone] = [line.split() for line in out.splitlines() if line.startswith("namesakes' pages alone  ")]
    assert alone[-6:] == ["0.000", "0.000", "0.000", "0.000", "0.000", "4"]
    assert len(Path("out/claims.jsonl").read_text().splitlines()) == 8


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


def test_bench_makes_the_sets_of_things_and_of_the_corpus_itself(command: Command) -> None:
    call = ("--corpus", "docs", "-o", "out", "--reranker", "overlap", "--no-edits", "--json")
    assert command("bench", "name-sets", "--corpus", "docs", "-o", "sets.jsonl").status == 0
    of_sets = command("bench", "names", "sets.jsonl", *call)
    of_corpus = command("bench", "names", *call)
    assert of_sets.status == of_corpus.status == 0
    assert of_sets.out == of_corpus.out
    things, pages = (str(SHARED_NAMES / name) for name in ("tuned.jsonl", "pages.jsonl"))
    of_things = command("bench", "names", things, "--corpus", pages, "-o", "of_things", *call[4:])
    assert NamesReport.model_validate_json(of_things.out).queries > 100
    complains(command("bench", "names", things, "-o", "out"), "give --corpus PATH")


def test_doctor_lists_shared_names(command: Command) -> None:
    done = command("doctor", "names", "--corpus", "docs")
    assert done.status == 0
    assert done.out.decode() == (
        "1 name of several things in 4 documents; the search mixed up 0 of 2 queries about them\n\n"
        "Veldra: mixed up 0 of 2 queries\n  Veldra (film) - Veldra (film).md\n  Veldra - Veldra.md\n"
    )


def test_doctor_shows_which_query_was_mixed_up(command: Command) -> None:
    Path("docs/Veldra (film).md").write_text(
        "# Veldra (film)\n\nVeldra is a drama film. It was directed by Ana Holm. When was Veldra founded? In"
        " which year was Veldra founded? Was Veldra founded, or established, and when was it?\n",
        encoding="utf-8",
    )
    done = command("doctor", "names", "--corpus", "docs")
    assert ": mixed up 1 of 2 queries\n" in done.out.decode()
    [asked] = [line for line in done.out.decode().splitlines() if line.startswith("  asked ")]
    assert asked.endswith(": Veldra (film).md stands above Veldra.md") and "Veldra" in asked.partition(":")[0]
    [name] = NamesCheck.model_validate_json(
        command("doctor", "names", "--corpus", "docs", "--json").out
    ).names
    [query] = name.mix_ups
    assert (query.right, query.above) == (("Veldra.md",), ("Veldra (film).md",))
    assert query.query in asked


def test_doctor_says_which_wording_is_read(command: Command) -> None:
    for title in ("Veldra", "Veldra (film)"):
        Path(f"docs/{title}.md").write_text(f"# {title}\n\n{title} has a harbour.\n", encoding="utf-8")
    out = command("doctor", "names", "--corpus", "docs").out.decode()
    assert "1 name not asked about: in the openings, the rules read no property of one thing alone." in out
    assert '"founded in 1312"' in out


def test_bench_says_that_the_sets_have_no_false_claim(command: Command) -> None:
    command("bench", "name-sets", "--corpus", "docs", "-o", "sets.jsonl", "--task", "qa")
    call = ("bench", "names", "sets.jsonl", "--corpus", "docs", "-o", "out", "--reranker", "overlap")
    assert "no false claim to revise: one needs " in command(*call).out.decode()
    assert "no false claim" not in command(*call, "--no-edits").out.decode()


def test_bench_names_the_key_that_a_line_lacks(command: Command) -> None:
    Path("sets.jsonl").write_text('{"q": "x"}\n', encoding="utf-8")
    done = command("bench", "names", "sets.jsonl", "--corpus", "docs", "-o", "out")
    complains(done, 'line 1: it has no "id"')


def test_doctor_prints_json(command: Command) -> None:
    check = NamesCheck.model_validate_json(command("doctor", "names", "--corpus", "docs", "--json").out)
    assert [(name.name, name.queries, name.right) for name in check.names] == [("Veldra", 2, 2)]


def test_doctor_without_shared_names(command: Command) -> None:
    Path("docs/Veldra (film).md").unlink()
    done = command("doctor", "names", "--corpus", "docs")
    assert (done.status, done.out.decode()) == (0, "no name of several things in 3 documents\n")


def test_doctor_without_a_corpus_complains(command: Command) -> None:
    complains(command("doctor", "names"), "give --corpus PATH")


def test_options_before_the_name_of_a_check_are_refused(command: Command) -> None:
    complains(command("doctor", "--json", "names", "--corpus", "docs"), "give --json after names")


@pytest.mark.parametrize(
    ("file", "content", "reason"),
    [
        ("bad.jsonl", b"{bad\n", "bad.jsonl: "),
        ("empty.jsonl", b"", "it holds no text"),
        ("cols.jsonl", b'{"q": "x", "a": "y"}\n', "cols.jsonl: "),
        ("folder/bytes.md", bytes([0, 159, 200, 1, 255]) * 99, "bytes.md: it is not text"),
    ],
)
def test_doctor_complains_about_a_corpus_without_a_readable_document(
    command: Command, file: str, content: bytes, reason: str
) -> None:
    Path("folder").mkdir()
    Path(file).write_bytes(content)
    done = command("doctor", "names", "--corpus", file.partition("/")[0])
    complains(done, "holds no document that can be read (")
    assert reason in done.err and done.err.endswith("): give documents with text\n")


@pytest.mark.parametrize("out", ["sets.jsonl", "sets.jsonl/out"])
def test_bench_complains_first_about_a_folder_that_cannot_be_written(command: Command, out: str) -> None:
    made(command)
    done = command("bench", "names", "sets.jsonl", "--corpus", "docs", "-o", out)
    complains(done, f"{out} cannot be written (")


def test_bench_asks_wikipedia_only_if_told(command: Command) -> None:
    made(command)
    complains(command("bench", "names", "sets.jsonl", "-o", "out"), "only --search wikipedia asks Wikipedia")
    assert not Path("out").exists()

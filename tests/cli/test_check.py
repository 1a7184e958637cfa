"""`rarr check`: which files it reads, what it prints, its exit status, and that it changes nothing."""

import json
from pathlib import Path

import pytest

from cli.helpers import Command, is_complaint
from rarr.cli.checked_files import found_files, read_document
from rarr.records.document_checks import DocumentChecks

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
WRONG, RIGHT = "The Hoover Dam is 212 metres high.", "The Hoover Dam is 221 metres high."


@pytest.fixture(autouse=True)
def _documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RARR_HOME", str(tmp_path / "home"))
    for folder in ("specs", "docs/inner", "docs/.hidden"):
        Path(folder).mkdir(parents=True)
    texts = {"specs/dam.md": "# Hoover Dam\n\nHoover Dam is 221 metres high.\n", "docs/right.md": RIGHT}
    texts |= {
        "docs/inner/wrong.txt": f"\ufeff# Dam\r\n\r\n{WRONG}\r\n",
        "docs/.hidden/a.md": WRONG,
        "docs/b.py": WRONG,
    }
    for name, text in texts.items():
        Path(name).write_bytes(text.encode())


def files() -> dict[str, bytes]:
    return {
        str(path): path.read_bytes()
        for path in Path().rglob("*")
        if path.is_file() and "home" not in path.parts
    }


def test_a_contradicted_sentence_is_status_1_and_shown_with_its_place(command: Command) -> None:
    before = files()
    done = command("check", "docs", "--corpus", "specs")
    assert (done.status, done.err) == (1, "")
    assert done.out.decode() == (
        "docs/right.md  1 confirmed\n"
        "\n"
        "docs/inner/wrong.txt  1 contradicted\n"
        "  3:1  contradicted      The Hoover Dam is 212 metres high.\n"
        "       “212” differs: the source says “221 metres”\n"
        "       source: “Hoover Dam is 221 metres high.” (Hoover Dam, specs/dam.md:3)\n"
        "\n"
        "1 sentence in 1 file fails (contradicted)\n"
    )
    assert files() == before


def test_nothing_that_fails_is_status_0(command: Command) -> None:
    done = command("check", "docs/right.md", "--corpus", "specs")
    assert (done.status, done.err) == (0, "")
    assert done.out.decode().endswith("nothing fails in 1 file\n")


def test_fail_on_takes_further_statuses(command: Command) -> None:
    Path("open.md").write_text("The moon landing of 1969 was in Houston.", encoding="utf-8")
    assert command("check", "open.md", "--corpus", "specs").status == 0
    strict = ("--fail-on", "unconfirmed", "--fail-on", "no_evidence")
    assert command("check", "open.md", "--corpus", "specs", *strict).status == 1
    assert (
        command("check", "open.md", "--corpus", "specs", "--fail-on", "unconfirmed,no_evidence").status == 1
    )


def test_a_file_that_cannot_be_judged_is_status_3_beside_one_that_passes(command: Command) -> None:
    Path("latin.md").write_bytes(b"caf\xe9")
    done = command("check", "latin.md", "docs/right.md", "--corpus", "specs")
    assert done.status == 3
    assert b"latin.md  could not be judged: the file is not UTF-8" in done.out
    assert is_complaint(done.err)
    assert "1 of 2 files could not be judged" in done.err


def test_a_failing_sentence_wins_over_a_file_that_cannot_be_judged(command: Command) -> None:
    Path("latin.md").write_bytes(b"caf\xe9")
    done = command("check", "latin.md", "docs/inner/wrong.txt", "--corpus", "specs")
    assert done.status == 1
    assert b"1 sentence in 1 file fails (contradicted); 1 of 2 files could not be judged" in done.out


def test_a_failed_search_is_status_3(command: Command) -> None:
    done = command("check", "docs/right.md", "--search", "wikipedia", "--offline")
    assert done.status == 3
    assert done.err.startswith("rarr: nothing could be checked (docs/right.md: retrieve_failed: ")


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        ([], "Missing argument"),
        (["missing.md", "--corpus", "specs"], "missing.md does not exist"),
        (["*.xyz", "--corpus", "specs"], "matches no file"),
        (["home", "--corpus", "specs"], "does not exist"),
        (["docs/.hidden/none", "--corpus", "specs"], "does not exist"),
        (["docs", "--corpus", "specs", "--fail-on", "wrong"], "--fail-on is 'wrong'"),
        (["docs", "--corpus", "specs", "--format", "xml"], "--format"),
        (["docs", "--corpus", "specs", "-o", "docs"], "docs is a folder"),
        (["docs", "--corpus", "specs", "-o", "none/x.json"], "the folder none"),
        (["docs", "--corpus", "specs", "-o", "docs/right.md"], "would replace a file that is checked"),
        (["docs", "--corpus", "none"], "corpus 'none' cannot be read"),
        (["docs", "--corpus", "docs"], "all files to check are part of the corpus"),
        (["docs/right.md", "--corpus", "docs/right.md"], "all files to check are part of the corpus"),
    ],
)
def test_wrong_calls_are_status_2_and_one_line(command: Command, argv: list[str], words: str) -> None:
    done = command("check", *argv)
    assert (done.status, done.out) == (2, b"")
    assert is_complaint(done.err)
    assert words in done.err


def test_a_folder_without_documents_is_a_wrong_call(command: Command) -> None:
    Path("empty").mkdir()
    done = command("check", "empty", "--corpus", "specs")
    assert (done.status, "empty holds no document" in done.err) == (2, True)


def test_files_of_the_corpus_are_left_out_and_told(command: Command) -> None:
    done = command("check", "docs", "specs", "--corpus", "specs")
    assert b"specs/dam.md  " not in done.out
    assert (
        done.err == "rarr: warning: 1 file left out as part of the corpus, where each would confirm itself\n"
    )


def test_documents_of_an_index_are_known(command: Command) -> None:
    assert command("index", "specs", "-o", "specs.index").status == 0
    done = command("check", "specs/dam.md", "--corpus", "specs.index")
    assert (done.status, "part of the corpus specs.index" in done.err) == (2, True)


def test_names_folders_and_patterns_mean_each_file_once() -> None:
    found = found_files(["docs", "docs/**/*.txt", "docs/right.md", "docs/b.py"])
    assert [file.as_posix() for file in found] == ["docs/right.md", "docs/inner/wrong.txt", "docs/b.py"]


def test_a_file_whose_name_has_a_star_is_that_file() -> None:
    Path("a*.md").write_text(RIGHT, encoding="utf-8")
    Path("ab.md").write_text(RIGHT, encoding="utf-8")
    assert found_files(["a*.md"]) == [Path("a*.md")]


def test_a_link_that_leads_nowhere_is_not_judged() -> None:
    Path("docs/link.md").symlink_to("none.md")
    assert Path("docs/link.md") in found_files(["docs"])
    assert "cannot be read" in read_document(Path("docs/link.md")).unreadable


def test_github_annotations_alone_are_standard_output(command: Command) -> None:
    done = command("check", "docs", "--corpus", "specs", "--format", "github")
    assert done.status == 1
    (line,) = done.out.decode().splitlines()
    assert line.startswith("::error file=docs/inner/wrong.txt,line=3,col=1,endColumn=35,title=")
    assert done.err == "rarr: 1 sentence in 1 file fails (contradicted)\n"


def test_json_is_the_record(command: Command) -> None:
    done = command("check", "docs", "--corpus", "specs", "--format", "json")
    checks = DocumentChecks.model_validate_json(done.out)
    assert (done.status, checks.failing, [each.file for each in checks.documents]) == (
        1,
        1,
        ["docs/right.md", "docs/inner/wrong.txt"],
    )


def test_sarif_goes_into_a_file(command: Command) -> None:
    done = command("check", "docs", "--corpus", "specs", "--format", "sarif", "-o", "out.sarif")
    assert (done.status, done.out) == (1, b"")
    log = json.loads(Path("out.sarif").read_text(encoding="utf-8"))
    (result,) = log["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "docs/inner/wrong.txt"}


def test_hostile_texts_do_not_steer_a_terminal(command: Command) -> None:
    Path("hostile.md").write_bytes(b"The \x1b[31mHoover Dam\x07 is 212 metres high.\n")
    for form in ("text", "github", "json", "sarif"):
        done = command("check", "hostile.md", "--corpus", "specs", "--format", form)
        assert done.status in (0, 1)
        assert not {0x1B, 0x07} & {*done.out, *done.err.encode()}


@pytest.mark.slow
def test_example_texts_fail_where_an_error_was_planted(command: Command) -> None:
    texts = [str(EXAMPLES / "texts" / name) for name in ("alaska.md", "clean-denver.md", "demo.md")]
    done = command("check", *texts, "--corpus", str(EXAMPLES / "corpus"), "--format", "json")
    checks = DocumentChecks.model_validate_json(done.out)
    assert done.status == 1
    assert [bool(document.failing) for document in checks.documents] == [True, False, True]

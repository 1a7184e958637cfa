"""`rarr cite`: what it prints, where its complaints go, and that no byte of a text is lost."""

import json
from pathlib import Path

import pytest

from cli.helpers import Command, is_complaint
from rarr import Cited

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
TEXTS = sorted(path for path in (EXAMPLES / "texts").iterdir() if path.suffix != ".json")
DAM = "The Hoover Dam is 221 metres high."


@pytest.fixture(autouse=True)
def _notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RARR_HOME", str(tmp_path / "home"))
    Path("dam.md").write_text("# Hoover Dam\n\nHoover Dam is 221 metres high.\n", encoding="utf-8")


def test_prints_the_cited_text_alone(command: Command) -> None:
    Path("draft.md").write_bytes(f"{DAM}\r\n".encode())
    done = command("cite", "draft.md", "--corpus", "dam.md")
    listed = "Sources:\r\n\r\n- [1] Hoover Dam, dam.md\r\n"
    assert (done.status, done.err) == (0, "")
    assert done.out.decode() == f"{DAM}[1]\r\n\r\n{listed}"


def test_reads_standard_input_and_prints_json(command: Command) -> None:
    done = command("cite", "-", "--corpus", "dam.md", "--json", stdin=f"{DAM} [2]".encode())
    cited = Cited.model_validate(json.loads(done.out))
    assert (done.status, done.err) == (0, "")
    assert (cited.without_citations(), cited.existing[0].state) == (f"{DAM} [2]", "source_not_found")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (f"{DAM} [2]", "citation [2] at character 35: it has no entry in the text"),
        (
            f"{DAM} [2]\n\n[2] Other, https://x.org\n",
            "citation [2] (Other, https://x.org) at character 35:"
            " it is not among the sources that were searched",
        ),
        (
            "It was painted blue in 1950 [2].\n\n[2] Hoover Dam\n",
            "citation [2] (Hoover Dam) at character 28: its source does not support the sentence",
        ),
    ],
)
def test_wrong_citations_are_told_and_stay(command: Command, text: str, complaint: str) -> None:
    done = command("cite", "-", "--corpus", "dam.md", stdin=text.encode())
    assert (done.status, done.err) == (0, f"rarr: warning: {complaint}\n")
    assert b"[2]" in done.out


def test_part_and_footnotes_and_needed_citations(command: Command) -> None:
    text = f"{DAM} It was painted in 1950."
    options = ["--place", "part", "--style", "footnotes", "--mark-unsupported"]
    done = command("cite", "-", "--corpus", "dam.md", *options, stdin=text.encode())
    assert done.out.decode() == (
        f"{DAM}[^1] It was painted in 1950.[citation needed]\n\n[^1]: Hoover Dam, dam.md\n"
    )


@pytest.mark.parametrize("argv", [["missing.md"], ["dam.md", "--style", "apa"], []])
def test_wrong_calls(command: Command, argv: list[str]) -> None:
    done = command("cite", *argv)
    assert done.status == 2
    assert is_complaint(done.err)


def test_failed_search_is_status_3(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RARR_OFFLINE", "true")
    done = command("cite", "dam.md", "--search", "wikipedia")
    assert done.status == 3
    assert "nothing could be checked" in done.err


@pytest.mark.slow
@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_every_example_text_comes_back_from_a_real_run(command: Command, path: Path) -> None:
    done = command(
        "cite",
        str(path),
        "--corpus",
        str(EXAMPLES / "corpus"),
        "--mark-unsupported",
        "--place",
        "part",
        "--json",
    )
    cited = Cited.model_validate_json(done.out)
    assert cited.without_citations().encode() == path.read_bytes()
    assert cited.text != cited.original

"""`rarr write`: what it prints and where, with and without a model, and what it refuses."""

import json
from pathlib import Path
from typing import Any

import pytest

from cli.helpers import Command, is_complaint
from rarr import Article

DAM = "# Hoover Dam\n\nHoover Dam is 221 metres high.\n\n## History\n\nHoover Dam was completed in 1936.\n"


def _planted(error: int, wrong: str, right: str, label: str, repeated: int, other: str) -> list[Any]:
    """The cards of the sentences that code planted: an error, and a sentence repeated as it is."""
    edit = {"old": wrong, "new": right, "by": right}
    return [
        {"s": error, "q": [label], "v": "no", "open": [], "edits": [edit]},
        {"s": repeated, "q": [other], "v": "yes"},
    ]


SCRIPT = {
    "Sections: at most": {"sections": ["History", "Legends"]},
    "Section: History": {"text": "Hoover Dam was completed in 1936 [4]."},
    "Section: Legends": {"text": "The Hoover Dam is haunted by a ghost [1]."},
    "[S2] The Hoover Dam is haunted by a ghost.": {
        "cards": [
            {"s": 1, "q": ["P1.4"], "v": "yes"},
            {"s": 2, "q": [], "v": "open", "open": ["haunted by a ghost"]},
            *_planted(3, "332 metres", "221 metres", "P1.2", 4, "P1.4"),
        ]
    },
}


@pytest.fixture(autouse=True)
def _notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RARR_HOME", str(tmp_path / "home"))
    Path("dam.md").write_text(DAM, encoding="utf-8")
    Path("script.json").write_text(json.dumps(SCRIPT), encoding="utf-8")


def test_prints_an_article_that_quotes_the_sources(command: Command) -> None:
    done = command("write", "Hoover Dam", "--corpus", "dam.md")
    assert (done.status, done.err) == (0, "")
    assert done.out.decode() == (
        "# Hoover Dam\n\n## Overview\n\nHoover Dam is 221 metres high.[^1]\n\n"
        "## History\n\nHoover Dam was completed in 1936.[^1]\n\n"
        "[^1]: Hoover Dam, dam.md\n"
    )


def test_graph_is_a_source_of_an_article(command: Command) -> None:
    graph = "subject_id,subject,relation,object_id,object\nd1,Vell Dam,inception,,1936\n"
    Path("dams.csv").write_text(graph, encoding="utf-8")
    done = command("write", "Vell Dam", "--graph", "dams.csv")
    assert done.status == 0
    assert b"[^1]: Vell Dam, dams.csv#d1\n" in done.out


def test_citations_of_a_model_are_mended_and_marked(command: Command) -> None:
    done = command("write", "Hoover Dam", "--corpus", "dam.md", "--model", "scripted:script.json")
    assert done.status == 0
    assert b"Hoover Dam was completed in 1936.[^1]\n" in done.out
    assert b"haunted by a ghost.[citation needed]\n" in done.out


def test_file_gets_the_article_and_the_summary_is_printed(command: Command) -> None:
    done = command(
        "write", "Hoover Dam", "--corpus", "dam.md", "--model", "scripted:script.json", "-o", "article.md"
    )
    assert Path("article.md").read_text(encoding="utf-8").startswith("# Hoover Dam\n\n## History\n")
    assert done.out.decode() == (
        "article.md: 2 sections, 2 sentences, 1 source; citation recall 0.00 as written, 0.50 checked;"
        " precision 0.00 as written, 0.50 checked; rate 0.00 as written, 0.43 checked\n"
    )


def test_json_is_the_whole_record(command: Command) -> None:
    Path("outline.txt").write_text("1. History\n", encoding="utf-8")
    done = command("write", "Hoover Dam", "--corpus", "dam.md", "--outline", "outline.txt", "--json")
    article = Article.model_validate(json.loads(done.out))
    assert [section.heading for section in article.sections] == ["History"]
    assert article.citations[0].passage.source == "dam.md"


def test_no_plan_asks_for_the_whole_article(command: Command) -> None:
    section = {"heading": "History", "text": "Hoover Dam was completed in 1936 [1]."}
    planted = _planted(2, "1931", "1936", "P1.4", 3, "P1.2")
    cards = [{"s": 1, "q": ["P1.4"], "v": "yes"}, *planted]
    script = {"Article: Hoover": {"sections": [section]}, "[S1] Hoover Dam was": {"cards": cards}}
    Path("whole.json").write_text(json.dumps(script))
    done = command("write", "Hoover Dam", "--corpus", "dam.md", "--no-plan", "--model", "scripted:whole.json")
    assert (done.status, done.err) == (0, "")
    assert b"## History\n\nHoover Dam was completed in 1936.[^1]\n" in done.out


def test_failed_section_is_a_gap_with_a_warning(command: Command) -> None:
    Path("script.json").write_text(json.dumps({k: v for k, v in SCRIPT.items() if "Legends" not in k}))
    done = command("write", "Hoover Dam", "--corpus", "dam.md", "--model", "scripted:script.json")
    assert done.status == 0
    assert b"## Legends\n\n(not written: a search or the writer failed)\n" in done.out
    assert "section 'Legends': not written" in done.err


def test_topic_that_no_source_has_is_status_3(command: Command) -> None:
    done = command("write", "Zyzzyva", "--corpus", "dam.md")
    assert (done.status, done.out) == (3, b"")
    assert is_complaint(done.err)
    assert "nothing could be written about 'Zyzzyva'" in done.err


def test_topic_that_no_source_has_names_the_cure(command: Command) -> None:
    done = command("write", "Zyzzyva", "--corpus", "dam.md", "--no-plan")
    assert (done.status, is_complaint(done.err)) == (3, True)
    assert "no source was found: give sources about it with --corpus, --graph" in done.err


def test_unrelated_warning_is_no_cause(command: Command) -> None:
    Path("short.md").write_text("# Hoover Dam\n\nHoover Dam is high.\n", encoding="utf-8")
    done = command("write", "Hoover Dam", "--corpus", "short.md", "--no-plan")
    assert (done.status, is_complaint(done.err), "no_plan" in done.err) == (3, True, False)
    assert "its sources say nothing for it" in done.err


def test_model_that_writes_nothing_is_not_called_a_missing_source(command: Command) -> None:
    Path("script.json").write_text(json.dumps({"Article: Hoover": {"sections": []}}), encoding="utf-8")
    done = command(
        "write", "Hoover Dam", "--corpus", "dam.md", "--no-plan", "--model", "scripted:script.json"
    )
    assert (done.status, is_complaint(done.err)) == (3, True)
    assert "its sources say nothing for it" in done.err


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("", "--corpus", "dam.md"), "topic"),
        (("Hoover Dam", "--corpus", "empty"), "empty"),
        (("Hoover Dam", "--corpus", "dam.md", "--outline", "none.txt"), "none.txt"),
        (("Hoover Dam", "--corpus", "dam.md", "--outline", "blank.txt"), "no heading of a section"),
        (("Hoover Dam", "--corpus", "dam.md", "-o", "no/such/folder/a.md"), "cannot be written"),
        (("Hoover Dam", "--corpus", "dam.md", "-o", "empty"), "is a folder"),
    ],
)
def test_wrong_call_is_status_2(command: Command, arguments: tuple[str, ...], reason: str) -> None:
    Path("empty").mkdir()
    Path("blank.txt").write_text("\n", encoding="utf-8")
    done = command("write", *arguments)
    assert done.status == 2
    assert is_complaint(done.err)
    assert reason in done.err


def test_path_of_the_article_is_checked_before_the_work(command: Command) -> None:
    done = command("write", "Zyzzyva", "--corpus", "dam.md", "-o", "no/such/folder/a.md")
    assert (done.status, "cannot be written" in done.err) == (2, True)  # and not 3: nothing was searched


def test_dead_model_is_named_as_the_cause(command: Command) -> None:
    Path("script.json").write_text(json.dumps({"never asked": {}}), encoding="utf-8")
    done = command("write", "Hoover Dam", "--corpus", "dam.md", "--model", "scripted:script.json")
    assert (done.status, done.out) == (3, b"")
    assert "plan_failed" in done.err
    assert "a search or the writer failed" not in done.err


def test_disputed_sentence_is_marked_and_told(command: Command) -> None:
    Path("notes").mkdir()
    Path("notes/a.md").write_text("# Hoover Dam\n\nHoover Dam was completed in 1936 by Six Companies.\n")
    Path("notes/b.md").write_text("# Hoover Dam\n\nHoover Dam was completed in 1931 by Six Companies.\n")
    done = command("write", "Hoover Dam", "--corpus", "notes")
    assert done.out.count(b"[sources disagree]") == 2
    assert "sources_disagree" in done.err


def test_without_a_model_no_plan_is_said_to_change_little(command: Command) -> None:
    done = command("write", "Hoover Dam", "--corpus", "dam.md", "--no-plan")
    assert done.status == 0
    assert "no_plan: without a language model" in done.err

"""`rarr revise`, `cite`, `write` and `answer`: texts in, results and statuses out."""

import json
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest
from agent.answer_writer import read
from makers import revision

from cli.conftest import Command, is_error_line, revision_with_x
from rarr import Article
from rarr.records import Notice, Revision
from rarr.testing import Asked, ScriptedServer

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PEOPLE = str(EXAMPLES / "graph" / "people.csv")
DAM = "The Hoover Dam is 221 metres high."
FAILED = Notice(code="check_failed", message="no answer: start the server", node="check_agreement")
NOTHING = Notice(code="nothing_to_check", message="no checkable claim was found", node="generate_queries")


@pytest.fixture(autouse=True)
def _dam() -> None:
    Path("dam.md").write_text("# Hoover Dam\n\nHoover Dam is 221 metres high.\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("argv", "stdin", "text"),
    [
        (["One.", "--context", "Why?"], b"", "One."),
        (["-"], "Où?\r\n\r\nOne.".encode(), "Où?\r\n\r\nOne."),
        ([], b"One.", "One."),
        (["--file", "draft.md"], b"", "One.\r\nTwo.\r\n"),
        (["--", "- One."], b"", "- One."),
    ],
)
def test_text_comes_from_an_argument_a_file_or_standard_input(
    command: Command, reviser: MagicMock, argv: list[str], stdin: bytes, text: str
) -> None:
    Path("draft.md").write_bytes(b"\xef\xbb\xbfOne.\r\nTwo.\r\n")
    done = command("revise", *argv, stdin=stdin)
    assert (done.status, done.err, reviser.revise.call_args.args[0]) == (0, "", text)
    assert done.out.decode().startswith("X" + text[1:])


def test_options_and_set_become_settings_and_no_others(command: Command, reviser: MagicMock) -> None:
    named = ["--corpus", "notes", "--model", "a:b", "--deadline", "2.5", "--preset", "fast"]
    more = ["--set", "max-calls=0", "--set", "include_domains=a.org,b.org"]
    done = command("revise", "One.", *named, *more)
    settings = reviser.call_args.args[0]
    assert (done.status, settings.corpus, settings.model) == (0, Path("notes"), "a:b")
    assert (settings.deadline_s, settings.preset, settings.max_calls) == (2.5, "fast", 0)
    assert settings.include_domains == ["a.org", "b.org"]
    assert not {"search", "offline"} & settings.model_fields_set


def test_json_is_the_revision_alone_and_diff_the_diff_alone(command: Command, reviser: MagicMock) -> None:
    done = command("revise", "Où est-il?", "--json")
    assert Revision.model_validate_json(done.out) == revision_with_x("Où est-il?")
    out = command("revise", "-", "--diff", stdin=b"One.\r\n").out
    assert out == b"--- original\n+++ revised\n@@ -1 +1 @@\n-One.\r\n+Xne.\r\n"
    reviser.revise.side_effect = lambda text, *_, **__: revision(text, warnings=(NOTHING,) * 2)
    complaint = "rarr: warning: nothing_to_check: no checkable claim was found (2 times)\n"
    assert command("revise", "Hello.", "--diff") == (0, b"", complaint)


def test_estimate_asks_nothing_and_adds_up_the_texts(command: Command) -> None:
    model = ["--model", "vllm:x", "--base-url", "http://127.0.0.1:9/v1", "--corpus", "dam.md", "--estimate"]
    price = ["--set", 'endpoints={"vllm:x": {"price": [0.25, 2]}}', "--json"]
    Path("rows.jsonl").write_text(f'{{"text": "{DAM}"}}\n{{}}\n{{"text": "{DAM}"}}\n', encoding="utf-8")
    calls = ("revise", DAM), ("batch", "rows.jsonl", "-o", "out.jsonl")
    one, both = (json.loads(command(*call, *model, *price).out) for call in calls)
    assert both == {name: 2 * number for name, number in one.items()}
    assert one["cost"] == pytest.approx((0.25 * one["input_tokens"] + 2 * one["output_tokens"]) / 1e6)
    assert not Path("out.jsonl").exists()


@pytest.mark.parametrize("option", ["--json", "--diff", "--verbose"])
@pytest.mark.parametrize(
    ("judged", "warnings", "status"),
    [("no_evidence", [FAILED], 0), ("unjudged", [FAILED], 3), ("retrieval_failed", [], 3)],
)
def test_failure_is_status_3_with_one_line_if_nothing_was_judged(
    command: Command, reviser: MagicMock, judged: str, warnings: list[Notice], status: int, option: str
) -> None:
    reviser.revise.side_effect = [revision("One.\n", statuses=(judged,), warnings=tuple(warnings))]
    done = command("revise", "One.\n", option)
    lines = 1 if status or option == "--diff" else 0  # a report in words or JSON has the warnings
    assert (done.status, done.err.count("\n")) == (status, lines)


def test_cited_text_is_printed_alone_and_wrong_citations_on_standard_error(command: Command) -> None:
    Path("draft.md").write_bytes(f"{DAM}\r\n".encode())
    done = command("cite", "draft.md", "--corpus", "dam.md")
    listed = "Sources:\r\n\r\n- [1] Hoover Dam, dam.md\r\n"
    assert (done.status, done.err, done.out.decode()) == (0, "", f"{DAM}[1]\r\n\r\n{listed}")
    options = ["--source", "dam.md", "--mark-unsupported"]
    done = command("cite", "-", *options, stdin=f"{DAM} It was built in 1950.".encode())
    assert f"{DAM}[1] It was built in 1950.[citation needed]\n\nSources:" in done.out.decode()
    wrong = f"{DAM} [2]\n\n[2] Other, https://x.org\n"
    done = command("cite", "-", "--corpus", "dam.md", stdin=wrong.encode())
    complaint = "citation [2] at character 35: source_not_found"
    assert (done.status, complaint in done.err, b"[2]" in done.out) == (0, True, True)


WRITTEN = {
    "outline": {"sections": ["Overview"]},
    "write_section": {"text": "Hoover Dam is 221 metres high. [1]"},
    "answer_with_citations": {"statements": [{"text": "Marie Curie was born in Warsaw.", "citations": []}]},
}


def write_and_read(asked: Asked) -> Any:
    """Answers as a model that writes one section or statement, and then reads it."""
    if "Jonah Strake" in asked.user:
        return {"statements": []}
    return WRITTEN.get(str(asked.prompt)) or read(asked)


MODEL = ("--model", "vllm:scripted", "--base-url")  # followed by the address of a server
WITH_SEARCH = [["revise", DAM], ["cite", "draft.md"], ["write", "Hoover Dam"], ["answer", "How high is it?"]]


@pytest.mark.parametrize("argv", WITH_SEARCH)
def test_failed_search_is_status_3_with_one_line(command: Command, argv: list[str]) -> None:
    Path("draft.md").write_text(DAM)
    model = ["--model", "vllm:none", "--base-url", "http://127.0.0.1:9/v1"] * (argv[0] in ("write", "answer"))
    done = command(*argv, *model, "--search", "wikipedia", "--offline")  # and nothing is in the cache
    assert (done.status, is_error_line(done.err), "nothing could be" in done.err) == (3, True, True)
    assert (b"; nothing was judged" in done.out) == (argv[0] == "revise")
    kept = "failed" if argv[0] == "answer" else "not checked"
    assert f"  {kept}  " in command("trace", "list").out.decode()


@pytest.mark.loopback
def test_article_is_printed_or_written_with_its_measures(command: Command) -> None:
    Path("outline.txt").write_text("1. Height\n", encoding="utf-8")
    with ScriptedServer(write_and_read) as server:
        call = ("write", "Hoover Dam", "--corpus", "dam.md", *MODEL, server.url)
        printed, saved = command(*call), command(*call, "-o", "article.md")
        outlined = command(*call, "--outline", "outline.txt", "--json")
    assert printed.out.decode() == (
        "# Hoover Dam\n\n## Overview\n\nHoover Dam is 221 metres high.[^1]\n\n[^1]: Hoover Dam, dam.md\n"
    )
    assert saved.out.startswith(b"article.md: 1 sentence, 1 source")
    assert Path("article.md").read_bytes() == printed.out
    [section] = Article.model_validate_json(outlined.out).sections
    assert section.heading == "Height"


@pytest.mark.loopback
def test_answer_has_its_triples_and_refused_citations_are_told(command: Command) -> None:
    with ScriptedServer(write_and_read) as server:
        model = ("--graph", PEOPLE, *MODEL, server.url)
        done = command("answer", "Where was Marie Curie born?", *model)
        told = b"Marie Curie was born in Warsaw. [p1, place of birth: Warsaw]\n"
        assert (done.status, done.out) == (0, told)
        done = command("answer", "Where was Jonah Strake born?", *model, "--json")
        codes = [warning["code"] for warning in json.loads(done.out)["warnings"]]
    assert (done.status, codes) == (3, ["no_result", "ambiguous_name"])
    assert b"  not checked  " in command("trace", "list", "--limit", "1").out
    script: Any = {"Who was Mary": {"statements": [{"text": "Mary Shelley was tall.", "citations": [77]}]}}
    asked = ("answer", "Who was Mary Shelley?", "--graph", PEOPLE, *MODEL)
    with ScriptedServer(script) as server:
        done = command(*asked, server.url)
    assert "there is no such source (in 'Mary Shelley was tall.')" in done.err
    assert (done.status, "nothing could be checked: check_failed" in done.err) == (3, True)
    sure: Any = {"(P1.1)": {"cards": [{"s": n, "q": ["P1.1"], "v": "yes"} for n in range(1, 9)]}}
    with ScriptedServer(sure | script) as server:
        done = command(*asked, server.url)
    assert (done.status, done.err.count("reader_unreliable")) == (3, 1)

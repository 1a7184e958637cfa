"""`rarr revise`: where the text comes from, what is printed, and the exit status of a run."""

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from views.test_notebook import revision

from cli.helpers import FAILED, NOTHING, Command, FakeReviser, is_complaint
from rarr.errors import RetrievalError
from rarr.records import Edit, Notice, Passage, Report, Revision
from rarr.retrievers.corpus.corpus import Corpus


def test_revises_its_argument(command: Command, fake: type[FakeReviser]) -> None:
    done = command("revise", "One.", "--context", "Why?")
    assert (done.status, done.err, fake.calls[0][:2]) == (0, "", ("One.", "Why?"))
    assert done.out.startswith(b"Xne.\n\nChanges\n")


@pytest.mark.parametrize("argv", [["-"], []], ids=["dash", "nothing"])
def test_revises_standard_input(command: Command, fake: type[FakeReviser], argv: list[str]) -> None:
    command("revise", *argv, stdin="Où?\r\n\r\nOne.".encode())
    assert fake.calls[0][0] == "Où?\r\n\r\nOne."


def test_revises_a_file_and_keeps_its_line_endings(command: Command, fake: type[FakeReviser]) -> None:
    Path("draft.md").write_bytes(b"One.\r\nTwo.\r\n")
    assert command("revise", "--file", "draft.md").out.startswith(b"Xne.\r\nTwo.\r\n\nChanges")


def test_byte_order_mark_is_no_part_of_the_text(command: Command, fake: type[FakeReviser]) -> None:
    Path("draft.md").write_bytes(b"\xef\xbb\xbfOne.")
    command("revise", "--file", "draft.md")
    assert fake.calls[0][0] == "One."


def test_text_with_a_dash_comes_after_two(command: Command, fake: type[FakeReviser]) -> None:
    command("revise", "--", "- One.")
    assert fake.calls[0][0] == "- One."


def test_only_given_options_become_settings(command: Command, fake: type[FakeReviser]) -> None:
    command("revise", "One.", "--corpus", "notes", "--model", "a:b", "--preset", "fast")
    settings = fake.calls[0][2]
    assert settings.model_fields_set >= {"corpus", "model", "preset"}
    assert (settings.corpus, settings.model, settings.preset) == (Path("notes"), "a:b", "fast")
    assert "search" not in settings.model_fields_set


@pytest.mark.parametrize(
    ("option", "given", "name", "value"),
    [
        ("--base-url", "http://localhost:8000/v1", "base_url", "http://localhost:8000/v1"),
        ("--prompts", "mine", "prompts", Path("mine")),
        ("--max-calls", "12", "max_calls", 12),
        ("--deadline", "2.5", "deadline_s", 2.5),
        ("--include-domain", "a.org", "include_domains", ["a.org"]),
        ("--exclude-domain", "a.org", "exclude_domains", ["a.org"]),
        ("--published-after", "2020", "published_after", datetime(2020, 1, 1)),
        ("--published-before", "2020-01-31", "published_before", datetime(2020, 1, 31)),
    ],
)
def test_option_becomes_a_setting(
    command: Command, fake: type[FakeReviser], option: str, given: str, name: str, value: object
) -> None:
    Path("mine").mkdir()
    done = command("revise", "One.", option, given)
    assert (done.status, done.err) == (0, "")
    assert getattr(fake.calls[0][2], name) == value


def test_domain_can_be_repeated(command: Command, fake: type[FakeReviser]) -> None:
    command("revise", "One.", "--include-domain", "a.org", "--include-domain", "b.org")
    assert fake.calls[0][2].include_domains == ["a.org", "b.org"]


def test_json_is_the_revision_alone(command: Command, fake: type[FakeReviser]) -> None:
    done = command("revise", "Où est-il?", "--json")
    assert Revision.model_validate_json(done.out) == fake.answer("Où est-il?")
    assert "ù".encode() in done.out


def test_diff_is_a_diff_alone(command: Command, fake: type[FakeReviser]) -> None:
    out = command("revise", "-", "--diff", stdin=b"One.\r\n").out
    assert out == b"--- original\n+++ revised\n@@ -1 +1 @@\n-One.\r\n+Xne.\r\n"


def test_diff_leaves_warnings_to_standard_error(command: Command, fake: type[FakeReviser]) -> None:
    fake.answer = staticmethod(lambda text: revision(text, warnings=(NOTHING,) * 2))
    done = command("revise", "Hello.", "--diff")
    complaint = "rarr: warning: nothing_to_check: no checkable claim was found (2 times)\n"
    assert done == (0, b"", complaint)


@pytest.mark.parametrize(
    ("statuses", "warnings", "status"),
    [
        (["supported"], [], 0),
        (["no_evidence"], [FAILED], 0),
        (["unjudged"], [], 0),
        (["unjudged"], [NOTHING], 0),
        (["unjudged"], [FAILED], 3),
        (["retrieval_failed"], [], 3),
        (["retrieval_failed", "unjudged"], [FAILED], 3),
        (["retrieval_failed", "unjudged"], [], 0),
        (["retrieval_failed", "supported"], [FAILED], 0),
        ([], [NOTHING], 0),
    ],
)
@pytest.mark.parametrize("option", ["--json", "--diff", None])
def test_exit_status_of_a_run(
    command: Command,
    fake: type[FakeReviser],
    statuses: Sequence[Any],
    warnings: Sequence[Notice],
    status: int,
    option: str | None,
) -> None:
    text = "One.\nTwo.\n" if len(statuses) == 2 else "One.\n"
    fake.answer = staticmethod(
        lambda text: revision(text, statuses=tuple(statuses), warnings=tuple(warnings))
    )
    done = command("revise", text, *([option] if option else []))
    assert done.status == status
    assert is_complaint(done.err) if status else done.err == "" or option == "--diff"


def test_failed_run_still_prints_its_json(command: Command, fake: type[FakeReviser]) -> None:
    fake.answer = staticmethod(lambda text: revision(text, statuses=("unjudged",), warnings=(FAILED,)))
    done = command("revise", "One.", "--json")
    assert Revision.model_validate_json(done.out).warnings == (FAILED,)
    assert "no answer: start the server" in done.err


def test_failure_of_a_whole_run_is_reported_once(command: Command, fake: type[FakeReviser]) -> None:
    other = Notice(code="rerank_failed", message="no scores", node="rerank")
    alone = FAILED.model_copy(update={"message": f"paused for 30 s: {FAILED.message}"})
    fake.answer = staticmethod(
        lambda text: revision(text, statuses=("unjudged",), warnings=(FAILED, other, FAILED, alone))
    )
    done = command("revise", "One.")
    assert (b"start the server" in done.out, b"rerank_failed: no scores" in done.out) == (False, True)
    assert (done.err.count("start the server"), "(and 1 more warning)" in done.err) == (1, True)
    fake.answer = staticmethod(lambda text: revision(text, statuses=("unjudged",), warnings=(FAILED,)))
    assert b"Warnings" not in command("revise", "One.").out


def test_real_run_corrects_a_year(command: Command, notes: Path) -> None:
    done = command("revise", "The bridge opened in 1935.\r\n", "--corpus", "notes")
    assert (done.status, done.out.split(b"\n")[0], done.err) == (0, b"The bridge opened in 1937.\r", "")


def test_real_run_without_a_claim_succeeds(command: Command, notes: Path) -> None:
    done = command("revise", "Hello!", "--corpus", "notes")
    assert (done.status, done.err) == (0, "")


def test_real_run_whose_searches_fail_checks_nothing(
    command: Command, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(self: Corpus, query: str, k: int) -> list[Passage]:
        raise RetrievalError("the disk is gone: put it back")

    monkeypatch.setattr(Corpus, "retrieve", fails)
    done = command("revise", "The bridge opened in 1935.", "--corpus", "notes", "--json")
    assert (done.status, is_complaint(done.err)) == (3, True)
    assert "the disk is gone: put it back" in done.err
    assert json.loads(done.out)["report"]["sentences"][0]["status"] == "retrieval_failed"


def test_search_of_a_corpus_that_is_not_given_is_refused(command: Command) -> None:
    done = command("revise", "The bridge opened in 1935.", "--search", "corpus")
    assert (done.status, is_complaint(done.err), "--corpus" in done.err) == (2, True, True)


STEERING = "\x9b2J \u202eback\u2066 \u2028 \u200f \u061c \x85"


@pytest.mark.parametrize("argv", [["revise", "One.", "--json"], ["trace", "list", "--json"]])
def test_json_cannot_steer_the_terminal(command: Command, notes: Path, argv: list[str]) -> None:
    command("revise", f"It is {STEERING}.", "--corpus", "notes")
    text = f"It was {STEERING} then."
    out = command("revise", text, "--corpus", "notes", "--json").out.decode() if argv[0] == "revise" else ""
    out = out or command(*argv).out.decode()
    assert not {*STEERING} - {*" 2Jback"} & {*out}
    assert STEERING in json.dumps(json.loads(out), ensure_ascii=False).replace("\\u0085", "\x85")


def test_suggested_edits_are_applied_where_asked(command: Command, fake: type[FakeReviser]) -> None:
    suggested = Edit(
        id="e1", start=0, end=3, old="The", new="That", query_id="q1", evidence_id="q1.1",
        state="suggested", reason="",
    )  # fmt: skip
    text = "The mill burned."
    fake.answer = lambda text: Revision(
        run_id="r", original=text, text=text, changed=False, edits=(suggested,), report=Report()
    )
    assert json.loads(command("revise", text, "--json").out)["text"] == text
    shown = json.loads(command("revise", text, "--json", "--accept", "suggested").out)
    assert (shown["text"], shown["edits"][0]["state"]) == ("That mill burned.", "accepted")


def test_accept_allows_only_the_value_suggested(command: Command, fake: type[FakeReviser]) -> None:
    done = command("revise", "text", "--accept", "all")
    assert done.status == 2
    assert is_complaint(done.err)
    assert "suggested" in done.err

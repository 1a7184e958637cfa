"""`rarr trace`: runs listed, shown, replayed and handed on."""

import json
import re
import types
import webbrowser
from pathlib import Path

import pytest
from traces.helpers import RIGHT, filled_store, recorded

from cli.conftest import Command
from rarr import Trace, prompts
from rarr.testing import Failure

pytestmark = pytest.mark.loopback
PROMPT = Path(prompts.__file__).with_name("check_agreement.md")


@pytest.fixture
def run_id(notes: Path) -> str:
    """Of a run whose first request failed, with an escape sequence in its evidence."""
    text = "The bridge opened in 1937. It is red\x1b[31m. It was designed by Strauss."
    (notes / "bridge.md").write_text(text)
    revision = recorded(notes, [Failure(500)])
    assert revision.text == RIGHT
    return revision.run_id


def test_list_has_the_newest_first_and_tells_runs_apart(command: Command, tmp_path: Path) -> None:
    assert b"rarr revise records a run" in command("trace", "list").out
    filled_store(tmp_path / "home", "aaaaaaaaaa1", "aaaaaaaaaa2", "b")
    titles, *rows = command("trace", "list", "--limit", "2").out.decode().splitlines()
    assert titles.split() == ["run", "when", "took", "status", "calls", "tokens", "edits", "text"]
    assert [row.split()[0] for row in rows] == ["b", "aaaaaaaaaa2"]
    assert json.loads(command("trace", "list", "--json").out)[0]["run_id"] == "b"


@pytest.mark.slow
def test_tree_has_calls_and_their_results(command: Command, run_id: str) -> None:
    out = command("trace", "show", run_id[:6]).out.decode()
    for part in (
        f"run {run_id}: done",
        "\ngenerate_queries, ",
        "failed: CallFailure:",
        '\n  passages: {"q1":[[',
        '"verdict":"disagrees","text_answer":"1935","evidence_answer":"1937"',
        '"new":"1937","id":"e1","old":"1935"',
        '"attribution_before":0.0',
    ):
        assert part in out
    full = command("trace", "show", "last", "--node", "check_agreement", "--full").out.decode()
    spans = Trace.load(run_id).spans
    asked = next(it for it in spans if (it.name, it.kind) == ("check_agreement", "ask"))
    plain = {line.strip() for line in full.splitlines()}
    sent = asked.body["user"].replace("\x1b", "␛").splitlines()
    assert [line for line in sent if line.strip() not in plain] == []
    assert {"system:", "user:", "texts:", "answers:"} <= plain
    assert "\x1b" not in out + full


@pytest.mark.slow
def test_exported_run_is_imported_and_replayed_unchanged(command: Command, run_id: str) -> None:
    first = command("trace", "export", "last").out
    command("trace", "export", "last", "-o", "run")
    assert Path("run").read_bytes() == first
    done = command("trace", "replay", "run")
    assert (done.status, b"The revision is the same, byte for byte." in done.out) == (0, True)
    assert f"rarr trace prune {run_id} removes it" in command("trace", "import", "run").err
    assert command("trace", "prune", "last").out == b"runs removed: 1\n"
    assert command("trace", "import", "run").out.decode() == f"{run_id}\n"
    assert command("trace", "export", "last").out == first
    again = command("trace", "replay", "last", "--runs", "5")
    assert (again.status, again.out.count(b"sentences changed")) == (0, 1)
    Path(PROMPT.name).write_text(PROMPT.read_text().replace("sentence", "phrase", 1))
    failed = command("trace", "replay", "last", "--runs", "1", "--prompt", PROMPT.name)
    assert (failed.status, "so that the result cannot be used" in failed.err) == (3, True)


def test_page_is_private_and_opened_in_a_graphical_browser_alone(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("rarr.views.pages.trace_page", lambda trace: f"<p>{trace.run_id}</p>")
    monkeypatch.setattr(webbrowser, "get", lambda: types.SimpleNamespace(open=opened.append))
    filled_store(tmp_path / "home", "a")
    page = tmp_path / "home/pages/a.html"
    assert command("trace", "open", "a").out.decode() == f"{page}\n"
    assert (page.read_text(), opened) == ("<p>a</p>", [page.as_uri()])
    assert page.parent.stat().st_mode & 0o777 == 0o700
    monkeypatch.setattr(webbrowser, "get", lambda: webbrowser.GenericBrowser("false"))
    assert command("trace", "open", "a").status == 0


def test_decisions_are_made_on_a_run_or_the_json_of_a_revision(command: Command) -> None:
    Path("dam.md").write_text("# Dam\n\nHoover Dam is 726 feet high. It has 221 rooms.\n")
    revise = ("revise", "The Hoover Dam is “212 metres” high.", "--source", "dam.md", "--json")
    told = "not made: e1, suggested"
    assert re.search(f"{told}: rarr trace decide .* --accept e1\n", command(*revise[:-1], "--diff").err)
    assert f"{told}\n" in command(*revise[:-1], "--diff", "--set", "trace=false").err
    run = json.loads(command(*revise).out)
    by_the_gate = {"id": "e2", "state": "refused", "reason": "too long"}
    run["edits"].append(run["edits"][0] | by_the_gate)
    Path("run").write_text(json.dumps(run))
    accepted = command("trace", "decide", "run", "--accept", "e1")
    assert (accepted.status, accepted.out.decode()) == (0, "The Hoover Dam is “221 metres” high.\n")
    assert accepted.err == "rarr: e2: refused\nrarr: e1: accepted\n"
    command("revise", "The Hoover Dam is 212 metres high.", "--source", "dam.md")
    reverted = command("trace", "decide", "last", "--revert", "e1")
    assert reverted.out.decode() == "The Hoover Dam is 212 metres high.\n"
    assert reverted.err == "rarr: e1: refused\n"
    assert "no edit is named" in command("trace", "decide", "last").err
    assert "is not the JSON of a revision" in command("trace", "decide", "dam.md", "--accept", "e1").err

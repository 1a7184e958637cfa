"""`rarr trace`: runs listed, shown, handed on and removed."""

import json
import socket
import subprocess
import sys
import types
import webbrowser
from collections.abc import Sequence
from pathlib import Path

import pytest
from traces.helpers import RIGHT, TEXT, facts, file, filled, recorded

from cli.helpers import Command, is_complaint
from rarr import Trace
from rarr.testing import Status
from rarr.traces.trace_file import StoredSpan

pytestmark = pytest.mark.loopback


@pytest.fixture
def run_id(tmp_path: Path) -> str:
    """Of a run whose first request failed, with an escape sequence in its evidence."""
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "bridge.md").write_text(
        "The bridge opened in 1937. It is red\x1b[31m. It was designed by Joseph Strauss."
    )
    revision = recorded(folder, [Status(500)])
    assert revision.text == RIGHT
    return revision.run_id


def shown(command: Command, *argv: str) -> str:
    done = command("trace", "show", *argv)
    assert (done.status, done.err) == (0, "")
    return done.out.decode()


@pytest.mark.slow
def test_list_has_the_newest_first(command: Command, tmp_path: Path, run_id: str) -> None:
    filled(tmp_path / "home", "newer").close()
    titles, newer, older = command("trace", "list").out.decode().splitlines()
    assert titles.split() == ["run", "when", "took", "status", "calls", "tokens", "edits", "text"]
    assert (newer.split()[0], older.split()[0]) == ("newer", run_id[:8])
    assert " done " in older
    assert max(map(len, (titles, newer, older))) <= 80


def test_list_shows_enough_of_each_run_id_to_tell_runs_apart(command: Command, tmp_path: Path) -> None:
    filled(tmp_path / "home", "aaaaaaaaaa1", "aaaaaaaaaa2", "b").close()
    rows = command("trace", "list", "--limit", "2").out.decode().splitlines()[1:]
    assert [row.split()[0] for row in rows] == ["b", "aaaaaaaaaa2"]


@pytest.mark.slow
def test_list_as_json(command: Command, run_id: str) -> None:
    (row,) = json.loads(command("trace", "list", "--json").out)
    assert (row["run_id"], row["status"], row["edits"], row["text"]) == (run_id, "done", 1, TEXT)


def test_empty_list_says_what_fills_it(command: Command) -> None:
    assert b"rarr revise records a run" in command("trace", "list").out


@pytest.mark.slow
def test_tree_has_calls_and_their_results(command: Command, run_id: str) -> None:
    out = shown(command, run_id[:6])
    for part in (
        f"run {run_id}: done",
        "\ngenerate_queries ",
        "failed: CallFailure:",
        "\n  found 1 passage in 1 document\n",
        "q1.1 disagrees: text “1935”, evidence “1937”",
        "e1 “1935” → “1937” accepted",
        "1. supported: The bridge opened in 1937.",
        "attribution after 1.00",
    ):
        assert part in out
    assert max(map(len, out.replace("/", " ").splitlines())) <= 80
    assert "\x1b" not in out


@pytest.mark.slow
def test_verdict_option_shows_only_checks_with_that_verdict(command: Command, run_id: str) -> None:
    out = shown(command, "last", "--verdict", "disagrees")
    assert "q1.1 disagrees" in out
    assert "e1 “1935”" in out
    assert "agrees" not in out.replace("disagrees", "")
    assert "No check came to irrelevant." in shown(command, "last", "--verdict", "irrelevant")


@pytest.mark.slow
def test_errors_option_shows_only_failed_calls(command: Command, run_id: str) -> None:
    calls = shown(command, "last", "--errors").split("\n\n", 1)[1]
    assert calls.count("\n  ") >= 2
    assert "status 500" in calls
    assert "q1" not in calls


@pytest.mark.slow
def test_full_shows_prompts_and_answers_as_they_were(command: Command, run_id: str) -> None:
    out = shown(command, "last", "--node", "check_agreement", "--full")
    trace = Trace.load(run_id)
    asked = next(span for span in trace.spans if span.name == "check_agreement" and span.kind == "ask")
    plain = [line.strip() for line in out.splitlines()]
    sent = trace.rendered(asked).replace("\x1b", "␛").splitlines()
    assert [line for line in sent if line.strip() not in plain] == []
    prompt = trace.prompts[asked.body["prompt"]]
    assert f"prompt check_agreement, version {prompt.version}, hash {prompt.hash}, temperature 0" in plain
    assert {"system:", "user:", "answer:", "read as:"} <= set(plain)
    assert "generate_queries" not in out
    assert "\x1b" not in out


@pytest.mark.slow
def test_tree_as_json(command: Command, run_id: str) -> None:
    tree = json.loads(shown(command, "last", "--json", "--node", "check_agreement"))
    reading = tree["calls"][0]["inner"][0]
    asked = reading["inner"][0]
    assert (reading["kind"], [it["verdict"] for it in reading["sentences"]][:1]) == ("read", ["no"])
    assert (tree["run_id"], asked["kind"], asked["prompt"]["name"]) == (run_id, "ask", "check_agreement")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["nothing"], "rarr trace list names them"),
        (["last", "--node", "revise"], "called no node 'revise': it called generate_queries"),
        (["last", "--verdict", "no"], "give one of agrees, disagrees, irrelevant, unknown"),
    ],
)
def test_missing_trace_is_an_error_with_the_cure(
    command: Command, run_id: str, argv: Sequence[str], message: str
) -> None:
    done = command("trace", "show", *argv)
    assert (done.status, done.out) == (2, b"")
    assert is_complaint(done.err)
    assert message in done.err


def test_run_that_was_cut_short_shows_where_it_ended(command: Command, tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    plain = {"about": "q1", "started": 1.0, "seconds": None, "error": ""}
    spans = [
        StoredSpan(number=1, parent=0, kind="node", name="edit", **plain),
        StoredSpan(number=2, parent=1, kind="request", name="m\x1b", **plain),
    ]
    cut = {"seconds": None, "facts": facts(process=(socket.gethostname(), gone.pid))}
    file(spans=spans).model_copy(update=cut).write(tmp_path / "run.json")
    assert command("trace", "import", str(tmp_path / "run.json")).out == b"run-1\n"
    out = shown(command, "last")
    assert "run run-1: cut short\n" in out
    assert "it stopped in edit > m␛ for q1\n" in out


@pytest.mark.slow
def test_export_import_export_is_the_same(command: Command, tmp_path: Path, run_id: str) -> None:
    first = command("trace", "export", "last").out
    command("trace", "export", "last", "-o", "run.json")
    assert Path("run.json").read_bytes() == first
    again = command("trace", "import", "run.json")
    assert again.status == 2
    assert f"rarr trace prune {run_id} removes it" in again.err
    assert command("trace", "prune", "last").out.startswith(b"runs removed: 1; ")
    assert command("trace", "import", "run.json").out.decode() == f"{run_id}\n"
    assert command("trace", "export", "last").out == first


@pytest.mark.parametrize("content", [None, "{}", "no"])
def test_import_of_no_trace_is_refused(command: Command, content: str | None) -> None:
    if content is not None:
        Path("run.json").write_text(content)
    done = command("trace", "import", "run.json")
    assert done.status == 2
    assert is_complaint(done.err)


def test_prune_uses_the_days_from_the_settings(command: Command, tmp_path: Path) -> None:
    filled(tmp_path / "home", "old", stored=1.0).close()
    assert command("trace", "prune", "--days", "1000000").out.startswith(b"runs removed: 0; ")
    assert command("trace", "prune").out.startswith(b"runs removed: 1; ")


@pytest.mark.parametrize("argv", [["--all"], ["--max-mb", "0"], ["--days", "0"], ["a", "b"]])
def test_prune_removes_the_named_runs(command: Command, tmp_path: Path, argv: Sequence[str]) -> None:
    filled(tmp_path / "home", "a", "b").close()
    assert command("trace", "prune", *argv).out.startswith(b"runs removed: 2; ")


def test_run_may_be_called_last(command: Command, tmp_path: Path) -> None:
    filled(tmp_path / "home", "last", "newer").close()
    assert "run last: done" in shown(command, "last")
    assert command("trace", "prune", "last").out.startswith(b"runs removed: 1; ")
    assert "run newer: done" in shown(command, "last")
    filled(tmp_path / "home", "last").close()
    assert command("trace", "prune", "--all").out.startswith(b"runs removed: 2; ")


def test_runs_and_limits_exclude_each_other(command: Command, tmp_path: Path) -> None:
    done = command("trace", "prune", "a", "--all")
    assert (done.status, "exclude each other" in done.err) == (2, True)


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that were opened in a browser."""
    module = types.ModuleType("rarr.views.html.trace")
    module.page = lambda trace: f"<p>{trace.run_id}</p>"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "rarr.views.html.trace", module)
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "get", lambda: types.SimpleNamespace(open=opened.append))
    return opened


def test_page_is_opened_in_the_browser(command: Command, tmp_path: Path, pages: list[str]) -> None:
    filled(tmp_path / "home", "a").close()
    page = tmp_path / "home/pages/a.html"
    assert command("trace", "open", "a").out.decode() == f"{page}\n"
    assert (page.read_text(), page.stat().st_mode & 0o777) == ("<p>a</p>", 0o600)
    assert pages == [page.as_uri()]


def test_page_is_readable_by_its_owner_only(
    command: Command, tmp_path: Path, pages: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(tmp_path / "home", "a").close()
    left = tmp_path / "home/pages/a.html.part"
    left.parent.mkdir()
    left.touch(mode=0o644)
    modes, replace = [], Path.replace

    def replacing(self: Path, target: Path) -> Path:
        modes.append(self.stat().st_mode & 0o777)
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", replacing)
    assert command("trace", "open", "a").status == 0
    assert modes == [0o600]


def test_page_in_a_file_is_not_opened(command: Command, tmp_path: Path, pages: list[str]) -> None:
    filled(tmp_path / "home", "a").close()
    assert command("trace", "open", "a", "-o", "a.html").out == b"a.html\n"
    assert (Path("a.html").read_text(), pages) == ("<p>a</p>", [])
    assert command("trace", "open", "a", "-o", "no/a.html").status == 2


def test_browser_that_runs_in_the_terminal_is_not_opened(
    command: Command, tmp_path: Path, pages: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(tmp_path / "home", "a").close()
    browser = webbrowser.GenericBrowser("false")
    monkeypatch.setattr(webbrowser, "get", lambda: browser)
    monkeypatch.setattr(browser, "open", pages.append)
    assert command("trace", "open", "a").status == 0
    assert pages == []

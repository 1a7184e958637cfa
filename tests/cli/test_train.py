"""`rarr train data` over a real connection to a scripted server, and `rarr train editor`."""

import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cli.helpers import Command, Result, is_complaint
from rarr.testing import RuleModel, ScriptedServer, refused_url

CORPUS = Path(__file__).parents[2] / "examples" / "corpus"
QUERIES = ["When did the Golden Gate Bridge open?", "Who commanded Apollo 12?", "Best pizza in Naples"]


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(RuleModel()) as scripted:
        yield scripted


@pytest.fixture(autouse=True)
def _corpus() -> None:
    """A few of the example documents."""
    Path("corpus").mkdir()
    for name in (
        "golden-gate-bridge.md",
        "san-francisco-oakland-bay-bridge.md",
        "apollo-11.md",
        "apollo-12.md",
    ):
        shutil.copy(CORPUS / name, "corpus")
    Path("queries.txt").write_text("\n".join(QUERIES))


def train(command: Command, url: str, *more: str) -> Result:
    model = ["--model", "vllm:some-model", "--base-url", url, "--corpus", "corpus"]
    return command("train", "data", "queries.txt", "-o", "rows.jsonl", *model, *more)


@pytest.mark.slow
@pytest.mark.loopback
def test_rows_are_made_and_dropped_rows_are_reported(command: Command, server: ScriptedServer) -> None:
    done = train(command, server.url)
    assert (done.status, done.err) == (0, "")
    rows, dropped, reason, spent = done.out.decode().splitlines()
    assert rows == "rows: 2 in rows.jsonl, 2 of them new"
    assert (dropped, reason) == (
        "dropped: 1 query, in rows.dropped.jsonl",
        "  1: no passage is relevant enough",
    )
    assert spent.startswith("spent: 4 model calls, ")
    made = [json.loads(line) for line in Path("rows.jsonl").read_text().splitlines()]
    assert {row["query"] for row in made} == set(QUERIES[:2])
    assert {row["model"] for row in made} == {"vllm:some-model"}
    assert all(row["summary"] != row["corrupted"] for row in made)
    assert {request.prompt for request in server.requests} == {"summarize", "corrupt"}


@pytest.mark.slow
@pytest.mark.loopback
def test_same_call_again_asks_nothing(command: Command, server: ScriptedServer) -> None:
    train(command, server.url)
    before = Path("rows.jsonl").read_bytes(), len(server.requests)
    assert train(command, server.url).out.startswith(b"rows: 2 in rows.jsonl, 0 of them new\n")
    assert (Path("rows.jsonl").read_bytes(), len(server.requests)) == before


@pytest.mark.slow
@pytest.mark.loopback
def test_calls_are_limited_and_the_next_run_goes_on(command: Command, server: ScriptedServer) -> None:
    done = train(command, server.url, "--max-calls", "2", "--jobs", "1")
    assert (done.status, len(server.requests)) == (0, 2)
    assert (
        "warning: max_calls (2) is reached: raise it for more: the same call works on the rest, 2 queries"
        in done.err
    )
    assert train(command, server.url).out.startswith(b"rows: 2 in rows.jsonl, 1 of them new\n")


@pytest.mark.slow
@pytest.mark.loopback
def test_cost_is_limited_where_the_price_is_known(command: Command, server: ScriptedServer) -> None:
    done = train(command, server.url, "--max-cost", "0.5")
    assert (done.status, is_complaint(done.err)) == (2, True)
    assert "max_cost needs the price of vllm:some-model" in done.err
    Path("rarr.toml").write_text('[endpoints."vllm:some-model"]\nprice = [1000, 1000]\n')
    done = train(command, server.url, "--max-cost", "0.5")
    assert (done.status, "max_cost (0.5) would be passed" in done.err) == (0, True)


@pytest.mark.slow
@pytest.mark.loopback
def test_dead_server_is_reported_and_costs_no_query(command: Command, server: ScriptedServer) -> None:
    done = train(command, refused_url())
    assert done.status == 2  # one query needs no model to be dropped
    assert "rarr: 2 queries failed: correct the cause, and run again" in done.err
    assert train(command, server.url).out.startswith(b"rows: 2 in rows.jsonl, 2 of them new\n")


@pytest.mark.slow
@pytest.mark.loopback
def test_run_that_made_nothing_fails_and_names_the_doctor(command: Command) -> None:
    Path("queries.txt").write_text(QUERIES[0])
    done = train(command, refused_url())
    assert (done.status, done.err.splitlines()[-1].endswith(": see rarr doctor")) == (3, True)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["no.txt", "--model", "vllm:m"], "no.txt cannot be read"),
        (["empty.txt", "--model", "vllm:m"], "empty.txt has no query: give one a line"),
        (
            ["queries.txt"],
            "'embedded' cannot write summaries: set model to a language model, such as vllm:NAME",
        ),
        (["queries.txt", "--model", "gpt"], "unknown model 'gpt'"),
        (["queries.txt", "--model", "vllm:m", "--corpus", "no"], "no"),
    ],
)
def test_wrong_calls_are_one_line_before_anything_is_asked(
    command: Command, argv: list[str], message: str
) -> None:
    Path("empty.txt").touch()
    done = command("train", "data", "-o", "rows.jsonl", "--offline", *argv)
    assert (done.status, is_complaint(done.err), done.out) == (2, True, b"")
    assert message in done.err
    assert not Path("rows.jsonl").exists()


def test_editor_without_its_extra_names_it(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if re.match(r"rarr\.training\.(?!noising)", name)]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setattr("rarr.training.noising.row_files.enough", lambda _: [])
    done = command("train", "editor", "rows.jsonl", "-o", "weights")
    assert (done.status, is_complaint(done.err)) == (2, True)
    assert done.err.endswith("is missing): pip install 'rarr[train]'\n")


@pytest.mark.parametrize(
    ("argv", "message"),
    [(["none.jsonl"], "none.jsonl does not exist"), (["rows.jsonl", "--from", "w"], "there is no folder w")],
)
def test_editor_names_what_is_wrong_before_its_extra(
    command: Command, monkeypatch: pytest.MonkeyPatch, argv: list[str], message: str
) -> None:
    for name in [name for name in sys.modules if re.match(r"rarr\.training\.(?!noising)", name)]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    if argv[0] == "rows.jsonl":
        monkeypatch.setattr("rarr.training.noising.row_files.enough", lambda _: [])
    done = command("train", "editor", *argv, "-o", "weights")
    assert (done.status, message in done.err) == (2, True)


def test_editor_shows_what_it_did(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []

    def fine_tune(rows: Path, out: Path, **more: Any) -> Any:
        calls.append((rows, out, more["steps"], more["seed"], more["start"]))
        return SimpleNamespace(
            rows=20, held_out=2, examples={"cloze": 30, "attribution": 36}, steps=9,
            before={"cloze": 2.5}, after={"cloze": 1.25}, seconds=61.2, sure=0.512,
        )  # fmt: skip

    module = SimpleNamespace(fine_tune=fine_tune, Backend=SimpleNamespace(of_the_package=lambda: None))
    monkeypatch.setitem(sys.modules, "rarr.training.fine_tuning", module)
    done = command("train", "editor", "r.jsonl", "-o", "w", "--steps", "9", "--seed", "7", "--from", "other")
    assert done == (
        0,
        b"rows: 20, 2 of them held out\nexamples: cloze 30, attribution 36\nsteps: 9\n"
        b"loss on the held-out rows: cloze 2.500 to 1.250\n"
        b"corrections: from probability 0.51 on\nweights: w, after 61 seconds\n",
        "",
    )
    assert calls == [(Path("r.jsonl"), Path("w"), 9, 7, Path("other"))]

"""What the doctor finds, and that every finding that is not ok names its cure."""

import json
import os
import re
import tomllib
from pathlib import Path

import pytest
from traces.helpers import filled

from cli.helpers import Command
from rarr.backends.nli import verifier
from rarr.cli import doctor
from rarr.cli.doctor import examine
from rarr.cli.doctor.diagnosis import Diagnosis
from rarr.testing import ScriptedServer, refused_url
from rarr.views.terminal.revision import as_json


def finding_of(name: str, corpus: Path | None = None, *, offline: bool = True) -> Diagnosis:
    (finding,) = [candidate for candidate in examine(corpus, offline=offline) if candidate.name == name]
    return finding


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "bridge.md").write_text("The bridge opened in 1937. It is red.")
    return folder


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_nothing_is_broken_by_default() -> None:
    assert {finding.state for finding in examine(offline=True)} <= {"ok", "missing"}


def test_settings_are_examined_without_a_variable_too(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.upper().startswith("RARR_")]:
        monkeypatch.delenv(name)
    assert finding_of("settings") == Diagnosis("settings", "ok", "all other settings have their defaults")


def test_missing_setting_names_its_cure() -> None:
    assert all(finding.cure for finding in examine(offline=True) if finding.state == "missing")


def test_unreadable_settings_are_broken(tmp_path: Path) -> None:
    (tmp_path / "rarr.toml").write_text("windw = 3")
    finding = finding_of("settings")
    assert finding.state == "broken"
    assert "did you mean 'window'" in finding.detail


@pytest.mark.parametrize(
    ("file", "variable", "detail"),
    [
        ("window = 3", "", "3, from rarr.toml or pyproject.toml"),
        ("", "2", "2, from RARR_WINDOW"),
        ("window = 3", "2", "2, from RARR_WINDOW"),
    ],
    ids=["file", "environment", "both"],
)
def test_setting_says_where_it_comes_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, variable: str, detail: str
) -> None:
    (tmp_path / "rarr.toml").write_text(file)
    if variable:
        monkeypatch.setenv("RARR_WINDOW", variable)
    assert finding_of("setting window").detail == detail


def test_setting_may_come_from_a_preset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RARR_PRESET", "fast")
    assert finding_of("setting documents_per_query").detail == "2, from preset fast"


def test_unknown_model_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RARR_MODEL", "nobody:nothing")
    finding = finding_of("model")
    assert (finding.state, "nobody:nothing" in finding.detail) == ("broken", True)


def test_unknown_search_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RARR_SEARCH", "nowhere")
    assert finding_of("search").state == "broken"


def test_home_that_cannot_be_made_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("RARR_HOME", str(tmp_path / "file" / "home"))
    assert (finding_of("home").state, "RARR_HOME" in finding_of("home").cure) == ("broken", True)


@pytest.mark.parametrize(
    ("variables", "version", "state"),
    [
        ({}, "1.0", "ok"),
        ({}, None, "missing"),
        ({"RARR_RERANKER": "cross-encoder/x"}, None, "broken"),
        ({"RARR_RERANKER": "BAAI/x"}, None, "broken"),
        ({"RARR_RERANKER": "vllm:x"}, None, "missing"),
        ({"RARR_MODELS": '{"attribute": "nli:a/b"}'}, None, "broken"),
        ({"RARR_MODELS": '{"attribute": "embedded"}'}, None, "missing"),
    ],
)
def test_extra_is_broken_only_where_it_is_needed(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], version: str | None, state: str
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(doctor, "installed", lambda package: version)
    monkeypatch.setattr(verifier, "NliVerifier", lambda *given: None)
    finding = finding_of("extra torch")
    assert (finding.state, finding.cure) == (state, "" if version else 'pip install "rarr[torch]"')


def test_model_that_judges_support_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RARR_MODELS", '{"attribute": "nli:a/b"}')
    monkeypatch.setattr(verifier, "NliVerifier", lambda *given: None)
    assert (finding_of("model nli:a/b").state, finding_of("model nli:a/b").detail) == ("ok", "it loads")


def test_extra_for_spans_is_broken_only_where_they_are_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "installed", lambda package: None)
    assert finding_of("extra otel").state == "missing"
    monkeypatch.setenv("RARR_OTEL", "true")
    assert finding_of("extra otel").state == "broken"


def test_every_extra_is_looked_at() -> None:
    with (Path(__file__).parents[2] / "pyproject.toml").open("rb") as file:
        extras = set(tomllib.load(file)["project"]["optional-dependencies"])
    assert set(doctor.EXTRAS) == extras - {"dev", "docs"}


@pytest.mark.slow
def test_folder_is_opened_and_counted(notes: Path) -> None:
    (notes / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    finding = finding_of("corpus", notes)
    assert (finding.state, finding.detail) == ("ok", f"{notes} opens; passages: 1, files skipped: 1")


def test_built_index_is_opened_and_counted(notes: Path, tmp_path: Path) -> None:
    from rarr.retrievers.corpus.index_building import build_index

    build_index(notes, tmp_path / "index", window=4, step=1, max_file_mb=1)
    assert finding_of("corpus", tmp_path / "index").detail == f"{tmp_path / 'index'} opens; passages: 1"


def test_missing_corpus_is_broken(tmp_path: Path) -> None:
    finding = finding_of("corpus", tmp_path / "nowhere")
    assert (finding.state, "nowhere" in finding.detail) == ("broken", True)


def test_text_is_one_line_a_finding() -> None:
    findings = [Diagnosis("a", "ok", "one\ntwo"), Diagnosis("b", "missing", "none", "get it")]
    assert doctor.as_text(findings) == "ok       a: one two\nmissing  b: none; cure: get it\n"


def test_json_holds_the_same() -> None:
    findings = [Diagnosis("a", "broken", "“ü”", "mend it")]
    assert json.loads(as_json([finding._asdict() for finding in findings])) == [findings[0]._asdict()]


@pytest.mark.slow
@pytest.mark.loopback
def test_served_model_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer({}, models=["some"]) as server:
        monkeypatch.setenv("RARR_MODEL", "vllm:some")
        monkeypatch.setenv("RARR_BASE_URL", server.url)
        assert finding_of("model vllm:some").state == "ok"


@pytest.mark.loopback
@pytest.mark.parametrize(
    ("name", "serving", "detail"),
    [("vllm:other", True, "the server has some alone"), ("vllm:some", False, "cannot be reached")],
)
def test_model_that_is_not_served_is_broken(
    name: str, serving: bool, detail: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedServer({}, models=["some"]) as server:
        monkeypatch.setenv("RARR_MODEL", name)
        monkeypatch.setenv("RARR_BASE_URL", server.url if serving else refused_url())
        finding = finding_of(f"model {name}")
    assert (finding.state, detail in finding.detail) == ("broken", True)
    assert finding.cure.startswith("start its server")


def test_traces_are_counted_or_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "not exist yet" in finding_of("traces").detail
    filled(tmp_path / "home", "a", "b").close()
    assert "runs: 2" in finding_of("traces").detail
    (tmp_path / "home/traces.sqlite").write_bytes(b"A letter. " * 500)
    assert finding_of("traces").state == "broken"
    monkeypatch.setenv("RARR_TRACE", "false")
    assert "trace is false" in finding_of("traces").detail


def test_findings_cannot_steer_the_terminal(command: Command, tmp_path: Path) -> None:
    folder = tmp_path / "no\x1b[2J\x9b\u202etes"
    folder.mkdir()
    (folder / "a.md").write_text("The bridge opened in 1937.")
    shown = command("doctor", "--offline", "--corpus", str(folder)).out.decode()
    assert "tes opens; passages: 1" in shown
    assert not re.search("[\x1b\x80-\x9f\u202a-\u202e]", shown)

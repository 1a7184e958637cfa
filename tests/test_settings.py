"""Where a setting comes from, what wins, what is refused, and that each is declared, read and tested."""

import re
import time
from dataclasses import fields
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from makers import FACT, TEXT
from pydantic import SecretStr
from traces.helpers import filled_store

import rarr
from benchmarks.documents import docstrings
from rarr import Reviser
from rarr.agent.wiring.components import wire
from rarr.errors import SettingsError
from rarr.settings import Settings
from rarr.settings.reading import has_type
from rarr.testing import InMemoryRetriever
from rarr.tools.models.run_budget import Budget

TESTS = Path(__file__).parent
KEYS = [name for name, field in Settings.model_fields.items() if has_type(field.annotation, SecretStr)]


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The working directory, where the settings files are looked for."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("name", "table"), [("rarr.toml", ""), ("pyproject.toml", "[tool.rarr]\n")])
def test_argument_beats_environment_beats_file_beats_preset_beats_default(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, table: str
) -> None:
    assert (Settings().window, Settings().evidence_per_query) == (4, 3)
    assert Settings(preset="paper").evidence_per_query == 1
    (folder / name).write_text(f"{table}window = 6\nevidence_per_query = 9")
    assert (Settings().window, Settings(preset="paper").evidence_per_query) == (6, 9)
    monkeypatch.setenv("RARR_WINDOW", "5")
    monkeypatch.setenv("RARR_PRESET", "fast")
    assert (Settings().window, Settings().documents_per_query) == (5, 2)
    assert (Settings(window=7).window, Settings(window=4).window) == (7, 4)
    (folder / "rarr.toml").write_text('models = {edit = "openai:a", rerank = "openai:a"}')
    assert Settings(models={"edit": "openai:b"}).models == {"edit": "openai:b", "rerank": "openai:a"}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("rarr.toml", b"window = ", r"^rarr.toml cannot be read: .*: correct it$"),
        ("rarr.toml/x", b"", r"^rarr.toml cannot be read: it is a folder: rename it$"),
        ("pyproject.toml", b"\xff", r"^pyproject.toml cannot be read: .*: correct it$"),
        ("pyproject.toml", b"[tool]\nrarr = 5", r"^tool\.rarr in pyproject\.toml is not a table"),
        ("rarr.toml", b"window = 'x'", r"^setting 'window' in rarr.toml is 'x': give a whole number"),
        ("rarr.toml", b"windw = 6", r"'windw' in rarr.toml \(did you mean 'window'\?\): see the guide"),
        ("pyproject.toml", b"[tool.rarr]\nzzz = 6", r"'zzz' in pyproject.toml: see the guide to settings"),
    ],
)
def test_error_names_the_wrong_settings_file(folder: Path, name: str, content: bytes, message: str) -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_bytes(content)
    with pytest.raises(SettingsError, match=message):
        Settings()


def error_of(**values: Any) -> str:
    with pytest.raises(SettingsError) as caught:
        Settings(**values)
    (line,) = str(caught.value).splitlines()
    return line


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"windw": 4}, "unknown setting 'windw' (did you mean 'window'?): see the guide to settings"),
        *(
            ({name: "x"}, f"unknown setting '{name}': it is called {it}, in the call revise(text, {it}=...)")
            for name, it in (("passages", "sources"), ("question", "context"), ("deadline", "deadline_s"))
        ),
        ({"window": 0}, "setting 'window' is 0: give a number greater than or equal to 1"),
        ({"deadline_s": True}, "setting 'deadline_s' is True: give a number"),
        ({"preset": "papper"}, "setting 'preset' is 'papper': give 'default', 'paper' or 'fast'"),
        ({"models": 3}, "setting 'models' is 3: give an object"),
        *(({"corpus": it}, f"setting 'corpus' is {it!r}: give a path") for it in ("", 5)),
        ({"max_calls": "x"}, "setting 'max_calls' is 'x': give a whole number"),
        ({"base_url": ""}, "setting 'base_url' is '': give http://HOST:PORT/v1"),
        (
            {"endpoints": {"vllm:x": {"base_url": ""}}},
            "setting 'endpoints.vllm:x.base_url' is wrong: it is empty: give a text",
        ),
        ({"reranker": ""}, "setting 'reranker' is '': it is empty: give a text"),
        (
            {"published_after": 2020, "published_before": "2020-01-01T01:00+01:00"},
            "nothing is published between published_after and published_before: change one",
        ),
    ],
)
def test_wrong_argument_is_one_line_that_names_the_cure(values: dict[str, Any], message: str) -> None:
    assert error_of(**values) == message


def test_list_in_a_variable_is_split_at_commas_or_read_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    for value, domains in {"a.org, b.org,": ["a.org", "b.org"], '["*.a.org"]': ["a.org"], "": []}.items():
        monkeypatch.setenv("RARR_INCLUDE_DOMAINS", value)
        assert Settings().include_domains == domains


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("RARR_MODELS", "edit=openai:a", 'RARR_MODELS is not a JSON object: write it as {"NAME": ...}'),
        ("RARR_MODELS", "[" * 100_000, "RARR_MODELS is not a JSON object"),
        ("RARR_ENDPOINTS", "sk-secret", "RARR_ENDPOINTS is not a JSON object"),
        ("RARR_ENDPOINTS", '{"a": {"url": "secret"}}', "RARR_ENDPOINTS, in which 'endpoints.a.url' is wrong"),
        ("RARR_ENDPOINTS", '{"a": {"api_key": "secr\\net"}}', "RARR_ENDPOINTS, in which 'endpoints.a.api"),
        ("RARR_SERVE_TOKEN", "sécret", "RARR_SERVE_TOKEN is wrong: it has a character that no HTTP"),
        ("TAVILY_API_KEY", "secret\n1", "setting 'tavily_key' is wrong: it has a character that no HTTP"),
        ("RARR_INCLUDE_DOMAINS", '["a.org"', "RARR_INCLUDE_DOMAINS is not a list: write it as a,b"),
        ("rarr_window", "", "RARR_WINDOW is ''"),
        ("RARR_OFFLINE", "maybe", "RARR_OFFLINE is 'maybe': give true or false"),
        ("rarr_windw", "3", "environment variable rarr_windw is not a setting (did you mean 'window'?)"),
    ],
)
def test_wrong_variable_is_a_one_line_error_that_names_it(
    name: str, value: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    line = error_of()
    assert (line[: len(message)], "secret" in line) == (message, False)


@pytest.mark.parametrize("name", [it for it in KEYS if it != "endpoints"])
def test_wrong_key_is_not_shown(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"RARR_{name.upper()}", " x\n")
    assert getattr(Settings(), name).get_secret_value() == "x"
    assert error_of(**{name: ["sk-secret"]}) == f"setting '{name}' is wrong: give a text"


def names_in(folder: Path, pattern: str) -> set[str]:
    """The names of settings that stand in the files of Python of a folder as the pattern has them."""
    files = [path.read_text(encoding="utf-8") for path in folder.rglob("*.py")]
    found = re.findall(pattern, "\n".join(files), re.MULTILINE)
    return {name.lower() for groups in found for name in ([groups] if isinstance(groups, str) else groups)}


def test_every_setting_has_a_docstring_is_read_and_is_named_in_a_test() -> None:
    names = set(Settings.model_fields)
    assert names - set(docstrings(Settings)) == set()
    # A preset is used up where settings are made, and the limits of a run are read together.
    read = names_in(Path(rarr.__file__).parent, r"(?:settings|self)\.(?=(\w+))")
    assert names - read - {"preset", *(it.name for it in fields(Budget))} == set()
    # As Settings(name=...), "name", RARR_NAME or a line of a file.
    assert names - names_in(TESTS, r"\b(\w+)=|[\"'](\w+)[\"']|\bRARR_(\w+)|^(\w+) = ") == set()


def test_date_formats_are_read_and_what_is_no_date_is_refused() -> None:
    read: dict[object, str] = {2020: "2020-01-01T00Z", " 2020-05 ": "2020-05-01T00Z"}
    read |= {"2020-01-31T12:00Z": "2020-01-31T12Z", date(2020, 1, 31): "2020-01-31T00Z"}
    for given, meant in read.items():
        assert Settings(published_after=given).published_after == datetime.fromisoformat(meant)
    assert Settings(published_after=None).published_after is None
    for wrong in (20, 1577836800, "20200131", "May 2020", "", 2020.5, True):
        message = f"setting 'published_after' is {wrong!r}: give a year"
        assert error_of(published_after=wrong).startswith(message)


def test_what_is_no_domain_is_refused() -> None:
    assert Settings(source_kinds={"*.A.org": "news"}).source_kinds == {"A.org": "news"}
    for name in ("not a domain", "https://a.org/x", "a.org:80", "-a.org", "*", ""):
        for values in ({"include_domains": [name]}, {"source_kinds": {name: "news"}}):
            assert error_of(**values).endswith("it is not a domain: give a host, such as example.org")


def test_wikipedia_language_is_the_edition_that_is_asked() -> None:
    wikipedia = wire(Settings(search="wikipedia", wikipedia_language="de")).retriever.source  # type: ignore[attr-defined]  # within its limits
    assert wikipedia._api == "https://de.wikipedia.org/w/api.php"


@pytest.mark.parametrize(("days", "kept"), [(4, {"old", "yesterday", "new"}), (0.5, {"yesterday", "new"})])
def test_trace_days_remove_old_traces(days: float, kept: set[str], tmp_path: Path) -> None:
    filled_store(tmp_path, "old", written=time.time() - 3 * 86_400)
    store = filled_store(tmp_path, "yesterday", written=time.time() - 86_401)
    with Reviser(Settings(home=tmp_path, search=InMemoryRetriever([FACT]), trace_days=days)) as reviser:
        reviser.revise(TEXT, run_id="new")
    assert set(store.run_names()) == kept

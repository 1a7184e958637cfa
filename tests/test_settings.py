"""Where a setting comes from, what wins, what is refused, and that each is declared, read and tested."""

import json
import re
import time
from dataclasses import fields
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path
from typing import Any, get_origin

import pytest
from makers import FACT, TEXT
from pydantic import SecretStr
from traces.helpers import filled

import rarr
from benchmarks.documents import docstrings
from rarr import Reviser
from rarr.agent.wiring.components import wire
from rarr.errors import SettingsError
from rarr.settings import Settings
from rarr.settings.reading import EXAMPLES
from rarr.settings.setting_errors import names_with
from rarr.testing import InMemoryRetriever
from rarr.tools.models.run_budget import Budget

TESTS = Path(__file__).parent


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The working directory, where the settings files are looked for."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "content"), [("rarr.toml", "window = 6"), ("pyproject.toml", "[tool.rarr]\nwindow = 6")]
)
def test_argument_beats_environment_beats_file_beats_preset_beats_default(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: str
) -> None:
    assert (Settings().window, Settings().evidence_per_query) == (4, 3)
    assert Settings(preset="paper").evidence_per_query == 1
    (folder / name).write_text(f"{content}\nevidence_per_query = 9")
    assert (Settings().window, Settings(preset="paper").evidence_per_query) == (6, 9)
    monkeypatch.setenv("RARR_WINDOW", "5")
    monkeypatch.setenv("RARR_PRESET", "fast")
    assert (Settings().window, Settings().documents_per_query) == (5, 2)
    assert (Settings(window=7).window, Settings(window=4).window) == (7, 4)


def test_rarr_toml_is_read_instead_of_pyproject(folder: Path) -> None:
    (folder / "rarr.toml").write_text("rounds = 3")
    (folder / "pyproject.toml").write_text("[tool.rarr]\nrounds = 4\nwindow = 6")
    assert (Settings().rounds, Settings().window) == (3, 4)


def test_pyproject_of_something_else_is_no_settings_file(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("[tool.other]\nwindow = 6")
    assert Settings().window == 4


def test_models_are_chosen_node_by_node(folder: Path) -> None:
    (folder / "rarr.toml").write_text('models = {edit = "openai:a", rerank = "openai:a"}')
    assert Settings(models={"edit": "openai:b"}).models == {"edit": "openai:b", "rerank": "openai:a"}


@pytest.mark.parametrize(
    ("name", "content"), [("rarr.toml", "windw = 6"), ("pyproject.toml", "[tool.rarr]\nwindw = 6")]
)
def test_unknown_key_of_a_file_is_named(folder: Path, name: str, content: str) -> None:
    (folder / name).write_text(content)
    with pytest.raises(SettingsError, match=r"'windw'.*did you mean 'window'"):
        Settings()


@pytest.mark.parametrize("name", ["window", "trace_days", "max_calls", "deadline_s"])
def test_true_is_not_accepted_as_a_number(name: str) -> None:
    with pytest.raises(SettingsError, match=rf"'{name}' is True: give a number"):
        Settings(**{name: True})


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("rarr.toml", b"window = ", r"^rarr.toml cannot be read: .*: correct it$"),
        ("pyproject.toml", b"\xff", r"^pyproject.toml cannot be read: .*: correct it$"),
        (
            "rarr.toml",
            b"[tool.rarr]\nwindow = 5",
            r"^rarr\.toml holds the settings themselves",
        ),
        ("rarr.toml", b"[rarr]\nwindow = 5", r"^rarr\.toml holds the settings themselves"),
        ("pyproject.toml", b"[tool]\nrarr = 5", r"^tool\.rarr in pyproject\.toml is not a table"),
        ("rarr.toml", b"window = 'x'", r"^setting 'window' in rarr.toml is 'x': give a whole number"),
    ],
)
def test_wrong_settings_file_is_an_error_that_names_it(
    folder: Path, name: str, content: bytes, message: str
) -> None:
    (folder / name).write_bytes(content)
    with pytest.raises(SettingsError, match=message):
        Settings()


def test_settings_are_listed_only_without_a_close_name() -> None:
    with pytest.raises(SettingsError, match=r"^unknown setting 'windw' \(did you mean 'window'\?\)$"):
        Settings(windw=4)
    for key, name in (("passages", "sources"), ("question", "context"), ("deadline", "deadline_s")):
        with pytest.raises(SettingsError, match=rf"^unknown setting '{key}': it is called {name}; give "):
            Settings(**{key: "x"})
    with pytest.raises(SettingsError, match=r"^unknown setting 'zzz': settings are .*, preset, model, "):
        Settings(zzz=4)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"window": 0}, "'window' is 0: give a number greater than or equal to 1"),
        ({"preset": "papper"}, "'default', 'paper' or 'fast'"),
        ({"models": 3}, """is 3: give a table, such as {"edit": "openai:NAME"}"""),
        ({"fallbacks": 3}, """is 3: give a list, such as ["a", "b"]"""),
        ({"user_agent": 3}, "is 3: give a text"),
        ({"max_calls": "x"}, "is 'x': give a whole number, such as 20"),
        ({"deadline_s": "x"}, "is 'x': give a number, such as 0.5"),
        ({"doubt": "x"}, "is 'x': give 'auto', 'always' or 'never'"),
    ],
)
def test_invalid_values_are_described_in_words_of_the_package(values: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(message)) as caught:
        Settings(**values)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("value", "domains"),
    [
        ("a.org", ["a.org"]),
        ("a.org, b.org,", ["a.org", "b.org"]),
        ('["a.org", "b.org"]', ["a.org", "b.org"]),
        ("", []),
    ],
)
def test_list_in_a_variable_is_split_at_commas_or_read_as_json(
    value: str, domains: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RARR_INCLUDE_DOMAINS", value)
    assert Settings().include_domains == domains


@pytest.mark.parametrize("name", ["models", "endpoints", "source_kinds"])
def test_example_of_a_table_can_be_used(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"RARR_{name.upper()}", json.dumps(EXAMPLES[name]))
    assert list(getattr(Settings(), name)) == list(EXAMPLES[name])


def test_every_table_has_an_example() -> None:
    fields = Settings.model_fields.items()
    assert {name for name, field in fields if get_origin(field.annotation) is dict} == set(EXAMPLES)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("RARR_MODELS", "edit=openai:a", """RARR_MODELS is not a JSON object: write it like '{"edit":"""),
        ("RARR_MODELS", "[1]", "RARR_MODELS is not a JSON object"),
        ("RARR_MODELS", "[" * 100_000, "RARR_MODELS is not a JSON object"),
        ("RARR_ENDPOINTS", "sk-secret", """RARR_ENDPOINTS is not a JSON object: write it like '{"vllm"""),
        ("RARR_ENDPOINTS", '{"a": {"url": "secret"}}', "RARR_ENDPOINTS, in which 'endpoints.a.url' is un"),
        ("RARR_ENDPOINTS", '{"a": {"price": "secret"}}', "RARR_ENDPOINTS, in which 'endpoints.a.price' is"),
        ("RARR_INCLUDE_DOMAINS", '["a.org"', "RARR_INCLUDE_DOMAINS is not a list: write it with commas"),
        ("RARR_WINDOW", "three", "RARR_WINDOW is 'three': give a whole number, such as 4"),
        ("RARR_WINDOW", "0", "RARR_WINDOW is '0': give a number greater than or equal to 1"),
        ("rarr_window", "", "RARR_WINDOW is ''"),
        ("RARR_TRACE_DAYS", "many", "RARR_TRACE_DAYS is 'many': give a number, such as 30"),
        ("RARR_PUBLISHED_AFTER", "yesterday", "RARR_PUBLISHED_AFTER is 'yesterday': give a year"),
        ("RARR_PUBLISHED_AFTER", "", "RARR_PUBLISHED_AFTER is '': give a year"),
        ("RARR_INCLUDE_DOMAINS", "a b", "RARR_INCLUDE_DOMAINS is ['a b']: 'a b' is not a domain: give"),
        ("RARR_RERANKER", "vllm:", "RARR_RERANKER is 'vllm:': it names no model; give overlap"),
        ("RARR_OFFLINE", "maybe", "RARR_OFFLINE is 'maybe': give true or false"),
        ("rarr_windw", "3", "environment variable rarr_windw is not a setting (did you mean 'window'?)"),
    ],
)  # fmt: skip
def test_wrong_variable_is_a_one_line_error_that_names_it(
    name: str, value: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError, match=f"^{re.escape(message)}") as caught:
        Settings()
    assert (len(str(caught.value).splitlines()), "secret" in str(caught.value)) == (1, False)


@pytest.mark.parametrize("name", sorted(names_with(Path, Settings.model_fields) - {"serve_corpora"}))
def test_empty_path_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"RARR_{name.upper()}", "")
    with pytest.raises(SettingsError, match=rf"^RARR_{name.upper()} is '': it is empty; give a path$"):
        Settings()


@pytest.mark.parametrize("name", sorted(names_with(SecretStr, Settings.model_fields) - {"endpoints"}))
def test_wrong_key_is_not_shown(name: str) -> None:
    with pytest.raises(SettingsError, match=f"^setting '{name}' is wrong: give a text$"):
        Settings(**{name: ["sk-secret"]})


def test_wrong_argument_is_named_as_a_setting_despite_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RARR_WINDOW", "3")
    with pytest.raises(SettingsError, match=r"^setting 'window' is 0"):
        Settings(window=0)


def test_settings_are_frozen() -> None:
    with pytest.raises(ValueError, match="frozen"):
        Settings().window = 5  # type: ignore[misc]  # what is tested


@cache
def sources_in(folder: Path) -> tuple[str, ...]:
    return tuple(path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.py")))


def test_every_setting_has_a_docstring() -> None:
    assert set(Settings.model_fields) - set(docstrings(Settings)) == set()


# A preset is used up where settings are made, and the limits of a run are read together.
@pytest.mark.parametrize(
    "name", sorted(set(Settings.model_fields) - {"preset", *(it.name for it in fields(Budget))})
)
def test_every_setting_is_read_outside_its_file(name: str) -> None:
    sources = sources_in(Path(rarr.__file__).parent)
    assert any(re.search(rf"(?:settings|self)\.{name}\b", source) for source in sources), (
        f"read settings.{name}"
    )


@pytest.mark.parametrize("name", sorted(Settings.model_fields))
def test_every_setting_is_named_in_a_test(name: str) -> None:
    as_setting = re.compile(rf"\b{name}=|[\"']{name}[\"']|\bRARR_{name.upper()}\b|^{name} = ", re.MULTILINE)
    named = any(as_setting.search(source) for source in sources_in(TESTS))
    assert named, f"test what {name} does, as Settings({name}=...) or RARR_{name.upper()}"


DAY = datetime(2020, 1, 31)


def refused(**values: Any) -> str:
    with pytest.raises(SettingsError) as caught:
        Settings(**values)
    (line,) = str(caught.value).splitlines()
    return line


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (2020, datetime(2020, 1, 1)),
        ("2020", datetime(2020, 1, 1)),
        (" 2020 ", datetime(2020, 1, 1)),
        ("2020-05", datetime(2020, 5, 1)),
        ("2020-01-31", DAY),
        ("2020-01-31T12:00Z", datetime(2020, 1, 31, 12, tzinfo=UTC)),
        ("2020-01-31 12:00", datetime(2020, 1, 31, 12)),
        (date(2020, 1, 31), DAY),
        (DAY, DAY),
        (None, None),
    ],
)
def test_date_formats_are_read(given: object, meant: datetime | None) -> None:
    assert Settings(published_after=given).published_after == meant


@pytest.mark.parametrize(
    "given", [20, 1577836800, 20200131, "1577836800", "20200131", "2020-13-01", "May 2020", "", 2020.5, True]
)
def test_value_that_is_not_a_date_is_refused_with_an_example(given: object) -> None:
    cure = "give a year, such as 2020, a day, such as 2020-01-31, or a time, such as 2020-01-31T12:00Z"
    assert refused(published_after=given) == f"setting 'published_after' is {given!r}: {cure}"


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("a.org", ["a.org"]),
        ("a.org, b.org,", ["a.org", "b.org"]),
        (["*.a.org", ".b.org", " c.org. "], ["a.org", "b.org", "c.org"]),
        (["gov", "straße.de", "A.org"], ["gov", "straße.de", "A.org"]),
        ([], []),
    ],
)
def test_domain_formats_are_read(given: object, meant: list[str]) -> None:
    assert Settings(include_domains=given).include_domains == meant


@pytest.mark.parametrize(
    ("given", "host"),
    [
        ("not a domain", "'not a domain' is not a domain: give a host, such as example.org"),
        ("https://a.org/x", "'https://a.org/x' is not a domain: give its host, a.org"),
        ("a.org/x", "'a.org/x' is not a domain: give its host, a.org"),
        ("a.org:80", "'a.org:80' is not a domain: give its host, a.org"),
        ("-a.org", "'-a.org' is not a domain: give a host"),
        ("http://[", "'http://[' is not a domain: give a host"),
        ("*", "'*' is not a domain: give a host"),
        ("", "'' is not a domain: give a host"),
    ],
)
def test_address_in_place_of_a_domain_is_refused_with_its_host(given: str, host: str) -> None:
    assert host in refused(include_domains=[given])
    assert host in refused(source_kinds={given: "news"})


def test_source_kinds_are_stored_by_plain_domain() -> None:
    assert Settings(source_kinds={"*.a.org": "news"}).source_kinds == {"a.org": "news"}


@pytest.mark.parametrize(
    ("wanted", "other"), [("a.org", "a.org"), ("www.A.org", "a.org"), ("b.a.org", "a.org")]
)
def test_domain_both_included_and_excluded_is_refused(wanted: str, other: str) -> None:
    message = f"include_domains has {wanted!r}, and exclude_domains has {other!r}: leave one of them out"
    assert refused(include_domains=[wanted], exclude_domains=[other]) == message


def test_subdomain_of_an_included_domain_can_be_excluded() -> None:
    assert Settings(include_domains=["a.org"], exclude_domains=["b.a.org", "xa.org"])


@pytest.mark.parametrize(("after", "before"), [(2021, 2020), (2020, 2020), ("2020-01-01T01:00+01:00", 2020)])
def test_empty_date_range_is_refused(after: object, before: object) -> None:
    message = refused(published_after=after, published_before=before)
    assert message.startswith("published_after is 202")
    assert message.endswith(
        "and published_before is 2020-01-01: "
        "nothing is published between them; give a published_after that is earlier"
    )


def test_wikipedia_language_is_the_edition_that_is_asked() -> None:
    wikipedia = wire(Settings(search="wikipedia", wikipedia_language="de")).retriever.source  # type: ignore[attr-defined]  # within its limits
    assert wikipedia._api == "https://de.wikipedia.org/w/api.php"


@pytest.mark.parametrize(
    ("limits", "kept"),
    [
        ({"trace_days": 2}, {"yesterday", "new"}),
        ({"trace_days": 0.5}, {"new"}),
    ],
)
def test_trace_days_remove_old_traces(limits: dict[str, float], kept: set[str], tmp_path: Path) -> None:
    store = filled(tmp_path, "yesterday", written=time.time() - 86_400)
    with Reviser(Settings(home=tmp_path, search=InMemoryRetriever([FACT]), **limits)) as reviser:
        reviser.revise(TEXT, run_id="new")
    assert set(store.names()) == kept

"""Where a setting comes from, what wins, and what is refused."""

import json
import re
from pathlib import Path
from typing import Any, get_origin

import pytest
from pydantic import SecretStr

from rarr.errors import SettingsError
from rarr.settings import Settings
from rarr.settings.reading import EXAMPLES
from rarr.settings.setting_errors import names_with


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The working directory, where the settings files are looked for."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_default_where_nothing_is_given() -> None:
    assert Settings().window == 4


def test_environment_beats_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RARR_WINDOW", "5")
    assert Settings().window == 5


@pytest.mark.parametrize(
    ("name", "content"), [("rarr.toml", "window = 6"), ("pyproject.toml", "[tool.rarr]\nwindow = 6")]
)
def test_environment_beats_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: str
) -> None:
    monkeypatch.setenv("RARR_WINDOW", "5")
    (folder / name).write_text(content)
    assert Settings().window == 5
    monkeypatch.delenv("RARR_WINDOW")
    assert Settings().window == 6


def test_argument_beats_file_and_environment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RARR_WINDOW", "5")
    (folder / "rarr.toml").write_text("window = 6")
    assert Settings(window=7).window == 7


def test_argument_that_equals_the_default_still_wins(folder: Path) -> None:
    (folder / "rarr.toml").write_text("window = 6")
    assert Settings(window=4).window == 4


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
    ("key", "meant"), [("corpora", "corpus"), ("workers", "serve_workers"), ("serve_corpus", "serve_corpora")]
)
def test_setting_of_the_server_is_suggested_last(key: str, meant: str) -> None:
    with pytest.raises(SettingsError, match=f"did you mean '{meant}'"):
        Settings(**{key: "notes/"})


def test_unknown_argument_is_named_with_the_closest_setting() -> None:
    with pytest.raises(SettingsError, match=r"'windw'.*did you mean 'window'"):
        Settings(windw=4)


@pytest.mark.parametrize(
    ("name", "content"), [("rarr.toml", "windw = 6"), ("pyproject.toml", "[tool.rarr]\nwindw = 6")]
)
def test_unknown_key_of_a_file_is_named(folder: Path, name: str, content: str) -> None:
    (folder / name).write_text(content)
    with pytest.raises(SettingsError, match=r"'windw'.*did you mean 'window'"):
        Settings()


def test_unknown_environment_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RARR_WINDW", "6")
    with pytest.raises(SettingsError, match=r"RARR_WINDW.*did you mean 'window'"):
        Settings()


def test_value_out_of_range_is_named() -> None:
    with pytest.raises(SettingsError, match=r"'window' is 0.*greater than or equal to 1"):
        Settings(window=0)


@pytest.mark.parametrize("name", ["window", "trace_days", "max_calls", "deadline_s"])
def test_true_is_not_accepted_as_a_number(name: str) -> None:
    with pytest.raises(SettingsError, match=rf"'{name}' is True: give a number"):
        Settings(**{name: True})


@pytest.mark.parametrize("name", ["rarr.toml", "pyproject.toml"])
@pytest.mark.parametrize("content", [b"window = ", b"\xff"])
def test_unreadable_settings_file_is_an_error_that_names_it(folder: Path, name: str, content: bytes) -> None:
    (folder / name).write_bytes(content)
    with pytest.raises(SettingsError, match=rf"^{name} cannot be read: .*: correct it$"):
        Settings()


@pytest.mark.parametrize("table", ["tool.rarr", "rarr"])
def test_table_of_pyproject_in_rarr_toml_is_named(folder: Path, table: str) -> None:
    (folder / "rarr.toml").write_text(f"[{table}]\nwindow = 5")
    with pytest.raises(SettingsError, match=r"^rarr\.toml holds the settings themselves, such as window = 5"):
        Settings()


def test_value_in_place_of_the_table_is_named(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("[tool]\nrarr = 5")
    with pytest.raises(SettingsError, match=r"^tool\.rarr in pyproject\.toml is not a table"):
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
    ("line", "message"),
    [
        ("windw = 4", "unknown setting 'windw' in rarr.toml (did you mean 'window'?)"),
        ("window = 'x'", "setting 'window' in rarr.toml is 'x': give a whole number, such as 4"),
    ],
)
def test_error_in_a_file_names_the_file(line: str, message: str, folder: Path) -> None:
    (folder / "rarr.toml").write_text(line)
    with pytest.raises(SettingsError, match=f"^{re.escape(message)}"):
        Settings()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"models": 3}, """is 3: give a table, such as {"edit": "openai:NAME"}"""),
        ({"fallbacks": 3}, """is 3: give a list, such as ["a", "b"]"""),
        ({"user_agent": 3}, "is 3: give a text"),
        ({"max_calls": "x"}, "is 'x': give a whole number, such as 20"),
        ({"deadline_s": "x"}, "is 'x': give a number, such as 0.5"),
        ({"doubt": "x"}, "is 'x': give 'auto', 'always' or 'never'"),
    ],
)
def test_invalid_values_are_described_in_words_of_the_package(values: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(message)):
        Settings(**values)


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
        ("RARR_RERANKER", "vllm:", "RARR_RERANKER is 'vllm:': it names no model; give overlap, embedded"),
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


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (Path, {"corpus", "home", "prompts", "weights"}),
        (SecretStr, {"api_key", "endpoints", "tavily_key"}),
    ],
)
def test_paths_and_keys_are_known_by_their_type(kind: type, names: set[str]) -> None:
    assert names_with(kind, Settings.model_fields) >= names


def test_wrong_argument_is_named_as_a_setting_despite_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RARR_WINDOW", "3")
    with pytest.raises(SettingsError, match=r"^setting 'window' is 0"):
        Settings(window=0)


@pytest.mark.parametrize("values", [{"windw": 0, "stp": 0}, {"window": "a\nb"}, {"models": 3}])
def test_errors_are_one_line(values: dict[str, object]) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings(**values)
    assert len(str(caught.value).splitlines()) == 1


def test_settings_are_frozen() -> None:
    with pytest.raises(ValueError, match="frozen"):
        Settings().window = 5  # type: ignore[misc]  # what is tested

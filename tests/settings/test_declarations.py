"""Every setting is documented, read by the package, and named in a test."""

import re
from functools import cache
from pathlib import Path

import pytest

import rarr
from benchmarks.documents import docstrings
from rarr.settings import Settings

TESTS = Path(__file__).parents[1]


@cache
def sources_in(folder: Path) -> tuple[str, ...]:
    return tuple(path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.py")))


def test_every_setting_has_a_docstring() -> None:
    assert set(Settings.model_fields) - set(docstrings(Settings)) == set()


# A preset is used up where settings are made.
@pytest.mark.parametrize("name", sorted(set(Settings.model_fields) - {"preset"}))
def test_every_setting_is_read_outside_its_file(name: str) -> None:
    sources = sources_in(Path(rarr.__file__).parent)
    assert any(re.search(rf"settings\.{name}\b", source) for source in sources), f"read settings.{name}"


@pytest.mark.parametrize("name", sorted(Settings.model_fields))
def test_every_setting_is_named_in_a_test(name: str) -> None:
    as_setting = re.compile(rf"\b{name}=|[\"']{name}[\"']|\bRARR_{name.upper()}\b|^{name} = ", re.MULTILINE)
    named = any(as_setting.search(source) for source in sources_in(TESTS))
    assert named, f"test what {name} does, as Settings({name}=...) or RARR_{name.upper()}"

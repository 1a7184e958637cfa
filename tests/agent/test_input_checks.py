"""What a run warns of before it begins."""

from pathlib import Path

import pytest

from rarr.agent.inputs import text_notices
from rarr.agent.wiring.components import wire
from rarr.agent.wiring.sources import unused_settings
from rarr.settings import Settings

URL = "http://127.0.0.1:1/v1"


def codes(folder: Path, **settings: object) -> list[str]:
    components = wire(Settings(corpus=folder, **settings))
    return [notice.code for notice in unused_settings(components)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "notes.md").write_text("The Hoover Dam is 221 metres high.")
    return tmp_path


def test_address_of_a_server_without_its_model_is_told(folder: Path) -> None:
    assert codes(folder, base_url=URL) == ["server_not_used"]


@pytest.mark.parametrize(
    "more", [{}, {"base_url": URL, "model": "vllm:m"}, {"base_url": URL, "models": {"edit": "vllm:m"}}]
)
def test_address_that_is_used_is_not_told(folder: Path, more: dict[str, object]) -> None:
    assert codes(folder, **more) == []


def test_address_of_a_served_reranker_is_used(folder: Path) -> None:
    assert codes(folder, base_url=URL, reranker="vllm:bge") == []


def test_corpus_that_is_not_searched_is_told(folder: Path) -> None:
    assert codes(folder, search="wikipedia") == ["corpus_not_searched"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<p>The dam is 221 metres high.</p>\n<p>It is old.</p>\n", ["html_not_checked"]),
        ("The dam is <b>221</b> metres high, and `<p>` begins a paragraph of HTML.", []),
    ],
)
def test_text_of_html_is_warned_about(text: str, expected: list[str]) -> None:
    assert [notice.code for notice in text_notices(text, text, None)] == expected

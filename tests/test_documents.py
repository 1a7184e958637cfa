"""README and docs: what they say about the code is so, and their links lead somewhere."""

import importlib.util
import re
from pathlib import Path
from typing import get_args

import pytest

import rarr
import rarr.testing
from benchmarks.documents import PAGES, PARTS, ROOT, updated
from rarr import Revision
from rarr.integrations import langchain
from rarr.records import PartState, Status, Verdict

CONTRIBUTING = ROOT / "CONTRIBUTING.md"
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in [*PAGES, CONTRIBUTING])
INLINE = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", TEXT, flags=re.DOTALL | re.MULTILINE))
PATHS = [
    words
    for words in INLINE
    if re.fullmatch(r"[\w./-]+/[\w./-]*|[\w-]+\.(?:py|md)", words) and "..." not in words
]
MODULES = re.findall(r"\bpython -m (\w+(?:\.\w+)*)", TEXT)
NOT_OURS = {"rarr.toml", "pyproject.toml", "tools.py", "agent.py", ".venv", ".venv/bin/rarr", "site/"}
TO_WRITE = {"dictionary.py", "find_hedges.py", "rows/predictions.jsonl"}  # by readers, or by a command
LAYOUT = ROOT / "docs/development/index.md"


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The demo sees the examples and writes elsewhere."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
def test_generated_parts_are_up_to_date() -> None:
    assert set(re.findall(r"<!-- (\w+), from the code -->", TEXT)) == set(PARTS)
    assert updated(TEXT) == TEXT, "run python -m benchmarks.documents"


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("field of `Revision`", list(Revision.model_fields)),
        ("status of a sentence", list(get_args(Status))),
        ("state of a part", list(get_args(PartState))),
        ("verdict of a check", list(get_args(Verdict))),
    ],
)
def test_table_names_every_value(title: str, names: list[str]) -> None:
    table = TEXT[TEXT.index(f"| {title} |") :].partition("\n\n")[0]
    assert [
        name for row in table.splitlines()[2:] for name in re.findall(r"`(\w+)`", row.split("|")[1])
    ] == names


def test_every_public_name_is_in_the_reference_once() -> None:
    names = [f"rarr.{name}" for name in rarr.__all__]
    names += [f"rarr.testing.{name}" for name in rarr.testing.__all__]
    names += [f"rarr.integrations.langchain.{name}" for name in langchain.__all__]
    assert sorted(re.findall(r"^::: (\S+)$", TEXT, re.MULTILINE)) == sorted(names)


def test_every_page_is_in_the_site() -> None:
    site = (ROOT / "zensical.toml").read_text(encoding="utf-8")
    pages = {str(page.relative_to(ROOT / "docs")) for page in ROOT.glob("docs/**/*.md")}
    assert set(re.findall(r'= "([\w/-]+\.md)"', site)) == pages


@pytest.mark.parametrize("path", sorted({*PATHS} - NOT_OURS - TO_WRITE))
def test_path_in_a_document_exists(path: str) -> None:
    assert (ROOT / path).exists()


@pytest.mark.parametrize("page", [CONTRIBUTING, *PAGES], ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_existing_pages_and_sections(page: Path) -> None:
    links = re.findall(r"\]\(((?!https?:)[^)\s]+)\)", _without_code(page.read_text(encoding="utf-8")))
    broken = [link for link in links if not _is_there(page, link)]
    assert not broken


def test_readme_is_one_page() -> None:
    assert len((ROOT / "README.md").read_bytes()) <= 10_000


def _without_code(text: str) -> str:
    return re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)


def _is_there(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    file = page.parent / path if path else page
    if not anchor or not file.exists():
        return file.exists()
    titles = re.findall(r"^#+ (.+)$", _without_code(file.read_text(encoding="utf-8")), re.MULTILINE)
    return anchor in {re.sub(r"[^\w-]", "", title.lower().replace(" ", "-")) for title in titles}


@pytest.mark.parametrize("module", sorted(set(MODULES)))
def test_module_in_a_document_exists(module: str) -> None:
    assert importlib.util.find_spec(module) is not None


def test_every_path_of_the_layout_exists() -> None:
    folder = ""
    _, layout, *_ = re.split(r"^```(?:text)?\n", LAYOUT.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for line in layout.splitlines():
        name = line.split()[0]
        folder = name if line[0] != " " else folder
        assert (ROOT / (folder if line[0] != " " else folder + name)).exists(), line

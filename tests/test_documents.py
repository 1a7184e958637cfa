"""README and docs: what they say about the code is so, their links lead somewhere, and figures have a day."""

import importlib.util
import re
from datetime import date
from pathlib import Path
from typing import get_args

import pytest
from test_examples import FLOORS

import rarr
import rarr.testing
from benchmarks.documents import PAGES, PARTS, ROOT, update_parts
from rarr import Revision
from rarr.integrations import langchain
from rarr.records import PartState, Status, Verdict

FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
FILES = [ROOT / "CONTRIBUTING.md", *PAGES]
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in FILES)
PATHS = {
    words
    for words in re.findall(r"`([^`\n]+)`", FENCED.sub("", TEXT))
    if re.fullmatch(r"[\w./-]+/[\w./-]*|[\w-]+\.(?:py|md)", words) and "..." not in words
}
MODULES = {*re.findall(r"\bpython -m (\w+(?:\.\w+)*)", TEXT)}
NOT_OURS = {"rarr.toml", "pyproject.toml", "tools.py", "agent.py", ".venv", ".venv/bin/rarr", "site/"}
TO_WRITE = {"dictionary.py", "find_hedges.py", "rows/predictions.jsonl"}  # by readers, or by a command
LAYOUT = ROOT / "docs/development/index.md"
MEASURED = (ROOT / "docs/measured/index.md").read_text(encoding="utf-8")
PRINTED = re.compile(r"(?m)^Printed by `(?:python -m|(?=rarr bench)) ?(\S+)([^`]*)` on (\d{4}-\d{2}-\d{2})")
SECTIONS = {section.splitlines()[0]: section for section in MEASURED.split("\n## ")[1:]}


@pytest.mark.slow
def test_generated_parts_are_up_to_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")  # the demo sees them and writes elsewhere
    monkeypatch.chdir(tmp_path)
    assert set(re.findall(r"<!-- (\w+), from the code -->", TEXT)) == set(PARTS)
    assert update_parts(TEXT) == TEXT, "run python -m benchmarks.documents"


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("field of `Revision`", [*Revision.model_fields]),
        ("status of a sentence", [*get_args(Status)]),
        ("state of a part", [*get_args(PartState)]),
        ("verdict of a check", [*get_args(Verdict)]),
    ],
)
def test_table_names_every_value(title: str, names: list[str]) -> None:
    rows = TEXT[TEXT.index(f"| {title} |") :].partition("\n\n")[0].splitlines()[2:]
    assert [name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])] == names


def test_every_public_name_is_in_the_reference_once() -> None:
    names = [f"{module.__name__}.{it}" for module in (rarr, rarr.testing, langchain) for it in module.__all__]
    assert sorted(re.findall(r"^::: (\S+)$", TEXT, re.MULTILINE)) == sorted(names)


def test_every_page_is_in_the_site() -> None:
    site = (ROOT / "zensical.toml").read_text(encoding="utf-8")
    pages = {str(page.relative_to(ROOT / "docs")) for page in ROOT.glob("docs/**/*.md")}
    assert set(re.findall(r'= "([\w/-]+\.md)"', site)) == pages


def test_paths_and_modules_in_documents_exist() -> None:
    assert [path for path in PATHS - NOT_OURS - TO_WRITE if not (ROOT / path).exists()] == []
    assert [module for module in MODULES if importlib.util.find_spec(module) is None] == []
    folder = ""
    _, layout, *_ = re.split(r"^```(?:text)?\n", LAYOUT.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for line in layout.splitlines():
        name = line.split()[0]
        folder = name if line[0] != " " else folder
        assert (ROOT / (folder if line[0] != " " else folder + name)).exists(), line


def test_code_that_the_guide_to_extending_names_exists() -> None:
    guide = (ROOT / "docs/development/extending.md").read_text("utf-8")
    files = [*ROOT.glob("rarr/**/*.py"), *ROOT.glob("tests/**/*.py"), *ROOT.glob("rarr/prompts/*.md")]
    code = "".join(f"{file}\n{file.read_text('utf-8')}\n" for file in files)
    diffs = "".join(re.findall(r"^```diff\n(.*?)^```$", guide, re.DOTALL | re.MULTILINE))
    code += "".join(re.findall(r"(?m)^\+(.+)$", diffs))  # the text names what the reader adds, too
    kept = re.findall(r"(?m)^[ -](.+)$", diffs) + re.findall(r"`(\w+_\w+)`", FENCED.sub("", guide))
    assert kept and not [it for it in kept if it not in code]


@pytest.mark.parametrize("page", FILES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_existing_pages_and_sections(page: Path) -> None:
    links = re.findall(r"\]\(((?!https?:)[^)\s]+)\)", FENCED.sub("", page.read_text(encoding="utf-8")))
    assert [link for link in links if not _is_there(page, link)] == []


def _is_there(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    file = page.parent / path if path else page
    if not anchor or not file.exists():
        return file.exists()
    titles = re.findall(r"^#+ (.+)$", FENCED.sub("", file.read_text(encoding="utf-8")), re.MULTILINE)
    return anchor in {re.sub(r"[^\w-]", "", title.lower().replace(" ", "-")) for title in titles}


def test_readme_is_one_page() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= 1_100


@pytest.mark.parametrize("title", [it for it in SECTIONS if re.search(r"\d", SECTIONS[it][len(it) :])])
def test_figures_name_their_command_and_day(title: str) -> None:
    [(module, _, day)] = PRINTED.findall(SECTIONS[title])
    assert module == "rarr" or importlib.util.find_spec(module) is not None
    assert date.fromisoformat(day)


def test_figures_of_one_command_have_one_day() -> None:
    printed = set(PRINTED.findall(MEASURED))
    assert len({(module, options) for module, options, _ in printed}) == len(printed)


def test_figures_match_the_floors_of_the_tests_and_the_readme_has_no_older_ones() -> None:
    [section] = [text for title, text in SECTIONS.items() if title.startswith("The examples")]
    shown = [(int(a), int(b)) for a, b in re.findall(r"\| (\d+) of (\d+) \|", section)]
    pairs = [("exact", "texts"), ("corrected", "planted"), ("right", "pinned")]
    assert shown == [(FLOORS[some], FLOORS[of_all]) for some, of_all in pairs]
    readme, text = (ROOT / "README.md").read_text(encoding="utf-8"), " ".join(MEASURED.split())
    table = re.findall(r"(\d+) of (\d+)", readme[readme.index("| reader |") :].partition("\n\n")[0])
    assert len(table) > 5
    assert [pair for pair in table if " of ".join(pair) not in text and "/".join(pair) not in text] == []

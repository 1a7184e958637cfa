"""Articles from a corpus: in which passages the documents are read."""

from pathlib import Path

import pytest

from rarr import InputError, Settings, Writer
from rarr.agent.wiring.components import wire
from rarr.agent.write import CHUNK_WORDS
from rarr.components import Baseline
from rarr.testing import ScriptedModel

PAGE = "# Tolk\n\n" + " ".join(f"The river Tolk was {n} miles long in {1900 + n}." for n in range(120))


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    (tmp_path / "tolk.md").write_text(PAGE, encoding="utf-8")
    return tmp_path / "tolk.md"


def test_passages_are_as_long_as_those_of_wikigenbench(notes: Path) -> None:
    words = CHUNK_WORDS
    with Writer(corpus=notes) as writer:
        article = writer.write("Tolk", ["Length"])
    sizes = [len(passage.text.split()) for passage in article.research.evidence]
    assert len(sizes) > 1
    assert max(sizes) <= words < max(sizes) + 20
    assert all(PAGE[each.start : each.end] == each.text for each in article.research.evidence)


def test_components_that_rewrite_are_refused(notes: Path) -> None:
    settings = Settings(corpus=notes, model=ScriptedModel({}))
    components = wire(settings, baseline=Baseline(editor="efec"))
    with pytest.raises(InputError, match="rewriter"):
        Writer(components=components)


def test_settings_and_components_exclude_each_other(notes: Path) -> None:
    settings = Settings(corpus=notes)
    with pytest.raises(InputError, match="both given"):
        Writer(settings, components=wire(settings))

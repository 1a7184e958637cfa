"""Evidence can be shown where it stands, as long as what it was read from is kept."""

from pathlib import Path

import pytest
from retrievers.services import Service
from retrievers.wikis import Wiki

from rarr import Reviser, Settings

TEXT = "Kestrel Library opened in 1986."
SAYS = "Kestrel Library opened in 1976."


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/library.md").write_text(f"# Kestrel Library\n\n{SAYS}\n")
    return tmp_path / "notes"


def test_evidence_of_a_corpus_is_shown_in_its_file(notes: Path) -> None:
    with Reviser(Settings(corpus=notes)) as reviser:
        [evidence, *_] = reviser.revise(TEXT).evidence
        assert reviser.source_text(evidence) == f"# Kestrel Library\n\n{SAYS}\n"
        (notes / "library.md").write_text(f"A longer title.\n\n{SAYS}\n")
        assert reviser.source_text(evidence) is None


@pytest.mark.loopback
@pytest.mark.parametrize("more", [{}, {"refresh": True}])
def test_evidence_of_the_web_is_shown_in_its_page(more: dict[str, object]) -> None:
    with Service(Wiki(Library=SAYS)) as wiki:
        settings = Settings(search="wikipedia", wikipedia_url=wiki.url, **more)
        with Reviser(settings) as reviser:
            [evidence, *_] = reviser.revise(TEXT).evidence
            asked = len(wiki.asked)
            text = reviser.source_text(evidence)
    assert text is not None
    assert (text[evidence.start : evidence.end], len(wiki.asked)) == (evidence.text, asked)


def test_evidence_from_elsewhere_is_not_shown(notes: Path) -> None:
    with Reviser(Settings(corpus=notes)) as reviser:
        [evidence, *_] = reviser.revise(TEXT).evidence
        assert reviser.source_text(evidence.model_copy(update={"source": "https://a.org"})) is None

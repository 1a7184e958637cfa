"""Makes indexes by the rules that most tests need."""

from collections.abc import Callable
from pathlib import Path

from rarr.retrievers.corpus.corpus import Corpus, IndexReport, build_index

Open = Callable[[Path], Corpus]


def build_corpus_index(path: Path, out: Path) -> IndexReport:
    return build_index(path, out, window=4)


def words(text: str) -> list[str]:
    """Returns the words of a long list, which takes fewer lines than a list of strings."""
    return text.split()

"""Revises texts with tables about invented documents, with planted errors. Counts the results of cells.

    python -m benchmarks.tables [--half tuned|held_out|all] [--each] [--model M]

In a text, `{{wrong=>right}}` is a cell with an error. All other cells are right. The documents of both halves
are one corpus. `held_out` is only for measuring.
"""

import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.harness import EXAMPLES, JudgedCase, print_halves
from rarr import Reviser, Settings
from rarr.tools.text.blocks_and_sentences import table_cells

FOLDER = EXAMPLES / "tables"
HALVES = ("tuned", "held_out")
_MARK = re.compile(r"\{\{(.+?)=>(.+?)\}\}")


def results(half: str, *, model: Any = "embedded") -> list[JudgedCase]:
    """Revises the texts of a half. The result of a cell is `corrected`, `damaged`, or its status."""
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder, "corpus")
        corpus.mkdir()
        for document in FOLDER.glob("*/*.document.md"):
            shutil.copy(document, corpus / document.name.replace(".document", ""))
        with Reviser(Settings(corpus=corpus, home=Path(folder), model=model, trace=False)) as reviser:
            texts = sorted((FOLDER / half).glob("*.text.md"))
            return [cell for text in texts for cell in _judge_cells(text, reviser)]


def _judge_cells(path: Path, reviser: Reviser) -> Iterator[JudgedCase]:
    marked = path.read_text(encoding="utf-8")
    was, right = _MARK.sub(r"\1", marked), _MARK.sub(r"\2", marked)
    revision = reviser.revise(was)
    statuses = {(sentence.start, sentence.end): sentence.status for sentence in revision.report.sentences}
    now = list(table_cells(revision.text))
    before, after = ([span.of(text) for span in table_cells(text)] for text in (was, right))
    for old, new, span in zip(before, after, now, strict=True):
        cell, words = span.of(revision.text), f"{path.name}: {old}, right {new}, now {span.of(revision.text)}"
        changed = "corrected" if cell == new else "damaged"
        yield "right" if old == new else "wrong", statuses[span] if cell == old else changed, words


if __name__ == "__main__":
    print_halves(__doc__, HALVES, lambda half, options: results(half, model=options.model))

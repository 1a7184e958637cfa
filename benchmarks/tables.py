"""Texts with tables about invented documents, with planted errors: what becomes of each cell.

    python -m benchmarks.tables [--half tuned|held_out|all] [--each] [--model M]

In a text `{{wrong=>right}}` is a cell with an error; all others are right. The documents of both halves are
one corpus. `tuned` may be worked with; `held_out` is for measuring alone.
"""

import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.harness import EXAMPLES, chosen, half_parser, reported
from rarr import Reviser, Settings
from rarr.tools.text.blocks_and_sentences import table_cells

FOLDER = EXAMPLES / "tables"
HALVES = ("tuned", "held_out")
_MARK = re.compile(r"\{\{(.+?)=>(.+?)\}\}")


class Outcome(NamedTuple):
    """A cell before the revision, as it should be, and after the revision, with its status."""

    text: str
    was: str
    right: str
    now: str
    status: str

    @property
    def result(self) -> str:
        """`corrected` or `damaged`, or the status of an unchanged cell."""
        if self.now == self.was:
            return self.status
        return "corrected" if self.now == self.right else "damaged"


def outcomes(half: str, *, model: Any = "embedded") -> list[Outcome]:
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder, "corpus")
        corpus.mkdir()
        for document in FOLDER.glob("*/*.document.md"):
            shutil.copy(document, corpus / document.name.replace(".document", ""))
        with Reviser(Settings(corpus=corpus, home=Path(folder), model=model, trace=False)) as reviser:
            texts = sorted((FOLDER / half).glob("*.text.md"))
            return [outcome for text in texts for outcome in _of_text(text, reviser)]


def _of_text(path: Path, reviser: Reviser) -> list[Outcome]:
    marked = path.read_text(encoding="utf-8")
    was, right = _MARK.sub(r"\1", marked), _MARK.sub(r"\2", marked)
    revision = reviser.revise(was)
    statuses = {(sentence.start, sentence.end): sentence.status for sentence in revision.report.sentences}
    now = list(table_cells(revision.text))
    before, after = ([span.of(text) for span in table_cells(text)] for text in (was, right))
    return [
        Outcome(path.name, old, new, span.of(revision.text), statuses[span])
        for old, new, span in zip(before, after, now, strict=True)
    ]


def counts(outcomes: Sequence[Outcome], *, wrong: bool) -> Counter[str]:
    return Counter(outcome.result for outcome in outcomes if (outcome.was != outcome.right) == wrong)


def main() -> None:
    options = chosen(half_parser(__doc__, HALVES), HALVES)
    with reported(options):
        for half in options.halves:
            half_outcomes = outcomes(half, model=options.model)
            for name, wrong in (("wrong", True), ("right", False)):
                results = counts(half_outcomes, wrong=wrong)
                summary = ", ".join(f"{result} {count}" for result, count in results.most_common())
                print(f"{half}: {name} cells {results.total()}: {summary}")
            for it in half_outcomes if options.each and half == "tuned" else ():
                print(it.result, it.text, it.was, it.right, it.now, sep=" | ")


if __name__ == "__main__":
    main()

"""Fine-tunes the encoder on a small invented domain, and compares it on documents that training never saw.

    python -m benchmarks.domain [--steps N] [--seed N] [--weights FOLDER]

The domain is examples/domain. The weights learn from the rows of `train` alone. The table shows what a
revision makes of each sentence of `held_out`, right and wrong: by near quotations alone, and with fine-tuned
weights. The corpus holds the documents of both. FOLDER keeps the weights; a finished FOLDER is not trained
again.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from benchmarks.harness import EXAMPLES, lines, machine, parser, share, table
from rarr import Evidence, Reviser, Revision, Settings
from rarr.training.rows import Mistake, SentenceScore, TrainingRow, corrupted

FOLDER = EXAMPLES / "domain"
STEPS = 240
NEIGHBOURS = 3  # passages beside the right passage of a row
AUTHOR = "written by hand"
WRITTEN = datetime(2026, 11, 24, tzinfo=UTC)


class Row(NamedTuple):
    """A sentence about a paragraph of a document, with one error that can be planted into it."""

    document: str
    title: str
    paragraphs: tuple[str, ...]
    paragraph: int
    query: str
    text: str
    error: Mistake

    @property
    def wrong(self) -> str:
        """The sentence with its error."""
        return corrupted(self.text, (self.error,))


def domain_rows(half: str) -> list[Row]:
    """The rows of `train` or `held_out`, by document."""
    return [row for document in sorted((FOLDER / half).glob("*.md")) for row in _rows(document)]


def _rows(document: Path) -> Iterator[Row]:
    title, *paragraphs = document.read_text(encoding="utf-8").strip().split("\n\n")
    for row in lines(document.with_suffix(".jsonl")):
        error = Mistake(**{name: row.pop(name) for name in Mistake.model_fields})
        yield Row(document.stem, title.removeprefix("# "), tuple(paragraphs), error=error, **row)


def training_rows(rows: Sequence[Row]) -> Iterator[TrainingRow]:
    """The rows as `rarr train data` would write them.

    The other passages are the remaining paragraphs of the document, then those of the next document.
    """
    for number, row in enumerate(rows):
        next_row = next(other for other in [*rows[number:], *rows] if other.document != row.document)
        same_document = [text for text in row.paragraphs if text != row.paragraphs[row.paragraph - 1]]
        others = [(row.title, text) for text in same_document] + [
            (next_row.title, text) for text in next_row.paragraphs
        ]
        passages = [(row.title, row.paragraphs[row.paragraph - 1]), *others[:NEIGHBOURS]]
        relevant, *rest = [
            Evidence(
                id=f"e{n}",
                query_id="q1",
                text=text,
                source=title,
                title=title,
                start=0,
                end=len(text),
                relevance=float(n == 0),
                retrieved_at=WRITTEN,
            )
            for n, (title, text) in enumerate(passages)
        ]
        score = SentenceScore(start=0, end=len(row.text), evidence_id="e0", support=1, corrupted=0)
        yield TrainingRow(
            query=row.query,
            summary=row.text,
            corrupted=row.wrong,
            edits=(row.error,),
            relevant=(relevant,),
            others=tuple(rest),
            scores=(score,),
            model=AUTHOR,
            verifier=AUTHOR,
            prompts={},
        )


def outcomes(rows: Sequence[Row], weights: Path | None, home: Path) -> dict[str, list[bool]]:
    """Revises each sentence alone; for each measure, whether it holds for each sentence."""
    corpus = home / "corpus"
    corpus.mkdir(parents=True)
    for document in FOLDER.glob("*/*.md"):
        shutil.copy(document, corpus)
    with Reviser(Settings(corpus=corpus, home=home / "data", weights=weights)) as reviser:
        wrong = [reviser.revise(row.wrong) for row in rows]
        right = [reviser.revise(row.text) for row in rows]
    texts = [row.text for row in rows]
    corrected = [revision.text == text for revision, text in zip(wrong, texts, strict=True)]
    return {
        "wrong sentences: corrected exactly": corrected,
        "wrong sentences: damaged": [
            revision.changed and not exact for revision, exact in zip(wrong, corrected, strict=True)
        ],
        "wrong sentences: the correction is suggested": [
            any(revision.accept(edit.id).text == text for edit in revision.edits if edit.state == "suggested")
            for revision, text in zip(wrong, texts, strict=True)
        ],
        "wrong sentences: another change is suggested": [
            any(revision.accept(edit.id).text != text for edit in revision.edits if edit.state == "suggested")
            for revision, text in zip(wrong, texts, strict=True)
        ],
        "wrong sentences: called contradicted": [_has(revision, "contradicted") for revision in wrong],
        "wrong sentences: called supported": [
            not revision.changed and _has(revision, "supported") for revision in wrong
        ],
        "right sentences: called supported": [_has(revision, "supported") for revision in right],
        "right sentences: called contradicted": [_has(revision, "contradicted") for revision in right],
        "right sentences: changed": [revision.changed for revision in right],
        "right sentences: a change is suggested": [
            any(edit.state == "suggested" for edit in revision.edits) for revision in right
        ],
    }


def _has(revision: Revision, status: str) -> bool:
    return all(sentence.status == status for sentence in revision.report.sentences)


def train(weights: Path, steps: int, seed: int) -> None:
    """Runs `rarr train editor` on the rows of `train`."""
    weights.parent.mkdir(parents=True, exist_ok=True)
    data = weights.with_name(f"{weights.name}.rows.jsonl")
    data.write_bytes(b"".join(row.line() for row in training_rows(domain_rows("train"))))
    options = ["--steps", str(steps), "--seed", str(seed)]
    rarr = Path(sys.executable).with_name("rarr")
    subprocess.run([rarr, "train", "editor", data, "-o", weights, *options], check=True)


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--steps", type=int, default=STEPS, help="of the training (%(default)s)")
    made.add_argument("--seed", type=int, default=1, help="of the training (%(default)s)")
    made.add_argument("--weights", type=Path, help="the folder that keeps the new weights")
    options = made.parse_args()
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        weights = options.weights or folder / "weights"
        train(weights, options.steps, options.seed)
        compared = {
            "near quotations": None,
            "with fine-tuned weights": weights,
        }
        rows = domain_rows("held_out")
        results = [
            outcomes(rows, weights_of_system, folder / name) for name, weights_of_system in compared.items()
        ]
    print(f"\n{len(rows)} wrong and {len(rows)} right sentences about documents that training never saw\n")
    body = [[name, *(share(measured[name]) for measured in results)] for name in results[0]]
    print(table(["measure", *compared], body))
    print(f"\n{time.perf_counter() - started:.0f} seconds on {machine()}")


if __name__ == "__main__":
    main()

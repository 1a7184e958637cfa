"""Sentences that only a second search can decide: what becomes of each.

    python -m benchmarks.second_search [--half tuned|held_out|all] [--each] [--model M] [--rounds N]
                                       [--pending DIR]

The document that a sentence finds (`first`) names what the other document (`second`) is about. The sentences
of a half are the paragraphs of one text. A sentence is decided rightly if it is supported and was right, or
was corrected exactly, and if it quotes both documents. `tuned` may be worked with; `held_out` is for
measuring alone, so only totals are printed. `--model recorded` repeats recorded answers.
"""

import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import harness
from benchmarks.recorded_reader import components
from rarr import Reviser, Revision, Settings
from rarr.tools.text.blocks_and_sentences import Span

FOLDER = harness.EXAMPLES / "second_search"
HALVES = ("tuned", "held_out")
RIGHTLY, ONE_QUOTE = "decided rightly, both documents quoted", "decided rightly, one document quoted"
CHANGED, SUPPORTED = "changed otherwise", "supported though wrong"


class HopCase(NamedTuple):
    """A sentence with its wrong and right words (None: it is right), and the two documents that decide it."""

    id: str
    text: str
    wrong: str | None
    right: str | None
    first: str
    second: str

    @property
    def corrected(self) -> str:
        """The sentence as it should be."""
        return self.text.replace(self.wrong, self.right) if self.wrong and self.right else self.text


def hop_cases(half: str) -> list[HopCase]:
    """The sentences of the half."""
    rows = harness.lines(FOLDER / f"{half}.jsonl")
    return [HopCase(**{name: row[name] for name in HopCase._fields}) for row in rows]


def results(half: str, *, model: Any, rounds: int) -> Iterator[tuple[HopCase, str, str]]:
    """The result of each sentence, with its words after the run."""
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder, "pages.jsonl")
        documents = harness.lines(FOLDER / "documents.jsonl")
        pages = [{"title": row["title"], "text": row["text"], "source": row["id"]} for row in documents]
        corpus.write_text("\n".join(map(json.dumps, pages)), encoding="utf-8")
        given: dict[str, Any] = {"model": model, "rounds": rounds, "trace": False}
        cases = hop_cases(half)
        with Reviser(components=components(Settings(corpus=corpus, home=Path(folder), **given))) as reviser:
            known = harness.unrecorded(model)
            revision = reviser.revise("\n\n".join(case.text for case in cases))
        lacking = harness.unrecorded(model) > known
        for case in cases:
            yield case, *((harness.NOT_RECORDED, case.text) if lacking else result(case, revision))


def result(case: HopCase, revision: Revision) -> tuple[str, str]:
    """What became of the sentence, and its words after the run."""
    start = revision.original.index(case.text)
    place = harness.revised_place(revision.original, revision.edits, Span(start, start + len(case.text)))
    text = place.of(revision.text)
    [sentence] = [it for it in revision.report.sentences if place.overlaps(Span(it.start, it.end))]
    if text not in (case.text, case.corrected):
        return CHANGED, text
    if sentence.status != "supported":
        return sentence.status, text
    if text != case.corrected:
        return SUPPORTED, text
    sources = {it.id: it.source for it in revision.evidence}
    quoted = {sources[quote.evidence_id].rpartition("#")[2] for quote in sentence.quotes}
    return (RIGHTLY if {case.first, case.second} <= quoted else ONE_QUOTE), text


def print_half(half: str, found: Sequence[tuple[HopCase, str, str]]) -> None:
    """The totals of a half."""
    counts = {wrong: Counter(it[1] for it in found if bool(it[0].wrong) == wrong) for wrong in (True, False)}
    names = sorted({*counts[True], *counts[False]})
    body = [[name, str(counts[True][name]), str(counts[False][name])] for name in names]
    print(f"\n## {half}: {len(found)} sentences\n\n{harness.table(['', 'wrong', 'right'], body)}\n")


def main() -> None:
    options = harness.chosen(harness.half_parser(__doc__, HALVES), HALVES)
    with harness.reported(options):
        for half in options.halves:
            found = list(results(half, model=options.model, rounds=options.rounds))
            print_half(half, found)
            for _, outcome, text in found if options.each and half == "tuned" else ():
                print(f"- {outcome}: {text}")


if __name__ == "__main__":
    main()

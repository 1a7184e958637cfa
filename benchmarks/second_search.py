"""Revises sentences that only a second search can decide. Counts their results.

    python -m benchmarks.second_search [--half tuned|held_out|all] [--each] [--model M] [--rounds N]
                                       [--pending DIR]

A search with the sentence finds the document `first`, which names the subject of the document `second`. The
sentences of a half are the paragraphs of one text. A sentence is decided rightly if it was right and is
supported, or if it was corrected exactly and is supported. It should quote both documents. Of `held_out`,
only totals are printed. `--model recorded` repeats recorded answers.
"""

from argparse import Namespace
from typing import NamedTuple

from benchmarks.harness import EXAMPLES, JudgedCase, print_halves, read_lines, sentence_place
from benchmarks.recorded_reader import NOT_RECORDED, count_unrecorded, reader_of_pages
from rarr import Revision
from rarr.tools.text.blocks_and_sentences import Span

FOLDER = EXAMPLES / "second_search"
HALVES = ("tuned", "held_out")
RIGHTLY, ONE_QUOTE = "decided rightly, both documents quoted", "decided rightly, one document quoted"
CHANGED, SUPPORTED = "changed otherwise", "supported though wrong"


class HopCase(NamedTuple):
    """A sentence, its wrong words and their correction (None: it is right), and the ids of two documents."""

    id: str
    text: str
    wrong: str | None
    right: str | None
    first: str
    second: str

    @property
    def corrected(self) -> str:
        return self.text.replace(self.wrong, self.right) if self.wrong and self.right else self.text


def results(half: str, options: Namespace) -> list[JudgedCase]:
    documents = read_lines(FOLDER / "documents.jsonl")
    pages = [{"title": row["title"], "text": row["text"], "source": row["id"]} for row in documents]
    rows = read_lines(FOLDER / f"{half}.jsonl")
    cases = [HopCase(**{name: row[name] for name in HopCase._fields}) for row in rows]
    known = count_unrecorded(options.model)
    with reader_of_pages(pages, model=options.model, rounds=options.rounds) as reviser:
        revision = reviser.revise("\n\n".join(case.text for case in cases))
    lacking = count_unrecorded(options.model) > known
    outcomes = [(NOT_RECORDED, case.text) if lacking else judge_case(case, revision) for case in cases]
    labels = ("wrong" if case.wrong else "right" for case in cases)
    return [(label, *outcome) for label, outcome in zip(labels, outcomes, strict=True)]


def judge_case(case: HopCase, revision: Revision) -> tuple[str, str]:
    place = sentence_place(revision, case.text)
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


if __name__ == "__main__":
    print_halves(__doc__, HALVES, results)

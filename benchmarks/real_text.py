"""Real text: sentences of web pages with one value changed, and answers of a chat assistant.

    python -m benchmarks.real_text [--per-kind N] [--seed S]

1. The pages of WikiGenBench become an index; sentences of them are revised against it, as they are and with
   one date, number, name or telling word changed by a fixed rule. The sentences are a seeded random sample.
2. The answers of Factcheck-GPT are revised, each against its own evidence, and every accepted edit is held
   against the human revision.
"""

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.assistant_answers import print_answers
from benchmarks.corpus import index_rules
from benchmarks.corruptions import KINDS, Corruption, sample
from benchmarks.report import machine, share
from benchmarks.shared_data import rows
from rarr import Reviser, Revision, Settings
from rarr.retrievers.corpus.index_building import build_index

PAGES = "measure_only/unlicensed/dev/retrieval/wikigenbench_docs.jsonl.gz"
OUTCOMES = ("corrected exactly", "suggested", "contradicted", "supported", "left open", "damaged")
_NAMED = 5


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--per-kind", type=int, default=40, help="sentences of each kind, at most")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        print_pages(Path(folder), rows(PAGES), sample(rows(PAGES), options.per_kind, options.seed))
    print_answers()


def print_pages(folder: Path, pages: Sequence[dict[str, Any]], sentences: Sequence[Corruption]) -> None:
    """Prints part 1: sentences of web pages, with one value changed and as they are."""
    print("\n## Sentences of web pages\n")
    index = _index(folder, pages)
    reviser = Reviser(Settings(corpus=index, home=folder / "home"))
    changed = [(corruption, reviser.revise(corruption.changed)) for corruption in sentences]
    as_they_are = [(corruption, reviser.revise(corruption.sentence)) for corruption in sentences]
    print(
        f"\n| one value changed | sentences | {' | '.join(OUTCOMES)} |\n|---|{'---:|' * (len(OUTCOMES) + 1)}"
    )
    for kind in (*KINDS, "all"):
        counts = Counter(
            became(corruption, revision)
            for corruption, revision in changed
            if kind in (corruption.kind, "all")
        )
        cells = " | ".join(str(counts[outcome]) for outcome in OUTCOMES)
        print(f"| {kind} | {counts.total()} | {cells} |")
    print(f"\ncorrected exactly: {share([became(*pair) == OUTCOMES[0] for pair in changed])}")
    for outcome in ("supported", "damaged"):
        print(f"{outcome}: {share([became(*pair) == outcome for pair in changed])}")
    for outcome in ("supported", "contradicted", "damaged"):
        hits = [became(*pair) == outcome for pair in as_they_are]
        print(f"{outcome}, of the same sentences as they are: {share(hits)}")
    seconds = [revision.usage.seconds for _, revision in changed + as_they_are]
    print(f"seconds a sentence: median {median(seconds):.2f}, most {max(seconds):.2f}")
    print_named(changed)
    for title, group in (("damaged", changed), ("changed as they are", as_they_are)):
        print(f"\n{title}:")
        for corruption, revision in group:
            if became(corruption, revision) == "damaged":
                print(
                    f"- {_place(corruption)} ({corruption.old} → {corruption.new} planted):"
                    f" {_edits(revision)}; {corruption.sentence!r}"
                )


def became(corruption: Corruption, revision: Revision) -> str:
    """The result for a sentence. A sentence that had no value changed is damaged by any change.

    `suggested`: a suggested edit would restore it. `left open`: none of the others.
    """
    if revision.changed:
        return "corrected exactly" if revision.text == corruption.sentence else "damaged"
    suggested = [edit.id for edit in revision.edits if edit.state == "suggested"]
    if any(revision.accept(edit_id).text == corruption.sentence for edit_id in suggested):
        return "suggested"
    statuses = {sentence.status for sentence in revision.report.sentences}
    if "contradicted" in statuses:
        return "contradicted"
    return "supported" if statuses == {"supported"} else "left open"


def print_named(changed: Sequence[tuple[Corruption, Revision]]) -> None:
    """Prints five corrected sentences, the kinds in turn. They are examples and no measurement."""
    corrected = [
        corruption for corruption, revision in changed if became(corruption, revision) == "corrected exactly"
    ]

    def place_in_kind(corruption: Corruption) -> int:
        return [other for other in corrected if other.kind == corruption.kind].index(corruption)

    in_turn = sorted(corrected, key=place_in_kind)
    print(f"\n{_NAMED} that were corrected, chosen for that:")
    for corruption in in_turn[:_NAMED]:
        print(f"- {_place(corruption)}: {corruption.new} → {corruption.old} in {corruption.changed!r}")


def _index(folder: Path, pages: Sequence[dict[str, Any]]) -> Path:
    source = folder / "pages"
    source.mkdir()
    for page in pages:
        file = source / f"{page['id'].replace('/', '_')}.txt"
        file.write_text(f"{page['title']}\n\n{page['text']}", encoding="utf-8")
    started = time.perf_counter()
    report = build_index(source, folder / "index", **index_rules())
    seconds = time.perf_counter() - started
    print(
        f"indexed {report.documents} documents, {report.passages:,} passages, in {seconds:.1f} seconds; "
        f"{len(report.skipped)} skipped"
    )
    for reason, count in Counter(reason for _, reason in report.skipped).most_common():
        print(f"- {count} skipped: {reason}")
    return folder / "index"


def _place(corruption: Corruption) -> str:
    return f"{corruption.page} at {corruption.start}"


def _edits(revision: Revision) -> str:
    return ", ".join(f"{edit.old} → {edit.new}" for edit in revision.edits if edit.accepted)


if __name__ == "__main__":
    main()

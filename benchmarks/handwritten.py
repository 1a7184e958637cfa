"""Hand-written triples: each claim (supported, corrupted, unverifiable) with its passage as the only corpus.

    python -m benchmarks.handwritten [--limit N] [--train]

Prints three-way accuracy by sentence status, exact corrections, how many of the changed texts became exactly
right, and how many supported and unverifiable claims were changed, with 95% Wilson intervals. Then the
reliability of `support`: how many of the claims with about this support are supported, in words and in fact.
"""

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.report import machine, share, table
from benchmarks.shared_data import rows
from rarr import Reviser, Revision, Settings
from rarr.evals.metrics.reliability import reliability

VERSIONS = {"supported": "attributable", "corrupted": "contradictory", "extrapolatory": "extrapolatory"}


class Outcome(NamedTuple):
    """The result for one claim. `kinds` are the kinds of the errors in its item.

    `support` is the least support of its sentences; None where one could not be judged.
    """

    version: str
    judged: str
    changed: bool
    right: bool
    kinds: tuple[str, ...]
    support: float | None


def judged(revision: Revision) -> str:
    """The class that follows from the statuses of the sentences and the edits."""
    statuses = {sentence.status for sentence in revision.report.sentences}
    if revision.changed or "contradicted" in statuses:
        return "contradictory"
    return "attributable" if statuses == {"supported"} else "extrapolatory"


def outcomes(item: dict[str, Any], settings: Mapping[str, Any] | None = None) -> list[Outcome]:
    """Revises the three claims of an item against its passage; `settings` override the defaults."""
    kinds = tuple(dict.fromkeys(edit["kind"] for edit in item["edits"]))
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "passage.json"
        passage = {"text": item["evidence"], "title": item["title"] or "", "source": item["id"]}
        corpus.write_text(json.dumps(passage), encoding="utf-8")
        reviser = Reviser(Settings(corpus=corpus, home=Path(folder) / "home", **(settings or {})))
        claim_outcomes = []
        for version in VERSIONS:
            revision = reviser.revise(item[version])
            right = version == "corrupted" and revision.text == item["supported"]
            supports = [sentence.support for sentence in revision.report.sentences]
            known = [support for support in supports if support is not None]
            least = min(known) if known and len(known) == len(supports) else None
            claim_outcomes.append(Outcome(version, judged(revision), revision.changed, right, kinds, least))
        return claim_outcomes


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--limit", type=int, help="only the first N items")
    parser.add_argument("--train", action="store_true", help="the training half, for tuning")
    options = parser.parse_args()
    name = "train/handwritten.jsonl.gz" if options.train else "dev/editing/handwritten.jsonl.gz"
    items = rows(name)[: options.limit]
    with ProcessPoolExecutor() as pool:
        claim_outcomes = [
            outcome for item_outcomes in pool.map(outcomes, items, chunksize=8) for outcome in item_outcomes
        ]
    print(f"{name}: {len(items)} items, {len(claim_outcomes)} claims; {machine()}\n")
    print_table(claim_outcomes)
    print_reliability(claim_outcomes)


def print_table(outcomes: list[Outcome]) -> None:
    """Prints one measure a line."""
    by_version = {
        version: [outcome for outcome in outcomes if outcome.version == version] for version in VERSIONS
    }
    changed = [outcome for outcome in outcomes if outcome.changed]
    right = [outcome for outcome in outcomes if outcome.right]
    print("| measure | value |\n|---|---|")
    class_right = [outcome.judged == VERSIONS[outcome.version] for outcome in outcomes]
    corrected = [outcome.right for outcome in by_version["corrupted"]]
    print(f"| three-way accuracy | {share(class_right)} |")
    print(f"| exact corrections, of the corrupted | {share(corrected)} |")
    print(f"| became exactly right, of the changed | {share([outcome.right for outcome in changed])} |")
    for version in ("supported", "extrapolatory"):
        print(
            f"| changed, of the {version} | {share([outcome.changed for outcome in by_version[version]])} |"
        )
    kinds = Counter(kind for outcome in right for kind in outcome.kinds)
    print(f"\nright by kind: {', '.join(f'{kind} {count}' for kind, count in kinds.most_common())}")
    for version in VERSIONS:
        classes = Counter(outcome.judged for outcome in by_version[version])
        print(f"{version} judged: {dict(classes.most_common())}")


def print_reliability(outcomes: list[Outcome]) -> None:
    """Prints, for each tenth of support, how many of the unchanged claims are supported."""
    unchanged = [outcome for outcome in outcomes if not outcome.changed and outcome.support is not None]
    rows = [(outcome.support or 0.0, outcome.version == "supported") for outcome in unchanged]
    body = [
        [f"{b.low:.1f} to {b.high:.1f}", str(b.n), f"{b.probability:.2f}", f"{b.share:.2f}"]
        for b in reliability(rows)
    ]
    print(f"\n{table(['support', 'claims', 'mean support', 'share that is supported'], body)}")
    missing = sum(outcome.support is None for outcome in outcomes)
    print(f"\nnot in the table: {len(outcomes) - len(unchanged) - missing} changed, {missing} not judged")


if __name__ == "__main__":
    main()

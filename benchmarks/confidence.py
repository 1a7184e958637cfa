"""How often each kind of embedded verdict is right: the confidences in `rarr/backends/rules/agreement.py`.

    python -m benchmarks.confidence [--limit N]

On the training half of the hand-written triples, each value of each claim against its passage. A value of a
supported claim agrees, one that a corrupted claim has and the supported one lacks disagrees, and of a claim
that the passage does not settle no value is settled.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from benchmarks.report import machine, share
from benchmarks.shared_data import rows
from rarr.backends.rules.agreement import value_agreement
from rarr.backends.rules.counterparts import counterparts, parsed_passage
from rarr.backends.rules.questions import askable_values
from rarr.backends.rules.standalone_claims import claims
from rarr.records import Agreement

NAME = "train/handwritten.jsonl.gz"


def main() -> None:
    """Prints a line for each verdict and confidence."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--limit", type=int, help="only the first N items")
    items = rows(NAME)[: parser.parse_args().limit]
    with ProcessPoolExecutor() as pool:
        judged = [pair for pairs in pool.map(verdicts, items, chunksize=50) for pair in pairs]
    print(f"{NAME}: {len(items)} items, {len(judged)} values; {machine()}\n")
    by_kind = defaultdict(list)
    for truth, agreement in judged:
        by_kind[agreement.verdict, agreement.confidence or 0.0].append(truth == agreement.verdict)
    for (verdict, confidence), hits in sorted(by_kind.items()):
        print(f"{verdict:<10} stated {confidence:.2f}, right {share(hits)}")


def verdicts(item: dict[str, Any]) -> list[tuple[str, Agreement]]:
    """The true verdict and the agreement of the rules, for every value of the three claims of an item."""
    evidence = parsed_passage(item["evidence"], item["title"] or "")
    return [
        (
            truth,
            value_agreement(
                claim, value, counterparts(claim.sentence, value, evidence, claim.about), evidence
            ),
        )
        for version in ("supported", "corrupted", "extrapolatory")
        for claim, value, truth in _values(item, version)
    ]


def _values(item: dict[str, Any], version: str) -> Iterator[tuple[Any, Any, str]]:
    text = item[version]
    for claim in claims(text, None):
        for value, place in askable_values(text, claim):
            if version == "extrapolatory":
                yield claim, value, "irrelevant"
            else:
                yield claim, value, "agrees" if place.of(text) in item["supported"] else "disagrees"


if __name__ == "__main__":
    main()

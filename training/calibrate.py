"""Fits the decisions on dev, on top of the weights, and writes them into their `model.json`.

    python -m training.calibrate [FOLDER]

The disagreements and agreements of values on the hand-written triples; support on the open sets of
`dev/attribution`. Thresholds are chosen on cases that the fit did not see (five parts, by document).
"""

import argparse
import pickle
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks import shared_data
from rarr.embedded.claims import claims
from rarr.embedded.editing import change_of
from rarr.embedded.support import entailments
from rarr.encoder.model import Encoder, Judged
from rarr.encoder.weights import FACTS, SHIPPED, Calibration, Facts, Logistic, checked
from rarr.evals.metrics import roc_auc as auc
from rarr.records import Check, Evidence, Query
from rarr.tools.document import Span
from rarr.trained import support
from rarr.trained.agreement import Weighed, of_claim, weighed
from rarr.trained.reading import around
from training.fitting import fitted, held_out, most_right
from training.measures.handwritten import FILE
from training.sources import wrong_places

RIGHT = 0.88
"""Of the edits that are proposed, this share is exactly right on dev, so that 0.85 is elsewhere."""
AGREES = 0.93
"""Of the values that are said to agree, this share does."""
CONTRADICTS = 0.7
"""Of the sentences that are said to be contradicted, this share is."""


Item = dict[str, Any]


class Case(NamedTuple):
    """A value of a hand-written claim beside its passage."""

    told: Mapping[str, float]
    wrong: bool
    agrees: bool | None
    right: bool
    """Would an edit to the evidence's value make the text exactly right?"""


class Claimed(NamedTuple):
    """A sentence of a hand-written claim beside its passage."""

    document: str
    judged: Judged
    found: list[Weighed]
    cases: list[Case]
    wrong: bool


def main() -> None:
    """Fits all three and writes them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=SHIPPED)
    parser.add_argument("--cases", type=Path, help="keep the cases here, or take them from here")
    options = parser.parse_args()
    encoder = Encoder(options.folder)
    claimed = _kept(options.cases, "sentences", lambda: sentences(encoder))
    judged = _kept(options.cases, "support", lambda: judgements(encoder))
    disagrees, agrees = _disagrees(claimed), _agrees(claimed)
    values_alone = Calibration(disagrees=disagrees, agrees=agrees, contradicts=agrees, supports=agrees)
    contradicts, supports = _contradicts(claimed, values_alone), _supports(judged)
    calibration = values_alone.model_copy(update={"contradicts": contradicts, "supports": supports})
    facts = checked(options.folder).model_copy(update={"calibration": calibration})
    write(options.folder, facts)


def write(folder: Path, facts: Facts) -> None:
    """Writes `model.json` beside the old one and then in its place."""
    partial = folder / f"{FACTS}.partial"
    partial.write_text(facts.model_dump_json(indent=1) + "\n", encoding="utf-8")
    partial.replace(folder / FACTS)


def sentences(encoder: Encoder) -> Iterator[Claimed]:
    """Every sentence of every hand-written dev claim; what is supported also beside the passage of another.

    A search finds such passages all the time: they say nothing of the claim, for or against.
    """
    items = shared_data.rows(FILE)
    for item, another in zip(items, items[1:] + items[:1], strict=True):
        for version in ("supported", "corrupted", "extrapolatory"):
            wrong = wrong_places(item) if version == "corrupted" else []
            yield from _claimed(encoder, item, version, item, wrong)
        yield from _claimed(encoder, item, "supported", another, [])


def _claimed(
    encoder: Encoder, item: Item, version: str, source: Item, wrong: Sequence[tuple[int, int]]
) -> Iterator[Claimed]:
    """The sentences of a version of a claim, beside the passage of its own or of another item."""
    text = item[version]
    unsaid = version == "extrapolatory" or source is not item
    for claim in claims(text, None):
        judged, found = weighed(encoder, text, None, claim, source["title"] or "", source["evidence"])
        cases = [_case(item, version, one, wrong, unsaid=unsaid) for one in found]
        is_wrong = any(s < claim.span.end and claim.span.start < e for s, e in wrong)
        yield Claimed(item["doc"], judged, found, cases, is_wrong)


def _case(item: Item, version: str, one: Weighed, wrong: Sequence[tuple[int, int]], *, unsaid: bool) -> Case:
    is_wrong = any(s < one.place.end and one.place.start < e for s, e in wrong)
    said_too = unsaid and not one.told["unsaid"]
    return Case(
        told=one.told,
        wrong=is_wrong,
        agrees=None if said_too else not unsaid and not is_wrong,
        right=is_wrong and _edited(item[version], one.place, one.other.said) == item["supported"],
    )


def _edited(text: str, place: Span, answer: str) -> str:
    query = Query(id="q", text="", start=place.start, end=place.end)
    check = Check(
        query_id="q", evidence_id="e", verdict="disagrees", text_answer=place.of(text), evidence_answer=answer
    )
    change = change_of(text, query, check) if answer else None
    return text if change is None else text[: change.start] + change.new + text[change.end :]


class Support(NamedTuple):
    """A claim of an attribution set beside its evidence."""

    source: str
    group: str
    told: Mapping[str, float]
    supported: bool


def judgements(encoder: Encoder) -> Iterator[Support]:
    """Every judged row of the open sets of `dev/attribution`."""
    for path in sorted((shared_data.FOLDER / "dev/attribution").iterdir()):
        found = shared_data.rows(f"dev/attribution/{path.name}")
        rows = [row for row in found if row.get("supported") is not None and row.get("evidence")]
        if len({row["supported"] for row in rows}) < 2:
            continue
        for row in rows:
            yield judgement(encoder, row)


def judgement(encoder: Encoder, row: dict[str, Any]) -> Support:
    """The features of one row."""
    text = row["claim"]
    body = "\n".join(one["text"] for one in row["evidence"])
    title = str(row["evidence"][0].get("title") or "")
    evidence = Evidence.model_validate(
        {
            "text": body, "title": title, "source": row["id"], "start": 0, "end": len(body),
            "retrieved_at": "2026-01-01T00:00:00Z", "id": "e", "query_id": "q", "relevance": 1.0,
        }
    )  # fmt: skip
    span = Span(0, len(text))
    judged = support.best(encoder, around(text, span)[1], title, body)
    by_sentence = entailments(text, None, [claim.span for claim in claims(text, None)], evidence)
    by_rules = [one for one in by_sentence if one is not None]
    told = support.features(judged, min(by_rules) if by_rules else None)
    return Support(row["source"], row.get("group") or row["id"], told, bool(row["supported"]))


def _disagrees(claimed: Sequence[Claimed]) -> Logistic:
    cases = [(one.document, case) for one in claimed for case in one.cases]
    told, wrong = [case.told for _, case in cases], [case.wrong for _, case in cases]
    right = [case.right for _, case in cases]
    even = [1.0] * len(cases)
    likely = held_out(told, wrong, even, [document for document, _ in cases])
    print(f"disagrees: AUC {auc(likely, wrong):.3f} of {sum(wrong)} wrong values in {len(cases)}")
    for share in (0.7, 0.75, 0.8, 0.85, RIGHT, 0.9, 0.95):
        at = most_right(likely, right, share)
        print(f"  exactly right {share}: {sum(p >= at for p in likely)} edits at {at:.3f}")
    threshold = most_right(likely, right, RIGHT)
    return fitted(told, wrong, even).model_copy(update={"threshold": round(threshold, 4)})


def _agrees(claimed: Sequence[Claimed]) -> Logistic:
    known = [(one.document, case) for one in claimed for case in one.cases if case.agrees is not None]
    told, so = [case.told for _, case in known], [bool(case.agrees) for _, case in known]
    even = [1.0] * len(known)
    likely = held_out(told, so, even, [document for document, _ in known])
    threshold = most_right(likely, so, AGREES)
    print(
        f"agrees: AUC {auc(likely, so):.3f}, threshold {threshold:.3f}:"
        f" {sum(p >= threshold for p in likely)} of {len(likely)} values, {sum(so)} agree"
    )
    return fitted(told, so, even).model_copy(update={"threshold": round(threshold, 4)})


def _contradicts(claimed: Sequence[Claimed], values: Calibration) -> Logistic:
    """Of claims with a value that can be asked for: only of these anything is asked."""
    asked = [one for one in claimed if one.found]
    told = [of_claim(values, one.judged, one.found) for one in asked]
    wrong, even = [one.wrong for one in asked], [1.0] * len(asked)
    likely = held_out(told, wrong, even, [one.document for one in asked])
    print(f"contradicts: AUC {auc(likely, wrong):.3f} of {sum(wrong)} wrong sentences in {len(asked)}")
    for share in (0.6, 0.7, 0.75, 0.8, 0.85, 0.9):
        at = most_right(likely, wrong, share)
        print(f"  wrong {share}: {sum(p >= at for p in likely)} sentences at {at:.3f}")
    threshold = most_right(likely, wrong, CONTRADICTS)
    return fitted(told, wrong, even).model_copy(update={"threshold": round(threshold, 4)})


def _supports(judged: Sequence[Support]) -> Logistic:
    """Every source weighs the same, and in it what is supported as much as what is not."""
    count = Counter((one.source, one.supported) for one in judged)
    weights = [len(judged) / len(count) / count[one.source, one.supported] for one in judged]
    told, so = [one.told for one in judged], [one.supported for one in judged]
    likely = held_out(told, so, weights, [one.group for one in judged])
    threshold, accuracy = best_balanced(judged, likely)
    print(f"supports: mean balanced accuracy {accuracy:.3f} at {threshold:.3f}")
    for source in sorted({one.source for one in judged}):
        mine = [(p, one.supported) for p, one in zip(likely, judged, strict=True) if one.source == source]
        print(f"  {source}: {len(mine)}, AUC {auc([p for p, _ in mine], [s for _, s in mine]):.3f}")
    return fitted(told, so, weights).model_copy(update={"threshold": round(threshold, 4)})


def best_balanced(judged: Sequence[Support], likely: Sequence[float]) -> tuple[float, float]:
    """The threshold with the best mean over the sources of the balanced accuracy, and that mean."""
    sources = sorted({one.source for one in judged})
    best = (0.5, 0.0)
    for threshold in np.arange(0.2, 0.81, 0.02):
        shares = []
        for source in sources:
            for supported in (True, False):
                hits = [
                    (p >= threshold) == supported
                    for p, one in zip(likely, judged, strict=True)
                    if one.source == source and one.supported == supported
                ]
                shares.append(sum(hits) / len(hits))
        best = max(best, (float(threshold), sum(shares) / len(shares)), key=lambda one: one[1])
    return best


def _kept(folder: Path | None, name: str, make: Any) -> Any:
    """What `make` makes, from a file where it was kept."""
    if folder is None:
        return list(make())
    path = folder / f"{name}.pickle"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps(list(make())))
    return pickle.loads(path.read_bytes())


if __name__ == "__main__":
    main()

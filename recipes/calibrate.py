"""Fits the decisions on dev, on top of the weights, and writes them into their `model.json`.

    python -m recipes.calibrate [FOLDER]

What is said of values and sentences on the hand-written triples; support on these and the open sets of
`dev/attribution`. Thresholds are chosen on cases that a fit did not see (five parts, by document); what is
said of a sentence rests on what is said of its values, which was fitted on all of them.
"""

import argparse
import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.shared_data import rows
from benchmarks.verifiers import SETS, claims_with_windows
from rarr.backends.encoder import support
from rarr.backends.encoder.calibration_features import claim_features, is_open
from rarr.backends.encoder.model import Encoder
from rarr.backends.encoder.model_files import SHIPPED, Calibration, write_calibration
from rarr.backends.encoder.support import SentenceFeatures, least_support, likelihood
from rarr.backends.logistic import AT_THRESHOLD, Logistic
from rarr.evals.metrics import roc_auc
from rarr.tools.text.blocks_and_sentences import split_sentences
from rarr.training.calibration_cases import KnownClaim, SentenceCase, sentence_cases
from rarr.training.logistic_regression import fitted, fitted_without, held_out, threshold_at_precision
from recipes.measures.attribution import Row, balanced_threshold, mean_balanced
from recipes.measures.handwritten import FILE
from recipes.sources import Item, wrong_places

RIGHT = 0.88
"""The share of proposed edits that is exactly right on dev, so that 0.85 of them is right elsewhere."""
CONTRADICTS = 0.7
"""The share of the sentences called contradicted as a whole that really is contradicted."""


def main() -> None:
    """Fits all four decisions and writes them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=SHIPPED)
    folder = parser.parse_args().folder
    write_calibration(folder, calibration(Encoder(folder)))


def calibration(encoder: Encoder) -> Calibration:
    """The four decisions, each fitted on all its cases."""
    known_sentences = list(sentences(encoder))
    judged = list(judgements(encoder))
    values = [(sentence.group, case) for sentence in known_sentences for case in sentence.values]
    disagrees = regression(
        "disagrees",
        [(document, case.features, case.wrong) for document, case in values],
        precision=RIGHT,
        right=[case.right for _, case in values],
    )
    known_values = [(document, case) for document, case in values if case.agrees is not None]
    agrees = regression(
        "agrees", [(document, case.features, bool(case.agrees)) for document, case in known_values]
    )
    open_sentences = [
        sentence
        for sentence in known_sentences
        if sentence.weighed and is_open([value.ruled for value in sentence.weighed])
    ]
    contradicts = regression(
        "contradicts",
        [
            (
                sentence.group,
                claim_features(disagrees, agrees, sentence.judged, sentence.weighed),
                sentence.wrong,
            )
            for sentence in open_sentences
        ],
        precision=CONTRADICTS,
    )
    return Calibration(
        disagrees=disagrees, agrees=agrees, contradicts=contradicts, supports=_supports(judged)
    )


def regression(
    name: str,
    cases: Sequence[tuple[str, Mapping[str, float], bool]],
    *,
    precision: float | None = None,
    right: Sequence[bool] | None = None,
) -> Logistic:
    """A regression of cases (document, features, label), with the threshold that reaches `precision`.

    Precision is counted on `right` if given, else on the labels. Without `precision` the threshold is 0.5.
    """
    documents, features, labels = (list(column) for column in zip(*cases, strict=True))
    even = [1.0] * len(cases)
    probabilities = held_out(features, labels, even, documents)
    print(f"{name}: AUC {roc_auc(probabilities, labels):.3f} of {sum(labels)} in {len(labels)}")
    logistic = fitted(features, labels, even)
    if precision is None:
        return logistic
    for share in (0.6, 0.7, 0.8, 0.9):
        at = threshold_at_precision(probabilities, right or labels, share)
        print(f"  precision {share}: {sum(p >= at for p in probabilities)} from {at:.4f} on")
    return logistic.model_copy(
        update={"threshold": threshold_at_precision(probabilities, right or labels, precision)}
    )


def sentences(encoder: Encoder) -> Iterator[SentenceCase]:
    """Every sentence of every hand-written dev claim. Supported ones also beside the passage of another item.

    A search often finds such passages, which neither support nor contradict the claim.
    """
    items = rows(FILE)
    for item, another in zip(items, items[1:] + items[:1], strict=True):
        for version in ("supported", "corrupted", "extrapolatory"):
            yield from sentence_cases(encoder, _known(item, version, item))
        yield from sentence_cases(encoder, _known(item, "supported", another))


def _known(item: Item, version: str, source: Item) -> KnownClaim:
    """A version of a claim, beside the passage of its own item or of another."""
    return KnownClaim(
        group=item["doc"],
        text=item[version],
        title=source["title"] or "",
        passage=source["evidence"],
        corrected=item["supported"],
        wrong=wrong_places(item) if version == "corrupted" else (),
        unsaid=version == "extrapolatory" or source is not item,
    )


class Support(NamedTuple):
    """A claim that people judged: each of its sentences beside each passage of its evidence."""

    source: str
    group: str
    supported: bool
    seen: Sequence[Sequence[SentenceFeatures]]

    @property
    def features(self) -> Mapping[str, float]:
        """The features of the claim: those of its least attributable sentence, each by its best passage."""
        best = (max(by_passage, key=_attributable) for by_passage in self.seen)
        return min(best, key=_attributable).features

    def likelihood(self, fitted: Logistic) -> float:
        """The likelihood of the claim as in a revision: its least likely sentence, each by its best passage.

        It is 1 for a sentence that the rules support, whatever was fitted.
        """
        return min(max(_likelihood(fitted, sentence) for sentence in by_passage) for by_passage in self.seen)


def judgements(encoder: Encoder) -> Iterator[Support]:
    """The judged rows of the open sets of `dev/attribution`, and the hand-written claims as one more source.

    Rows that the encoder cannot read are left out.
    """
    for name, file in SETS.items():
        judged = [row for row in rows(f"dev/attribution/{file}") if row["supported"] is not None]
        yield from _seen(encoder, [row | {"source": name} for row in judged if row["evidence"]])
    for item in rows(FILE):
        passage = {"text": item["evidence"], "title": item["title"]}
        shared = {"source": "handwritten", "group": item["doc"], "evidence": [passage]}
        versions = ("supported", "corrupted", "extrapolatory")
        versions_of_item = [{"claim": item[name], "supported": name == "supported"} for name in versions]
        yield from _seen(encoder, [version | shared for version in versions_of_item])


def _seen(encoder: Encoder, claim_rows: Sequence[dict[str, Any]]) -> Iterator[Support]:
    for row, windows in asyncio.run(claims_with_windows(claim_rows)):
        claim, context = row["claim"], row.get("question")
        spans = split_sentences(claim)
        by_window = [support.sentence_features(encoder, claim, context, spans, window) for window in windows]
        by_sentence = [
            [features for features in passages if features is not None]
            for passages in zip(*by_window, strict=True)
        ]
        if by_sentence and all(by_sentence):
            yield Support(row["source"], row["group"], row["supported"], by_sentence)


def _supports(claims: Sequence[Support]) -> Logistic:
    """Fits the support of claims. Every source weighs the same, and so do both labels within a source.

    The threshold is chosen on the final support of a revision, which includes that of the rules.
    """
    count = Counter((claim.source, claim.supported) for claim in claims)
    weights = [len(claims) / len(count) / count[claim.source, claim.supported] for claim in claims]
    features, labels = [claim.features for claim in claims], [claim.supported for claim in claims]
    likely = [0.0] * len(claims)
    for part, logistic in fitted_without(features, labels, weights, [claim.group for claim in claims]):
        for n in part:
            likely[n] = claims[n].likelihood(logistic)
    scored: dict[str, list[Row]] = defaultdict(list)
    for claim, score in zip(claims, likely, strict=True):
        scored[claim.source].append(Row(score, claim.supported, claim.group))
    threshold = balanced_threshold(scored)
    print(f"supports: mean balanced accuracy {mean_balanced(scored, threshold).value:.3f} at {threshold:.3f}")
    for source in sorted({claim.source for claim in claims}):
        of_source = [
            (p, claim.supported) for p, claim in zip(likely, claims, strict=True) if claim.source == source
        ]
        source_auc = roc_auc([p for p, _ in of_source], [supported for _, supported in of_source])
        print(f"  {source}: {len(of_source)}, AUC {source_auc:.3f}")
    return fitted(features, labels, weights).model_copy(update={"threshold": round(threshold, 4)})


def _likelihood(fitted: Logistic, sentence: SentenceFeatures) -> float:
    return 1.0 if least_support(sentence) >= AT_THRESHOLD else likelihood(fitted, sentence)


def _attributable(sentence: SentenceFeatures) -> float:
    return sentence.features["attributable"]


if __name__ == "__main__":
    main()
